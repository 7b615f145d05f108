// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where pointers point to, as sets of offsets in objects, and how arithmetic moves them. A target is
//
//   one offset                                stride 0
//   an offset and all behind it               stride > 0, forward: { offset + k * stride | k >= 0 }
//   offsets in both directions                stride > 0: all that are equal to the offset modulo the stride
//
// The second is an array behind a header, of which it is known that no index is negative.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace fenceline::frontend::c {

struct Target {
  uint32_t object;
  int64_t offset;
  int64_t stride;
  bool forward = false;  // if not, and there is a stride: 0 <= offset < stride
  bool vague =
      false;  // of a pointer that was put together in a way that is not tracked: no evidence for an array

  friend auto operator<=>(const Target&, const Target&) = default;

  // The least offset that is not before the object, if there is a stride.
  int64_t first() const {
    return stride == 0 || offset >= 0 ? offset : ((offset % stride) + stride) % stride;
  }
};

inline constexpr int64_t kObjectAlignment = 16;  // all objects lie at multiples of this, at least
inline constexpr unsigned kAddressBits = 48;     // what is above them is no part of an address

// So many bytes further, modulo 2^48: multiples of that are counters.
Target moved(const Target& target, int64_t by);
// Moved by any multiple of `step`, or if `upwards`, by one that is not negative. Precondition: step != 0.
Target spread(const Target& target, int64_t step, bool upwards);
// Any byte of the object.
inline Target everywhere(uint32_t object) { return {object, 0, 1, false, true}; }

// Is the second one included in the first? What is vague says less than what is not, so neither covers the other.
bool covers(const Target& all, const Target& one);

// What is left of the target when so many bytes are accessed there: those at a multiple of `alignment`, inside of the
// object if its size is known (0: it is not). All others are errors when they execute.
std::optional<Target> accessible(const Target& target, uint64_t bytes, uint64_t alignment, uint64_t size);

// How a pointer in memory and an access may lie to each other.
enum class Overlap : uint8_t { kNone, kPart, kWhole };
// A pointer, or a part of `size` bytes of one, at one of the targets `held`, and so many bytes from one of `accessed`
// on, in the same object.
Overlap overlap(const Target& held, uint64_t size, const Target& accessed, uint64_t bytes);

// One step of the computation of an address.
struct AddressStep {
  enum class Kind : uint8_t {
    kMove,   // by `number` bytes
    kIndex,  // by a multiple of `number` bytes; `count` != 0: by one that is less than `count` times that
    kMask,   // down to a multiple of `number`, a power of two
    kMark,   // the bits `number` below that alignment are set, cleared or toggled
    kMix,    // a part of it, or computed with numbers that are not known: the same, or anywhere in the object
  };
  Kind kind;
  int64_t number = 0;
  uint64_t count = 0;
  bool upwards = false;
};

// Where a pointer to `target` may point to after the steps.
std::vector<Target> after(const std::vector<AddressStep>& steps, const Target& target);

}  // namespace fenceline::frontend::c
