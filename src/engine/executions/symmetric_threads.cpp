// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/symmetric_threads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/executions/fair_starter.h"
#include "engine/executions/thread_groups.h"
#include "engine/executions/thread_nodes.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

// Where the threads of the group get different arguments, as constants. Unless these are pointers to nodes, they never do
// the same for long, and it is not worth while to compare them.
std::optional<Point> different_arguments(const Overlay& overlay, const ThreadGroup& group) {
  const Program& program = overlay.program();
  const auto constant = [&](ExprId id) -> std::optional<Value> {
    const Expr& e = program.expr(id);
    return e.op == ExprOp::kConst ? std::optional(e.imm) : std::nullopt;
  };
  std::map<std::pair<ObjectId, Value>, std::optional<Value>> stored;  // by cell, outside of the group
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const ThreadId thread(t);
    if (group.has(thread)) continue;
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
      if (first && *first != *found->second) return point;
      first = found->second;
    }
  }
  return std::nullopt;
}

// Does the thread compute with what it loads there? Pointers are only copied, compared and used as addresses; so this
// decides for most programs, before anything else is analysed.
bool is_computed_with(const Overlay& overlay, ThreadId thread, Point load) {
  const Program& program = overlay.program();
  BitSet copies;
  const auto is_copy = [&](ExprId id) {
    const Expr& e = program.expr(id);
    return e.op == ExprOp::kReg && copies.has(e.reg.index());
  };
  if (overlay.at(thread, load).dest.valid()) copies.add(overlay.at(thread, load).dest.reg.index());
  for (size_t before = 0; before != copies.size();) {
    before = copies.size();
    for (size_t p = 0; p < overlay.points(thread); ++p)
      if (const Instruction& i = overlay.at(thread, Point(p)); i.kind == InstrKind::kAssign && is_copy(i.a))
        copies.add(i.dest.reg.index());
  }
  bool computed = false;
  for (size_t p = 0; p < overlay.points(thread); ++p)
    for (const ExprId id : {overlay.at(thread, Point(p)).a, overlay.at(thread, Point(p)).b})
      if (id.valid())
        for_each_expr(program, id, [&](const Expr& e) {
          const OperatorClass c = class_of(e.op);
          const bool compares = c == OperatorClass::kEqual || c == OperatorClass::kNot ||
                                c == OperatorClass::kLazy || c == OperatorClass::kSelect;
          for (const ExprId operand : Operands(e)) computed = computed || (!compares && is_copy(operand));
        });
  return computed;
}

// Do other threads and the property treat the threads of a group alike?
class Judgement {
 public:
  Judgement(const Overlay& overlay, const AccessedCells& accessed, const ThreadGroup& group)
      : overlay_(overlay), program_(overlay.program()), accessed_(accessed), group_(group) {
    for (const ThreadId thread : group.threads) {
      BitSet& own = own_.emplace_back();
      for (const Point point : group.differ) own |= accessed.at(thread, point);
      all_own_ |= own;
    }
  }

  const std::vector<BitSet>& own() const { return own_; }      // by thread of the group
  const BitSet& stored_by_starter() const { return stored_; }  // of all_own_
  const std::optional<ThreadNodes>& nodes() const { return nodes_; }

  bool alike(bool shipped_model) {
    const bool different = different_arguments(overlay_, group_).has_value();
    if (!cells_correspond() || !cells_are_own()) return false;
    if (!starter_.valid()) return !different;
    if (!shipped_model) return false;
    const std::optional<BitSet> stored = stored_by_fair_starter(overlay_, accessed_, group_, own_, starter_);
    if (!stored) return false;
    stored_ = *stored;
    if (different) nodes_ = thread_nodes(overlay_, accessed_, group_, own_, starter_);
    return !different || nodes_;
  }

  bool is_mentioned(ExprId formula) const {
    bool mentioned = false;
    for_each_expr(program_, formula, [&](const Expr& e) {
      mentioned = mentioned || (e.thread.valid() && (nodes_ || group_.has(e.thread))) ||
                  (e.object.valid() && !all_own_.empty());
    });
    return mentioned;
  }

