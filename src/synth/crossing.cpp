// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything here works on runs that have been replayed, so it does not matter which engine found them.
//
// A shortest run flushes only when it must: stores that matter to nobody wait until the end, and everything
// passed meanwhile counts as crossed. The clause made of it is true but weak, and the inference needs many of
// them. So each crossing is questioned: let all stores of the thread reach memory right before it, drop the
// flushes of the same stores later on, and replay. If the run still violates the property, the place was
// crossed for nothing. The replay says whether it does, so there is no need for an argument why it would.
#include "synth/crossing.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/edit/overlay.h"

namespace fenceline {
namespace {

// The step passes a watched place with stores waiting: which place? The buffer after the step is that before
// it, since a fence of no kind does nothing.
class Watch {
 public:
  explicit Watch(const Task& query)
      : overlay_(query.program, query.fences), by_point_(query.program.threads.size()) {
    for (const auto& [place, kinds] : query.fences.all()) {
      const auto& [thread, after] = place;
      if (kinds.none()) by_point_[thread.index()].emplace(overlay_.next(thread, after, 0), after);
    }
  }

  std::optional<std::pair<ThreadId, Point>> crossed(const ReplayedStep& step) const {
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
  std::vector<std::map<Point, Point>>
      by_point_;  // by thread: from the virtual point to what it stands behind
};

// The trace in which everything that waits at step `at` has been flushed right before it.
Trace flushed_before(const Replay& replayed, size_t at) {
  const ReplayedStep& crossing = replayed.steps[at];
  std::map<CellId, size_t> early;  // how many flushes of a cell are done early
  Trace trace;
  for (size_t i = 0; i < at; ++i) trace.steps.push_back(replayed.steps[i].step);
  for (const BufferedStore& store : crossing.buffer) {
    TraceStep flush;
    flush.thread = crossing.step.thread;
    flush.kind = StepKind::kFlush;
    flush.cell = store.cell;
    trace.steps.push_back(flush);
    ++early[store.cell];
  }
  for (size_t i = at; i < replayed.steps.size(); ++i) {
    const TraceStep& step = replayed.steps[i].step;
    if (step.kind == StepKind::kFlush && step.thread == crossing.step.thread) {
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

Crossed crossed_by(const Task& query, const Replay& replayed) {
  const Watch watch(query);
  Crossed result;
  for (const ReplayedStep& step : replayed.steps)
    if (const auto place = watch.crossed(step)) result.push_back(*place);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Trace with_early_flushes(const Task& query, const Trace& trace) {
  const Watch watch(query);
  Trace best = trace;
  Replay replayed = replay(query, best);
  for (size_t at = 0; at < replayed.steps.size(); ++at) {
    if (!watch.crossed(replayed.steps[at])) continue;
    Trace candidate = flushed_before(replayed, at);
    Replay attempt = replay(query, candidate);
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
  bool inside_atomic = false;  // where stores do not wait
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
  const Watch watch(query);
  Trace result;
  for (const TraceStep& step : trace.steps)
    if (!watch.added(step)) result.steps.push_back(step);
  return result;
}

}  // namespace fenceline
