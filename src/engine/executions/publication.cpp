// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/publication.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/analysis/constructs.h"
#include "ir/eval.h"

namespace fenceline::executions {
namespace {

using Dependency = sat::AccessPair::Dependency;

// The operand that is stored as it is, if there is one.
ExprId stored_operand(const Instruction& i) {
  if (i.kind == InstrKind::kStore) return i.a;
  if (i.kind != InstrKind::kRmw) return {};
  switch (shape_of(i.rmw)) {
    case RmwShape::kCompare:
      return i.b;
    case RmwShape::kExchange:
      return i.a;
    case RmwShape::kFetch:
      return {};
  }
  return {};
}

}  // namespace

Publication::Publication(const Overlay& overlay, const AccessedCells& cells, const PairOrder& order)
    : overlay_(overlay), program_(overlay.program()), cells_(cells), order_(order) {
  const Liveness liveness(program_, {}, {});
  for (size_t t = 0; t < program_.threads.size(); ++t) {
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p) {
      const Access access{ThreadId(t), Point(p)};
      if (at(access).reads_memory()) reads_.push_back(access);
      if (at(access).writes_memory()) writes_.push_back(access);
    }
    find_origins(ThreadId(t), liveness);
    has_sections_ = has_sections_ || !atomic_sections(overlay, ThreadId(t)).empty();
  }
}

// ---- Registers

void Publication::find_origins(ThreadId thread, const Liveness& liveness) {
  std::vector<Origin>& origins = origins_.emplace_back(program_.thread(thread).registers.size());
  for (size_t r = 0; r < origins.size(); ++r)
    origins[r].other = liveness.live(thread, program_.thread(thread).entry, RegId(r));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t p = 0; p < overlay_.points(thread); ++p) {
      const Instruction& i = overlay_.at(thread, Point(p));
      if (!i.dest.valid()) continue;
      Origin origin;
      if (i.kind == InstrKind::kLoad || (i.kind == InstrKind::kRmw && i.rmw != RmwOp::kCas))
        origin.reads.add(p);
      else if (const Origin* same = i.kind == InstrKind::kAssign ? origin_of(thread, i.a) : nullptr)
        origin = *same;
      else
        origin.other = true;
      origin.other = origin.other || i.dest.is_element();
      for (size_t element = 0; element < i.dest.count; ++element) {
        Origin& known = origins[i.dest.reg.index() + element];
        if (origin.reads.subset_of(known.reads) && (known.other || !origin.other)) continue;
        known.reads |= origin.reads;
        known.other = known.other || origin.other;
        changed = true;
      }
    }
  }
}

// Of a register; null: the expression is something else.
const Publication::Origin* Publication::origin_of(ThreadId thread, ExprId expr) const {
  if (!expr.valid() || program_.expr(expr).op != ExprOp::kReg) return nullptr;
  return &origins_[thread.index()][program_.expr(expr).reg.index()];
}

// ---- The sets B and K

bool Publication::is_published(ThreadId of_store, Point store, ThreadId of_load, Point load) {
  const Access from{of_store, store}, to{of_load, load};
  if (has_sections_) return false;
  if (at(from).kind != InstrKind::kStore || at(to).kind != InstrKind::kLoad) return false;
  if (of_store == of_load || cells(from).size() != 1) return false;
  // A register, or a register and a constant.
  ExprId pointer = at(to).address.offset;
  Value offset = 0;
  if (const Expr& sum = program_.expr(pointer); sum.op == ExprOp::kAdd) {
    const bool first = program_.expr(sum.a).op == ExprOp::kConst;
    const Expr& constant = program_.expr(first ? sum.a : sum.b);
    if (constant.op != ExprOp::kConst) return false;
    offset = constant.imm;
    pointer = first ? sum.b : sum.a;
  }
  const Origin* origin = origin_of(of_load, pointer);
  if (origin == nullptr || origin->other || origin->reads.empty()) return false;
  Value address = 0;
  cells(from).for_each([&](size_t cell) {
    address = static_cast<Value>(cell - program_.object(at(to).address.object).first_cell.index()) - offset;
  });
  const BitSet& unpublished = unpublished_reads(from, address)[of_load.index()];
  bool result = true;
  origin->reads.for_each([&](size_t p) {
    sat::AccessPair behind{.first = &overlay_.at(of_load, Point(p)), .second_writes = true};
    const bool acquires = order_(behind);
    behind.middle = &at(to);
    behind.of_middle = Dependency::kAddr;
    result = result && !unpublished.has(p) && (acquires || order_(behind));
  });
  return result;
}

