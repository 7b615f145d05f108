// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which thread of a graph executes its next event. Each order leads to all executions, but threads that wait for others
// had better come last: what is explored before they can go on is explored in vain.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/executions/next_events.h"
#include "engine/executions/symmetric_order.h"
#include "engine/executions/thread_runner.h"

namespace fenceline::executions {

template <size_t kWords>
class Scheduling {
 public:
  // Keeps references. `reversed`: the last thread is preferred instead of the first one.
  Scheduling(const ThreadCode& code, const SymmetricOrder<kWords>& symmetric, NextEvents<kWords>& events,
             bool reversed)
      : code_(code), symmetric_(symmetric), events_(events), reversed_(reversed) {}

  // A thread in the middle of a read-modify-write or of an atomic section goes on first. Those that would have to wait if
  // they read the last write come last: perhaps another thread writes what they wait for. Invalid: none has a next event.
  ThreadId next_thread(const ExploredGraph<kWords>& node) const {
    std::vector<ThreadId> last;
    ThreadId chosen;
    for (size_t i = 0; i < node.states.size(); ++i) {
      const size_t t = reversed_ ? node.states.size() - 1 - i : i;
      const ThreadState<kWords>& state = node.states[t].back();
      if (!is_event(state.next) || symmetric_.must_follow(node.graph, ThreadId(t))) continue;
      if (state.next == NextStep::kWrite && state.of_rmw) return ThreadId(t);
      if (state.in_section && state.events > state.section_events) return ThreadId(t);
      if (chosen.valid()) continue;
      if (!may_wait(ThreadId(t), state))
        chosen = ThreadId(t);
      else
        last.push_back(ThreadId(t));
    }
    if (chosen.valid()) return chosen;
    for (const ThreadId thread : last)
      if (!events_.waits_at_last_write(node, thread)) return thread;
    return last.empty() ? ThreadId() : last.front();
  }

 private:
  bool may_wait(ThreadId thread, const ThreadState<kWords>& state) const {
    if (!state.alternatives) return code_.may_wait(thread, state.location);
    return std::any_of(
        state.alternatives->begin(), state.alternatives->end(),
        [&](const ThreadState<kWords>& alternative) { return code_.may_wait(thread, alternative.location); });
  }

  const ThreadCode& code_;
  const SymmetricOrder<kWords>& symmetric_;
  NextEvents<kWords>& events_;
  bool reversed_;
};

}  // namespace fenceline::executions
