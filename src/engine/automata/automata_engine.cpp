// SPDX-License-Identifier: GPL-3.0-or-later
//
// The automata engine: explore the exact machine, with automata for the sets of words that can be in the
// store buffers (machine/store_buffer/symbolic_system.h). Cycles that fill a buffer are accelerated
// (cycles.h), so that programs whose loops fill buffers without end are decided, whatever the verdict.
//
//   search the symbolic states
//   no violation  → verified; the states found are the proof
//   a violation   → the trace, with words chosen from the automata, is a trace of the exact machine
//
// The search need not terminate: acceleration does not find all cycles. Where automata become larger than a
// threshold they are widened. Then a counterexample may be spurious; if so, the threshold was too low, and
// the search begins again with a higher one.
//
// A proof comes with its certificate: the symbolic states of a search without reductions, which is closed
// under every step. check/ checks that with code of its own.
#include "engine/automata/automata_engine.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "engine/automata/breadth_first.h"
#include "engine/automata/options.h"
#include "engine/cegar/refinement_loop.h"
#include "engine/options.h"

namespace fenceline::automata {
namespace {

// A second search may add so many states for a shorter trace or for a certificate, unless --certify always.
constexpr uint64_t kShorteningStates = 50'000;
constexpr uint64_t kCertificateStates = 200'000;
constexpr size_t kWidenFactor = 4;   // by how much the threshold rises
constexpr size_t kBuffersShown = 3;  // per thread

class AutomataEngine final : public engine::Engine {
 public:
  std::string_view name() const override { return "automata"; }
  std::string_view summary() const override {
    return "explores sets of buffer contents as automata; exact, unbounded buffers (sc tso pso)";
  }
  std::string unsupported_reason(const Task& task) const override {
    if (std::string no = engine::transactions_unsupported(*this, task); !no.empty()) return no;
    if (std::string no = engine::wide_stores_unsupported(*this, task); !no.empty()) return no;
    if (std::string no = engine::liveness_unsupported(*this, task); !no.empty()) return no;
    const std::string why = machine::store_buffer_unsupported_reason(task.program, task.model);
    return why.empty() ? "" : fmt::format("the automata engine {}", why);
  }
  bool certifies() const override { return true; }
  Result run(const Task& task, Env& env) const override;
};

SymbolicSearchOptions search_options(const Options& options) {
  const auto& states = options.of<engine::StateSpaceOptions>();
  const auto& automata = options.of<AutomataOptions>();
  return {.fuse = states.fusing,
          .reduce = states.reduction,
          .liveness = states.liveness,
          .accelerate = automata.acceleration,
          .library = automata.library,
          .sleep_sets = automata.sleep_sets,
          .widen_above = automata.widen_above};
}

class AutomataLoop final : public engine::RefinementLoop {
 public:
  AutomataLoop(const Task& task, Env& env)
      : engine::RefinementLoop(task, env),
        engine_options_(env.options.of<AutomataOptions>()),
        options_(search_options(env.options)) {}

 private:
  // The exact machine first, as far as automata stay small; each refinement widens less.
  std::unique_ptr<engine::AbstractSearch> next() override {
    if (!try_again_) return nullptr;
    try_again_ = false;
    return engine_options_.search(task_, options_, env_);
  }

  void spurious(engine::AbstractSearch& search) override {
    if (symbolic(search).widened() == 0) return;  // there is nothing to refine
    options_.widen_above *= kWidenFactor;
    try_again_ = true;
  }

  // A symbolic counterexample may be long, or have infeasible numbers of iterations. There may be a short one
  // that is unrelated to it.
  std::optional<engine::Concretised> search_again() override {
    SymbolicSearchOptions options = options_;
    options.accelerate = false;
    options.widen_above = 0;
    options.state_budget = kShorteningStates;
    BreadthFirst exact(task_, options, env_);
    exact.run();
    std::string why_not;
    if (!exact.violated()) return std::nullopt;
    return exact.concretise(why_not);
  }

