// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything here works on replayed traces, so it does not matter which engine found them.
//
// A shortest trace flushes only when it must: stores that no thread reads stay pending until the end, and all
// positions passed meanwhile count as violated orderings. The clause made of them holds but is weak, and the
// inference needs many of them. So each one is tested: flush all stores of the thread right before it, drop
// the later flushes of the same stores, and replay. If the trace still violates the property, the ordering
// does not belong into the clause. The replay decides, so no argument is needed why it would.
#include "synth/violated_orderings.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/edit/overlay.h"

namespace fenceline::synth {
namespace {

// Which monitored position does the step pass with pending stores? The buffer after the step is that before
// it, since a fence of no kind does nothing.
class Monitor {
 public:
  explicit Monitor(const Task& query)
      : overlay_(query.program, query.fences), by_point_(query.program.threads.size()) {
    for (const auto& [position, kinds] : query.fences.all()) {
      const auto& [thread, after] = position;
      if (kinds.none()) by_point_[thread.index()].emplace(overlay_.next(thread, after, 0), after);
    }
  }

  std::optional<ViolatedOrdering> violated(const ReplayedStep& step) const {
    if (step.step.kind != StepKind::kExecute || step.buffer.empty()) return std::nullopt;
    const auto& points = by_point_[step.step.thread.index()];
    const auto found = points.find(step.step.point);
    if (found == points.end()) return std::nullopt;
    return std::pair(step.step.thread, found->second);
  }

  bool added(const TraceStep& step) const {
    return step.kind == StepKind::kExecute && overlay_.inserted(step.thread, step.point);
  }

 private:
  const Overlay overlay_;
  std::vector<std::map<Point, Point>> by_point_;  // by thread: from the virtual point to the one it follows
};

// The trace in which all stores that are pending at step `at` have been flushed right before it.
Trace flushed_before(const Replay& replayed, size_t at) {
  const ReplayedStep& violation = replayed.steps[at];
  std::map<CellId, size_t> early;  // how many flushes of a cell are done early
  Trace trace;
  for (size_t i = 0; i < at; ++i) trace.steps.push_back(replayed.steps[i].step);
  for (const BufferedStore& store : violation.buffer) {
    TraceStep flush;
    flush.thread = violation.step.thread;
    flush.kind = StepKind::kFlush;
    flush.cell = store.cell;
    trace.steps.push_back(flush);
    ++early[store.cell];
  }
  for (size_t i = at; i < replayed.steps.size(); ++i) {
    const TraceStep& step = replayed.steps[i].step;
    if (step.kind == StepKind::kFlush && step.thread == violation.step.thread) {
      const auto found = early.find(step.cell);
      if (found != early.end() && found->second > 0) {
        --found->second;
        continue;
      }
    }
    trace.steps.push_back(step);
  }
  return trace;
}

}  // namespace

std::vector<ViolatedOrdering> violated_orderings(const Task& query, const Replay& replayed) {
  const Monitor monitor(query);
  std::vector<ViolatedOrdering> result;
  for (const ReplayedStep& step : replayed.steps)
    if (const auto position = monitor.violated(step)) result.push_back(*position);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Trace with_early_flushes(const Task& query, const Trace& trace) {
  const Monitor monitor(query);
  Trace best = trace;
  Replay replayed = check::replay(query, best);
  for (size_t at = 0; at < replayed.steps.size(); ++at) {
    if (!monitor.violated(replayed.steps[at])) continue;
    Trace candidate = flushed_before(replayed, at);
    Replay attempt = check::replay(query, candidate);
    if (!attempt.ok) continue;
    at += replayed.steps[at].buffer.size();  // the step has moved by as many flushes
    best = std::move(candidate);
    replayed = std::move(attempt);
  }
  return best;
}

Trace with_flushes_at_once(const Task& query, const Trace& trace) {
  const Overlay overlay(query.program, query.fences);
  Trace result;
  bool inside_atomic = false;  // where stores are not buffered
  for (const TraceStep& step : trace.steps) {
    result.steps.push_back(step);
    if (step.kind != StepKind::kExecute) continue;
    const InstrKind kind = overlay.at(step.thread, step.point).kind;
    if (kind == InstrKind::kAtomicBegin || kind == InstrKind::kAtomicEnd)
      inside_atomic = kind == InstrKind::kAtomicBegin;
    if (kind != InstrKind::kStore || inside_atomic || !step.cell.valid()) continue;
    TraceStep flush;
    flush.thread = step.thread;
    flush.kind = StepKind::kFlush;
    flush.cell = step.cell;
    result.steps.push_back(flush);
  }
  return result;
}

Trace without_added_fences(const Task& query, const Trace& trace) {
  const Monitor monitor(query);
  Trace result;
  for (const TraceStep& step : trace.steps)
    if (!monitor.added(step)) result.steps.push_back(step);
  return result;
}

}  // namespace fenceline::synth
