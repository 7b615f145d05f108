// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/set_up.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/loops.h"
#include "ir/edit/overlay.h"
#include "ir/sequential_interpreter.h"

namespace fenceline::frontend::c {
namespace {

class SetUp {
 public:
  SetUp(Program& program, ThreadId main, const std::set<CellId>& starts)
      : program_(program), main_(main), starts_(starts), interpreter_(program) {}

  // How many steps it has; none: they do not get to the start of a thread.
  std::optional<size_t> steps() {
    const FenceSet no_fences;
    const Overlay overlay(program_, no_fences);
    const Loops loops(overlay, main_);
    begin();
    size_t last = 0, sections = 0;
    for (size_t steps = 0; steps < kMostSteps; ++steps) {
      const Instruction& i = next();
      // The program is to begin at a point that is executed once.
      if (sections == 0 && loops.innermost(state_.at) == Loops::kNone) last = steps;
      if (starts_thread(i)) return last;
      if (i.kind == InstrKind::kAtomicBegin) ++sections;
      if (i.kind == InstrKind::kAtomicEnd) --sections;
      if (interpreter_.alternatives(main_, state_) > 1 || !step()) break;
    }
    return std::nullopt;
  }

  // Precondition: it has so many steps.
  void execute(size_t steps) {
    begin();
    for (size_t i = 0; i < steps; ++i) {
      if (next().assertion.known()) decided_.insert(next().assertion);
      step();
    }
    Thread& thread = program_.threads[main_.index()];
    thread.entry = state_.at;
    for (size_t r = 0; r < thread.registers.size(); ++r) thread.registers[r].init = state_.registers[r];
    for (Object& object : program_.objects)
      for (size_t cell = 0; cell < object.init.size(); ++cell)
        object.init[cell] = memory_[object.first_cell.index() + cell];
    remove_unreachable(thread);
    forget_decided();
  }

 private:
  static constexpr size_t kMostSteps = 1'000'000;

  void begin() {
    state_ = interpreter_.begin(main_);
    memory_ = program_.initial_memory();
  }

  const Instruction& next() const { return program_.thread(main_).at(state_.at); }

  bool step() {
    std::string why;
    return interpreter_.step(main_, state_, memory_, 0, why) == SequentialInterpreter::Step::kOn;
  }

  bool starts_thread(const Instruction& i) const {
    if (i.kind != InstrKind::kStore) return false;
    const Expr& offset = program_.expr(i.address.offset);
    const size_t first = program_.object(i.address.object).first_cell.index();
    return offset.op == ExprOp::kConst && starts_.contains(CellId(first + static_cast<size_t>(offset.imm)));
  }

  void remove_unreachable(Thread& thread) {
    std::vector<std::optional<Point>> renamed(thread.code.size());
    std::vector<Point> todo{thread.entry};
    renamed[thread.entry.index()] = thread.entry;
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      for (const Point next : thread.at(point).next)
        if (!std::exchange(renamed[next.index()], next)) todo.push_back(next);
    }
    std::vector<Instruction> code;
    for (size_t p = 0; p < thread.code.size(); ++p) {
      if (!renamed[p]) continue;
      renamed[p] = Point(code.size());
      code.push_back(std::move(thread.code[p]));
    }
    for (Instruction& i : code)
      for (Point& next : i.next) next = *renamed[next.index()];
    thread.code = std::move(code);
    thread.entry = *renamed[thread.entry.index()];
    std::erase_if(thread.ends, [&](const StatementEnd& end) { return !renamed[end.point.index()]; });
    for (StatementEnd& end : thread.ends) end.point = *renamed[end.point.index()];
  }

  // An assertion of a function that is also called later has been decided at least once: it is not reported as one that
  // no execution gets to.
  void forget_decided() {
    for (Thread& thread : program_.threads)
      for (Instruction& i : thread.code)
        if (decided_.contains(i.assertion)) i.assertion = {};
  }

  Program& program_;
  const ThreadId main_;
  const std::set<CellId>& starts_;
  const SequentialInterpreter interpreter_;
  SequentialState state_;
  std::vector<Value> memory_;
  std::set<SourcePos> decided_;  // assertions
};

}  // namespace

void execute_set_up(Program& program, ThreadId main, const std::set<CellId>& starts) {
  if (starts.empty()) return;
  SetUp set_up(program, main, starts);
  if (const std::optional<size_t> steps = set_up.steps()) set_up.execute(*steps);
}

}  // namespace fenceline::frontend::c
