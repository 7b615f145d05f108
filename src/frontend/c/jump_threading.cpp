// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/jump_threading.h"

#include <map>
#include <optional>
#include <vector>

#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::frontend::c {
namespace {

using Constants = std::map<RegId, Value>;

std::optional<Value> value_of(const Program& program, ExprId expr, const Constants& constants) {
  bool known = true;
  for_each_expr(program, expr, [&](const Expr& e) {
    known = known && e.op != ExprOp::kRegAt && (e.op != ExprOp::kReg || constants.contains(e.reg));
  });
  if (!known) return std::nullopt;
  const Evaluated result =
      evaluate(program, expr, [&](const Expr& leaf, Value) { return constants.at(leaf.reg); });
  return result.ok() ? std::optional(result.value) : std::nullopt;
}

class JumpThreading {
 public:
  JumpThreading(const Program& program, Thread& thread)
      : program_(program), thread_(thread), predecessors_(thread.code.size()) {
    for (const Instruction& i : thread.code)
      for (const Point next : i.next) ++predecessors_[next.index()];
  }

  void run() {
    for (size_t p = 0; p < thread_.code.size(); ++p)
      while (copies_ < kMostCopies && thread_from(Point(p))) {
      }
  }

 private:
  static constexpr size_t kMostSteps = 32;
  static constexpr size_t kMostCopies = 256;

  const Instruction& at(Point point) const { return thread_.code[point.index()]; }

  // Through the assignments that begin here. True: they decide a branch, and do not lead to it any more.
  bool thread_from(Point point) {
    Constants constants;
    std::vector<Point> path;
    while (path.size() < kMostSteps && at(point).kind == InstrKind::kAssign && !at(point).dest.is_element()) {
      const Instruction& i = at(point);
      if (const std::optional<Value> value = value_of(program_, i.a, constants))
        constants[i.dest.reg] = *value;
      else
        constants.erase(i.dest.reg);
      path.push_back(point);
      point = i.next.front();
      if (const Point target = decided(point, constants); target != point) {
        redirect(path, target);
        return true;
      }
    }
    return false;
  }

  // The target of the decided branches that begin here; the point itself if they form a cycle.
  Point decided(const Point begin, const Constants& constants) const {
    Point point = begin;
    for (size_t steps = 0; steps < kMostSteps; ++steps) {
      const Instruction& i = at(point);
      if (i.kind != InstrKind::kBranch || i.assertion.line != 0) return point;
      const std::optional<Value> condition = value_of(program_, i.a, constants);
      if (!condition) return point;
      point = i.next[*condition != 0 ? 0 : 1];
    }
    return begin;
  }

  // The path, and then the target. From where others join it, it becomes one of its own.
  void redirect(const std::vector<Point>& path, Point target) {
    size_t own = 1;
    while (own < path.size() && predecessors_[path[own].index()] == 1) ++own;
    Point last = path[own - 1];
    for (; own < path.size(); ++own) {
      const Point copy(thread_.code.size());
      thread_.code.push_back(Instruction(at(path[own])));
      predecessors_.push_back(0);
      ++predecessors_[at(copy).next.front().index()];
      lead(last, copy);
      last = copy;
      ++copies_;
    }
    lead(last, target);
  }

  void lead(Point from, Point to) {
    Point& next = thread_.code[from.index()].next.front();
    --predecessors_[next.index()];
    ++predecessors_[to.index()];
    next = to;
  }

  const Program& program_;
  Thread& thread_;
  std::vector<size_t> predecessors_;  // by point: how many
  size_t copies_ = 0;
};

}  // namespace

void thread_jumps(Program& program) {
  for (Thread& thread : program.threads) JumpThreading(program, thread).run();
}

}  // namespace fenceline::frontend::c
