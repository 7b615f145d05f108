// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/symbolic_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "env/errors.h"

namespace fenceline {
namespace {

constexpr uint64_t kPollInterval = 64;

// Only counts.
class AnySuccessor final : public StateSink {
 public:
  bool any = false;
  bool final_state = false;
  void expanding(const StateView& view) override { final_state = view.final_state; }
  void state(PackedState) override { any = true; }
  void buffer_full() override { any = true; }
  void error() override { any = true; }
  void overflow() override { any = true; }
};

}  // namespace

SymbolicSearch::SymbolicSearch(const Task& task, const SymbolicSearchOptions& options, Env& env)
    : task_(task),
      env_(env),
      options_(options),
      system_(system_for(task, {.fuse = options.fuse,
                                .fuse_local = options.fuse_local,
                                .reduce = options.reduce,
                                .liveness = options.liveness})),
      worker_(system_.symbolic_worker()),
      cycles_(*worker_, system_.code()),
      monitor_(task.program, task.property) {}

void SymbolicSearch::Observer::expanding(const StateView& view) {
  const Monitor::Finding finding = search_.monitor_.look(view);
  if (finding == Monitor::Finding::kViolated) search_.found({}, view.final_state);
  if (finding == Monitor::Finding::kUndefined) search_.undefined_formula_ = true;
}

void SymbolicSearch::Observer::error() {
  if (looks_at_errors(search_.task_.property.kind)) search_.found(search_.worker_->path(), false);
}

void SymbolicSearch::Observer::buffer_full() { throw Bug("a set of buffers was full"); }

// Where a store waits there is always a step. So only the contents with empty buffers count.
bool SymbolicSearch::is_deadlock(PackedState state) {
  const std::optional<PackedState> drained = worker_->drained(state);
  if (!drained) return false;
  const KeptState kept(*drained);
  AnySuccessor sink;
  worker_->successors(kept.packed(), sink);
  return !sink.any && !sink.final_state && !worker_->excused(kept.packed());
}

bool SymbolicSearch::out_of_resources(uint64_t bytes) {
  if (options_.state_budget != 0 && states() > options_.state_budget) out_of_states_ = true;
  if (++polled_ % kPollInterval == 0 && limit_ == LimitReached::kNone) {
    limit_ = env_.limits.poll(bytes);
    if (env_.progress.due())
      env_.progress.show(
          fmt::format("automata: {} states, {} languages", states(), worker_->languages().size()));
  }
  return limit_ != LimitReached::kNone || out_of_states_;
}

std::string SymbolicSearch::show(Language language) {
  return worker_->languages().text(language, [this](const Letter& letter) {
    if (letter.variable == Letter::kBarrier) return std::string("|");
    return fmt::format("({},{}{})", task_.program.cell_name(CellId(letter.variable)), letter.value,
                       letter.marked ? "!" : "");
  });
}

std::vector<BufferSeen> SymbolicSearch::endless_buffers(size_t count) {
  std::map<std::tuple<size_t, Language>, std::pair<uint64_t, uint32_t>> seen;  // how often, and one place
  for_each_largest([&](PackedState state) {
    const SymbolicSnapshot snapshot = worker_->describe(state);
    for (size_t t = 0; t < snapshot.queues.size(); ++t)
      for (const Language queue : snapshot.queues[t]) {
        auto& [times, where] = seen[{t, queue}];
        ++times;
        where = snapshot.where[t];
      }
  });
  std::vector<BufferSeen> buffers;
  for (size_t t = 0; t < task_.program.threads.size(); ++t) {
    std::vector<std::tuple<uint64_t, Language, uint32_t>> own;
    for (const auto& [key, value] : seen)
      if (std::get<0>(key) == t && worker_->languages().is_endless(std::get<1>(key)))
        own.emplace_back(value.first, std::get<1>(key), value.second);
    std::sort(own.begin(), own.end(), std::greater<>());
    for (size_t i = 0; i < std::min(count, own.size()); ++i)
      buffers.push_back({ThreadId(t), Point(std::get<2>(own[i])), show(std::get<1>(own[i]))});
  }
  return buffers;
}

std::vector<BufferSeen> SymbolicSearch::growing_buffers() {
  std::map<uint64_t, std::pair<uint64_t, KeptState>> families;
  for_each_largest([&](PackedState state) {
    auto& [times, latest] = families[worker_->take_candidate(state)];
    ++times;
    latest = KeptState(state);
  });
  std::vector<BufferSeen> buffers;
  const auto most = std::max_element(families.begin(), families.end(), [](const auto& a, const auto& b) {
    return a.second.first < b.second.first;
  });
  if (most == families.end()) return buffers;
  const SymbolicSnapshot snapshot = worker_->describe(most->second.second.packed());
  for (size_t t = 0; t < snapshot.queues.size(); ++t)
    for (const Language queue : snapshot.queues[t])
      if (queue != Languages::empty_word())
        buffers.push_back({ThreadId(t), Point(snapshot.where[t]), show(queue)});
  return buffers;
}

}  // namespace fenceline
