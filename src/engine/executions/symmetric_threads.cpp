// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/symmetric_threads.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

bool meet(const BitSet& a, const BitSet& b) { return !(a & b).empty(); }

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
      differ.push_back(Point(p));
    }
    return differ;
  }

 private:
  bool is_constant(ExprId id) const { return program_.expr(id).op == ExprOp::kConst; }

  bool same(ExprId a, ExprId b) const {
    if (a == b || !a.valid() || !b.valid()) return a == b;
    const Expr& x = program_.expr(a);
    const Expr& y = program_.expr(b);
    return x.op == y.op && x.imm == y.imm && x.reg == y.reg && x.count == y.count && x.object == y.object &&
           x.thread == y.thread && x.point == y.point && same(x.a, y.a) && same(x.b, y.b) && same(x.c, y.c);
  }

  bool same_but_for_addresses(const Instruction& a, const Instruction& b) const {
    return a.kind == b.kind && a.next.size() == b.next.size() && a.dest.reg == b.dest.reg &&
           a.dest.count == b.dest.count && same(a.dest.index, b.dest.index) &&
           a.address.object == b.address.object && a.address.bytes == b.address.bytes && same(a.a, b.a) &&
           same(a.b, b.b) && a.rmw == b.rmw && a.wrap == b.wrap && a.blocking == b.blocking &&
           a.branches == b.branches && a.ends_program == b.ends_program && a.our_limit == b.our_limit &&
           a.fence == b.fence && a.order == b.order && a.havoc_range.lo == b.havoc_range.lo &&
           a.havoc_range.hi == b.havoc_range.hi && a.tags == b.tags && a.write_tags == b.write_tags &&
           a.history == b.history;
  }

  const Overlay& overlay_;
  const Program& program_;
};

// Neighbouring threads with the same code.
struct Group {
  std::vector<ThreadId> threads;
  std::vector<Point> differ;  // where each accesses a cell of its own
};

std::vector<Group> groups_of(const Overlay& overlay) {
  const Comparison comparison(overlay);
  std::vector<Group> groups;
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

// Do the threads of the group get different arguments, as constants? Then they never do the same for long, and it is not
// worth while to find out more.
bool get_different_constants(const Overlay& overlay, const Group& group) {
  const Program& program = overlay.program();
  const auto constant = [&](ExprId id) -> std::optional<Value> {
    const Expr& e = program.expr(id);
    return e.op == ExprOp::kConst ? std::optional(e.imm) : std::nullopt;
  };
  std::map<std::pair<ObjectId, Value>, std::optional<Value>> stored;  // by cell, outside of the group
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const ThreadId thread(t);
    if (std::find(group.threads.begin(), group.threads.end(), thread) != group.threads.end()) continue;
    for (size_t p = 0; p < overlay.points(thread); ++p) {
      const Instruction& i = overlay.at(thread, Point(p));
      if (i.kind != InstrKind::kStore) continue;
      if (const std::optional<Value> offset = constant(i.address.offset))
        stored[{i.address.object, *offset}] = constant(i.a);
    }
  }
  for (const Point point : group.differ) {
    std::optional<Value> first;
    for (const ThreadId thread : group.threads) {
      const Address& address = overlay.at(thread, point).address;
      const auto found = stored.find({address.object, *constant(address.offset)});
      if (found == stored.end() || !found->second) continue;
      if (first && *first != *found->second) return true;
      first = found->second;
    }
  }
  return false;
}

