// SPDX-License-Identifier: GPL-3.0-or-later
//
// The automata engine: explore the exact machine, with automata for the sets of words that can be in the
// store buffers (machine/store_buffer/symbolic_system.h). Cycles that fill a buffer are accelerated
// (cycles.h), so that programs whose loops fill buffers without end are decided, both ways.
//
//   search the symbolic states
//   nothing goes wrong    → verified; the states found are the proof
//   something goes wrong  → the run, with words chosen from the automata, is a run of the exact machine
//
// The search need not end: which cycles there are is more than acceleration can see. Where automata become
// larger than a threshold they are widened. Then a run that goes wrong may be no run of the exact machine; if
// so, the threshold was too low, and the search begins again with a higher one.
//
// A proof comes with its certificate: the symbolic states of a search without reductions, which is closed
// under every step. check/ checks that with code of its own.
#include "engine/automata/automata_engine.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "check/check_certificate.h"
#include "engine/automata/breadth_first.h"
#include "engine/automata/concrete.h"
#include "engine/automata/depth_first.h"
#include "env/errors.h"
#include "task/automata_certificate.h"

namespace fenceline {
namespace {

// A second search may add so many states for a shorter trace or for a certificate, if nobody insists.
constexpr uint64_t kShorteningStates = 50'000;
constexpr uint64_t kCheapStates = 20'000;
constexpr uint64_t kCertificateStates = 200'000;
constexpr size_t kWidenFactor = 4;   // by how much the threshold rises
constexpr size_t kBuffersShown = 3;  // per thread

class AutomataEngine final : public Engine {
 public:
  std::string_view name() const override { return "automata"; }
  std::string_view summary() const override {
    return "explores sets of buffer contents as automata; exact, buffers without bound (sc tso pso)";
  }
  std::string cannot(const Task& task) const override {
    if (std::string no = knows_no_histories(*this, task); !no.empty()) return no;
    const std::string why = cannot_run(task.program, task.model);
    return why.empty() ? "" : fmt::format("the automata engine {}", why);
  }
  Result run(const Task& task, Env& env) const override;
};

class Decision {
 public:
  Decision(const Task& task, Env& env) : task_(task), env_(env) {}

  Result decide() {
    const Options& options = env_.options;
    SymbolicSearchOptions search_options{.fuse = options.fusing,
                                         .reduce = options.reduction,
                                         .liveness = options.liveness,
                                         .accelerate = options.acceleration,
                                         .library = options.library,
                                         .sleep_sets = options.sleep_sets,
                                         .widen_above = options.widen_above};
    for (;;) {
      const std::unique_ptr<SymbolicSearch> search = make_search(search_options);
      search->run();
      count(*search);
      const bool widened = search->widened() > 0;
      if (search->violated()) {
        if (accept(*search, search_options) || !widened) break;
        search_options.widen_above *= kWidenFactor;
        if (env_.limits.poll() != LimitReached::kNone) break;
        continue;
      }
      if (search->complete())
        verified(*search, search_options);
      else
        unknown(*search);
      break;
    }
    return std::move(result_);
  }

 private:
  std::unique_ptr<SymbolicSearch> make_search(const SymbolicSearchOptions& options) {
    if (env_.options.search == "dfs") return std::make_unique<DepthFirst>(task_, options, env_);
    return std::make_unique<BreadthFirst>(task_, options, env_);
  }

  void count(SymbolicSearch& search) {
    result_.states += search.states();
    result_.transitions += search.transitions();
    result_.statistics = {
        {"largest_states", static_cast<double>(search.largest_states())},
        {"languages", static_cast<double>(search.system().languages().size())},
        {"accelerated_states", static_cast<double>(search.accelerated())},
        {"cycles_run_again", static_cast<double>(search.cycles().replayed())},
        {"cycles_refused", static_cast<double>(search.cycles().refused())},
        {"widened_states", static_cast<double>(search.widened())},
    };
  }

  // A run of the exact machine behind the one that the search has found.
  std::optional<Followed> exact_run(SymbolicSearch& search, std::string& why_not) {
    return concrete_run(task_, search.system(), search.code(), search.path(), env_, why_not);
  }

  // A run of the exact machine behind the symbolic one is the answer.
  bool accept(SymbolicSearch& search, const SymbolicSearchOptions& options) {
    std::string why_not;
    std::optional<Followed> followed = exact_run(search, why_not);
    if (!followed) followed = search_again(options);
    if (!followed) {
      result_.spurious = true;
      result_.reason = fmt::format(
          "a symbolic run goes wrong, but no run of the exact machine behind it was found: {}", why_not);
      return false;
    }
    result_.spurious = false;
    result_.verdict = Verdict::kViolated;
    result_.reason = "a run of the exact machine violates the property";
    show_buffers(search.endless_buffers(kBuffersShown), search.code());
    shorten(*followed, options);
    result_.trace = std::move(followed->trace);
    result_.replay = std::move(followed->replay);
    return true;
  }

  // No exact run was found behind the symbolic one, which may be long or lie about numbers of rounds. Perhaps
  // there is a short one that has nothing to do with it.
  std::optional<Followed> search_again(SymbolicSearchOptions options) {
    options.accelerate = false;
    options.widen_above = 0;
    options.state_budget = kShorteningStates;
    BreadthFirst plain(task_, options, env_);
    plain.run();
    std::string why_not;
    if (!plain.violated()) return std::nullopt;
    return exact_run(plain, why_not);
  }

