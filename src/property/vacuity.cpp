// SPDX-License-Identifier: GPL-3.0-or-later
#include "property/vacuity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/rng.h"
#include "ir/sequential_interpreter.h"

namespace fenceline::property {
namespace {

constexpr unsigned kWalks = 48;
constexpr unsigned kIdle = 16;  // iterations without a step; choices are different the next time
constexpr uint64_t kStepsOfWalk = 20'000, kStepsOfAll = 400'000;

const Expr& condition_of(const Program& program, const Instruction& instruction) {
  return program.expr(instruction.a);
}

// Is there a path through the code to an end of the thread, whatever the conditions?
bool has_end(const Thread& thread, bool of_program) {
  std::vector<Point> open{thread.entry};
  std::vector<bool> seen(thread.code.size(), false);
  seen[thread.entry.index()] = true;
  while (!open.empty()) {
    const Instruction& instruction = thread.at(open.back());
    open.pop_back();
    if (instruction.kind == InstrKind::kHalt && (!of_program || instruction.ends_program)) return true;
    for (const Point next : instruction.next) {
      if (seen[next.index()]) continue;
      seen[next.index()] = true;
      open.push_back(next);
    }
  }
  return false;
}

// An interleaving. Local steps belong to the access before them, and an access behind which an assumption
// does not hold is postponed while others can go on: an assumption often represents a loop that waits.
class Walk {
 public:
  Walk(const Program& program, VacuityGoals& open, uint64_t seed)
      : program_(program), interpreter_(program), open_(open), rng_(seed), memory_(program.initial_memory()) {
    for (size_t t = 0; t < program.threads.size(); ++t) states_.push_back(interpreter_.begin(ThreadId(t)));
  }

  // True if it has ended, at most so many steps later.
  bool run(uint64_t& steps) {
    std::vector<size_t> order(states_.size());
    for (size_t t = 0; t < order.size(); ++t) order[t] = t;
    const unsigned turn = 1U << rng_.below(6);  // how many accesses a thread makes before another one comes
    unsigned idle = 0;
    while (steps > 0 && idle < kIdle && !failed_ && !open_.none()) {
      if (ended()) {
        open_.end = false;
        return true;
      }
      for (size_t t = order.size(); t > 1; --t) std::swap(order[t - 1], order[rng_.below(t)]);
      ++idle;
      for (const size_t t : order) {
        for (unsigned i = 0; i < turn && steps > 0 && advance(t, steps); ++i) idle = 0;
        if (idle == 0 || failed_) break;
      }
    }
    return false;
  }

  std::vector<Vacuity::Stuck> stuck() const {
    std::vector<Vacuity::Stuck> all;
    for (size_t t = 0; t < states_.size(); ++t) {
      const Instruction& here = program_.threads[t].at(states_[t].at);
      if (here.kind == InstrKind::kHalt) continue;
      Vacuity::Stuck one{ThreadId(t), position(t), Vacuity::How::kRuns};
      if (blocked_at_[t].valid()) {
        const Instruction& assumption = program_.threads[t].at(blocked_at_[t]);
        const bool waits = assumption.blocking || here.kind == InstrKind::kAtomicBegin;
        one.how = waits ? Vacuity::How::kWaits : Vacuity::How::kAssumes;
        one.pos = assumption.pos.known() ? assumption.pos : one.pos;
      }
      all.push_back(one);
    }
    return all;
  }

 private:
  bool ended() const {
    bool all = true;
    for (size_t t = 0; t < states_.size(); ++t) {
      const Instruction& here = program_.threads[t].at(states_[t].at);
      if (here.kind == InstrKind::kHalt && here.ends_program) return true;
      all = all && here.kind == InstrKind::kHalt;
    }
    return all;
  }

  // The position of the next instruction that has one.
  SourcePos position(size_t t) const {
    Point point = states_[t].at;
    for (unsigned i = 0; i < 100; ++i) {
      const Instruction& instruction = program_.threads[t].at(point);
      if (instruction.pos.known() || instruction.next.empty()) return instruction.pos;
      point = instruction.next.front();
    }
    return {};
  }

  uint64_t pick(const Instruction& instruction, uint64_t alternatives) {
    constexpr uint64_t kMany = uint64_t{1} << 62;
    if (alternatives == 1) return 0;
    if (alternatives == 0 || alternatives > kMany) return rng_.below(kMany);  // 0: all that there are
    if (instruction.kind == InstrKind::kHavoc && alternatives > 16 && rng_.chance(60)) {
      constexpr Value kUsual[] = {0, 1, -1, 2};
      const Value value = kUsual[rng_.below(4)];
      if (instruction.havoc_range.contains(value))
        return static_cast<uint64_t>(value) - static_cast<uint64_t>(instruction.havoc_range.lo);
    }
    return rng_.below(alternatives);
  }

