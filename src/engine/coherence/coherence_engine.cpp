// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coherence engine: explore the machine on abstract store buffers that remember only part of the order of
// waiting stores (domain/buffer/partial_buffer.h). There are finitely many of them however long real buffers
// get, so programs whose loops fill store buffers without end can be proved.
//
//   for K = 0, 1, 2, ...                       how many stores are kept in order
//     explore the abstract machine
//     nothing goes wrong        → verified; the states found are the proof
//     something goes wrong      → is there an exact run behind it?   yes → violated
//                                                                     no → the abstraction was too coarse
//   → unknown, with the run that only the abstraction has
//
// A coarser abstraction is not always a smaller one: with K = 0 a single waiting store may leave any number
// of times, and a barrier with a counter has a hundred thousand states that with K = 1 has seventy. So no K
// may spend much before all others have had their try: the loop runs with a small budget of states, then with
// larger ones for those that did not finish.
//
// A proof comes with its certificate: the abstract states of a search without any reduction, which is closed
// under every step. check/ checks that with code of its own.
#include "engine/coherence/coherence_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "check/check_certificate.h"
#include "engine/cegar/concretise.h"
#include "engine/coherence/exploration.h"
#include "env/errors.h"
#include "ir/analysis/ranges.h"
#include "machine/store_buffer/system.h"
#include "task/coherence_certificate.h"

namespace fenceline {
namespace {

// A value of which only an interval or the parity is known is expanded value by value.
constexpr uint64_t kMaxValues = 4096;
// A second search may add so many states for a shorter trace or for a certificate, if nobody insists.
constexpr uint64_t kShorteningStates = 100'000;
constexpr uint64_t kCheapStates = 20'000;
constexpr uint64_t kCertificateStates = 200'000;

class CoherenceEngine final : public Engine {
 public:
  std::string_view name() const override { return "coherence"; }
  std::string_view summary() const override {
    return "explores abstract store buffers; proves programs whose loops fill buffers without end (tso pso)";
  }
  std::string cannot(const Task& task) const override;
  Result run(const Task& task, Env& env) const override;
};

std::string CoherenceEngine::cannot(const Task& task) const {
  if (const std::string why = knows_no_histories(*this, task); !why.empty()) return why;
  const std::string why = cannot_run(task.program, task.model);
  return why.empty() ? "" : fmt::format("the coherence engine {}", why);
}

constexpr std::array<uint64_t, 4> kBudgets = {2'000, 50'000, 2'000'000, 0};  // states; 0: no limit

// The abstractions to try, in order.
std::vector<Abstraction> abstractions(const Options& options) {
  std::vector<Abstraction> all;
  if (options.abstraction != "auto") return {parse_abstraction(options.abstraction, options.buffer_values)};
  for (uint64_t order = 0; order <= options.max_order; ++order)
    all.push_back(parse_abstraction(fmt::format("fd{}", order), options.buffer_values));
  return all;
}

bool watches_places(const Task& task) {
  const auto& fences = task.fences.all();
  return std::any_of(fences.begin(), fences.end(), [](const auto& fence) { return fence.second.none(); });
}

class Decision {
 public:
  Decision(const Task& task, Env& env) : task_(task), env_(env), watching_(watches_places(task)) {}

  Result decide() {
    std::vector<Abstraction> untold = abstractions(env_.options);
    for (const Abstraction& abstraction : untold) require_few_values(abstraction);
    for (const uint64_t budget : kBudgets) {
      std::vector<Abstraction> unfinished, same_again;
      for (const Abstraction& abstraction : untold) {
        if (nothing_forgotten_from_ && abstraction.order > *nothing_forgotten_from_) {
          same_again.push_back(abstraction);
          continue;
        }
        const Attempt attempt = try_with(abstraction, untold.size() > 1 ? budget : 0);
        if (attempt == Attempt::kDecided || out_of_resources()) return std::move(result_);
        if (attempt == Attempt::kOutOfStates) unfinished.push_back(abstraction);
      }
      // In small state spaces little order is needed. Where the search gets large without forgetting
      // anything, the abstraction that did so is the one to go on with: it is the exact machine.
      if (nothing_forgotten_from_) std::reverse(unfinished.begin(), unfinished.end());
      nothing_forgotten_from_.reset();
      untold = std::move(unfinished);
      untold.insert(untold.end(), same_again.begin(), same_again.end());
    }
    return std::move(result_);
  }

