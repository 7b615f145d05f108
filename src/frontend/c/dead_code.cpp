// SPDX-License-Identifier: GPL-3.0-or-later
//
// Aggressive dead code elimination (Cytron et al. 1991, section 7.1): everything is dead until something needs it. What
// has an effect is needed; what is needed needs the assignments to the registers that it reads, and the branches that it is
// control-dependent on.
#include "frontend/c/dead_code.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ir/analysis/loops.h"
#include "ir/edit/overlay.h"
#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::frontend::c {
namespace {

class DeadCode {
 public:
  // Keeps references. `observed`, by register: is it looked at when the thread has ended?
  DeadCode(Program& program, ThreadId thread, const std::vector<bool>& observed)
      : program_(program), id_(thread), thread_(program.threads[thread.index()]), observed_(observed) {}

  void remove() {
    if (!find_order()) return;
    find_postdominators();
    find_loaded();
    find_needed();
    keep_endless_loops();
    bypass();
  }

 private:
  size_t size() const { return thread_.code.size(); }
  size_t end() const { return size(); }  // a point behind all halts

  std::vector<size_t> successors(size_t point) const {
    std::vector<size_t> result;
    if (point == end()) return result;
    for (const Point next : thread_.code[point].next) result.push_back(next.index());
    if (result.empty()) result.push_back(end());
    return result;
  }

  // Points that can be reached, each behind all from which there is a way to the end that does not come back to it. False:
  // from some there is no way to the end.
  bool find_order() {
    predecessors_.resize(size() + 1);
    std::vector<bool> reached(size() + 1);
    std::vector<size_t> todo{thread_.entry.index()};
    reached[todo.back()] = true;
    size_t count = 1;
    while (!todo.empty()) {
      const size_t point = todo.back();
      todo.pop_back();
      for (const size_t next : successors(point)) {
        predecessors_[next].push_back(point);
        if (reached[next]) continue;
        reached[next] = true;
        ++count;
        todo.push_back(next);
      }
    }
    // In postorder of the reverse graph; the last one is the end.
    number_.assign(size() + 1, kNone);
    std::vector<bool> seen(size() + 1);
    std::vector<std::pair<size_t, size_t>> path{{end(), 0}};
    seen[end()] = true;
    while (!path.empty()) {
      auto& [point, next] = path.back();
      if (next < predecessors_[point].size()) {
        const size_t before = predecessors_[point][next++];
        if (seen[before]) continue;
        seen[before] = true;
        path.emplace_back(before, 0);
        continue;
      }
      number_[point] = order_.size();
      order_.push_back(point);
      path.pop_back();
    }
    return order_.size() == count;
  }

