// SPDX-License-Identifier: GPL-3.0-or-later
//
// What every reading of the semantics answers about a program under a model, so that answers can be compared:
// the final states (all cells, then all registers of each thread), and whether an error or a deadlock can
// be reached. An answer that is not complete says why and is compared with nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/numbers.h"

namespace fenceline::fuzz {

struct Answer {
  bool complete = false;
  std::string reason;  // if not complete
  std::set<std::vector<Value>> finals;
  bool error_reachable = false;
  bool deadlock_reachable = false;
  bool knows_deadlocks = true;
  uint64_t states = 0;  // for the summary only
  double seconds = 0;   // likewise: what it took to find the final states

  bool same_as(const Answer& other) const {
    return finals == other.finals && error_reachable == other.error_reachable &&
           (deadlock_reachable == other.deadlock_reachable || !knows_deadlocks || !other.knows_deadlocks);
  }
  // Is there nothing in it that the other does not have?
  bool part_of(const Answer& other) const {
    return std::includes(other.finals.begin(), other.finals.end(), finals.begin(), finals.end()) &&
           (other.error_reachable || !error_reachable) &&
           (other.deadlock_reachable || !deadlock_reachable || !other.knows_deadlocks);
  }

  static Answer skipped(std::string why) {
    Answer answer;
    answer.reason = std::move(why);
    return answer;
  }
};

}  // namespace fenceline::fuzz
