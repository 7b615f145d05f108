// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coherence engine: explore the machine on abstract store buffers that keep only part of the order of
// pending stores (domain/buffer/partial_buffer.h). There are finitely many of them however long real buffers
// get, so programs whose loops fill store buffers without end can be proved.
//
//   for K = 0, 1, 2, ...                       how many stores are kept in order
//     explore the abstract machine
//     no violation              → verified; the states found are the proof
//     a counterexample          → feasible on the exact machine?     yes → violated
//                                                                     no → the abstraction was too coarse
//   → unknown, with the spurious counterexample
//
// A coarser abstraction is not always a smaller one: with K = 0 a single pending store may be flushed any
// number of times, and a barrier with a counter has a hundred thousand states that with K = 1 has seventy. So
// no K may spend much before all others have been tried: the loop starts with a small budget of states, and
// continues with larger ones for those that did not finish.
//
// A proof comes with its certificate: the abstract states of a search without any reduction, which is closed
// under every step. check/ checks that with code of its own.
#include "engine/coherence/coherence_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/cegar/refinement_loop.h"
#include "engine/coherence/exploration.h"
#include "engine/coherence/options.h"
#include "engine/options.h"
#include "env/errors.h"
#include "ir/analysis/ranges.h"
#include "machine/store_buffer/system.h"

namespace fenceline::coherence {
namespace {

// A value of which only an interval or the parity is known is expanded value by value.
constexpr uint64_t kMaxValues = 4096;
// A second search may add so many states for a shorter trace or for a certificate, unless --certify always.
constexpr uint64_t kShorteningStates = 100'000;
constexpr uint64_t kCertificateStates = 200'000;

class CoherenceEngine final : public engine::Engine {
 public:
  std::string_view name() const override { return "coherence"; }
  std::string_view summary() const override {
    return "explores abstract store buffers; proves programs whose loops fill buffers without bound (tso "
           "pso)";
  }
  std::string unsupported_reason(const Task& task) const override;
  engine::Priority priority(const Task& task, const engine::Facts& facts) const override;
  bool always_ends() const override { return true; }
  bool certifies() const override { return true; }
  Result run(const Task& task, Env& env) const override;
};

std::string CoherenceEngine::unsupported_reason(const Task& task) const {
  if (const std::string why = engine::transactions_unsupported(*this, task); !why.empty()) return why;
  if (const std::string why = engine::wide_stores_unsupported(*this, task); !why.empty()) return why;
  if (const std::string why = engine::liveness_unsupported(*this, task); !why.empty()) return why;
  const std::string why = machine::store_buffer_unsupported_reason(task.program, task.model);
  return why.empty() ? "" : fmt::format("the coherence engine {}", why);
}

engine::Priority CoherenceEngine::priority(const Task& task, const engine::Facts& facts) const {
  engine::Priority priority = engine::Engine::priority(task, facts);
  if (priority.rank == engine::Priority::Rank::kGood && facts.growing_buffers())
    priority.speed = engine::Priority::Speed::kFast;
  return priority;
}

constexpr std::array<uint64_t, 4> kBudgets = {2'000, 50'000, 2'000'000, 0};  // states; 0: no limit

// The abstractions to try, in order.
std::vector<buffer::Abstraction> abstractions(const CoherenceOptions& options) {
  std::vector<buffer::Abstraction> all;
  if (options.abstraction) return {options.chosen(*options.abstraction)};
  for (unsigned order = 0; order <= options.max_order; ++order)
    all.push_back({buffer::Abstraction::Kind::kFullyDisjunctive, order, options.buffer_values});
  return all;
}

class CoherenceLoop final : public engine::RefinementLoop {
 public:
  CoherenceLoop(const Task& task, Env& env)
      :  // Synthesis verifies many tasks with monitored positions, and needs the violated orderings only.
        engine::RefinementLoop(
            task, env, engine::Facts(task).monitored_positions() ? Answers::kBare : Answers::kPolished),
        candidates_(abstractions(env.options.of<CoherenceOptions>())) {
    for (const buffer::Abstraction& abstraction : candidates_) require_few_values(abstraction);
  }

 private:
  // One pass over the abstractions per budget.
  std::unique_ptr<engine::AbstractSearch> next() override {
    for (;;) {
      while (position_ < candidates_.size()) {
        const buffer::Abstraction& abstraction = candidates_[position_++];
        if (lossless_from_ && abstraction.order > *lossless_from_) {
          same_again_.push_back(abstraction);
          continue;
        }
        current_ = abstraction;
        return search(abstraction, true, candidates_.size() > 1 ? kBudgets[budget_] : 0);
      }
      if (++budget_ == kBudgets.size() || !begin_pass()) return nullptr;
    }
  }

