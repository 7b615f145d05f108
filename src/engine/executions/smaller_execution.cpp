// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/smaller_execution.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/executions/followed_threads.h"

namespace fenceline::executions {
namespace {

class Cut {
 public:
  Cut(const Overlay& overlay, const Execution& execution, const ExecutionCheck& check)
      : execution_(execution),
        check_(check),
        threads_(follow_threads(overlay, execution, check.failing)),
        kept_(threads_.size()) {}

  std::optional<Execution> run() {
    if (check_.failing.valid())
      keep_steps(check_.failing, threads_[check_.failing.index()].steps.size());
    else if (!check_.flags.empty() && check_.flags.front().first.valid())
      for (const EventId event : {check_.flags.front().first, check_.flags.front().second}) keep(event);
    else
      return std::nullopt;
    // What kept reads read is kept.
    for (bool grown = true; grown;) {
      grown = false;
      for (size_t t = 0; t < threads_.size(); ++t)
        for (const size_t event : events_of(t))
          if (const EventId source = execution_.reads_from[event]; source.valid())
            grown = keep(source) || grown;
    }
    const auto is_whole = [&](size_t t) {
      return kept_[t] == threads_[t].steps.size() || ThreadId(t) == check_.failing;
    };
    size_t whole = 0;
    for (size_t t = 0; t < threads_.size(); ++t) whole += is_whole(t);
    if (whole == threads_.size()) return std::nullopt;
    return cut();
  }

 private:
  // The steps up to this one, and to the end of the atomic section around it. True: there are more than before.
  bool keep_steps(ThreadId thread, size_t steps) {
    size_t& kept = kept_[thread.index()];
    if (steps <= kept) return false;
    const std::vector<FollowedStep>& all = threads_[thread.index()].steps;
    bool inside = false;
    size_t end = 0;
    for (; end < all.size() && (end < steps || inside); ++end)
      inside = all[end].kind == InstrKind::kAtomicBegin || (inside && all[end].kind != InstrKind::kAtomicEnd);
    kept = end;
    return true;
  }

  bool keep(EventId event) {
    const ThreadId thread = execution_.events[event.index()].thread;
    if (!thread.valid()) return false;
    const std::vector<FollowedStep>& steps = threads_[thread.index()].steps;
    const auto at = std::find_if(steps.begin(), steps.end(), [&](const FollowedStep& step) {
      return step.first_event <= event.index() && event.index() < step.first_event + step.events;
    });
    if (at == steps.end()) return false;  // of the step that fails
    return keep_steps(thread, static_cast<size_t>(at - steps.begin()) + 1);
  }

  std::vector<size_t> events_of(size_t thread) const {
    std::vector<size_t> events;
    const auto add = [&](const FollowedStep& step) {
      for (size_t i = 0; i < step.events; ++i) events.push_back(step.first_event + i);
    };
    for (size_t i = 0; i < kept_[thread]; ++i) add(threads_[thread].steps[i]);
    if (threads_[thread].error) add(*threads_[thread].error);
    return events;
  }

  Execution cut() const {
    std::vector<size_t> events;
    std::set<CellId> cells;
    for (size_t t = 0; t < threads_.size(); ++t)
      for (const size_t event : events_of(t)) {
        events.push_back(event);
        if (execution_.events[event].cell.valid()) cells.insert(execution_.events[event].cell);
      }
    Execution result;
    std::vector<EventId> number(execution_.events.size());
    const auto add = [&](size_t event) {
      number[event] = EventId(result.events.size());
      result.events.push_back(execution_.events[event]);
    };
    for (size_t e = 0; e < execution_.events.size() && !execution_.events[e].thread.valid(); ++e)
      if (cells.contains(execution_.events[e].cell)) add(e);
    for (const size_t event : events) add(event);
    for (size_t e = 0; e < number.size(); ++e)
      if (number[e].valid())
        result.reads_from.push_back(
            execution_.reads_from[e].valid() ? number[execution_.reads_from[e].index()] : EventId());
    for (const std::vector<EventId>& order : execution_.coherence) {
      std::vector<EventId>& left = result.coherence.emplace_back();
      for (const EventId write : order)
        if (number[write.index()].valid()) left.push_back(number[write.index()]);
    }
    for (size_t t = 0; t < threads_.size(); ++t) add_end(t, result);
    return result;
  }

  void add_end(size_t thread, Execution& result) const {
    const std::vector<FollowedStep>& steps = threads_[thread].steps;
    if (kept_[thread] == steps.size()) {
      result.locations.push_back(execution_.locations[thread]);
      result.choices.push_back(execution_.choices[thread]);
      return;
    }
    result.locations.push_back(steps[kept_[thread]].point);
    std::vector<Value>& choices = result.choices.emplace_back();
    for (size_t i = 0; i < kept_[thread]; ++i)
      if (steps[i].chosen) choices.push_back(*steps[i].chosen);
  }

  const Execution& execution_;
  const ExecutionCheck& check_;
  const std::vector<FollowedThread> threads_;
  std::vector<size_t> kept_;  // by thread: how many of its steps
};

}  // namespace

ExecutionSize size_of(const Execution& execution) {
  ExecutionSize size;
  std::vector<uint32_t> last(execution.locations.size());
  std::set<ThreadId> threads;
  for (const Event& event : execution.events) {
    if (!event.thread.valid()) continue;
    ++size.events;
    threads.insert(event.thread);
    last[event.thread.index()] = event.position;
  }
  size.threads = threads.size();
  for (const uint32_t position : last) size.steps += position;
  return size;
}

std::optional<Execution> without_what_follows(const Overlay& overlay, const Execution& execution,
                                              const ExecutionCheck& check) {
  return Cut(overlay, execution, check).run();
}

}  // namespace fenceline::executions
