// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random programs in which something happens: few variables, so that threads meet; small values, so that
// reads coincide; every set of fence kinds; and enough rmw. What a program may contain is its family:
//   loopfree  what the axiomatic oracle can answer too, unless there is a sync;
//   atomic    loop-free, with atomic sections and await;
//   loops     counting loops, spin loops and endless ones, with everything else.
// The same seed gives the same program everywhere.
#pragma once

#include "base/rng.h"
#include "mini_program.h"

namespace fenceline::fuzz {

enum class Family : uint8_t { kLoopFree, kAtomic, kLoops };
inline constexpr int kFamilies = 3;
inline constexpr const char* kFamilyNames[kFamilies] = {"loopfree", "atomic", "loops"};

struct Sizes {
  int two_thread_statements = 6;    // at most, in each of two threads
  int three_thread_statements = 4;  // at most, in each of three
  int vars = 3;
  int regs = 3;
  unsigned four_threads = 0;       // percent of the programs
  int four_thread_statements = 3;  // at most, in each of four
};

MiniProgram generate(Family family, Rng& rng, const Sizes& sizes = {});

}  // namespace fenceline::fuzz