 private:
  enum class Attempt { kDecided, kSpurious, kOutOfStates };

  bool out_of_resources() {
    const LimitReached reached = env_.limits.poll();
    if (reached == LimitReached::kNone) return false;
    // An abstract run that nobody had the time to follow is not known to be spurious.
    result_.spurious = false;
    result_.crossed.clear();
    result_.reason = env_.limits.describe(reached);
    return true;
  }

  // One turn of the loop above.
  Attempt try_with(const Abstraction& abstraction, uint64_t budget) {
    const std::string name = to_string(abstraction);
    ExplorationOptions options = options_for(abstraction);
    options.state_budget = budget;
    Exploration exploration(task_, options, env_);
    exploration.run();
    result_.states += exploration.states();
    result_.transitions += exploration.transitions();
    if (!exploration.violated() && exploration.out_of_states()) {
      if (!exploration.order_was_lost()) nothing_forgotten_from_ = abstraction.order;
      return Attempt::kOutOfStates;
    }
    result_.abstraction = name;
    if (exploration.violated()) {
      if (!accept(exploration.path(), abstraction)) return Attempt::kSpurious;
    } else if (exploration.complete()) {
      verified(exploration, abstraction);
    } else {
      result_.spurious = false;
      result_.crossed.clear();
      result_.reason = why_unknown(exploration);
    }
    return Attempt::kDecided;
  }

  ExplorationOptions options_for(const Abstraction& abstraction) const {
    const Options& options = env_.options;
    return {abstraction, options.fusing, options.reduction, options.liveness, 0};
  }

  void require_few_values(const Abstraction& abstraction) const {
    if (abstraction.values == Abstraction::Values::kExact) return;
    for (const Range& range : analyze_ranges(task_.program).cells)
      if (static_cast<uint64_t>(range.hi) - static_cast<uint64_t>(range.lo) >= kMaxValues)
        throw Unsupported(
            fmt::format("{}: a variable has more than {} values", to_string(abstraction), kMaxValues));
  }

  // The abstract run is real: that is the answer. Else it is remembered, in case no abstraction does better.
  bool accept(const Path& run, const Abstraction& abstraction) {
    result_.crossed.clear();
    for (const Crossing& crossing : run.crossed)
      result_.crossed.emplace_back(crossing.thread, crossing.after);
    std::string why_not;
    std::optional<Followed> followed = follow(task_, run, env_, why_not);
    if (!followed) {
      result_.spurious = true;
      result_.reason =
          fmt::format("a run goes wrong on the abstract machine ({}), but the exact one cannot follow it: {}",
                      result_.abstraction, why_not);
      return false;
    }
    result_.spurious = false;
    result_.verdict = Verdict::kViolated;
    result_.reason = "a run of the exact machine violates the property";
    if (!watching_) shorten(*followed, abstraction);
    result_.trace = std::move(followed->trace);
    result_.replay = std::move(followed->replay);
    return true;
  }

  // Fused steps hide how long a run is. A search without them finds a run with the fewest steps of the
  // abstract machine; if the exact machine can follow it step by step, no exact run is shorter.
  void shorten(Followed& followed, const Abstraction& abstraction) {
    ExplorationOptions options = options_for(abstraction);
    options.fuse = options.reduce = false;
    options.state_budget = kShorteningStates;
    Exploration full(task_, options, env_);
    full.run();
    if (!full.violated()) return;
    std::string why_not;
    std::optional<Followed> shorter = follow(task_, full.path(), env_, why_not);
    if (!shorter) return;
    result_.shortest = shorter->step_by_step;
    if (shorter->step_by_step || shorter->trace.steps.size() < followed.trace.steps.size())
      followed = std::move(*shorter);
  }