const Publication::Reads& Publication::unpublished_reads(const Access& store, Value address) {
  const auto [known, is_new] = known_.try_emplace({store.thread, store.point, address});
  if (!is_new) return known->second;
  Reads& reads = known->second;
  reads.resize(program_.threads.size());
  BitSet unpublished;  // K
  for (size_t cell = 0; cell < program_.initial_memory().size(); ++cell)
    if (program_.initial_memory()[cell] == address) unpublished.add(cell);
  std::vector<Access> writes;  // of the address
  for (const Access& write : writes_)
    if (cells_.written(write.thread, write.point).contains(address)) writes.push_back(write);
  std::vector<std::pair<Access, Access>> own;  // a read that may read the write, but is not ordered behind it
  for (const Access& read : reads_)
    for (const Access& write : writes)
      if (!is_ordered_behind_own(read, write)) own.emplace_back(read, write);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Access& read : reads_) {
      BitSet& of_thread = reads[read.thread.index()];
      if (of_thread.has(read.point.index()) || !cells(read).meets(unpublished)) continue;
      of_thread.add(read.point.index());
      changed = true;
    }
    for (const auto& [read, write] : own) {
      BitSet& of_thread = reads[read.thread.index()];
      if (of_thread.has(read.point.index()) || is_ordered_behind_copied(read, write, reads)) continue;
      of_thread.add(read.point.index());
      changed = true;
    }
    for (const Access& write : writes) {
      if (cells(write).subset_of(unpublished) || copies(write, reads) || publishes(write, store)) continue;
      unpublished |= cells(write);
      changed = true;
    }
  }
  return reads;
}

bool Publication::copies(const Access& write, const Reads& unpublished) const {
  return copies(write, unpublished, [&](const Instruction& read) {
    return order_(
        {.first = &read, .second = &at(write), .second_writes = true, .of_second = Dependency::kData});
  });
}

// Does the write copy what reads outside of B have returned, each of which is ordered?
template <typename Ordered>
bool Publication::copies(const Access& write, const Reads& unpublished, const Ordered& is_ordered) const {
  const Origin* origin = origin_of(write.thread, stored_operand(at(write)));
  if (origin == nullptr || origin->other) return false;
  bool result = true;
  origin->reads.for_each([&](size_t p) {
    result = result && !unpublished[write.thread.index()].has(p) &&
             is_ordered(overlay_.at(write.thread, Point(p)));
  });
  return result;
}

// If the read reads the write: is it ordered behind those that the write copies?
bool Publication::is_ordered_behind_copied(const Access& read, const Access& write,
                                           const Reads& unpublished) const {
  return copies(write, unpublished, [&](const Instruction& copied) {
    return order_({.first = &copied,
                   .second = &at(read),
                   .middle = &at(write),
                   .middle_writes = true,
                   .of_middle = Dependency::kData,
                   .second_reads_middle = true});
  });
}

bool Publication::publishes(const Access& write, const Access& store) const {
  const sat::AccessPair pair{
      .first = &at(store), .second = &at(write), .first_writes = true, .second_writes = true};
  return write.thread == store.thread && write.point != store.point && !follows(write, store.point) &&
         (order_(pair) || is_fenced(store, write.point, pair));
}

bool Publication::is_ordered_behind_own(const Access& read, const Access& write) const {
  return read.thread != write.thread || !cells(read).meets(cells(write)) || !follows(write, read.point) ||
         order_({.first = &at(write), .second = &at(read), .first_writes = true, .ends_alias = true});
}

// ---- Paths

