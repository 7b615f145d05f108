// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values and ranges of values. A value of the program is a 64-bit integer; `.fl` integers are mathematical,
// so every operation that could leave 64 bits is checked where it is computed (see ir/eval.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace fenceline {

using Value = int64_t;

// A closed interval. The bounds at the ends of int64 mean "no bound known".
struct Range {
  Value lo = std::numeric_limits<Value>::min();
  Value hi = std::numeric_limits<Value>::max();

  static constexpr Range all() { return {}; }
  static constexpr Range single(Value v) { return {v, v}; }
  static constexpr Range empty() { return {1, 0}; }

  constexpr bool is_empty() const { return lo > hi; }
  constexpr bool contains(Value v) const { return lo <= v && v <= hi; }
  constexpr bool contains(const Range& other) const {
    return other.is_empty() || (lo <= other.lo && other.hi <= hi);
  }
  constexpr bool bounded() const {
    return lo != std::numeric_limits<Value>::min() && hi != std::numeric_limits<Value>::max();
  }
  constexpr Range join(const Range& other) const {
    if (is_empty()) return other;
    if (other.is_empty()) return *this;
    return {std::min(lo, other.lo), std::max(hi, other.hi)};
  }
  constexpr Range meet(const Range& other) const { return {std::max(lo, other.lo), std::min(hi, other.hi)}; }

  // How many bits distinguish the values of the range: 0 for one value, 64 for all of them.
  constexpr unsigned bits() const {
    if (is_empty()) return 0;
    return static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo)));
  }

  friend constexpr bool operator==(const Range&, const Range&) = default;
};

}  // namespace fenceline
