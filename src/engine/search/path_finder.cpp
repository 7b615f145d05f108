// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/path_finder.h"

#include <algorithm>

#include "machine/path.h"

namespace fenceline {

Trace find_path(const SystemSource& system, const StateStore& store, StateStore::Ref to,
                bool then_failing_step) {
  std::vector<PackedState> chain;
  for (StateStore::Ref ref = to; ref != StateStore::kNone; ref = store.parent(ref))
    chain.push_back(store.state(ref));
  std::reverse(chain.begin(), chain.end());
  const std::unique_ptr<TransitionSystem> worker = system.worker();
  return {path_along(*worker, chain, then_failing_step).steps};
}

}  // namespace fenceline
