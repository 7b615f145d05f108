// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/solo_run.h"

#include <utility>

#include "env/errors.h"

namespace fenceline::executions {
namespace {

constexpr size_t kMostSteps = 50'000;  // of one thread
constexpr size_t kMostPaths = 10'000;  // at a time

}  // namespace

IdleIterations idle_when_alone(const WaitLoops& wait_loops) {
  IdleIterations idle;
  idle.wait_loops = &wait_loops;
  idle.omit_dead_writes = true;
  idle.same_value = [](const Instruction&, sat::Readers) { return sat::SameValue::kDoesNotCount; };
  return idle;
}

template <size_t kWords>
Waits SoloRun<kWords>::waits(const State& state, std::vector<Value> memory) {
  shared_ = memory;
  Path path{state, std::move(memory)};
  path.state.visits.clear();
  const std::optional<Point> again = state.idle         ? state.location
                                     : state.in_section ? std::nullopt
                                                        : retried_.retry(thread_, state.location);
  if (state.next == NextStep::kBlocked && again)
    runner_.resume_at(path.state, *again);
  else if (!is_event(path.state.next) && !end(path.state))
    return result_;
  todo_.push_back(std::move(path));
  while (!todo_.empty()) {
    Path next = std::move(todo_.back());
    todo_.pop_back();
    if (!follow(std::move(next))) return result_;
  }
  return comes_back_ ? Waits::kForEver : Waits::kDoesNotCount;
}

template <size_t kWords>
bool SoloRun<kWords>::follow(Path path) {
  State& state = path.state;
  while (is_event(state.next)) {
    if (++steps_ > kMostSteps) return stop(Waits::kUndecided);
    state.events = 0;  // dependencies, which count them, are of no interest
    switch (state.next) {
      case NextStep::kRead:
        if (state.alternatives) return add_alternatives(path);
        runner_.step(state, path.memory[state.cell.index()]);
        break;
      case NextStep::kWrite: {
        const size_t cell = state.cell.index();
        path.memory[cell] = state.value;
        path.changed |=
            state.value != shared_[cell] && !code_.idle().wait_loops->is_private(thread_, CellId(cell));
        if (path.changed && !state.in_section) return stop(Waits::kGoesOn);
        runner_.step(state, 0);
        break;
      }
      case NextStep::kFence:
        runner_.step(state, 0);
        break;
      case NextStep::kChoice:
        return add_choices(path);
      case NextStep::kEnded:
      case NextStep::kBlocked:
      case NextStep::kFailed:
      case NextStep::kTooLarge:
      case NextStep::kBeyond:
        throw Bug("a thread without a next event is executed");
    }
  }
  if (path.changed && !(state.next == NextStep::kBlocked && state.in_section)) return stop(Waits::kGoesOn);
  return end(state);
}

template <size_t kWords>
bool SoloRun<kWords>::add_choices(const Path& path) {
  const Range choices = path.state.choices;
  // Which of several paths through a section is enabled would have to be compared.
  if (path.state.in_section || !choices.bounded()) return stop(Waits::kUndecided);
  for (Value choice = choices.lo;; ++choice) {
    if (todo_.size() == kMostPaths) return stop(Waits::kUndecided);
    runner_.step(todo_.emplace_back(path).state, choice);
    if (choice == choices.hi) return true;
  }
}

// A choice of which what is read decides about the part that is guessed.
template <size_t kWords>
bool SoloRun<kWords>::add_alternatives(const Path& path) {
  if (path.state.in_section || todo_.size() + path.state.alternatives->size() > kMostPaths)
    return stop(Waits::kUndecided);
  for (const State& alternative : *path.state.alternatives) {
    Path copy{alternative, path.memory, path.changed};
    copy.state.events = 0;
    runner_.step(copy.state, path.memory[alternative.cell.index()]);
    if (!runner_.is_wrong_guess(copy.state)) todo_.push_back(std::move(copy));
  }
  return true;
}

// Of a path.
template <size_t kWords>
bool SoloRun<kWords>::end(const State& state) {
  switch (state.next) {
    case NextStep::kEnded:
    case NextStep::kFailed:
      return stop(Waits::kGoesOn);
    case NextStep::kTooLarge:
    case NextStep::kBeyond:
      return stop(Waits::kUndecided);
    case NextStep::kBlocked:
      comes_back_ = comes_back_ || state.idle || state.in_section ||
                    retried_.retry(thread_, state.location).has_value();
      return true;
    case NextStep::kRead:
    case NextStep::kWrite:
    case NextStep::kFence:
    case NextStep::kChoice:
      break;
  }
  throw Bug("a path ends at an event");
}

template class SoloRun<1>;
template class SoloRun<2>;
template class SoloRun<4>;
template class SoloRun<8>;
template class SoloRun<16>;

}  // namespace fenceline::executions
