// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/portfolio/portfolio.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/automata/automata_engine.h"
#include "engine/coherence/coherence_engine.h"
#include "engine/enumeration/enumeration_engine.h"
#include "engine/executions/executions_engine.h"
#include "engine/explicit/explicit_engine.h"
#include "engine/numeric/numeric_engine.h"
#include "engine/portfolio/race.h"
#include "engine/portfolio/run_engine.h"
#include "engine/queue/queue_engine.h"
#include "engine/robustness/robustness_engine.h"
#include "engine/sat/sat_engine.h"
#include "env/child_process.h"
#include "env/errors.h"
#include "env/runtime_prediction.h"
#include "env/silent_env.h"
#include "property/properties.h"

namespace fenceline::engine {
namespace {

using Clock = std::chrono::steady_clock;

// In turn: seconds that engines have after a spurious counterexample, and as a multiple of what it took.
constexpr double kPatience = 2, kPatienceFactor = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::unique_ptr<Engine>> make_engines() {
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_explicit_engine());
  engines.push_back(coherence::make_coherence_engine());
  engines.push_back(automata::make_automata_engine());
  engines.push_back(numeric::make_numeric_engine());
  engines.push_back(executions::make_executions_engine());
  engines.push_back(robustness::make_robustness_engine());
  engines.push_back(sat::make_sat_engine());
  engines.push_back(make_queue_engine());
  engines.push_back(make_enumeration_engine());
  return engines;
}

// Why the engines are in this order. Where an engine that would have come first is doubtful, the doubt is the
// reason why another one does.
void explain_order(std::vector<Candidate>& ordered, const std::string& doubt) {
  for (size_t i = 1; i < ordered.size(); ++i)
    ordered[i].why = "no engine with a higher priority had an answer";
  Candidate& first = ordered.front();
  if (ordered.size() == 1)
    first.why = "the only engine that supports the task";
  else
    first.why = doubt.empty() ? "the engine with the highest priority"
                              : fmt::format("{}, which {} can handle", doubt, first.engine->name());
}

class Portfolio {
 public:
  Portfolio(const Task& task, Env& env) : task_(task), env_(env) {}

  Verification verify(Schedule schedule) {
    std::string why_none;
    engines_ = candidates(task_, env_.options.engine, why_none);
    if (engines_.empty()) {
      done_.result = unknown_result(UnknownReason::kUnsupported, std::move(why_none));
      return std::move(done_);
    }
    if (schedule == Schedule::kInTurn)
      std::stable_partition(engines_.begin(), engines_.end(),
                            [](const Candidate& candidate) { return candidate.engine->always_ends(); });
    predictions_.emplace(engines_.size());
    for (size_t number = 0; number < engines_.size(); ++number) {
      engines_[number].prediction = predictions_->of(number);
      done_.runs.push_back({std::string(engines_[number].engine->name()), 0, "not started"});
    }
    if (engines_.size() == 1)
      alone(0, env_.limits);
    else if (schedule == Schedule::kInTurn)
      in_turn();
    else if (schedule == Schedule::kAtOnce || !look_first())
      side_by_side(schedule == Schedule::kSideBySide);
    use_what_was_cut_short();
    say_which_limit();
    return std::move(done_);
  }

 private:
  // The answer of engine `number`, run in this process. True: it is conclusive, or a limit is reached.
  bool alone(size_t number, Limits& limits) {
    Env env{env_.options, limits, env_.progress};
    const auto start = Clock::now();
    Result result = run_engine(*engines_[number].engine, task_, env);
    note(number, std::move(result), seconds_since(start));
    return known() || env_.limits.poll() != LimitReached::kNone;
  }

  bool known() const { return done_.result.verdict() != Verdict::kUnknown; }

  void note(size_t number, Result result, double seconds) {
    EngineRun& run = done_.runs[number];
    run.seconds += seconds;
    run.outcome = result.verdict() == Verdict::kUnknown ? result.reason : to_string(result.verdict());
    done_.engine = engines_[number].engine->name();
    done_.why = engines_[number].why;
    // A spurious counterexample is worth more than no answer at all: it says where a fence would help.
    if (result.verdict() == Verdict::kUnknown && done_.result.spurious()) return;
    done_.result = std::move(result);
  }

  // The second engine has the truth if store buffers are bounded after all, so that no fence is put where
  // only an abstraction wants one.
  void in_turn() {
    if (alone(0, env_.limits) || !done_.result.spurious()) return;
    Limits patience(env_.limits, kPatience + kPatienceFactor * done_.runs[0].seconds,
                    env_.limits.memory_bytes());
    alone(1, patience);
  }

  // True: some engine needs so little work that its rank does not matter.
  bool look_first() {
    if (proofs_must_be_certified()) return false;
    // The first one is next anyway.
    for (size_t number = 1; number < engines_.size(); ++number) {
      const auto start = Clock::now();
      Result result = first_look(*engines_[number].engine, task_, env_);
      if (result.verdict() == Verdict::kUnknown) continue;
      engines_[number].why = "the task is small";
      note(number, std::move(result), seconds_since(start));
      return true;
    }
    return env_.limits.poll() != LimitReached::kNone;
  }