  void verified(const Exploration& exploration, const Abstraction& abstraction) {
    result_.verdict = Verdict::kVerified;
    result_.spurious = false;
    result_.crossed.clear();
    result_.reason =
        fmt::format("no run of the abstract machine ({}) goes wrong; its {} largest states cover all runs",
                    result_.abstraction, exploration.antichain().alive());
    result_.statistics.emplace_back("largest_states", static_cast<double>(exploration.antichain().alive()));
    const bool cheap = exploration.states() <= kCheapStates;
    if (watching_ || env_.options.certify == "never" || (env_.options.certify == "auto" && !cheap)) return;
    certify(abstraction);
  }

  // A certificate is closed under every step, so it comes from a search without reductions. That search may
  // find a spurious run where the reduced one found none: a store that the reduction lets leave at once is
  // never forgotten. Then the next order has to give the certificate.
  void certify(Abstraction abstraction) {
    const uint64_t last = env_.options.abstraction == "auto" ? env_.options.max_order : abstraction.order;
    for (; abstraction.order <= last; ++abstraction.order) {
      ExplorationOptions options = options_for(abstraction);
      options.fuse = options.reduce = false;
      options.state_budget = env_.options.certify == "always" ? 0 : kCertificateStates;
      Exploration full(task_, options, env_);
      full.run();
      if (full.violated()) {
        std::string why_not;
        require(!follow(task_, full.path(), env_, why_not), "the reduction hides a run that goes wrong");
        continue;
      }
      if (full.complete()) result_.certificate = checked_certificate(full);
      return;
    }
    result_.reason += "; without reductions this abstraction is too coarse, so there is no certificate";
  }

  Certificate checked_certificate(Exploration& full) {
    CoherenceCertificate certificate;
    for (Antichain::Id id = 0; id < full.antichain().size(); ++id)
      if (full.antichain().alive(id)) certificate.states.push_back(spelled_out(full, id));
    const CertificateCheck check = check_certificate(task_, certificate, env_.limits);
    if (!check.ok && !check.gave_up) throw Bug("a certificate is refused: " + check.why_not);
    return {"antichain of abstract states", certificate.states.size(), check.ok};
  }

  static AbstractState spelled_out(Exploration& exploration, Antichain::Id id) {
    AbstractSnapshot snapshot = exploration.system().describe(exploration.antichain().state(id));
    AbstractState state;
    for (const uint32_t point : snapshot.where) state.where.emplace_back(point);
    state.memory = std::move(snapshot.memory);
    state.registers = std::move(snapshot.registers);
    state.buffers = std::move(snapshot.buffers);
    return state;
  }

  std::string why_unknown(const Exploration& exploration) const {
    if (exploration.limit() != LimitReached::kNone)
      return fmt::format("{} after {} abstract states ({})", env_.limits.describe(exploration.limit()),
                         exploration.states(), result_.abstraction);
    if (exploration.overflow())
      return "a value leaves the 64-bit integers; what lies behind was not explored";
    return "the formula of the property divides by zero, overflows or leaves an array in a reachable state";
  }

  const Task& task_;
  Env& env_;
  bool watching_;
  Result result_;
  // In this round: the order with which the budget was used up without anything forgotten. Higher ones would
  // explore the same states.
  std::optional<unsigned> nothing_forgotten_from_;
};

Result CoherenceEngine::run(const Task& task, Env& env) const {
  return measured([&] { return Decision(task, env).decide(); });
}

}  // namespace

std::unique_ptr<Engine> make_coherence_engine() { return std::make_unique<CoherenceEngine>(); }

}  // namespace fenceline