 private:
  // Where one thread accesses the same cell, the others do, and their cells have the same initial values.
  bool cells_correspond() const {
    const std::vector<Value> initial = program_.initial_memory();
    const ThreadId first = group_.threads.front();
    for (const ThreadId thread : group_.threads) {
      std::map<size_t, size_t> there, back;
      for (const Point point : group_.differ) {
        const std::optional<size_t> a = only_cell(first, point), b = only_cell(thread, point);
        if (!a || !b || initial[*a] != initial[*b]) return false;
        if (there.try_emplace(*a, *b).first->second != *b || back.try_emplace(*b, *a).first->second != *a)
          return false;
      }
    }
    return true;
  }

  std::optional<size_t> only_cell(ThreadId thread, Point point) const {
    std::optional<size_t> only;
    if (accessed_.at(thread, point).size() == 1)
      accessed_.at(thread, point).for_each([&](size_t cell) { only = cell; });
    return only;
  }

  // Only the thread itself, at these points, and one thread outside of the group access its cells.
  bool cells_are_own() {
    BitSet seen;
    for (const BitSet& own : own_) {
      if (own.meets(seen)) return false;
      seen |= own;
    }
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const ThreadId thread(t);
      for (size_t p = 0; p < overlay_.points(thread); ++p) {
        if (!overlay_.at(thread, Point(p)).is_memory_access() ||
            !accessed_.at(thread, Point(p)).meets(all_own_))
          continue;
        if (group_.has(thread)) {
          if (!group_.differs_at(Point(p))) return false;
        } else {
          if (starter_.valid() && starter_ != thread) return false;
          starter_ = thread;
        }
      }
    }
    return true;
  }

  const Overlay& overlay_;
  const Program& program_;
  const AccessedCells& accessed_;
  const ThreadGroup& group_;
  std::vector<BitSet> own_;
  BitSet all_own_, stored_;
  ThreadId starter_;
  std::optional<ThreadNodes> nodes_;
};

}  // namespace

SymmetricThreads::SymmetricThreads(const Overlay& overlay, const Property& property, bool shipped_model)
    : SymmetricThreads(overlay.program()) {
  std::vector<ThreadGroup> groups = thread_groups(overlay);
  std::erase_if(groups, [&](const ThreadGroup& group) {
    const std::optional<Point> different = different_arguments(overlay, group);
    return different && is_computed_with(overlay, group.threads.front(), *different);
  });
  if (groups.empty()) return;
  const AccessedCells accessed(overlay);
  for (const ThreadGroup& group : groups) {
    Judgement judgement(overlay, accessed, group);
    if (!judgement.alike(shipped_model) ||
        (property.formula.valid() && judgement.is_mentioned(property.formula)))
      continue;
    started_ |= judgement.stored_by_starter();
    for (size_t i = 0; i < group.threads.size(); ++i) {
      const size_t t = group.threads[i].index();
      if (i > 0) previous_[t] = group.threads[i - 1];
      like_[t] = group.threads[i > 0 ? i - 1 : 1];
      own_[t] = judgement.own()[i];
      if (!judgement.nodes()) continue;
      pointers_[t] = judgement.nodes()->pointers[i];
      pointer_cells_[t] = judgement.nodes()->pointer_cells;
      for (size_t c = 0; c < judgement.nodes()->cells[i].size(); ++c) {
        const CellId cell = judgement.nodes()->cells[i][c];
        nodes_[t].add(cell.index());
        representatives_[cell] = judgement.nodes()->cells.front()[c];
      }
    }
  }
}

CellId SymmetricThreads::representative(CellId cell) const {
  const auto found = representatives_.find(cell);
  return found == representatives_.end() ? cell : found->second;
}

Value SymmetricThreads::exchanged(ThreadId x, ThreadId y, CellId cell, Value value) const {
  const std::optional<Value>&a = pointers_[x.index()], &b = pointers_[y.index()];
  if (!a || !b || !cell.valid() || !pointer_cells_[x.index()].has(cell.index())) return value;
  return value == *a ? *b : value == *b ? *a : value;
}

size_t SymmetricThreads::size() const {
  return static_cast<size_t>(
      std::count_if(like_.begin(), like_.end(), [](ThreadId thread) { return thread.valid(); }));
}

}  // namespace fenceline::executions