  // An accelerated state may be expanded later than those that it subsumes would have been, so the first
  // search is without acceleration. Where that is too much work, one with it may still find a shorter
  // counterexample.
  std::unique_ptr<engine::AbstractSearch> shortening(unsigned number) override {
    SymbolicSearchOptions options = options_;
    options.fuse = options.reduce = false;
    options.state_budget = kShorteningStates;
    options.widen_above = 0;
    options.accelerate = number == 1;
    if (number > 1 || (number == 1 && !engine_options_.acceleration)) return nullptr;
    return std::make_unique<BreadthFirst>(task_, options, env_);
  }

  std::unique_ptr<engine::AbstractSearch> certifying(engine::AbstractSearch* previous) override {
    if (previous == nullptr) {
      certified_ = options_;
      certified_.fuse = certified_.reduce = false;
      certified_.state_budget = env_.options.certify == Certify::kAlways ? 0 : kCertificateStates;
    } else if (symbolic(*previous).widened() == 0) {
      return nullptr;
    } else {
      certified_.widen_above *= kWidenFactor;
    }
    return std::make_unique<BreadthFirst>(task_, certified_, env_);
  }

  static SymbolicSearch& symbolic(engine::AbstractSearch& search) {
    return static_cast<SymbolicSearch&>(search);
  }

  void searched(engine::AbstractSearch& any, Result& result) override {
    engine::RefinementLoop::searched(any, result);
    SymbolicSearch& search = symbolic(any);
    result.statistics.figures = {
        {"maximal_states", static_cast<double>(search.maximal_elements())},
        {"languages", static_cast<double>(search.system().languages().size())},
        {"accelerated_states", static_cast<double>(search.accelerated())},
        {"cycles_executed_again", static_cast<double>(search.cycles().replayed())},
        {"cycles_rejected", static_cast<double>(search.cycles().rejected())},
        {"widened_states", static_cast<double>(search.widened())},
    };
  }

  void answered(engine::AbstractSearch& any, Result& result) override {
    SymbolicSearch& search = symbolic(any);
    if (search.violated() || search.end().complete())
      show_buffers(search.endless_buffers(kBuffersShown), search.code(), result);
    else if (search.end().limit != LimitReached::kNone)
      show_buffers(search.growing_buffers(), search.code(), result);
  }

  static void show_buffers(const std::vector<BufferSeen>& buffers, const machine::Code& code,
                           Result& result) {
    for (const BufferSeen& buffer : buffers)
      result.buffers.push_back(
          {buffer.thread, code.overlay().at(buffer.thread, buffer.point).pos.line, buffer.language});
  }

  std::string proof_text(engine::AbstractSearch& search) override {
    return fmt::format("no counterexample; {} symbolic states subsume all reachable ones{}",
                       symbolic(search).maximal_elements(),
                       symbolic(search).widened() > 0 ? ", some of them widened" : "");
  }
  std::string spurious_text(const std::string& why_not) override {
    return fmt::format("the symbolic counterexample could not be concretised on the exact machine: {}",
                       why_not);
  }
  std::string how_far_text(engine::AbstractSearch& search) override {
    return fmt::format("after {} symbolic states", search.states());
  }
  const char* no_certificate_text() const override {
    return "; without reductions there is a spurious counterexample, so there is no certificate";
  }

  const AutomataOptions& engine_options_;
  SymbolicSearchOptions options_;
  SymbolicSearchOptions certified_;  // of the last search for a certificate
  bool try_again_ = true;
};

Result AutomataEngine::run(const Task& task, Env& env) const {
  return engine::measured([&] { return AutomataLoop(task, env).run(); });
}

}  // namespace

std::unique_ptr<engine::Engine> make_automata_engine() { return std::make_unique<AutomataEngine>(); }

}  // namespace fenceline::automata
