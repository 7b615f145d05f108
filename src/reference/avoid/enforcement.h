// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which fences enforce an ordering constraint: a fence on every path from the store to the access. As a
// formula: variable i says that there is a full fence at position i of the text. A position is after the same
// statement of every thread of a declaration and of every call of a procedure, so a formula speaks about all of
// them at once.
#pragma once

#include <bdd.h>

#include <map>
#include <vector>

#include "ir/program.h"
#include "synth/candidate_positions.h"
#include "task/labelled_graph.h"

namespace fenceline::reference {

class Enforcement {
 public:
  // Keeps references: the arguments must outlive this. A BddOwner must live, with a variable for every position.
  Enforcement(const Program& program, const std::vector<CandidatePosition>& positions);

  // When is the constraint enforced by the fences, together with those that the program has already?
  bdd enforced(const OrderConstraint& constraint);

 private:
  // By point: when can the thread come there from behind the store without passing a fence?
  std::vector<bdd> reachable_unfenced(ThreadId thread, Point store) const;

  const Program& program_;
  std::vector<std::vector<bdd>> fence_after_;                     // by thread and point
  std::map<std::pair<ThreadId, Point>, std::vector<bdd>> known_;  // by store
};

}  // namespace fenceline::reference
