// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/portfolio/race.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <exception>
#include <utility>

#include "engine/portfolio/result_bytes.h"
#include "engine/portfolio/run_engine.h"
#include "env/child_process.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kAnswer = '+', kThrown = '!';
// How much slower time passes for engines: those that are rarely fast, those that are not, those that are fast for so
// many seconds only (Priority::Speed::kEarly), and those that expect to take long or to end soon.
constexpr double kRareSlowdown = 64, kSlowdown = 16, kSlowdownWhenLate = 4, kSlowdownWhenBad = 16,
                 kSlowdownWhenGood = 0.5;
constexpr double kEarlySeconds = 0.05;
constexpr double kHopefulSeconds = 0.2;  // so long an engine is believed that it will end soon
// Those that are not fast begin when the others have had so many seconds each.
constexpr double kSlowStart = 0.03, kRareStart = 0.2;
constexpr double kShortestSlice = 0.005;  // seconds
constexpr double kSliceShare = 0.1;       // a slice is this part of what the engine has had, so that it grows
// On a busy machine an engine may have a turn and no processor, so what it has used counts; and a little of the time
// that has passed, since it may as well wait for something else.
constexpr double kLeastUse = 0.1;
// Engines poll the limits and end on their own; those that do not within this time are killed.
constexpr double kGrace = 0.2;  // seconds

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool conclusive(const Racer& racer) { return racer.result && racer.result->verdict() != Verdict::kUnknown; }

class Race {
 public:
  Race(const std::vector<Candidate>& engines, const Task& task, Env& env, std::optional<HeadStart> head_start)
      : task_(task), env_(env) {
    for (const Candidate& candidate : engines) {
      Entry& entry = entries_.emplace_back();
      entry.racer.engine = candidate.engine;
      entry.speed = candidate.speed;
      entry.prediction = candidate.prediction;
      if (!head_start || head_start->engine != candidate.engine) continue;
      entry.racer.started = true;
      entry.racer.seconds = head_start->seconds;
      entry.used = entry.used_before = head_start->used;
      entry.child.emplace(std::move(head_start->child));
    }
  }

  std::vector<Racer> run() {
    while (!decided() && !out_of_time()) {
      let_run(most_deserving());
      if (env_.progress.due()) env_.progress.show(running());
      listen_for(slice());
    }
    listen_for(0);  // another one may have ended at the same time
    std::vector<Racer> racers;
    racers.reserve(entries_.size());
    for (Entry& entry : entries_) {
      entry.child.reset();
      racers.push_back(std::move(entry.racer));
    }
    require_agreement(racers, task_);
    return racers;
  }

 private:
  struct Entry {
    Racer racer;
    Priority::Speed speed = Priority::Speed::kSlow;
    std::atomic<RuntimePrediction>* prediction = nullptr;
    double used = 0;                   // seconds of a processor, as far as is known
    double used_before = 0;            // not by this process
    std::optional<ForkedChild> child;  // none: not started, or ended
    bool running = false;              // not stopped
    bool ended = false;
  };

