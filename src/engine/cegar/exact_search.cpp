// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cegar/exact_search.h"

#include <utility>

#include "check/replay/replay.h"
#include "engine/options.h"
#include "env/errors.h"
#include "property/properties.h"

namespace fenceline::engine {

ExactSearch::ExactSearch(const Task& task, Env& env, bool reduce, uint64_t state_budget)
    : task_(task),
      system_(property::system_for(task, {.fuse = reduce,
                                          .reduce = reduce,
                                          .buffer_limit = env.options.of<StateSpaceOptions>().buffer_limit})),
      search_(system_, task.program, &task.property, {1, state_budget}, env.limits, env.progress) {}

void ExactSearch::run() {
  findings_ = search_.run();
  end_.out_of_states = true;
}

std::optional<Concretised> ExactSearch::concretise(std::string&) {
  Trace trace = search_.trace();
  Replay replayed = check::replay(task_, trace);
  if (!replayed.ok) throw Bug("a trace does not replay: " + replayed.why_not);
  return Concretised{std::move(trace), std::move(replayed), true};
}

Certificate ExactSearch::checked_certificate() { throw Bug("a search up to a budget proves nothing"); }

}  // namespace fenceline::engine
