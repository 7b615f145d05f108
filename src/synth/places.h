// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where fences may be put. A place is one place in the source text: whoever writes a fence there writes it
// for every thread of a family and for every call of a procedure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/program.h"

namespace fenceline {

struct Place {
  StatementEnd statement;                          // where it stands in the text; its point is meaningless
  SourcePos pos;                                   // of the statement's last step
  std::string after;                               // the statement: "flag[i] = 1;"
  std::vector<std::pair<ThreadId, Point>> points;  // the instructions it stands behind, sorted
};

// Which statements fences may follow.
enum class Positions : uint8_t {
  kStores,  // stores
  kAll,     // whatever ends with a step of its own: loads, assignments, labels, ... as well
};

// By their order in the text. Not inside atomic sections, and not after a full fence.
std::vector<Place> candidate_places(const Program& program, Positions positions);

// The threads that run it, by name, in the order of the program.
std::vector<std::string> threads_of(const Program& program, const Place& place);

// Puts `kinds` behind every instruction of the place. No kinds: the place is watched, and nothing happens.
void add_fence(FenceSet& fences, const Place& place, FenceKinds kinds);

}  // namespace fenceline
