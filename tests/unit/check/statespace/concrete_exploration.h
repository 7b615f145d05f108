// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the certificate checker: the states that Interpreter really reaches, and small
// certificates made by two methods. What Interpreter does not show of its buffers (epochs and marks) is kept
// beside it; whether a step is possible is decided by the machine alone.
#pragma once

#include <string>
#include <vector>

#include "task/coherence_certificate.h"
#include "task/task.h"
#include "unit/check/statespace/concrete_buffer.h"

namespace fenceline::testing {

struct ConcreteState {
  std::vector<Point> locations;
  std::vector<Value> memory;
  std::vector<std::vector<Value>> registers;
  std::vector<ConcreteBuffer> buffers;
};

struct Exploration {
  std::vector<ConcreteState> states;  // the first is the initial one; none is inside an atomic section
  bool complete = true;               // nothing was cut off
};

ConcreteState initial(const Task& task);

// Breadth first, without the steps that would make more than `max_pending` stores of a thread pending.
Exploration explore(const Task& task, size_t max_pending, size_t max_states);

// The state with all pending stores in heads.
CoherenceState exactly(const ConcreteState& state, Buffering buffering);
CoherenceCertificate exactly(const Exploration& exploration, Buffering buffering);

// Is there a state in the certificate that represents this one?
bool means(const CoherenceCertificate& certificate, const ConcreteState& state, Buffering buffering);

// How a small engine abstracts: what is behind the first `head` entries (of a thread, or per cell) goes to the
// tail.
struct Abstracting {
  size_t head = 0;
  bool all_present = true;   // false: a tail only bounds which values may occur
  bool newest_known = true;  // false: the newest value may be any of the tail's values
};

// Closes the initial state under the checker's steps, abstracting after each. It stops with what it has
// when there are `max_states`; `complete` is false then.
CoherenceCertificate close(const Task& task, Abstracting abstracting, size_t max_states, bool& complete);

// Equal states, and only those, have equal texts.
std::string text_of(const CoherenceState& state);

}  // namespace fenceline::testing
