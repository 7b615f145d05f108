// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small, fast, reproducible random generator (splitmix64). The same seed gives the same run on every
// machine, which std:: distributions do not promise.
#pragma once

#include <cstdint>

namespace fenceline {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

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
