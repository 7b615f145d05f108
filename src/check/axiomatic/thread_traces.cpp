// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/axiomatic/thread_traces.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace fenceline::check {
namespace {

constexpr size_t kNothingNoted = SIZE_MAX;

class Explorer {
 public:
  Explorer(const Overlay& overlay, const TraceOptions& options, const std::function<void()>& step)
      : overlay_(overlay), options_(options), step_(step), values_(overlay.program().cell_count) {
    const std::vector<Value> initial = overlay.program().initial_memory();
    for (size_t c = 0; c < values_.size(); ++c) values_[c] = {initial[c]};
    if (options.values != nullptr) values_ = *options.values;
    stored_ = values_;
    most_stores_.resize(overlay.program().threads.size());
  }

  std::vector<ThreadShapes> run();

 private:
  void explore(ThreadExecution execution, size_t noted);
  void fork(const ThreadExecution& execution, Value input, size_t noted);
  bool step(ThreadExecution& execution, std::optional<Value> input);
  void note_stores(const ThreadExecution& execution);
  void fail(const ThreadExecution& execution);
  void finish(const ThreadExecution& execution, TraceEnd end);
  bool add_stored_values();

  const Overlay& overlay_;
  const TraceOptions& options_;
  const std::function<void()>& step_;
  CellValues values_;                     // what loads may return
  CellValues stored_;                     // that, and what was stored in this iteration
  std::vector<size_t> most_stores_;       // by thread: of one execution
  std::vector<bool> grown_;               // by cell: in the last iteration
  std::vector<std::vector<bool>> reads_;  // by thread and cell
  std::vector<ThreadShapes> found_;
  std::vector<Value> choices_;  // of the execution that is being explored
  ThreadShapes* of_ = nullptr;
  std::vector<bool>* reads_of_ = nullptr;
};

std::vector<ThreadShapes> Explorer::run() {
  const size_t threads = overlay_.program().threads.size();
  found_.resize(threads);
  reads_.assign(threads, std::vector<bool>(values_.size()));
  for (size_t iteration = 0;; ++iteration) {
    for (size_t t = 0; t < threads; ++t) {
      of_ = &found_[t];
      reads_of_ = &reads_[t];
      bool news = iteration == 0;
      for (size_t c = 0; c < grown_.size(); ++c) news = news || (grown_[c] && (*reads_of_)[c]);
      if (!news) continue;
      *of_ = {};
      explore(ThreadExecution(overlay_, ThreadId(t)), kNothingNoted);
    }
    if (options_.values != nullptr) return std::move(found_);
    const size_t iterations = std::accumulate(most_stores_.begin(), most_stores_.end(), size_t{0});
    if (iteration >= iterations || !add_stored_values()) return std::move(found_);
  }
}

// An execution that does not end has stored, too, and others may have to read that before it can end.
// `noted`: how many events the longest unfinished trace has that is noted.
void Explorer::explore(ThreadExecution execution, size_t noted) {
  while (!execution.ended()) {
    if (options_.unfinished && !execution.inside_section() && execution.events().size() != noted) {
      finish(execution, TraceEnd::kUnfinished);
      noted = execution.events().size();
    }
    if (execution.position() >= options_.longest) {
      of_->too_long = true;
      return note_stores(execution);
    }
    step_();
    const Instruction& i = execution.next();
    try {
      if (i.reads_memory()) {
        const CellId cell = execution.cell();
        (*reads_of_)[cell.index()] = true;
        for (const Value value : values_[cell.index()]) fork(execution, value, noted);
        return;
      }
      if (i.kind == InstrKind::kChoose || i.kind == InstrKind::kHavoc) {
        const Range range =
            i.kind == InstrKind::kHavoc ? i.havoc_range : Range{0, static_cast<Value>(i.next.size()) - 1};
        for (Value choice = range.lo;; ++choice) {
          choices_.push_back(choice);
          fork(execution, choice, noted);
          choices_.pop_back();
          if (choice == range.hi) return;
        }
      }
    } catch (const ProgramError&) {  // where the access goes
      fail(execution);
      return note_stores(execution);
    } catch (const ValueTooLarge&) {
      of_->too_large = true;
      return note_stores(execution);
    }
    if (!step(execution, std::nullopt)) return note_stores(execution);
  }
  note_stores(execution);
  finish(execution, TraceEnd::kEnded);
}

void Explorer::fork(const ThreadExecution& execution, Value input, size_t noted) {
  step_();
  ThreadExecution copy = execution;
  if (step(copy, input))
    explore(std::move(copy), noted);
  else
    note_stores(copy);
}

// False: it goes no further, and why is noted.
bool Explorer::step(ThreadExecution& execution, std::optional<Value> input) {
  Effect effect;
  try {
    switch (execution.step(input, effect)) {
      case ThreadExecution::Outcome::kMoved:
        return true;
      case ThreadExecution::Outcome::kFailed:
        fail(execution);
        return false;
      case ThreadExecution::Outcome::kStopped:
      case ThreadExecution::Outcome::kNeedsInput:
        break;
    }
    of_->stopped = true;
    return false;
  } catch (const ValueTooLarge&) {
    of_->too_large = true;
    return false;
  }
}

void Explorer::note_stores(const ThreadExecution& execution) {
  size_t stores = 0;
  for (const ThreadEvent& event : execution.events()) {
    if (event.kind != EventKind::kWrite) continue;
    ++stores;
    std::vector<Value>& stored = stored_[event.cell.index()];
    const auto position = std::lower_bound(stored.begin(), stored.end(), event.value);
    if (position == stored.end() || *position != event.value) stored.insert(position, event.value);
  }
  size_t& most = most_stores_[execution.thread().index()];
  most = std::max(most, stores);
}

void Explorer::fail(const ThreadExecution& execution) {
  of_->failed = true;
  if (options_.unfinished) finish(execution, TraceEnd::kFailed);
}

void Explorer::finish(const ThreadExecution& execution, TraceEnd end) {
  ThreadTrace trace{{}, execution.registers(), choices_, execution.events(), execution.location()};
  for (const ThreadEvent& event : trace.events) trace.values.push_back(event.value);
  const auto same = [&](const ThreadShape& shape) {
    return shape.end == end &&
           std::equal(trace.events.begin(), trace.events.end(), shape.events().begin(), shape.events().end(),
                      [](const ThreadEvent& a, const ThreadEvent& b) { return a.same_shape(b); });
  };
  const auto shape = std::find_if(of_->shapes.begin(), of_->shapes.end(), same);
  if (shape == of_->shapes.end())
    of_->shapes.push_back({end, {std::move(trace)}});
  else
    shape->traces.push_back(std::move(trace));
}

bool Explorer::add_stored_values() {
  grown_.assign(values_.size(), false);
  for (size_t c = 0; c < values_.size(); ++c) {
    grown_[c] = stored_[c].size() != values_[c].size();  // values_ is a part of it
    values_[c] = stored_[c];
  }
  return std::find(grown_.begin(), grown_.end(), true) != grown_.end();
}

}  // namespace

std::vector<ThreadShapes> thread_shapes(const Overlay& overlay, const TraceOptions& options,
                                        const std::function<void()>& step) {
  return Explorer(overlay, options, step).run();
}

}  // namespace fenceline::check