  size_t fast_engines() const {
    return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
      return !entry.ended && entry.speed == Priority::Speed::kFast;
    }));
  }

  // Has some fast engine not had its first slice yet?
  bool some_are_new() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
      return !entry.ended && is_fast(entry.speed) && entry.used == 0;
    });
  }

  // The time that it has had, as it counts: those with the least are next.
  double weighted_seconds(const Entry& entry) const {
    const double seconds = entry.used;
    if (entry.used_before > 0 && seconds < kHeadStart) return -1;  // it had no processor all the time
    switch (entry.speed) {
      case Priority::Speed::kRare:
        return kRareStart + seconds * kRareSlowdown;
      case Priority::Speed::kSlow:
        return kSlowStart + seconds * kSlowdown;
      case Priority::Speed::kSecond:
        return kSlowStart + seconds * kSlowdownWhenLate;
      case Priority::Speed::kFast:
        return seconds * slowdown(entry, 1);
      // One that has had its early chance makes room for the fast ones, if they need all jobs.
      case Priority::Speed::kEarly:
        return seconds *
               slowdown(entry, seconds < kEarlySeconds || fast_engines() < jobs() ? 1 : kSlowdownWhenLate);
    }
    throw Bug("a speed that does not exist");
  }

  // By what the engine expects, or so much.
  static double slowdown(const Entry& entry, double otherwise) {
    switch (entry.prediction == nullptr ? RuntimePrediction::kUnknown
                                        : entry.prediction->load(std::memory_order_relaxed)) {
      case RuntimePrediction::kUnknown:
        return otherwise;
      case RuntimePrediction::kShort:
        return entry.used < kHopefulSeconds ? kSlowdownWhenGood : otherwise;
      case RuntimePrediction::kLong:
        return kSlowdownWhenBad;
    }
    throw Bug("a prediction that does not exist");
  }

  // "explicit 2 s, sat 1 s": who was given how much time.
  std::string running() const {
    std::string text;
    for (const Entry& entry : entries_)
      if (entry.child)
        text += fmt::format("{}{} {:.0f} s", text.empty() ? "" : ", ", entry.racer.engine->name(),
                            entry.racer.seconds);
    return text;
  }

  bool decided() const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return conclusive(entry.racer); }) ||
           std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.ended; });
  }

  bool out_of_time() {
    if (!end_ && env_.limits.poll() != LimitReached::kNone) end_ = Clock::now();
    return end_ && seconds_since(*end_) > kGrace;
  }

  size_t jobs() const { return std::max<size_t>(1, env_.options.jobs); }

  // As long as suits the one that runs and has had the least.
  double slice() const {
    if (end_) return kShortestSlice;
    double least = env_.limits.seconds_left();
    for (const Entry& entry : entries_)
      if (entry.running) least = std::min(least, std::max(kShortestSlice, kSliceShare * entry.used));
    return least;
  }

  // Those with the least time so far, weighted. An engine that is fast is hardly ever interrupted if no more
  // of them than jobs are: the others share what is left. While they have their first slices, on the other
  // jobs, the first one is not interrupted at all.
  std::vector<Entry*> most_deserving() {
    bool first_stays = jobs() > 1 && some_are_new();
    std::vector<std::pair<double, Entry*>> waiting;
    for (Entry& entry : entries_) {
      if (entry.ended) continue;
      waiting.emplace_back(std::exchange(first_stays, false) ? 0 : weighted_seconds(entry), &entry);
    }
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Entry*> chosen;
    for (const auto& [time, entry] : waiting)
      if (chosen.size() < jobs()) chosen.push_back(entry);
    return chosen;
  }

  void let_run(const std::vector<Entry*>& chosen) {
    for (Entry& entry : entries_) {
      const bool run = std::find(chosen.begin(), chosen.end(), &entry) != chosen.end();
      if (run && !entry.racer.started) {
        start(entry);
      } else if (entry.child && run != entry.running) {
        kill(entry.child->process(), run ? SIGCONT : SIGSTOP);
        entry.running = run;
      }
    }
  }

  void start(Entry& entry) {
    entry.racer.started = entry.running = true;
    entry.child.emplace([&](int file) { write_all(file, work(entry)); });
  }

  // In the child.
  std::string work(const Entry& entry) {
    env_.progress.be_silent();
    Options options = env_.options;
    options.jobs = 1;
    Limits limits(env_.limits, env_.limits.seconds_left(), env_.limits.memory_bytes() / entries_.size());
    Env env{options, limits, env_.progress, entry.prediction};
    return answer_bytes([&] { return run_engine(*entry.racer.engine, task_, env); });
  }

  void listen_for(double seconds) {
    const auto begin = Clock::now();
    std::vector<pollfd> wanted;
    std::vector<Entry*> heard;
    for (Entry& entry : entries_)
      if (entry.child && entry.running) {
        wanted.push_back({entry.child->file(), POLLIN, 0});
        heard.push_back(&entry);
      }
    const int ready = poll(wanted.data(), wanted.size(), static_cast<int>(seconds * 1000));
    const double passed = seconds_since(begin);
    for (Entry* entry : heard) {
      entry->racer.seconds += passed;
      entry->used = std::max(entry->used_before + processor_seconds(clock_of(entry->child->process())),
                             entry->used + kLeastUse * passed);
    }
    for (size_t i = 0; ready > 0 && i < heard.size(); ++i)
      if (wanted[i].revents != 0) listen_to(*heard[i]);
  }

  void listen_to(Entry& entry) {
    entry.child->listen();
    if (!entry.child->silent()) return;
    const ProcessEnd end = entry.child->wait();
    const std::string said = std::move(entry.child->heard());
    entry.child.reset();
    entry.ended = true;
    const std::string name(entry.racer.engine->name());
    if (end.status != 0 || said.empty()) {
      // Killed for its memory, or crashed: neither is an answer, and only one of them is our fault.
      if (end.signal != SIGKILL) throw Bug(fmt::format("the {} engine crashed", name));
      entry.racer.result = unknown_result(UnknownReason::kLimit, "the process of the engine was killed");
      return;
    }
    if (said.front() == kThrown) throw Bug(fmt::format("the {} engine: {}", name, said.substr(1)));
    entry.racer.result = from_bytes(std::string_view(said).substr(1), task_);
    if (entry.racer.result->is_unknown(UnknownReason::kBound)) favour_those_that_end();
  }

  // A search has come to its end but for store buffers that grow without bound. So it has seen finitely many
  // values, whatever an analysis of single threads says of them, and an engine that always ends on those will
  // not take long.
  void favour_those_that_end() {
    for (Entry& entry : entries_)
      if (entry.racer.engine->always_ends()) entry.speed = Priority::Speed::kFast;
  }

  const Task& task_;
  Env& env_;
  std::deque<Entry> entries_;             // by rank
  std::optional<Clock::time_point> end_;  // when a limit was reached
};

std::string says(const Racer& racer) {
  return fmt::format("{} says {} ({})", racer.engine->name(), to_string(racer.result->verdict()),
                     racer.result->reason);
}

}  // namespace

void require_agreement(const std::vector<Racer>& racers, const Task& task) {
  const Racer* first = nullptr;
  for (const Racer& racer : racers) {
    if (!conclusive(racer)) continue;
    if (first == nullptr) first = &racer;
    if (racer.result->verdict() != first->result->verdict())
      throw Bug(fmt::format("two engines contradict each other about {}, property {}, model {}: {}, {}",
                            task.program.source.name, task.property.name, task.model.name, says(*first),
                            says(racer)));
  }
}

std::string answer_bytes(const std::function<Result()>& run) {
  try {
    return kAnswer + to_bytes(run());
  } catch (const std::exception& thrown) {
    return kThrown + std::string(thrown.what());
  }
}

std::vector<Racer> race(const std::vector<Candidate>& engines, const Task& task, Env& env,
                        std::optional<HeadStart> head_start) {
  return Race(engines, task, env, std::move(head_start)).run();
}

}  // namespace fenceline::engine
