// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/fair_starter.h"

#include <algorithm>
#include <map>

#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

bool is_full_fence(const Instruction& i) {
  return i.kind == InstrKind::kFence && i.fence == FenceKinds::full() && i.tags.empty();
}

constexpr Value kEnded = 1;  // what threads store when they have ended

// An access of the starter to a cell of a thread.
struct OwnAccess {
  size_t at = 0;        // its place in the line
  size_t member = 0;    // the thread, as a place in the group
  bool fenced = false;  // stores: a fence is between it and the previous one
};

class FairStarter {
 public:
  FairStarter(const Overlay& overlay, const AccessedCells& accessed, const ThreadGroup& group,
              const std::vector<BitSet>& own, ThreadId starter)
      : overlay_(overlay),
        program_(overlay.program()),
        accessed_(accessed),
        group_(group),
        own_(own),
        starter_(starter) {
    for (const BitSet& cells : own) all_own_ |= cells;
    line_ = line_of(starter);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      if (ThreadId(t) == starter) continue;
      for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p)
        if (overlay.at(ThreadId(t), Point(p)).is_memory_access())
          of_others_ |= accessed.at(ThreadId(t), Point(p));
    }
  }

  bool is_fair() {
    return find_accesses() && stores_are_alike() && loads_are_alike() && cannot_fail_between_loads() &&
           threads_read_first() && threads_write_once();
  }
  const BitSet& stored() const { return stored_; }

 private:
  const Instruction& at(size_t place) const { return overlay_.at(starter_, line_[place]); }

  // What the thread executes first, once and in this order. Ends before a branch.
  std::vector<Point> line_of(ThreadId thread) const {
    std::vector<size_t> entries(overlay_.points(thread));
    ++entries[program_.thread(thread).entry.index()];
    for (size_t p = 0; p < overlay_.points(thread); ++p)
      for (size_t slot = 0; slot < overlay_.at(thread, Point(p)).next.size(); ++slot)
        ++entries[overlay_.next(thread, Point(p), slot).index()];
    std::vector<Point> line;
    for (Point point = program_.thread(thread).entry;
         entries[point.index()] == 1 && overlay_.at(thread, point).next.size() == 1;
         point = overlay_.next(thread, point, 0))
      line.push_back(point);
    return line;
  }

  bool accesses_own(Point point) const {
    return overlay_.at(starter_, point).is_memory_access() && accessed_.at(starter_, point).meets(all_own_);
  }

  BitSet own_cells(size_t place) const { return accessed_.at(starter_, line_[place]) & all_own_; }

  // First stores, then loads, each to cells of one thread; all on the line.
  bool find_accesses() {
    size_t found = 0;
    for (size_t i = 0; i < line_.size(); ++i) {
      if (!accesses_own(line_[i])) continue;
      ++found;
      const BitSet cells = own_cells(i);
      const auto owner =
          std::find_if(own_.begin(), own_.end(), [&](const BitSet& own) { return cells.subset_of(own); });
      if (owner == own_.end() || (accessed_.at(starter_, line_[i]) - cells).meets(of_others_)) return false;
      const OwnAccess access{i, static_cast<size_t>(owner - own_.begin())};
      if (at(i).kind == InstrKind::kStore && loads_.empty() && !cells.meets(stored_)) {
        stores_.push_back(access);
        stored_ |= cells;
      } else if (at(i).kind == InstrKind::kLoad && !cells.meets(stored_)) {
        loads_.push_back(access);
        loaded_ |= cells;
      } else {
        return false;
      }
    }
    for (size_t p = 0; p < overlay_.points(starter_); ++p) found -= accesses_own(Point(p)) ? 1 : 0;
    return found == 0;
  }

  // The n-th access to cells of each thread: by thread.
  template <typename Same>
  bool are_alike(const std::vector<OwnAccess>& accesses, const Same& same) const {
    std::vector<std::vector<const OwnAccess*>> by_member(own_.size());
    for (const OwnAccess& access : accesses) by_member[access.member].push_back(&access);
    // One without the first access of all, which may have a fence that the others lack.
    const auto& model = by_member[accesses.front().member == 0 ? 1 : 0];
    return std::all_of(by_member.begin(), by_member.end(), [&](const auto& those) {
      return std::equal(those.begin(), those.end(), model.begin(), model.end(),
                        [&](const OwnAccess* x, const OwnAccess* y) {
                          const Instruction& a = at(x->at);
                          const Instruction& b = at(y->at);
                          return a.order == b.order && a.tags == b.tags &&
                                 accessed_from(*x) == accessed_from(*y) && same(*x, *y);
                        });
    });
  }

  // Where the thread accesses the cells.
  std::vector<Point> accessed_from(const OwnAccess& access) const {
    std::vector<Point> result;
    for (const Point point : group_.differ)
      if (accessed_.at(group_.threads[access.member], point).meets(own_cells(access.at)))
        result.push_back(point);
    return result;
  }

  // ---- Stores

  bool stores_are_alike() {
    if (stores_.empty()) return true;
    const size_t begin = stores_.front().at;
    bool assigns = false, fence = false;
    for (size_t i = begin, next = 0; i <= stores_.back().at; ++i) {
      if (i == stores_[next].at) {
        stores_[next++].fenced = fence;
        fence = false;
      } else if (!is_invisible_store(i) && !is_full_fence(at(i)) && !is_local(i)) {
        return false;
      }
      fence = fence || is_full_fence(at(i));
      assigns = assigns || at(i).kind == InstrKind::kAssign;
      if (at(i).kind == InstrKind::kAssume) return false;
      if (at(i).is_memory_access() && !is_constant(at(i).address.offset)) return false;
      has_fences_ = has_fences_ || is_full_fence(at(i));
    }
    // Before the first one there may be fences of what precedes.
    for (size_t i = begin;
         i > 0 && (is_invisible_store(i - 1) || is_full_fence(at(i - 1)) || is_local(i - 1)); --i)
      stores_.front().fenced = stores_.front().fenced || is_full_fence(at(i - 1));
    return are_alike(stores_, [&](const OwnAccess& x, const OwnAccess& y) {
      const ExprId a = at(x.at).a, b = at(y.at).a;
      const bool same_dependencies = reads_no_register(a) && reads_no_register(b);
      return (same_dependencies || (!assigns && same_expression(program_, a, b))) && same_fences(x, y);
    });
  }

  bool same_fences(const OwnAccess& x, const OwnAccess& y) const {
    const bool x_may_have_more = &x == &stores_.front(), y_may_have_more = &y == &stores_.front();
    return x.fenced == y.fenced || (x_may_have_more && x.fenced) || (y_may_have_more && y.fenced);
  }

  // To a cell that no other thread accesses.
  bool is_invisible_store(size_t place) const {
    return at(place).kind == InstrKind::kStore && is_private(place) && is_constant(at(place).address.offset);
  }
  bool is_private(size_t place) const { return !accessed_.at(starter_, line_[place]).meets(of_others_); }
  bool is_local(size_t place) const {
    const InstrKind kind = at(place).kind;
    return kind == InstrKind::kAssert || kind == InstrKind::kAssign || kind == InstrKind::kMark ||
           kind == InstrKind::kAssume;
  }
  bool is_constant(ExprId id) const { return program_.expr(id).op == ExprOp::kConst; }
  bool reads_no_register(ExprId id) const {
    bool reads = false;
    for_each_expr(program_, id,
                  [&](const Expr& e) { reads = reads || e.op == ExprOp::kReg || e.op == ExprOp::kRegAt; });
    return !reads;
  }

  // ---- Loads

  bool loads_are_alike() const {
    if (loads_.empty()) return true;
    bool fence = false;
    for (size_t i = loads_.front().at; i <= loads_.back().at; ++i) {
      const bool invisible_load = at(i).kind == InstrKind::kLoad && is_private(i);
      if (!accesses_own(line_[i]) && !invisible_load && !is_full_fence(at(i)) && !is_local(i)) return false;
      fence = fence || is_full_fence(at(i));
    }
    bool fence_at_end = false;
    for (size_t i = loads_.back().at + 1; i < line_.size() && (is_local(i) || is_full_fence(at(i))); ++i)
      fence_at_end = fence_at_end || is_full_fence(at(i));
    return (!fence || fence_at_end) &&
           std::all_of(loads_.begin(), loads_.end(),
                       [&](const OwnAccess& load) { return is_join(load.at); }) &&
           are_alike(loads_, [](const OwnAccess&, const OwnAccess&) { return true; });
  }

  // The load waits for the only value that the thread ever stores there: what it reads tells nothing about the thread but
  // that it has come so far. What is read is not used for anything else.
  bool is_join(size_t place) const {
    if (place + 1 >= line_.size()) return false;
    const Instruction& i = at(place);
    const Instruction& wait = at(place + 1);
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
    bool fails_at_first = true;
    accessed_.at(starter_, line_[place]).for_each([&](size_t cell) {
      fails_at_first = fails_at_first && !passes(program_.initial_memory()[cell]);
    });
    return only_this && fails_at_first && passes(kEnded) && !is_used_behind(place + 1, i.dest.reg);
  }

  // If the starter failed after it has joined some threads and before it joins others, it would make a difference which
  // of them end. So all that it computes there must be known.
  bool cannot_fail_between_loads() const {
    if (loads_.empty()) return true;
    std::map<RegId, Value> known;  // registers
    for (size_t i = 0; i < loads_.back().at; ++i) {
      const Instruction& step = at(i);
      const bool between = i > loads_.front().at;
      std::optional<Value> value;
      if (step.kind == InstrKind::kAssign || step.kind == InstrKind::kAssert)
        value = value_of(step.a, known);
      else if (step.kind == InstrKind::kLoad)
        value = loaded(i, known);
      if (between && step.kind == InstrKind::kAssume && !accesses_own(line_[i - 1])) return false;
      if (between && step.kind == InstrKind::kAssert && value.value_or(0) == 0) return false;
      if (between && step.is_memory_access() && !cell_at(i, known)) return false;
      if (!step.dest.valid()) continue;
      if (between && !value && !accesses_own(line_[i])) return false;
      if (between && program_.thread(starter_).registers[step.dest.reg.index()].declared) return false;
      if (step.dest.is_element())
        known.clear();
      else
        known.erase(step.dest.reg);
      if (value && !step.dest.is_element()) known[step.dest.reg] = *value;
    }
    return cell_at(loads_.back().at, known).has_value();
  }

  std::optional<Value> value_of(ExprId id, const std::map<RegId, Value>& known) const {
    bool all_known = true;
    for_each_expr(program_, id, [&](const Expr& e) {
      all_known = all_known && e.op != ExprOp::kRegAt && (e.op != ExprOp::kReg || known.contains(e.reg));
    });
    if (!all_known) return std::nullopt;
    const Evaluated result = evaluate(program_, id, [&](const Expr& e, Value) { return known.at(e.reg); });
    return result.ok() ? std::optional(result.value) : std::nullopt;
  }

  std::optional<size_t> cell_at(size_t place, const std::map<RegId, Value>& known) const {
    const Address& address = at(place).address;
    const std::optional<Value> offset = value_of(address.offset, known);
    const Object& object = program_.object(address.object);
    if (!offset || !object.admits(*offset, address.bytes)) return std::nullopt;
    return object.first_cell.index() + static_cast<size_t>(*offset);
  }

  // What is loaded from a cell that only the starter accesses and stores to once, before.
  std::optional<Value> loaded(size_t place, const std::map<RegId, Value>& known) const {
    const std::optional<size_t> cell = cell_at(place, known);
    if (!cell || of_others_.has(*cell)) return std::nullopt;
    std::optional<Value> result;
    size_t stores = 0;
    for (size_t p = 0; p < overlay_.points(starter_); ++p)
      if (overlay_.at(starter_, Point(p)).writes_memory() && accessed_.at(starter_, Point(p)).has(*cell))
        ++stores;
    for (size_t i = 0; i < place; ++i)
      if (at(i).kind == InstrKind::kStore && is_constant(at(i).address.offset) && is_constant(at(i).a) &&
          accessed_.at(starter_, line_[i]).has(*cell))
        result = program_.expr(at(i).a).imm;
    return stores == 1 ? result : std::nullopt;
  }

  // The value that the register has at this place of the line.
  bool is_used_behind(size_t place, RegId reg) const {
    const auto uses = [&](const Instruction& i) {
      bool found = false;
      for (const ExprId id : {i.a, i.b, i.address.offset, i.dest.index})
        if (id.valid())
          for_each_expr(program_, id, [&](const Expr& e) {
            found = found || ((e.op == ExprOp::kReg || e.op == ExprOp::kRegAt) &&
                              e.reg.index() <= reg.index() && reg.index() < e.reg.index() + e.count);
          });
      return found;
    };
    std::vector<bool> on_line(overlay_.points(starter_));
    for (const Point point : line_) on_line[point.index()] = true;
    for (size_t i = place + 1; i < line_.size(); ++i) {
      if (uses(at(i))) return true;
      if (at(i).dest.valid() && !at(i).dest.is_element() && at(i).dest.reg == reg) return false;
    }
    for (size_t p = 0; p < on_line.size(); ++p)
      if (!on_line[p] && uses(overlay_.at(starter_, Point(p)))) return true;
    return false;
  }

  // ---- The threads

  // What the starter has stored, before anything else and only then. Behind the first read there is a fence before all
  // those that the starter stores without one, if it stores others with one.
  bool threads_read_first() const {
    const ThreadId thread = group_.threads.front();
    size_t left = 0;
    for (const Point point : group_.differ) left += accessed_.at(thread, point).meets(stored_) ? 1 : 0;
    bool started = false, fence = false;
    for (const Point point : line_of(thread)) {
      const Instruction& i = overlay_.at(thread, point);
      if (i.kind == InstrKind::kLoad && accessed_.at(thread, point).subset_of(stored_)) {
        const bool fenced_store = stores_for_are_fenced(point);
        if (has_fences_ && !fenced_store && !fence) return false;
        started = started || fenced_store;
        --left;
      } else if (i.is_memory_access() || class_of(i.kind) == InstrClass::kAtomicBegin ||
                 i.kind == InstrKind::kHavoc) {
        break;
      }
      fence = fence || (started && is_full_fence(i));
    }
    return left == 0;
  }

  // Those to the cells that the threads access at this point.
  bool stores_for_are_fenced(Point point) const {
    return std::all_of(stores_.begin(), stores_.end(), [&](const OwnAccess& store) {
      return !accessed_.at(group_.threads[store.member], point).meets(own_cells(store.at)) || store.fenced;
    });
  }

  // What the starter loads: kEnded.
  bool threads_write_once() const {
    const ThreadId thread = group_.threads.front();
    size_t writes = 0;
    for (const Point point : group_.differ) {
      const Instruction& i = overlay_.at(thread, point);
      if (!i.writes_memory() || !accessed_.at(thread, point).meets(loaded_)) continue;
      if (i.kind != InstrKind::kStore || !is_constant(i.a) || program_.expr(i.a).imm != kEnded ||
          is_on_cycle(thread, point))
        return false;
      ++writes;
    }
    return writes <= 1;
  }

  bool is_on_cycle(ThreadId thread, Point start) const {
    std::vector<bool> seen(overlay_.points(thread));
    std::vector<Point> todo{start};
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      for (size_t slot = 0; slot < overlay_.at(thread, point).next.size(); ++slot) {
        const Point next = overlay_.next(thread, point, slot);
        if (next == start) return true;
        if (seen[next.index()]) continue;
        seen[next.index()] = true;
        todo.push_back(next);
      }
    }
    return false;
  }

  const Overlay& overlay_;
  const Program& program_;
  const AccessedCells& accessed_;
  const ThreadGroup& group_;
  const std::vector<BitSet>& own_;
  const ThreadId starter_;
  BitSet all_own_, of_others_;  // cells of the group, cells that other threads than the starter access
  std::vector<Point> line_;     // of the starter
  std::vector<OwnAccess> stores_, loads_;  // of the starter, in the order of the line
  BitSet stored_, loaded_;                 // the cells that they access
  bool has_fences_ = false;                // between the first and the last of the stores
};

}  // namespace

std::optional<BitSet> stored_by_fair_starter(const Overlay& overlay, const AccessedCells& accessed,
                                             const ThreadGroup& group, const std::vector<BitSet>& own,
                                             ThreadId starter) {
  FairStarter judged(overlay, accessed, group, own, starter);
  if (!judged.is_fair()) return std::nullopt;
  return judged.stored();
}

}  // namespace fenceline::executions
