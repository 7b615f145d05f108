// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small, fast, reproducible random generator (splitmix64). The same seed gives the same sequence on every
// machine, which std:: distributions do not promise.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace fenceline {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t next() { return hash_word(state_ += kGoldenRatio); }

  // Uniform enough below `bound` (> 0) for test generation.
  uint64_t below(uint64_t bound) { return next() % bound; }

  // Inclusive on both ends.
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(below(static_cast<uint64_t>(hi - lo) + 1));
  }

  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

}  // namespace fenceline