// Does a fence lie on every path from the first access of the pair to the second that makes the model order them?
bool Publication::is_fenced(const Access& first, Point second, sat::AccessPair pair) const {
  std::vector<bool> seen(overlay_.points(first.thread));
  std::vector<Point> todo{first.point};
  while (!todo.empty()) {
    const Point now = todo.back();
    todo.pop_back();
    for (size_t slot = 0; slot < overlay_.at(first.thread, now).next.size(); ++slot) {
      const Point next = overlay_.next(first.thread, now, slot);
      if (next == second) return false;
      if (seen[next.index()]) continue;
      seen[next.index()] = true;
      pair.middle = &overlay_.at(first.thread, next);
      if (pair.middle->kind != InstrKind::kFence || !order_(pair)) todo.push_back(next);
    }
  }
  return true;
}

// Can the thread get to the point when the write has been made? A compare-exchange then has read what it compares with,
// and compilers decide by that more than once.
bool Publication::follows(const Access& write, Point point) const {
  const Instruction& first = at(write);
  const bool compares =
      first.kind == InstrKind::kRmw && is_cas(first.rmw) && first.dest.valid() && !first.dest.is_element();
  using Step = std::pair<Point, bool>;  // is the result of the compare-exchange still there?
  std::vector<Step> todo;
  std::set<Step> seen;
  const auto add = [&](Point from, size_t slot, bool known) {
    const Step step{overlay_.next(write.thread, from, slot), known};
    if (seen.insert(step).second) todo.push_back(step);
  };
  for (size_t slot = 0; slot < first.next.size(); ++slot) add(write.point, slot, compares);
  while (!todo.empty()) {
    const auto [now, known] = todo.back();
    todo.pop_back();
    if (now == point) return true;
    const Instruction& i = overlay_.at(write.thread, now);
    const auto assigns = [&](ExprId expr) {
      return expr.valid() && program_.expr(expr).op == ExprOp::kReg && i.dest.valid() &&
             i.dest.reg.index() <= program_.expr(expr).reg.index() &&
             program_.expr(expr).reg.index() < i.dest.reg.index() + i.dest.count;
    };
    const bool still = known &&
                       !(i.dest.valid() && i.dest.reg.index() <= first.dest.reg.index() &&
                         first.dest.reg.index() < i.dest.reg.index() + i.dest.count) &&
                       !assigns(first.a);
    std::optional<Value> condition;
    if (known && i.kind == InstrKind::kBranch) condition = value_behind(first, i.a);
    for (size_t slot = 0; slot < i.next.size(); ++slot)
      if (!condition || (*condition != 0) == (slot == 0)) add(now, slot, still);
  }
  return false;
}

// What the expression is behind a compare-exchange that has written, if that is known.
std::optional<Value> Publication::value_behind(const Instruction& exchange, ExprId expr) const {
  const Expr& e = program_.expr(expr);
  const auto is_result = [&](ExprId id) {
    return program_.expr(id).op == ExprOp::kReg && program_.expr(id).reg == exchange.dest.reg;
  };
  const auto is_expected = [&](ExprId id) {
    const Expr &one = program_.expr(id), &expected = program_.expr(exchange.a);
    return one.op == expected.op && ((one.op == ExprOp::kReg && one.reg == expected.reg) ||
                                     (one.op == ExprOp::kConst && one.imm == expected.imm));
  };
  if (e.op == ExprOp::kConst) return e.imm;
  if (exchange.rmw == RmwOp::kCas && is_result(expr)) return 1;
  if (exchange.rmw == RmwOp::kCasValue && (e.op == ExprOp::kEq || e.op == ExprOp::kNe) &&
      ((is_result(e.a) && is_expected(e.b)) || (is_result(e.b) && is_expected(e.a))))
    return e.op == ExprOp::kEq ? 1 : 0;
  const ExprShape shape = shape_of(e.op);
  if (shape != ExprShape::kUnary && shape != ExprShape::kWrap && shape != ExprShape::kBinary)
    return std::nullopt;
  const std::optional<Value> a = value_behind(exchange, e.a);
  const std::optional<Value> b = arity(e.op) == 2 ? value_behind(exchange, e.b) : std::optional<Value>(e.imm);
  if (!a || !b) return std::nullopt;
  const Evaluated result = apply(e.op, *a, *b);
  return result.ok() ? std::optional<Value>(result.value) : std::nullopt;
}

}  // namespace fenceline::executions
