// SPDX-License-Identifier: GPL-3.0-or-later
//
// Graphs that are dropped because a thread waits in them in vain: it does not go on, and no write can revisit its last
// read, which did not read the last write. So no execution below is complete; and what other threads do in them they also
// do without this read. For liveness, which looks at blocked threads, solo_run.h has the argument.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/executions/explored_graph.h"

namespace fenceline::executions {

// How many events at the end of the thread, which has just executed one, are such a wait; 0: it does not wait in vain.
template <size_t kWords>
size_t events_of_vain_wait(const ExploredGraph<kWords>& node, ThreadId thread, bool stop_at_errors,
                           bool looks_for_waits) {
  const ThreadState<kWords>& state = node.last(thread);
  if (is_event(state.next) || state.next == NextStep::kEnded) return 0;
  if (state.next == NextStep::kFailed && stop_at_errors) return 0;
  const std::vector<uint32_t>& own = node.graph.of_thread(thread);
  const auto read = std::find_if(own.rbegin(), own.rend(), [&](uint32_t e) {
    return node.graph.event(e).kind == GraphEventKind::kRead;
  });
  if (read == own.rend() || node.graph.event(*read).maximal) return 0;
  // Another alternative of a choice is not maximal either; but it may read the last write.
  const GraphEvent<kWords>& event = node.graph.event(*read);
  if (looks_for_waits && (read != own.rbegin() || node.graph.coherence(event.cell).back() == event.source))
    return 0;
  // The read may come before the iteration, if that has none (`for (;;) {}`): then it need not be the last write.
  if (looks_for_waits && state.idle && event.index < state.idle_from) return 0;
  // No write that counts is behind the read.
  if (read != own.rbegin() && !(state.idle && event.index >= state.idle_from)) return 0;
  return static_cast<size_t>(read - own.rbegin()) + 1;
}

}  // namespace fenceline::executions
