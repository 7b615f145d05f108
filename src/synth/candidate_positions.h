// SPDX-License-Identifier: GPL-3.0-or-later
//
// The candidate positions of a program, and fences at them.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "task/synthesis.h"

namespace fenceline::synth {

// Which statements fences may follow.
enum class Positions : uint8_t {
  kStores,  // stores
  kAll,     // whatever ends with a step of its own: loads, assignments, labels, ... as well
};

// By their order in the text. Not inside atomic sections, and not after a full fence.
std::vector<CandidatePosition> candidate_positions(const Program& program, Positions positions);

// Puts `kinds` after every instruction of the position. No kinds: the position is monitored, and the fence
// does nothing.
void add_fence(FenceSet& fences, const CandidatePosition& candidate, FenceKinds kinds);

}  // namespace fenceline::synth
