// SPDX-License-Identifier: GPL-3.0-or-later
//
// Facts about a task, for the priorities of engines. Each fact is computed when
// it is first needed, and once.
#pragma once

#include <optional>

#include "task/task.h"

namespace fenceline::engine {

class Facts {
 public:
  explicit Facts(const Task& task) : task_(task) {}  // borrowed
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // Is there a variable for whose values no bound is known? Not in programs whose integers wrap.
  bool unbounded_integers() const;
  // Can a thread fill its store buffer without end? Precondition: the model has store buffers.
  bool growing_buffers() const;
  // Has some thread a cycle in its control flow?
  bool loops() const;
  // So many that a machine may have more states than the program has executions?
  bool many_threads() const;
  // Are there monitored positions (fences of no kind), so that it matters which orderings a counterexample
  // violates?
  bool monitored_positions() const;

 private:
  const Task& task_;
  mutable std::optional<bool> unbounded_integers_, growing_buffers_, loops_;
};

// For callers with a program and no task yet.
bool has_unbounded_integers(const Program& program);

}  // namespace fenceline::engine