  void side_by_side(bool with_head_start) {
    std::vector<size_t> left(engines_.size());
    std::iota(left.begin(), left.end(), size_t{0});
    if (with_head_start) {
      Limits head_start(env_.limits, kHeadStart, env_.limits.memory_bytes());
      const bool over = give_head_start(head_start);
      if (env_.limits.poll() != LimitReached::kNone) return;
      // If it was cut short, so were perhaps the certificate or the shortening of its answer.
      if (head_start.reached() == LimitReached::kNone) {
        if (over) return;
        left.erase(left.begin());
      }
      if (known()) cut_short_ = std::move(done_.result);
      done_.result = Result();
    }
    if (proofs_must_be_certified()) {
      const auto certifies = [this](size_t number) { return engines_[number].engine->certifies(); };
      const auto end = std::stable_partition(left.begin(), left.end(), certifies);
      if (run_together({left.begin(), end})) return;
      left.erase(left.begin(), end);
    }
    if (!run_together(left)) explain_unknown();
  }

  // The first engine, alone and in this process. When its time is up, a copy of the process goes on with its work, as
  // one of those that take turns, and this one returns. True as in alone().
  bool give_head_start(Limits& limits) {
    Options options = env_.options;
    options.jobs = 1;  // only a process with one thread can be copied
    int parent = -1;   // in the copy: leads to the process that it reports to
    const double used = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
    limits.at_deadline([&](uint64_t& memory_bytes) { return goes_on_in_copy(parent, memory_bytes, used); });
    Env env{options, limits, env_.progress, engines_.front().prediction};
    const auto start = Clock::now();
    Result result;
    try {
      result = run_engine(*engines_.front().engine, task_, env);
    } catch (...) {
      if (parent < 0) throw;
      report_to(parent, []() -> Result { throw; });
    }
    if (parent >= 0) report_to(parent, [&] { return std::move(result); });
    limits.at_deadline(nullptr);
    note(0, std::move(result), begun_ ? 0 : seconds_since(start));
    return known() || env_.limits.poll() != LimitReached::kNone;
  }

  // True in the copy. `used_before` are the processor seconds when the engine began.
  bool goes_on_in_copy(int& parent, uint64_t& memory_bytes, double used_before) {
    if (env_.limits.poll() != LimitReached::kNone) return false;
    try {
      if (std::optional<ForkedChild> copy = ForkedChild::split(parent)) {
        kill(copy->process(), SIGSTOP);
        const double used = processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - used_before;
        begun_.emplace(HeadStart{engines_.front().engine, kHeadStart, used, *std::move(copy)});
        return false;
      }
    } catch (const Unsupported&) {
      return false;
    }
    env_.progress.be_silent();
    memory_bytes /= engines_.size();
    return true;
  }

  [[noreturn]] static void report_to(int file, const std::function<Result()>& answer) {
    write_all(file, answer_bytes(answer));
    ForkedChild::end_child();
  }

  // Where a limit ended it, that is the reason, whatever single engines have said before.
  void say_which_limit() {
    const LimitReached reached = env_.limits.poll();
    if (known() || reached == LimitReached::kNone || done_.result.is_unknown(UnknownReason::kLimit)) return;
    const std::string reasons = std::exchange(done_.result.reason, env_.limits.describe(reached));
    if (!reasons.empty()) done_.result.reason += "; " + reasons;
    if (!done_.result.spurious()) done_.result.conclusion = Unknown{.reason = UnknownReason::kLimit};
  }

  // An answer without its certificate, or not shortened, is better than none.
  void use_what_was_cut_short() {
    if (!cut_short_) return;
    if (known()) {
      std::vector<Racer> both(2);
      both[0].engine = engines_.front().engine;
      both[0].result = std::move(cut_short_);
      both[1].engine = &engine_called(done_.engine);
      both[1].result = done_.result;
      require_agreement(both, task_);
    } else {
      note(0, *std::move(cut_short_), 0);
    }
  }

  // --certify always, where it is an engine with certificates that comes first.
  bool proofs_must_be_certified() const {
    return env_.options.certify == Certify::kAlways && engines_.front().engine->certifies();
  }

  // True: one of them knows, or a limit is reached.
  bool run_together(std::vector<size_t> numbers) {
    if (numbers.empty()) return false;
    if (numbers.size() == 1 && !begun_) return alone(numbers.front(), env_.limits);
    std::stable_partition(numbers.begin(), numbers.end(),
                          [this](size_t i) { return is_fast(engines_[i].speed); });
    const std::vector<size_t> short_of_memory = run_race(numbers);
    if (known()) return true;
    // All of them had a part of the memory only.
    for (const size_t number : short_of_memory)
      if (env_.limits.poll() != LimitReached::kNone || alone(number, env_.limits)) return true;
    return env_.limits.poll() != LimitReached::kNone;
  }

