// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counterexamples are read by people: of an execution that violates a property, what the violation needs. A thread that
// fails, or two accesses that race, need what is before them in program order and rf, and nothing else: a model that is
// suitable for exploration allows what is left (requirements.h: prefix-closed). A formula about final states needs
// complete threads.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>

#include "ir/edit/overlay.h"
#include "task/counterexample.h"
#include "task/execution.h"

namespace fenceline::executions {

// Of two counterexamples, the one with fewer threads that do something is easier to read, then fewer events, then fewer
// steps: iterations of loops.
struct ExecutionSize {
  size_t threads = 0, events = 0, steps = 0;
  friend auto operator<=>(const ExecutionSize&, const ExecutionSize&) = default;
};
ExecutionSize size_of(const Execution& execution);

// Only what the thread that fails, or the events of the first flag, need; none if that is everything. `check` is what
// checking the execution has shown. Precondition: it accepts it, because of an error or a flag.
std::optional<Execution> without_what_follows(const Overlay& overlay, const Execution& execution,
                                              const ExecutionCheck& check);

}  // namespace fenceline::executions
