// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small strong integers. A ThreadId cannot be passed where a RegId is meant, and yet both cost as much as a
// bare uint32_t. Every id is an index into some vector, hence `index()`.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace fenceline {

template <class Tag>
class Id {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  constexpr Id() = default;
  constexpr explicit Id(size_t value) : value_(static_cast<uint32_t>(value)) {}

  constexpr uint32_t value() const { return value_; }
  constexpr size_t index() const { return value_; }
  constexpr bool valid() const { return value_ != kNone; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  uint32_t value_ = kNone;
};

}  // namespace fenceline

template <class Tag>
struct std::hash<fenceline::Id<Tag>> {
  size_t operator()(fenceline::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.value()); }
};
