// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/retried_waits.h"

#include <set>

#include "ir/walk.h"

namespace fenceline {
namespace {

class OfThread {
 public:
  OfThread(const Program& program, ThreadId id) : program_(program), thread_(program.thread(id)) {
    predecessors_.resize(thread_.code.size());
    for (size_t p = 0; p < thread_.code.size(); ++p) {
      const Instruction& i = thread_.code[p];
      for (const Point next : i.next) predecessors_[next.index()].emplace_back(p);
      if (i.reads_memory() || i.kind == InstrKind::kHavoc)
        for (size_t r = 0; i.dest.valid() && r < (i.dest.is_element() ? i.dest.count : 1); ++r)
          read_.insert(i.dest.reg.index() + r);
    }
  }

  // Of all points: are they in an atomic section? Sections are entered at their beginning only.
  std::vector<bool> in_sections() const {
    std::vector<bool> inside(thread_.code.size());
    std::vector<Point> todo;
    for (size_t p = 0; p < thread_.code.size(); ++p)
      if (thread_.code[p].kind == InstrKind::kAtomicBegin) todo.push_back(thread_.code[p].next[0]);
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      if (inside[point.index()] || thread_.at(point).kind == InstrKind::kAtomicEnd) continue;
      inside[point.index()] = true;
      for (const Point next : thread_.at(point).next) todo.push_back(next);
    }
    return inside;
  }

  std::optional<Point> access_before(Point assumption) const {
    std::set<size_t> needed;
    add_registers(thread_.at(assumption).a, needed);
    for (Point at = assumption; predecessors_[at.index()].size() == 1;) {
      at = predecessors_[at.index()].front();
      const Instruction& i = thread_.at(at);
      if (i.reads_memory()) return depends_on_this_only(i, needed) ? std::optional(at) : std::nullopt;
      switch (class_of(i.kind)) {
        case InstrClass::kFence:
          continue;
        case InstrClass::kLocal:
          break;
        case InstrClass::kLoad:
        case InstrClass::kStore:
        case InstrClass::kRmw:
        case InstrClass::kAtomicBegin:
        case InstrClass::kAtomicEnd:
        case InstrClass::kHalt:
          return std::nullopt;
      }
      if (i.kind == InstrKind::kAssert || i.kind == InstrKind::kMark) continue;
      if (i.kind != InstrKind::kAssign || i.dest.is_element()) return std::nullopt;
      if (needed.erase(i.dest.reg.index()) > 0) add_registers(i.a, needed);
    }
    return std::nullopt;
  }

 private:
  void add_registers(ExprId expr, std::set<size_t>& into) const {
    for_each_expr(program_, expr, [&](const Expr& e) {
      if (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt)
        for (size_t r = 0; r < (e.op == ExprOp::kReg ? 1 : e.count); ++r) into.insert(e.reg.index() + r);
    });
  }

  bool depends_on_this_only(const Instruction& access, std::set<size_t> needed) const {
    if (!access.dest.valid() || access.dest.is_element() || needed.erase(access.dest.reg.index()) == 0)
      return false;
    for (const size_t reg : needed)
      if (read_.contains(reg)) return false;
    return true;
  }

  const Program& program_;
  const Thread& thread_;
  std::vector<std::vector<Point>> predecessors_;  // by point
  std::set<size_t> read_;                         // registers that some access or havoc sets
};

}  // namespace

RetriedWaits::RetriedWaits(const Program& program) {
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const Thread& thread = program.threads[t];
    const OfThread of(program, ThreadId(t));
    const std::vector<bool> inside = of.in_sections();
    retry_.emplace_back(thread.code.size());
    for (size_t p = 0; p < thread.code.size(); ++p) {
      if (!thread.code[p].blocking || inside[p]) continue;
      retry_[t][p] = of.access_before(Point(p));
      if (!retry_[t][p] && !unknown_) unknown_ = {ThreadId(t), Point(p)};
    }
  }
}

}  // namespace fenceline
