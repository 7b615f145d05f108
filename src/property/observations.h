// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the operations of a data type may return: all that they return when they are executed one after the
// other, in whatever order the threads allow. Burckhardt, Alur, Martin: CheckFence (PLDI 2007), section 2.2.
// There the set is found by a sequence of solver queries; here by enumeration: an operation without
// interference is deterministic but for its arguments, so there are few executions. The tests compare both.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "env/env.h"
#include "ir/program.h"

namespace fenceline::property {

using Observation = std::vector<Value>;

struct SerialObservations {
  std::set<Observation> found;
  uint64_t states = 0;
  double seconds = 0;      // of the processor
  std::string unfinished;  // a limit was reached: these are not all
  // An operation fails although it runs alone: what, and where.
  std::string error;
  ThreadId failing;
  Point at;
};

// Operations are the instructions of a thread with the same number (Instruction::operation); what has none
// runs by itself. Precondition: the observed registers are not changed by later operations.
//
// An order in which an operation never ends is left out, as one in which it waits.
SerialObservations serial_observations(const Program& program, std::span<const ThreadReg> observed, Env& env);

// The same, but one observation is enough: does any order come to an end?
SerialObservations some_serial_observation(const Program& program, std::span<const ThreadReg> observed,
                                           Env& env);

// The property that every execution ends without an error and with one of these observations. Its formula is
// added to the program.
Property observations_property(Program& program, std::span<const ThreadReg> observed,
                               const std::set<Observation>& allowed, std::string name);

}  // namespace fenceline::property
