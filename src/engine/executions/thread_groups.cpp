// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/thread_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fenceline::executions {
namespace {

// The points at which the code of two threads accesses different cells at constant addresses; nothing if it differs in
// anything else.
class Comparison {
 public:
  explicit Comparison(const Overlay& overlay) : overlay_(overlay), program_(overlay.program()) {}

  std::optional<std::vector<Point>> run(ThreadId x, ThreadId y) const {
    const Thread& first = program_.thread(x);
    const Thread& second = program_.thread(y);
    if (overlay_.points(x) != overlay_.points(y) || first.entry != second.entry ||
        !std::equal(first.registers.begin(), first.registers.end(), second.registers.begin(),
                    second.registers.end(), [](const Register& a, const Register& b) {
                      return a.init == b.init && a.declared == b.declared;
                    }))
      return std::nullopt;
    std::vector<Point> differ;
    for (size_t p = 0; p < overlay_.points(x); ++p) {
      const Instruction& a = overlay_.at(x, Point(p));
      const Instruction& b = overlay_.at(y, Point(p));
      if (!same_but_for_addresses(a, b)) return std::nullopt;
      for (size_t slot = 0; slot < a.next.size(); ++slot)
        if (overlay_.next(x, Point(p), slot) != overlay_.next(y, Point(p), slot)) return std::nullopt;
      if (!a.is_memory_access() || same(a.address.offset, b.address.offset)) continue;
      if (!is_constant(a.address.offset) || !is_constant(b.address.offset)) return std::nullopt;
      differ.emplace_back(p);
    }
    return differ;
  }

 private:
  bool is_constant(ExprId id) const { return program_.expr(id).op == ExprOp::kConst; }

  bool same(ExprId a, ExprId b) const { return same_expression(program_, a, b); }

  bool same_but_for_addresses(const Instruction& a, const Instruction& b) const {
    return a.kind == b.kind && a.next.size() == b.next.size() && a.dest.reg == b.dest.reg &&
           a.dest.count == b.dest.count && same(a.dest.index, b.dest.index) &&
           a.address.object == b.address.object && a.address.bytes == b.address.bytes && same(a.a, b.a) &&
           same(a.b, b.b) && a.rmw == b.rmw && a.wrap == b.wrap && a.blocking == b.blocking &&
           a.branches == b.branches && a.one_access == b.one_access && a.ends_program == b.ends_program &&
           a.our_limit == b.our_limit && a.fence == b.fence && a.order == b.order &&
           a.havoc_range.lo == b.havoc_range.lo && a.havoc_range.hi == b.havoc_range.hi && a.tags == b.tags &&
           a.write_tags == b.write_tags && a.history == b.history;
  }

  const Overlay& overlay_;
  const Program& program_;
};

}  // namespace

bool ThreadGroup::has(ThreadId thread) const {
  return std::find(threads.begin(), threads.end(), thread) != threads.end();
}

bool ThreadGroup::differs_at(Point point) const {
  return std::find(differ.begin(), differ.end(), point) != differ.end();
}

std::vector<ThreadGroup> thread_groups(const Overlay& overlay) {
  const Comparison comparison(overlay);
  std::vector<ThreadGroup> groups;
  for (size_t t = 0; t + 1 < overlay.program().threads.size(); ++t) {
    const ThreadId first(t), second(t + 1);
    std::optional<std::vector<Point>> differ = comparison.run(first, second);
    if (!differ) continue;
    if (!groups.empty() && groups.back().threads.back() == first && groups.back().differ == *differ)
      groups.back().threads.push_back(second);
    else if (groups.empty() || groups.back().threads.back() != first)
      groups.push_back({{first, second}, *std::move(differ)});
  }
  return groups;
}

bool same_expression(const Program& program, ExprId a, ExprId b) {
  if (a == b || !a.valid() || !b.valid()) return a == b;
  const Expr& x = program.expr(a);
  const Expr& y = program.expr(b);
  return x.op == y.op && x.imm == y.imm && x.reg == y.reg && x.count == y.count && x.object == y.object &&
         x.thread == y.thread && x.point == y.point && same_expression(program, x.a, y.a) &&
         same_expression(program, x.b, y.b) && same_expression(program, x.c, y.c);
}

}  // namespace fenceline::executions
