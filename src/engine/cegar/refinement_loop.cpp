// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cegar/refinement_loop.h"

#include <utility>

#include "env/errors.h"

namespace fenceline::engine {
namespace {

// A proof with at most so many states is certified unless --certify forbids it.
constexpr uint64_t kCheapStates = 20'000;

}  // namespace

bool wants_certificate(const Options& options, bool cheap) {
  return options.certify == Certify::kAlways || (options.certify == Certify::kAuto && cheap);
}

void RefinementLoop::searched(AbstractSearch& search, Result& result) {
  result.statistics.states += search.states();
  result.statistics.transitions += search.transitions();
}

Result RefinementLoop::run() {
  while (const std::unique_ptr<AbstractSearch> search = next()) {
    search->run();
    searched(*search, result_);
    if (search->violated()) {
      std::string why_not;
      std::optional<Concretised> found = search->concretise(why_not);
      if (!found) found = search_again();
      if (found) {
        result_.reason = "an execution of the exact machine violates the property";
        answered(*search, result_);
        TraceCounterexample counterexample = shortened(*std::move(found));
        counterexample.violated_orderings = violated_orderings(*search);
        result_.conclusion = Counterexample(std::move(counterexample));
        return std::move(result_);
      }
      result_.conclusion =
          Unknown{.reason = unconfirmed(), .violated_orderings = violated_orderings(*search)};
      result_.reason = spurious_text(why_not);
      spurious(*search);
    } else if (search->end().complete()) {
      result_.reason = proof_text(*search);
      answered(*search, result_);
      result_.conclusion = prove(*search, result_.reason);
      return std::move(result_);
    } else if (!search->end().out_of_states) {
      Result incomplete = incomplete_result(search->end(), env_.limits, how_far_text(*search));
      result_.conclusion = std::move(incomplete.conclusion);
      result_.reason = std::move(incomplete.reason);
      answered(*search, result_);
      return std::move(result_);
    } else {
      out_of_states(*search);
    }
    // A counterexample that could not be concretised within the limits is not known to be spurious.
    if (const LimitReached reached = env_.limits.poll(); reached != LimitReached::kNone) {
      result_.conclusion = Unknown{.reason = UnknownReason::kLimit};
      result_.reason = env_.limits.describe(reached) + between_searches_text();
      return std::move(result_);
    }
  }
  return std::move(result_);
}

// Reductions hide how long a counterexample is. A breadth-first search without them finds one with the fewest
// steps of the abstract machine; if the exact machine has it step by step, no other is shorter.
TraceCounterexample RefinementLoop::shortened(Concretised found) {
  bool shortest = false;
  for (unsigned number = 0; answers_ == Answers::kPolished && !shortest; ++number) {
    const std::unique_ptr<AbstractSearch> search = shortening(number);
    if (search == nullptr) break;
    search->run();
    if (!search->violated()) continue;
    std::string why_not;
    std::optional<Concretised> shorter = search->concretise(why_not);
    if (!shorter) continue;
    shortest = shorter->step_by_step && finds_shortest(number);
    if (shortest || shorter->trace.steps.size() < found.trace.steps.size()) found = *std::move(shorter);
  }
  return {.trace = std::move(found.trace), .replay = std::move(found.replay), .shortest = shortest};
}

// A certificate is closed under every step, so it comes from a search without reductions. That search may
// find a spurious counterexample where the reduced one found none; then a finer abstraction has to give it.
Conclusion RefinementLoop::prove(AbstractSearch& search, std::string& reason) {
  if (answers_ == Answers::kBare || !wants_certificate(env_.options, search.states() <= kCheapStates))
    return Proof();
  std::unique_ptr<AbstractSearch> full;
  while ((full = certifying(full.get())) != nullptr) {
    full->run();
    if (!full->violated()) {
      if (!full->end().complete()) return Proof();
      return Proof{.certificate = full->checked_certificate()};
    }
    std::string why_not;
    require(!full->concretise(why_not), "the reduction hides a counterexample");
  }
  reason += no_certificate_text();
  return Proof();
}

}  // namespace fenceline::engine