  // The immediate ones (Cooper, Harvey and Kennedy 2001).
  void find_postdominators() {
    next_.assign(size() + 1, kNone);
    next_[end()] = end();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = order_.size() - 1; i-- > 0;) {
        const size_t point = order_[i];
        size_t common = kNone;
        for (const size_t successor : successors(point)) {
          if (next_[successor] == kNone) continue;
          common = common == kNone ? successor : meet(common, successor);
        }
        if (common == next_[point]) continue;
        next_[point] = common;
        changed = true;
      }
    }
  }

  size_t meet(size_t a, size_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = next_[a];
      while (number_[b] < number_[a]) b = next_[b];
    }
    return a;
  }

  // Registers with something in them that was read, or was chosen.
  void find_loaded() {
    loaded_.resize(thread_.registers.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (const size_t point : order_) {
        if (point == end()) continue;
        const Instruction& i = thread_.code[point];
        if (!i.dest.valid() || (i.kind == InstrKind::kAssign && !i.dest.is_element() && !reads_loaded(i.a)))
          continue;
        for (size_t reg = i.dest.reg.index(); reg < i.dest.reg.index() + i.dest.count; ++reg) {
          changed = changed || !loaded_[reg];
          loaded_[reg] = true;
        }
      }
    }
  }

  bool reads_loaded(ExprId expr) const {
    bool result = false;
    for_each_register(expr, [&](size_t reg) { result = result || loaded_[reg]; });
    return result;
  }

  template <class F>
  void for_each_register(ExprId expr, const F& f) const {
    if (!expr.valid()) return;
    for_each_expr(program_, expr, [&](const Expr& e) {
      if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
      for (size_t i = 0; i < (e.op == ExprOp::kReg ? 1 : e.count); ++i) f(e.reg.index() + i);
    });
  }

  bool may_be_dead(const Instruction& i) const {
    if (i.kind == InstrKind::kAssign) return !is_observed(i.dest);
    return i.kind == InstrKind::kBranch && i.assertion.line == 0 && !reads_loaded(i.a);
  }

  bool is_observed(const Dest& dest) const {
    const auto first = observed_.begin() + static_cast<std::ptrdiff_t>(dest.reg.index());
    return std::find(first, first + dest.count, true) != first + dest.count;
  }

  void find_needed() {
    needed_.resize(size());
    read_.resize(thread_.registers.size());
    assignments_.resize(thread_.registers.size());
    for (const size_t point : order_) {
      if (point == end()) continue;
      const Instruction& i = thread_.code[point];
      if (i.kind == InstrKind::kAssign)
        for (size_t reg = i.dest.reg.index(); reg < i.dest.reg.index() + i.dest.count; ++reg)
          assignments_[reg].push_back(point);
    }
    find_control_dependence();
    for (const size_t point : order_)
      if (point != end() && !may_be_dead(thread_.code[point])) need(point);
    find_what_that_needs();
  }

  void find_what_that_needs() {
    while (!todo_.empty()) {
      const size_t point = todo_.back();
      todo_.pop_back();
      for (const size_t branch : decided_by_[point]) need(branch);
      const Instruction& i = thread_.code[point];
      for (const ExprId expr : {i.a, i.b, i.address.offset, i.dest.index})
        for_each_register(expr, [&](size_t reg) {
          if (read_[reg]) return;
          read_[reg] = true;
          for (const size_t assignment : assignments_[reg]) need(assignment);
        });
    }
  }

  void need(size_t point) {
    if (needed_[point]) return;
    needed_[point] = true;
    todo_.push_back(point);
  }

  // A loop in which nothing is needed disappears with its branches. If it might not end, it stays, and so do the others in
  // case it needs them.
  void keep_endless_loops() {
    const FenceSet none;
    const Loops loops(Overlay(program_, none), id_);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t loop = 0; loop < loops.size(); ++loop) {
        std::vector<size_t> inside;
        for (const size_t point : order_)
          if (point != end() && loops.contains(loop, Point(point))) inside.push_back(point);
        if (std::any_of(inside.begin(), inside.end(), [&](size_t point) { return needed_[point]; })) continue;
        if (counts_by_one(inside)) continue;
        for (const size_t point : inside)
          if (thread_.code[point].kind == InstrKind::kBranch) need(point);
        changed = changed || !todo_.empty();
        find_what_that_needs();
      }
    }
  }

  // Is it a circle of assignments with one branch, `while (i < n)` or the like, that changes i by one, and not n?
  bool counts_by_one(const std::vector<size_t>& inside) const {
    const Instruction* branch = nullptr;
    for (const size_t point : inside) {
      const Instruction& i = thread_.code[point];
      if (i.kind == InstrKind::kAssign) continue;
      if (i.kind != InstrKind::kBranch || branch != nullptr) return false;
      branch = &i;
    }
    if (branch == nullptr) return false;
    const auto is_inside = [&](Point point) {
      return std::find(inside.begin(), inside.end(), point.index()) != inside.end();
    };
    if (is_inside(branch->next[0]) == is_inside(branch->next[1])) return false;
    const Expr& condition = program_.expr(branch->a);
    for (const bool first : {true, false}) {
      const ExprId counter = first ? condition.a : condition.b, limit = first ? condition.b : condition.a;
      if (arity(condition.op) != 2 || program_.expr(counter).op != ExprOp::kReg) continue;
      const Step step = step_of(inside, program_.expr(counter).reg);
      if (step.by != 0 && is_unchanged(inside, limit) && is_within(limit, step.wrap) &&
          leads_to(condition.op, first, is_inside(branch->next[0]), step.by))
        return true;
    }
    return false;
  }

  // What is added to the register each time: 1, -1; or 0 if it is something else.
  struct Step {
    int by = 0;
    Value wrap = 0;  // as in ExprOp::kWrap; 0: it is not wrapped
  };
  Step step_of(const std::vector<size_t>& inside, RegId reg) const {
    Step step;
    for (const size_t point : inside) {
      const Instruction& i = thread_.code[point];
      if (i.kind != InstrKind::kAssign || i.dest.reg != reg) continue;
      if (step.by != 0 || i.dest.is_element()) return {};
      const Expr* sum = &program_.expr(i.a);
      if (sum->op == ExprOp::kWrap) {
        step.wrap = sum->imm;
        sum = &program_.expr(sum->a);
      }
      const bool adds = sum->op == ExprOp::kAdd || sum->op == ExprOp::kAdd64;
      if (!adds && sum->op != ExprOp::kSub && sum->op != ExprOp::kSub64) return {};
      const Expr &from = program_.expr(sum->a), &by = program_.expr(sum->b);
      if (from.op != ExprOp::kReg || from.reg != reg || by.op != ExprOp::kConst) return {};
      if (by.imm != 1 && by.imm != -1) return {};
      step.by = adds == (by.imm == 1) ? 1 : -1;
    }
    return step;
  }

  // A counter that wraps comes to all numbers of its type, and to no others.
  bool is_within(ExprId limit, Value wrap) const {
    if (wrap == 0) return true;
    const Expr& number = program_.expr(limit);
    return number.op == ExprOp::kConst && apply(ExprOp::kWrap, number.imm, wrap).value == number.imm;
  }

  bool is_unchanged(const std::vector<size_t>& inside, ExprId limit) const {
    bool result = true;
    for_each_register(limit, [&](size_t reg) {
      for (const size_t point : inside) {
        const Dest& dest = thread_.code[point].dest;
        if (dest.valid() && reg >= dest.reg.index() && reg < dest.reg.index() + dest.count) result = false;
      }
    });
    return result;
  }

  // Does the comparison of the counter with the limit stop holding, or, unless it is iterated while it holds, begin to? The
  // counter must not be able to jump over the limit, nor the limit be the last number there is.
  static bool leads_to(ExprOp op, bool counter_is_left, bool while_it_holds, int step) {
    const bool up = step > 0;
    if (op == ExprOp::kNe) return while_it_holds;
    if (op == ExprOp::kEq) return !while_it_holds;
    if (op == ExprOp::kLt || op == ExprOp::kUlt) return while_it_holds && counter_is_left == up;
    if (op == ExprOp::kGt) return while_it_holds && counter_is_left != up;
    if (op == ExprOp::kGe) return !while_it_holds && counter_is_left == up;
    if (op == ExprOp::kLe || op == ExprOp::kUle) return !while_it_holds && counter_is_left != up;
    return false;
  }

  // What lies between a successor of a branch and the point where its ways meet.
  void find_control_dependence() {
    decided_by_.resize(size());
    for (const size_t branch : order_) {
      if (branch == end() || thread_.code[branch].next.size() < 2) continue;
      for (const size_t successor : successors(branch))
        for (size_t point = successor; point != next_[branch] && point != end(); point = next_[point])
          decided_by_[point].push_back(branch);
    }
  }

  // Edges to a dead branch lead to its immediate postdominator instead.
  void bypass() {
    const auto behind = [&](Point point) {
      while (point.index() != end() && thread_.code[point.index()].kind == InstrKind::kBranch &&
             !needed_[point.index()] && next_[point.index()] != end())
        point = Point(next_[point.index()]);
      return point;
    };
    thread_.entry = behind(thread_.entry);
    for (const size_t point : order_) {
      if (point == end()) continue;
      for (Point& next : thread_.code[point].next) next = behind(next);
    }
  }

  static constexpr size_t kNone = ~size_t{0};

  const Program& program_;
  const ThreadId id_;
  Thread& thread_;
  const std::vector<bool>& observed_;
  std::vector<std::vector<size_t>> predecessors_;
  std::vector<size_t> order_, number_;
  std::vector<size_t> next_;                      // by point: its immediate postdominator
  std::vector<bool> loaded_, read_;               // by register
  std::vector<std::vector<size_t>> assignments_;  // by register
  std::vector<std::vector<size_t>> decided_by_;   // by point: branches
  std::vector<bool> needed_;
  std::vector<size_t> todo_;
};

}  // namespace

void remove_dead_code(Program& program, const std::vector<std::pair<ThreadId, RegId>>& observed) {
  std::vector<std::vector<bool>> is_observed;
  for (const Thread& thread : program.threads) is_observed.emplace_back(thread.registers.size());
  for (const auto& [thread, reg] : observed) is_observed[thread.index()][reg.index()] = true;
  for (const Property& property : program.properties) {
    if (!property.formula.valid()) continue;
    for_each_expr(program, property.formula, [&](const Expr& e) {
      if (e.op != ExprOp::kThreadReg && e.op != ExprOp::kThreadRegAt) return;
      for (size_t i = 0; i < (e.op == ExprOp::kThreadReg ? 1 : e.count); ++i)
        is_observed[e.thread.index()][e.reg.index() + i] = true;
    });
  }
  for (size_t t = 0; t < program.threads.size(); ++t) DeadCode(program, ThreadId(t), is_observed[t]).remove();
}

}  // namespace fenceline::frontend::c