// Do other threads, the memory model and the property treat the threads of a group alike?
class Judgement {
 public:
  Judgement(const Overlay& overlay, const AccessedCells& accessed, const Group& group)
      : overlay_(overlay), program_(overlay.program()), accessed_(accessed), group_(group) {
    for (const ThreadId thread : group.threads) {
      BitSet& own = own_.emplace_back();
      for (const Point point : group.differ) own |= accessed.at(thread, point);
      all_own_ |= own;
    }
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      BitSet& cells = accessed_by_.emplace_back();
      for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p)
        if (overlay.at(ThreadId(t), Point(p)).is_memory_access()) cells |= accessed.at(ThreadId(t), Point(p));
    }
  }

  const std::vector<BitSet>& own() const { return own_; }

  bool alike() { return cells_are_own() && starter_is_fair(); }

  bool is_mentioned(ExprId formula) const {
    bool mentioned = false;
    for_each_expr(program_, formula, [&](const Expr& e) {
      mentioned =
          mentioned || (e.thread.valid() && is_member(e.thread)) || (e.object.valid() && !all_own_.empty());
    });
    return mentioned;
  }

 private:
  bool is_member(ThreadId thread) const {
    return std::find(group_.threads.begin(), group_.threads.end(), thread) != group_.threads.end();
  }

  // Only the thread itself, at these points, and one thread outside of the group access its cells.
  bool cells_are_own() {
    BitSet seen;
    for (const BitSet& own : own_) {
      if (meet(own, seen)) return false;
      seen |= own;
    }
    for (const ThreadId thread : group_.threads)
      for (size_t p = 0; p < overlay_.points(thread); ++p) {
        const bool at_own =
            std::find(group_.differ.begin(), group_.differ.end(), Point(p)) != group_.differ.end();
        if (!at_own && overlay_.at(thread, Point(p)).is_memory_access() &&
            meet(accessed_.at(thread, Point(p)), all_own_))
          return false;
      }
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      if (is_member(ThreadId(t)) || !meet(accessed_by_[t], all_own_)) continue;
      if (starter_.valid()) return false;
      starter_ = ThreadId(t);
    }
    return true;
  }

  // Between the first and the last store to the threads' cells, and the first and the last load, the starter does nothing
  // that others see.
  bool starter_is_fair() const {
    if (!starter_.valid()) return true;
    std::vector<Point> line;  // as far as there is no branch
    std::vector<bool> on_line(overlay_.points(starter_));
    for (Point point = program_.thread(starter_).entry; !on_line[point.index()];
         point = overlay_.next(starter_, point, 0)) {
      const Instruction& i = overlay_.at(starter_, point);
      if (i.next.size() != 1) break;
      on_line[point.index()] = true;
      line.push_back(point);
    }
    for (size_t p = 0; p < overlay_.points(starter_); ++p)
      if (!on_line[p] && accesses_own(Point(p))) return false;
    const auto first = std::find_if(line.begin(), line.end(), [&](Point p) { return accesses_own(p); });
    size_t begin = static_cast<size_t>(first - line.begin());
    const size_t stores_end = fair_until(InstrKind::kStore, line, begin);
    const auto load = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(stores_end), line.end(),
                                   [&](Point p) { return accesses_own(p); });
    begin = static_cast<size_t>(load - line.begin());
    const size_t loads_end = fair_until(InstrKind::kLoad, line, begin);
    for (size_t i = begin; i < loads_end; ++i)
      if (accesses_own(line[i]) && (i + 1 == line.size() || !is_join(line[i], line[i + 1]))) return false;
    return std::none_of(line.begin() + static_cast<std::ptrdiff_t>(loads_end), line.end(),
                        [&](Point p) { return accesses_own(p); }) &&
           accesses_are_alike(line);
  }

  // The starter does the same to the cells of each thread, with the same orders.
  bool accesses_are_alike(const std::vector<Point>& line) const {
    std::vector<std::vector<const Instruction*>> accesses(own_.size());  // by thread of the group
    for (const Point point : line) {
      if (!accesses_own(point)) continue;
      const BitSet cells = accessed_.at(starter_, point) & all_own_;
      const auto owner =
          std::find_if(own_.begin(), own_.end(), [&](const BitSet& own) { return cells.subset_of(own); });
      if (owner == own_.end()) return false;
      accesses[static_cast<size_t>(owner - own_.begin())].push_back(&overlay_.at(starter_, point));
    }
    return std::all_of(accesses.begin(), accesses.end(), [&](const auto& those) {
      return std::equal(those.begin(), those.end(), accesses.front().begin(), accesses.front().end(),
                        [](const Instruction* a, const Instruction* b) {
                          return a->kind == b->kind && a->order == b->order && a->tags == b->tags;
                        });
    });
  }

  bool accesses_own(Point point) const {
    return overlay_.at(starter_, point).is_memory_access() && meet(accessed_.at(starter_, point), all_own_);
  }

  // From `begin` on, behind the last access of that kind to the threads' cells that is reached without doing anything else.
  size_t fair_until(InstrKind kind, const std::vector<Point>& line, size_t begin) const {
    size_t end = begin;
    for (size_t i = begin; i < line.size(); ++i) {
      const Instruction& instruction = overlay_.at(starter_, line[i]);
      if (instruction.kind == kind && (accesses_own(line[i]) || is_private(line[i]))) {
        if (accesses_own(line[i])) end = i + 1;
        continue;
      }
      const bool is_local = instruction.kind == InstrKind::kAssert ||
                            instruction.kind == InstrKind::kAssign || instruction.kind == InstrKind::kMark ||
                            instruction.kind == InstrKind::kAssume;
      if (!is_local) break;
    }
    return end;
  }

  // The load waits for the only value that the thread ever stores there: what it reads tells nothing about the thread but
  // that it has come so far.
  bool is_join(Point load, Point next) const {
    const Instruction& i = overlay_.at(starter_, load);
    const Instruction& wait = overlay_.at(starter_, next);
    if (wait.kind != InstrKind::kAssume || !wait.blocking || !i.dest.valid() || i.dest.is_element())
      return false;
    bool only_this = true;
    for_each_expr(program_, wait.a, [&](const Expr& e) {
      only_this = only_this && (e.op != ExprOp::kReg || e.reg == i.dest.reg) && e.op != ExprOp::kRegAt;
    });
    const auto passes = [&](Value value) {
      const Evaluated holds = evaluate(program_, wait.a, [&](const Expr&, Value) { return value; });
      return holds.ok() && holds.value != 0;
    };
    const BitSet& cells = accessed_.at(starter_, load);
    bool fails_at_first = true;
    cells.for_each(
        [&](size_t cell) { fails_at_first = fails_at_first && !passes(program_.initial_memory()[cell]); });
    return only_this && fails_at_first && stores_one_value(cells);
  }

  bool stores_one_value(const BitSet& cells) const {
    std::optional<Value> stored;
    for (const ThreadId thread : group_.threads)
      for (const Point point : group_.differ) {
        const Instruction& i = overlay_.at(thread, point);
        if (!i.writes_memory() || !meet(accessed_.at(thread, point), cells)) continue;
        if (i.kind != InstrKind::kStore || program_.expr(i.a).op != ExprOp::kConst) return false;
        if (stored && *stored != program_.expr(i.a).imm) return false;
        stored = program_.expr(i.a).imm;
      }
    return true;
  }

  // Only the starter accesses these cells.
  bool is_private(Point point) const {
    const BitSet& cells = accessed_.at(starter_, point);
    for (size_t t = 0; t < accessed_by_.size(); ++t)
      if (ThreadId(t) != starter_ && meet(accessed_by_[t], cells)) return false;
    return true;
  }

  const Overlay& overlay_;
  const Program& program_;
  const AccessedCells& accessed_;
  const Group& group_;
  std::vector<BitSet> own_;  // by thread of the group
  BitSet all_own_;
  std::vector<BitSet> accessed_by_;  // by thread
  ThreadId starter_;
};

}  // namespace

SymmetricThreads::SymmetricThreads(const Overlay& overlay, const Property& property)
    : SymmetricThreads(overlay.program()) {
  std::vector<Group> groups = groups_of(overlay);
  std::erase_if(groups, [&](const Group& group) { return get_different_constants(overlay, group); });
  if (groups.empty()) return;
  const AccessedCells accessed(overlay);
  for (const Group& group : groups) {
    Judgement judgement(overlay, accessed, group);
    if (!judgement.alike() || (property.formula.valid() && judgement.is_mentioned(property.formula)))
      continue;
    for (size_t i = 0; i < group.threads.size(); ++i) {
      const size_t t = group.threads[i].index();
      if (i > 0) previous_[t] = group.threads[i - 1];
      like_[t] = group.threads[i > 0 ? i - 1 : 1];
      own_[t] = judgement.own()[i];
    }
  }
}

size_t SymmetricThreads::size() const {
  return static_cast<size_t>(
      std::count_if(like_.begin(), like_.end(), [](ThreadId thread) { return thread.valid(); }));
}

}  // namespace fenceline::executions
