// SPDX-License-Identifier: GPL-3.0-or-later
//
// Aggressive dead code elimination (Cytron et al. 1991, section 7.1): everything is dead until something needs it. What
// has an effect is needed; what is needed needs the assignments to the registers that it reads, and the branches that it is
// control-dependent on.
#include "frontend/c/dead_code.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ir/walk.h"

namespace fenceline::frontend::c {
namespace {

class DeadCode {
 public:
  // Keeps references. `observed`, by register: is it looked at when the thread has ended?
  DeadCode(const Program& program, Thread& thread, const std::vector<bool>& observed)
      : program_(program), thread_(thread), observed_(observed) {}

  void remove() {
    if (!find_order()) return;
    find_postdominators();
    find_loaded();
    find_needed();
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

  // Whoever comes to a branch that nothing needs goes on where its ways meet.
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
  for (size_t t = 0; t < program.threads.size(); ++t)
    DeadCode(program, program.threads[t], is_observed[t]).remove();
}

}  // namespace fenceline::frontend::c
