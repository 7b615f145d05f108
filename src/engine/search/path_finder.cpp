// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/path_finder.h"

#include <algorithm>

#include "machine/path.h"

namespace fenceline::engine {

Trace find_path(const machine::SystemSource& system, const StateStore& store, StateStore::Ref to,
                bool then_failing_step) {
  std::vector<machine::PackedState> chain;
  for (StateStore::Ref ref = to; ref != StateStore::kNone; ref = store.parent(ref))
    chain.push_back(store.state(ref));
  std::reverse(chain.begin(), chain.end());
  const std::unique_ptr<machine::TransitionSystem> worker = system.worker();
  return {machine::path_along(*worker, chain, then_failing_step).steps};
}

}  // namespace fenceline::engine
