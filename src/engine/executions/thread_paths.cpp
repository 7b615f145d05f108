// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/thread_paths.h"

#include <algorithm>
#include <tuple>

#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::executions {

bool ThreadPaths::Node::operator<(const Node& other) const {
  return std::tie(rank, flags, iterated) < std::tie(other.rank, other.flags, other.iterated);
}

ThreadPaths::ThreadPaths(const Overlay& overlay, ThreadId thread, Iterations iterations)
    : overlay_(overlay),
      program_(overlay.program()),
      thread_(thread),
      iterations_(iterations),
      loops_(overlay, thread),
      ranks_(overlay.points(thread)) {
  rank_points();
  find_flags();
}

void ThreadPaths::rank_points() {
  struct Visit {
    Point point;
    size_t slot;
  };
  std::vector<bool> seen(ranks_.size());
  std::vector<Visit> stack{{program_.thread(thread_).entry, 0}};
  seen[stack.back().point.index()] = true;
  while (!stack.empty()) {
    const Point point = stack.back().point;
    if (stack.back().slot == at(point).next.size()) {
      points_.push_back(point);
      stack.pop_back();
      continue;
    }
    const Point next = overlay_.next(thread_, point, stack.back().slot++);
    if (seen[next.index()]) continue;
    seen[next.index()] = true;
    stack.push_back({next, 0});
  }
  std::reverse(points_.begin(), points_.end());
  for (size_t rank = 0; rank < points_.size(); ++rank) ranks_[points_[rank].index()] = rank;
}

void ThreadPaths::find_flags() {
  is_flag_.assign(program_.thread(thread_).registers.size(), true);
  for (size_t p = 0; p < overlay_.points(thread_); ++p) {
    const Instruction& i = at(Point(p));
    if (!i.dest.valid() ||
        (i.kind == InstrKind::kAssign && program_.expr(i.a).op == ExprOp::kConst && !i.dest.is_element()))
      continue;
    for (size_t element = 0; element < i.dest.count; ++element)
      is_flag_[i.dest.reg.index() + element] = false;
  }
}

ThreadPaths::Node ThreadPaths::first() const {
  Node first;
  first.point = program_.thread(thread_).entry;
  first.rank = ranks_[first.point.index()];
  for (size_t r = 0; r < is_flag_.size(); ++r)
    first.flags.push_back(is_flag_[r] ? program_.thread(thread_).registers[r].init : 0);
  return first;
}

bool ThreadPaths::is_possible(const Node& node, size_t slot) const {
  const Instruction& i = at(node.point);
  if (i.kind != InstrKind::kBranch) return true;
  bool known = true;
  for_each_expr(program_, i.a, [&](const Expr& e) {
    known = known && e.op != ExprOp::kRegAt && (e.op != ExprOp::kReg || is_flag_[e.reg.index()]);
  });
  if (!known) return true;
  const Evaluated condition =
      evaluate(program_, i.a, [&](const Expr& leaf, Value) { return node.flags[leaf.reg.index()]; });
  return !condition.ok() || (condition.value != 0) == (slot == 0);
}

ThreadPaths::Node ThreadPaths::successor(const Node& node, size_t slot) const {
  Node next = node;
  if (const Instruction& i = at(node.point); i.dest.valid() && is_flag_[i.dest.reg.index()])
    next.flags[i.dest.reg.index()] = program_.expr(i.a).imm;
  next.point = overlay_.next(thread_, node.point, slot);
  next.rank = ranks_[next.point.index()];
  if (iterations_ == Iterations::kTogether) return next;
  node.iterated.for_each([&](size_t loop) {
    if (!loops_.contains(static_cast<uint32_t>(loop), next.point)) next.iterated.remove(loop);
  });
  for (uint32_t loop = loops_.innermost(next.point); loop != Loops::kNone; loop = loops_.outer(loop))
    if (loops_.header(loop) == next.point && loops_.contains(loop, node.point)) next.iterated.add(loop);
  return next;
}

}  // namespace fenceline::executions