  // In small state spaces little order is needed. Where the search gets large without losing any order, its
  // abstraction comes first in the next pass: it is the exact machine.
  bool begin_pass() {
    if (lossless_from_) std::reverse(unfinished_.begin(), unfinished_.end());
    lossless_from_.reset();
    candidates_ = std::exchange(unfinished_, {});
    candidates_.insert(candidates_.end(), same_again_.begin(), same_again_.end());
    same_again_.clear();
    position_ = 0;
    return !candidates_.empty();
  }

  void out_of_states(engine::AbstractSearch& search) override {
    unfinished_.push_back(current_);
    if (!static_cast<AbstractExploration&>(search).order_was_lost()) lossless_from_ = current_.order;
  }

  std::unique_ptr<AbstractExploration> search(const buffer::Abstraction& abstraction, bool reduce,
                                              uint64_t state_budget) const {
    const auto& options = env_.options.of<engine::StateSpaceOptions>();
    return std::make_unique<AbstractExploration>(
        task_,
        ExplorationOptions{abstraction, reduce && options.fusing, reduce && options.reduction,
                           options.liveness, state_budget},
        env_);
  }

  void require_few_values(const buffer::Abstraction& abstraction) const {
    if (abstraction.values == buffer::Abstraction::Values::kExact) return;
    for (const Range& range : analyze_ranges(task_.program).cells)
      if (static_cast<uint64_t>(range.hi) - static_cast<uint64_t>(range.lo) >= kMaxValues)
        throw Unsupported(
            fmt::format("{}: a variable has more than {} values", to_string(abstraction), kMaxValues));
  }

  std::unique_ptr<engine::AbstractSearch> shortening(unsigned number) override {
    return number == 0 ? search(current_, false, kShorteningStates) : nullptr;
  }

  std::unique_ptr<engine::AbstractSearch> certifying(engine::AbstractSearch* previous) override {
    const auto& options = env_.options.of<CoherenceOptions>();
    const uint64_t last = options.abstraction ? current_.order : options.max_order;
    if (previous != nullptr && ++certified_.order > last) return nullptr;
    if (previous == nullptr) certified_ = current_;
    return search(certified_, false, env_.options.certify == Certify::kAlways ? 0 : kCertificateStates);
  }

  void searched(engine::AbstractSearch& search, Result& result) override {
    engine::RefinementLoop::searched(search, result);
    if (search.violated() || !search.end().out_of_states) result.abstraction = to_string(current_);
  }
  void answered(engine::AbstractSearch& search, Result& result) override {
    if (search.violated() || !search.end().complete()) return;
    result.statistics.figures.emplace_back("maximal_states", static_cast<double>(maximal_elements(search)));
  }

  static size_t maximal_elements(engine::AbstractSearch& search) {
    return static_cast<AbstractExploration&>(search).antichain().maximal_elements();
  }

  std::string proof_text(engine::AbstractSearch& search) override {
    return fmt::format(
        "the abstraction ({}) has no counterexample; its {} maximal states subsume all reachable ones",
        to_string(current_), maximal_elements(search));
  }
  std::string spurious_text(const std::string& why_not) override {
    return fmt::format("the counterexample of the abstraction ({}) is spurious: {}", to_string(current_),
                       why_not);
  }
  std::string how_far_text(engine::AbstractSearch& search) override {
    return fmt::format("after {} abstract states ({})", search.states(), to_string(current_));
  }
  const char* no_certificate_text() const override {
    return "; without reductions this abstraction is too coarse, so there is no certificate";
  }

  std::vector<ViolatedOrdering> violated_orderings(engine::AbstractSearch& search) override {
    return static_cast<AbstractExploration&>(search).path().violated_orderings;
  }

  std::vector<buffer::Abstraction> candidates_;  // to be tried with this budget
  size_t position_ = 0;                          // in candidates_: the next one
  size_t budget_ = 0;                            // in kBudgets
  std::vector<buffer::Abstraction> unfinished_, same_again_;
  buffer::Abstraction current_;    // the last one tried
  buffer::Abstraction certified_;  // the last one tried for a certificate
  // The least order whose search had lost nothing when its budget was used up: higher ones would do the same.
  std::optional<uint64_t> lossless_from_;
};

Result CoherenceEngine::run(const Task& task, Env& env) const {
  return engine::measured([&] { return CoherenceLoop(task, env).run(); });
}

}  // namespace

std::unique_ptr<engine::Engine> make_coherence_engine() { return std::make_unique<CoherenceEngine>(); }

}  // namespace fenceline::coherence
