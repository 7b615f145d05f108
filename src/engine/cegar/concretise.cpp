// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cegar/concretise.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "machine/store_buffer/system.h"
#include "property/properties.h"

namespace fenceline::engine {
namespace {

// How many (position, state) pairs, and how many ends without a violation, are tried.
constexpr size_t kMaxNodes = 20'000;
constexpr size_t kMaxEnds = 200;

bool same_instruction(const TraceStep& a, const TraceStep& b) {
  return a.thread == b.thread && a.point == b.point && a.chosen == b.chosen;
}

// Breadth-first search for an exact execution of `instructions` in order, with flushes anywhere.
class Concretiser final : public machine::StateSink {
 public:
  Concretiser(const Task& task, std::vector<TraceStep> instructions)
      : task_(task),
        instructions_(std::move(instructions)),
        system_(property::system_for(task, {.fuse = false, .reduce = false})),
        worker_(system_.worker()) {
    worker_->record_paths(true);
  }

  std::optional<Concretised> run(Env& env) {
    worker_->initial(*this);
    for (size_t next = 0; next < nodes_.size() && nodes_.size() < kMaxNodes; ++next) {
      current_ = next;
      if (nodes_[next].position == instructions_.size()) {
        if (std::optional<Concretised> found = try_end(next)) return found;
        if (++ends_ > kMaxEnds) return std::nullopt;
      }
      const machine::KeptState state = nodes_[next].state;  // nodes_ may move
      worker_->successors(state.packed(), *this);
      if (failed_) return try_end(next);
      if (env.limits.poll() != LimitReached::kNone) return std::nullopt;
    }
    return std::nullopt;
  }

  void expanding(const machine::StateView&) override {}
  void buffer_full() override {}
  void overflow() override {}
  void state(machine::PackedState packed) override {
    if (nodes_.empty()) return add(packed, 0);
    const std::vector<TraceStep>& path = worker_->path();
    const size_t position = nodes_[current_].position;
    if (path.front().kind == StepKind::kFlush) return add(packed, position);
    if (matches(path)) add(packed, position + path.size());
  }
  // The last instruction may be one that fails.
  void error() override {
    const std::vector<TraceStep>& path = worker_->path();
    if (nodes_.empty() || !looks_at_errors(task_.property.kind)) return;
    if (matches(path) && nodes_[current_].position + path.size() == instructions_.size()) failed_ = path;
  }

 private:
  struct Node {
    machine::KeptState state;
    size_t position = 0;  // in instructions_
    size_t parent = 0;
    std::vector<TraceStep> steps;  // from the parent
  };

  bool matches(const std::vector<TraceStep>& path) const {
    const size_t position = nodes_[current_].position;
    return position + path.size() <= instructions_.size() &&
           std::equal(path.begin(), path.end(), instructions_.begin() + static_cast<std::ptrdiff_t>(position),
                      same_instruction);
  }

  void add(machine::PackedState packed, size_t position) {
    if (!seen_.insert({position, {packed.begin(), packed.end()}}).second) return;
    nodes_.push_back({machine::KeptState(packed), position, current_, worker_->path()});
  }

  std::optional<Concretised> try_end(size_t end) {
    std::vector<size_t> chain;
    for (size_t at = end; at != 0; at = nodes_[at].parent) chain.push_back(at);
    Concretised found{{}, {}, false};
    found.trace.steps = nodes_[0].steps;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at)
      found.trace.steps.insert(found.trace.steps.end(), nodes_[*at].steps.begin(), nodes_[*at].steps.end());
    if (failed_) found.trace.steps.insert(found.trace.steps.end(), failed_->begin(), failed_->end());
    found.replay = check::replay(task_, found.trace);
    if (!found.replay.ok) return std::nullopt;
    return found;
  }

  const Task& task_;
  std::vector<TraceStep> instructions_;
  machine::System system_;
  std::unique_ptr<machine::TransitionSystem> worker_;
  std::vector<Node> nodes_;
  std::set<std::pair<size_t, std::vector<uint8_t>>> seen_;
  size_t current_ = 0;
  size_t ends_ = 0;
  std::optional<std::vector<TraceStep>> failed_;
};

}  // namespace

namespace {

// What the exact machine has in the buffer of the thread at the last step that it can replay.
std::string buffer_of(const Task& task, const Replay& exact, ThreadId thread) {
  std::string text;
  for (auto step = exact.steps.rbegin(); step != exact.steps.rend(); ++step) {
    if (step->step.thread != thread) continue;
    for (const BufferedStore& store : step->buffer)
      text +=
          fmt::format("{}{} = {}", text.empty() ? "" : ", ", task.program.cell_name(store.cell), store.value);
    break;
  }
  return text.empty() ? "none" : text;
}

// Where the abstract trace leaves the exact machine. The step that it cannot replay is the one behind the
// last that was replayed.
std::string explain(const Task& task, const machine::Path& trace, const Replay& exact) {
  const size_t number = exact.steps.size();
  if (number >= trace.steps.size()) return exact.why_not;
  const TraceStep& step = trace.steps[number];
  const std::string& thread = task.program.thread(step.thread).name;
  if (step.kind == StepKind::kFlush)
    return fmt::format(
        "in step {} a store of {}, {} = {}, is flushed, but the pending stores of its buffer are, oldest "
        "first: {}",
        number + 1, thread, task.program.cell_name(step.cell), step.value.value_or(0),
        buffer_of(task, exact, step.thread));
  const Overlay overlay(task.program, task.fences);
  return fmt::format("{} in line {}, {}", thread, overlay.at(step.thread, step.point).pos.line,
                     exact.why_not);
}

}  // namespace

std::optional<Concretised> concretise(const Task& task, const machine::Path& abstract_trace, Env& env,
                                      std::string& why_not) {
  Trace trace{abstract_trace.steps};
  Replay exact = check::replay(task, trace);
  if (exact.ok) return Concretised{std::move(trace), std::move(exact), true};
  why_not = explain(task, abstract_trace, exact);
  std::vector<TraceStep> instructions;
  for (const TraceStep& step : abstract_trace.steps)
    if (step.kind == StepKind::kExecute) instructions.push_back(step);
  return Concretiser(task, std::move(instructions)).run(env);
}

}  // namespace fenceline::engine