  // The thread makes one access, or executes an atomic section, and what follows up to the next. False: it
  // cannot, or will not, since it would be stopped by an assumption; nothing has changed then. Or the step
  // fails, and that is the end of the walk.
  bool advance(size_t t, uint64_t& steps) {
    SequentialState state = states_[t];
    const Thread& thread = program_.threads[t];
    std::vector<Value> before;  // memory, where it may have to be restored
    bool section = false, wrote = false, first = true;
    blocked_at_[t] = Point();
    for (;; first = false) {
      const Instruction& here = thread.at(state.at);
      const bool stops = here.is_memory_access() || here.kind == InstrKind::kFence ||
                         here.kind == InstrKind::kAtomicBegin || here.kind == InstrKind::kHalt || steps == 0;
      if (!section && stops && (!first || here.kind == InstrKind::kHalt || steps == 0)) break;
      steps -= steps > 0 ? 1 : 0;
      if (here.kind == InstrKind::kAtomicBegin) {
        section = true;
        before = memory_;
      }
      if (here.assertion.known()) open_.assertions.erase(here.assertion);
      const Point at = state.at;
      const uint64_t choice = pick(here, interpreter_.alternatives(ThreadId(t), state));
      std::string why;
      const SequentialInterpreter::Step step = interpreter_.step(ThreadId(t), state, memory_, choice, why);
      if (step == SequentialInterpreter::Step::kOn) {
        wrote = wrote || here.writes_memory();
        if (here.kind == InstrKind::kAtomicEnd) section = false;
        continue;
      }
      failed_ = failed_ || step == SequentialInterpreter::Step::kFailed;
      blocked_at_[t] = at;
      if (section) memory_ = std::move(before);
      if (section || failed_ || !wrote) return false;
      break;
    }
    const bool moved = !first && (state.at != states_[t].at || state.registers != states_[t].registers);
    states_[t] = std::move(state);
    return moved;
  }

  const Program& program_;
  const SequentialInterpreter interpreter_;
  VacuityGoals& open_;
  Rng rng_;
  std::vector<Value> memory_;
  std::vector<SequentialState> states_;
  std::vector<Point> blocked_at_ = std::vector<Point>(program_.threads.size());
  bool failed_ = false;
};

}  // namespace

bool ends_with_thread(const Program& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [](const Thread& thread) {
    return std::any_of(thread.code.begin(), thread.code.end(),
                       [](const Instruction& instruction) { return instruction.ends_program; });
  });
}

VacuityGoals vacuity_goals(const Program& program, const Property& property) {
  VacuityGoals goals;
  if (looks_at_history(property.kind)) return goals;
  // Threads may be meant to go on for ever.
  goals.end = ends_with_thread(program)
                  ? std::any_of(program.threads.begin(), program.threads.end(),
                                [](const Thread& thread) { return has_end(thread, true); })
                  : looks_at_end(property.kind) ||
                        std::all_of(program.threads.begin(), program.threads.end(),
                                    [](const Thread& thread) { return has_end(thread, false); });
  if (!looks_at_errors(property.kind)) return goals;
  // assert(0) requires that a point is not reached.
  for (const Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.assertion.known() && condition_of(program, instruction).op != ExprOp::kConst)
        goals.assertions.insert(instruction.assertion);
  return goals;
}

std::vector<Vacuity::Stuck> search_executions(const Program& program, VacuityGoals& open) {
  uint64_t left = kStepsOfAll;
  std::vector<Vacuity::Stuck> stuck;
  for (unsigned i = 0; i < kWalks && left > 0 && !open.none(); ++i) {
    uint64_t steps = std::min(kStepsOfWalk, left);
    const uint64_t before = steps;
    Walk walk(program, open, i + 1);
    const bool ended = walk.run(steps);
    left -= before - steps;
    // Blocked threads explain more than threads that have only not ended yet.
    if (!ended && (stuck.empty() || steps > 0)) stuck = walk.stuck();
  }
  return stuck;
}

Program with_errors(const Program& program, const VacuityGoals& open) {
  Program changed = program;
  const ExprId never(changed.exprs.size());
  changed.exprs.emplace_back();  // 0
  const auto fail = [&](Instruction& instruction, Point next) {
    Instruction failing;
    failing.kind = InstrKind::kAssert;
    failing.pos = instruction.pos;
    failing.operation = instruction.operation;
    failing.next = {next};
    failing.a = never;
    failing.assertion = instruction.assertion;
    instruction = std::move(failing);
  };
  for (Thread& thread : changed.threads) {
    const size_t size = thread.code.size();
    for (size_t point = 0; point < size; ++point) {
      const Instruction here = thread.code[point];
      if (here.assertion.known() && open.assertions.contains(here.assertion))
        fail(thread.code[point], here.next.front());
      if (!open.end || !here.ends_program) continue;
      const Point end(thread.code.size());
      thread.code.push_back(here);
      fail(thread.code[point], end);
    }
  }
  return changed;
}

void mark_reached(const ProgramError& error, VacuityGoals& open) { open.assertions.erase(error.assertion); }

}  // namespace fenceline::property