  // Fused steps hide how long a run is, and an accelerated state may be expanded later than those that it
  // covers would have been. A search without either finds a run with the fewest steps. Where that is too much
  // work, one with acceleration may still find a shorter run.
  void shorten(Followed& followed, SymbolicSearchOptions options) {
    options.fuse = options.reduce = false;
    options.state_budget = kShorteningStates;
    options.accelerate = false;
    options.widen_above = 0;
    if (take_shorter(followed, options)) {
      result_.shortest = true;
    } else if (env_.options.acceleration) {
      options.accelerate = true;
      take_shorter(followed, options);
    }
  }

  // Takes the run that such a search finds, if it is an exact one step by step.
  bool take_shorter(Followed& followed, const SymbolicSearchOptions& options) {
    BreadthFirst full(task_, options, env_);
    full.run();
    if (!full.violated()) return false;
    std::string why_not;
    std::optional<Followed> shorter = exact_run(full, why_not);
    if (!shorter) return false;
    const bool step_by_step = shorter->step_by_step;
    if (shorter->trace.steps.size() <= followed.trace.steps.size()) followed = std::move(*shorter);
    return step_by_step;
  }

  void verified(SymbolicSearch& search, const SymbolicSearchOptions& options) {
    result_.verdict = Verdict::kVerified;
    result_.spurious = false;
    result_.reason =
        fmt::format("no run goes wrong; {} symbolic states cover all runs{}", search.largest_states(),
                    search.widened() > 0 ? ", some of them widened" : "");
    show_buffers(search.endless_buffers(kBuffersShown), search.code());
    const bool cheap = search.states() <= kCheapStates;
    if (env_.options.certify == "never" || (env_.options.certify == "auto" && !cheap)) return;
    certify(options);
  }

  // A certificate is closed under every step, so it comes from a search without reductions.
  void certify(SymbolicSearchOptions options) {
    options.fuse = options.reduce = false;
    options.state_budget = env_.options.certify == "always" ? 0 : kCertificateStates;
    for (;; options.widen_above *= kWidenFactor) {
      BreadthFirst full(task_, options, env_);
      full.run();
      if (full.violated()) {
        std::string why_not;
        require(!exact_run(full, why_not), "the reduction hides a run that goes wrong");
        if (full.widened() > 0) continue;
        break;
      }
      if (full.complete()) result_.certificate = checked_certificate(full);
      return;
    }
    result_.reason += "; without reductions there is a spurious run, so there is no certificate";
  }

  Certificate checked_certificate(SymbolicSearch& full) {
    AutomataCertificate certificate;
    std::map<Language, uint32_t> numbers;
    full.for_each_largest([&](PackedState state) {
      certificate.states.push_back(spelled_out(full, state, certificate, numbers));
    });
    const CertificateCheck check = check_certificate(task_, certificate, env_.limits);
    if (!check.ok && !check.gave_up) throw Bug("a certificate is refused: " + check.why_not);
    return {"antichain of symbolic states", certificate.states.size(), check.ok};
  }

  SymbolicState spelled_out(SymbolicSearch& full, PackedState packed, AutomataCertificate& certificate,
                            std::map<Language, uint32_t>& numbers) const {
    SymbolicSnapshot snapshot = full.system().describe(packed);
    const auto number = [&](Language language) {
      const auto [place, fresh] = numbers.try_emplace(language, certificate.automata.size());
      if (fresh) certificate.automata.push_back(full.system().languages().automaton(language));
      return place->second;
    };
    SymbolicState state;
    for (const uint32_t point : snapshot.where) state.where.emplace_back(point);
    state.memory = std::move(snapshot.memory);
    state.registers = std::move(snapshot.registers);
    for (size_t t = 0; t < snapshot.queues.size(); ++t) {
      const Buffering buffering = task_.model.buffering;
      const size_t count = buffering == Buffering::kNone        ? 0
                           : buffering == Buffering::kPerThread ? 1
                                                                : task_.program.cell_count;
      std::vector<uint32_t>& queues = state.queues.emplace_back(count, SymbolicState::kNoQueue);
      const std::vector<uint32_t>& cells = full.system().cells_of_queues(ThreadId(t));
      for (size_t q = 0; q < (buffering == Buffering::kPerCell ? cells.size() : count); ++q)
        queues[cells.empty() ? 0 : cells[q]] =
            number(snapshot.queues[t].empty() ? Languages::empty_word() : snapshot.queues[t][q]);
    }
    return state;
  }

  void unknown(SymbolicSearch& search) {
    if (search.overflow()) {
      result_.reason = "a value leaves the 64-bit integers; what lies behind was not explored";
    } else if (search.limit() == LimitReached::kNone) {
      result_.reason =
          "the formula of the property divides by zero, overflows or leaves an array in a reachable state";
    } else {
      result_.reason =
          fmt::format("{} after {} symbolic states", env_.limits.describe(search.limit()), search.states());
      show_buffers(search.growing_buffers(), search.code());
    }
  }

  void show_buffers(const std::vector<BufferSeen>& buffers, const Code& code) {
    for (const BufferSeen& buffer : buffers)
      result_.buffers.push_back(
          {buffer.thread, code.overlay().at(buffer.thread, buffer.where).pos.line, buffer.language});
  }

  const Task& task_;
  Env& env_;
  Result result_;
};

Result AutomataEngine::run(const Task& task, Env& env) const {
  return measured([&] { return Decision(task, env).decide(); });
}

}  // namespace

std::unique_ptr<Engine> make_automata_engine() { return std::make_unique<AutomataEngine>(); }

}  // namespace fenceline