  // Returns those that had not enough memory.
  std::vector<size_t> run_race(const std::vector<size_t>& numbers) {
    std::vector<Candidate> racing;
    racing.reserve(numbers.size());
    for (const size_t number : numbers) racing.push_back(engines_[number]);
    env_.progress.clear();
    std::vector<Racer> racers = race(racing, task_, env_, std::exchange(begun_, std::nullopt));
    std::vector<size_t> short_of_memory;
    std::optional<size_t> winner;
    for (size_t i = 0; i < racers.size(); ++i) {
      Racer& racer = racers[i];
      EngineRun& run = done_.runs[numbers[i]];
      if (racer.result && racer.result->verdict() != Verdict::kUnknown && !winner) {
        winner = i;
      } else if (racer.result) {
        if (racer.result->is_unknown(UnknownReason::kLimit)) short_of_memory.push_back(numbers[i]);
        note(numbers[i], std::move(*racer.result), racer.seconds);
      } else {
        run.seconds += racer.seconds;
        if (racer.started) run.outcome = "stopped";
      }
    }
    if (winner) {
      done_.result = Result();
      note(numbers[*winner], std::move(*racers[*winner].result), racers[*winner].seconds);
    }
    return short_of_memory;
  }

  void explain_unknown() {
    if (known()) return;
    std::string reasons;
    size_t reported = 0;
    for (const EngineRun& run : done_.runs) {
      if (run.outcome == "not started" || run.outcome == "stopped") continue;
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", run.engine, run.outcome);
      ++reported;
    }
    if (reported > 1) done_.result.reason = reasons;
  }

  const Task& task_;
  Env& env_;
  std::vector<Candidate> engines_;
  std::optional<SharedPredictions> predictions_;  // by engine
  std::optional<HeadStart> begun_;                // the first engine, if its head start was not enough
  std::optional<Result> cut_short_;  // the answer of the first engine, if its head start was just not enough
  Verification done_;
};

}  // namespace

const std::vector<std::unique_ptr<Engine>>& all_engines() {
  static const std::vector<std::unique_ptr<Engine>> kEngines = make_engines();
  return kEngines;
}

void require_known_engine(const std::string& name) {
  if (name == "auto") return;
  std::string known = "auto";
  for (const auto& engine : all_engines()) {
    if (engine->name() == name) return;
    known += fmt::format(", {}", engine->name());
  }
  throw UsageError(fmt::format("unknown engine '{}'; known engines: {}", name, known));
}

const Engine& engine_called(std::string_view name) {
  for (const auto& engine : all_engines())
    if (engine->name() == name) return *engine;
  throw Bug(fmt::format("there is no engine called {}", name));
}

std::vector<Candidate> candidates(const Task& task, const std::string& name, std::string& why_none) {
  if (task.property.kind == PropertyKind::kLiveness)
    if (why_none = property::liveness_undecided(task.program); !why_none.empty()) return {};
  if (task.property.kind == PropertyKind::kNoDeadlock && task.model.buffering != Buffering::kNoMachine)
    if (why_none = property::deadlocks_undecided(task.program); !why_none.empty()) return {};
  const Facts facts(task);
  std::string unsupported;
  std::vector<std::pair<Candidate, Priority>> ranked;
  for (const auto& engine : all_engines()) {
    if (name == "auto" ? !engine->in_portfolio() : engine->name() != name) continue;
    if (const std::string why = engine->unsupported_reason(task); !why.empty())
      unsupported += fmt::format("{}{}: {}", unsupported.empty() ? "" : "; ", engine->name(), why);
    else if (name != "auto")
      ranked.push_back({{engine.get(), "selected with --engine"}, {}});
    else
      ranked.push_back({{engine.get(), ""}, engine->priority(task, facts)});
  }
  if (ranked.empty()) why_none = fmt::format("no engine supports this task ({})", unsupported);
  std::string doubt;  // about those that come before the one that will be the first
  for (const auto& [candidate, priority] : ranked) {
    if (priority.rank == Priority::Rank::kGood) break;
    if (doubt.empty()) doubt = priority.why;
  }
  const bool all_doubtful = std::all_of(ranked.begin(), ranked.end(), [](const auto& one) {
    return one.second.rank == Priority::Rank::kDoubtful;
  });
  const auto later = [](const Priority& priority) {
    return std::pair(priority.rank, !is_fast(priority.speed));
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return later(a.second) < later(b.second); });
  std::vector<Candidate> ordered;
  for (auto& [candidate, priority] : ranked) {
    candidate.speed = priority.speed;
    ordered.push_back(std::move(candidate));
  }
  if (name == "auto" && !ordered.empty()) explain_order(ordered, all_doubtful ? "" : doubt);
  return ordered;
}

Verification verify(const Task& task, Env& env, Schedule schedule) {
  return Portfolio(task, env).verify(schedule);
}

Verification verify(const Task& task, const Options& options, Limits& limits, Schedule schedule) {
  SilentEnv env(options, limits);
  return verify(task, env, schedule);
}

Result verify_by(std::string_view engine, const Task& task, const Options& options, Limits& limits) {
  Options by_it = options;
  by_it.engine = engine_called(engine).name();
  return verify(task, by_it, limits).result;
}

}  // namespace fenceline::engine
