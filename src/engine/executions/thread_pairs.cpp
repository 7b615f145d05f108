// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/thread_pairs.h"

#include <utility>

#include "env/errors.h"
#include "ir/analysis/constructs.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

using sat::AccessPair;
using Dependency = AccessPair::Dependency;
constexpr Dependency operator|(Dependency a, Dependency b) {
  return static_cast<Dependency>(static_cast<int>(a) | static_cast<int>(b));
}

constexpr size_t kNoNumber = ~size_t{0};

// Its thread goes on only if a condition holds that it may have to wait for.
bool is_wait(const Overlay& overlay, ThreadId thread, Point point) {
  return overlay.at(thread, point).kind == InstrKind::kLoad &&
         overlay.at(thread, overlay.next(thread, point, 0)).kind == InstrKind::kAssume;
}

}  // namespace

ThreadPairs::ThreadPairs(const Overlay& overlay, ThreadId thread, const AccessedCells& cells,
                         const PairOrder& order, Iterations iterations)
    : overlay_(overlay),
      program_(overlay.program()),
      thread_(thread),
      cells_(cells),
      order_(order),
      paths_(overlay, thread, iterations),
      numbers_(overlay.points(thread), kNoNumber),
      in_section_(overlay.points(thread)) {
  for (const std::vector<Point>& section : atomic_sections(overlay, thread))
    for (const Point point : section) in_section_[point.index()] = true;
  for (const Point point : paths_.points()) {
    const Instruction& i = at(point);
    if (!i.is_memory_access() && i.kind != InstrKind::kFence) continue;
    numbers_[point.index()] = points_.size();
    points_.push_back(point);
  }
  run();
}

void ThreadPairs::run() {
  constexpr size_t kMostNodes = 20'000;
  struct Known {
    State before;
    bool changed = true;
  };
  std::map<ThreadPaths::Node, Known> known;
  known[paths_.first()].before.depends_on.resize(program_.thread(thread_).registers.size());
  // In the order of ranks, from the first node that has changed.
  for (auto now = known.begin(); now != known.end();) {
    if (!now->second.changed) {
      ++now;
      continue;
    }
    now->second.changed = false;
    State after = now->second.before;
    execute(now->first.point, after);
    auto earliest = std::next(now);
    for (size_t slot = 0; slot < at(now->first.point).next.size(); ++slot) {
      if (!paths_.is_possible(now->first, slot)) continue;
      const auto [there, is_new] = known.try_emplace(paths_.successor(now->first, slot));
      if (is_new) {
        there->second.before = after;
      } else {
        State met = there->second.before;
        met.meet(after);
        if (met == there->second.before) continue;
        there->second.before = std::move(met);
        there->second.changed = true;
      }
      if (earliest == known.end() || there->first < earliest->first) earliest = there;
    }
    if (known.size() > kMostNodes) throw Unsupported("a thread with too many paths");
    now = earliest;
  }
  for (const auto& [node, state] : known)
    if (at(node.point).writes_memory()) add_pairs(number(node.point), state.before);
}

// ---- Instructions

void ThreadPairs::execute(Point point, State& state) const {
  const Instruction& i = at(point);
  BitSet settled;
  switch (i.kind) {
    case InstrKind::kFence:
      return fence(number(point), state);
    case InstrKind::kBranch:
      depend_on(state, i.a, settled);
      return drop_settled(state, settled);
    case InstrKind::kAssume:
      if (i.branches) depend_on(state, i.a, settled);
      return drop_settled(state, settled);
    case InstrKind::kAssign:
      return assign(state, i.dest, dependencies(state, i.a));
    case InstrKind::kHavoc:
      return assign(state, i.dest, {});
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kRmw:
      return access(number(point), state);
    case InstrKind::kChoose:
    case InstrKind::kAssert:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
    case InstrKind::kHalt:
      return;
  }
}

void ThreadPairs::fence(size_t fence, State& state) const {
  BitSet settled;
  for (const auto member : {&State::newest, &State::older})
    for (auto& [load, evidence] : state.*member) {
      evidence.fences.add(fence);
      if (!settles(load, evidence, Dependency::kNone, fence)) continue;
      evidence.settled = true;
      if (member == &State::newest) settled.add(load);
    }
  drop_settled(state, settled);
}

void ThreadPairs::depend_on(State& state, ExprId condition, BitSet& settled) const {
  dependencies(state, condition).for_each([&](size_t load) {
    const auto found = state.newest.find(load);
    if (found == state.newest.end()) return;
    found->second.ctrl = true;
    if (!settles(load, found->second, Dependency::kNone, kNoNumber)) return;
    found->second.settled = true;
    settled.add(load);
  });
}

// Those that are settled are not looked at any more, and neither are those behind which one is ordered that is settled by
// itself: it is ordered itself before all that follows.
void ThreadPairs::drop_settled(State& state, const BitSet& by_themselves) const {
  for (const auto member : {&State::newest, &State::older})
    std::erase_if(state.*member, [&](const auto& entry) {
      bool settled = entry.second.settled;
      by_themselves.for_each(
          [&](size_t load) { settled = settled || entry.second.ordered.has(Evidence::read_id(load)); });
      return settled;
    });
}

void ThreadPairs::access(size_t access, State& state) const {
  const Instruction& i = at(access);
  if (i.reads_memory()) note_order(access, false, state);
  if (i.writes_memory()) note_order(access, true, state);
  BitSet settled;
  dependencies(state, i.address.offset).for_each([&](size_t load) {
    const auto found = state.newest.find(load);
    if (found == state.newest.end()) return;
    found->second.addressed.add(access);
    if (access == load || !settles(load, found->second, Dependency::kAddr, access)) return;
    found->second.settled = true;
    settled.add(load);
  });
  drop_settled(state, settled);
  if (certainly_writes(access) && cells(access).size() == 1)
    dependencies(state, i.a).for_each([&](size_t load) {
      if (const auto found = state.newest.find(load); found != state.newest.end())
        found->second.stores.add(access);
    });
  if (!i.reads_memory()) return;
  BitSet on = i.kind == InstrKind::kRmw && i.rmw == RmwOp::kCas ? dependencies(state, i.a) : BitSet();
  if (const auto before = state.newest.find(access); before != state.newest.end()) {
    if (const auto [mine, is_new] = state.older.try_emplace(access, before->second); !is_new)
      mine->second.meet(before->second);
    state.newest.erase(before);
  }
  for (BitSet& loads : state.depends_on) loads.remove(access);
  state.loads.add(access);
  if (is_wait(overlay_, thread_, points_[access])) state.waits.add(access);
  if (!orders_what_follows(access, false)) {
    Evidence& now = state.newest[access];
    if (certainly_writes(access) && own_write_is_ordered(access)) {
      note_write(access, true, now);
      note_ordered(access, true, now);
    }
    if (now.settled) state.newest.erase(access);
  }
  on.add(access);
  assign(state, i.dest, std::move(on));
}

BitSet ThreadPairs::dependencies(const State& state, ExprId expr) const {
  BitSet result;
  if (!expr.valid()) return result;
  for_each_expr(program_, expr, [&](const Expr& e) {
    if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
    for (size_t i = 0; i < (e.op == ExprOp::kReg ? 1 : e.count); ++i)
      result |= state.depends_on[e.reg.index() + i];
  });
  return result;
}

void ThreadPairs::assign(State& state, const Dest& dest, BitSet on) const {
  if (!dest.valid()) return;
  if (!dest.is_element()) {
    state.depends_on[dest.reg.index()] = std::move(on);
    return;
  }
  on |= dependencies(state, dest.index);
  for (size_t i = 0; i < dest.count; ++i) state.depends_on[dest.reg.index() + i] |= on;
}

// ---- What an access is ordered behind

// A compare-exchange may not write.
bool ThreadPairs::certainly_writes(size_t access) const {
  const Instruction& i = at(access);
  return i.writes_memory() && !(i.kind == InstrKind::kRmw && is_cas(i.rmw));
}

ThreadPairs::Target ThreadPairs::target(size_t access, bool write, const State& state) const {
  const Instruction& i = at(access);
  Target target{access, write, dependencies(state, i.address.offset), {}};
  if (write) target.by_data = dependencies(state, i.a);
  if (write && i.kind == InstrKind::kRmw && is_cas(i.rmw)) target.by_data |= dependencies(state, i.b);
  return target;
}

// An access is executed: behind which loads is it ordered?
void ThreadPairs::note_order(size_t access, bool write, State& state) const {
  const Target to = target(access, write, state);
  std::vector<std::pair<Evidence*, bool>> found;
  for (const auto member : {&State::newest, &State::older})
    for (auto& [load, evidence] : state.*member)
      found.emplace_back(&evidence, ordered(load, member == &State::newest, evidence, to, state));
  for (const auto& [evidence, is_ordered] : found) {
    evidence->ordered.remove(write ? Evidence::write_id(access) : Evidence::read_id(access));
    if (write) note_write(access, is_ordered, *evidence);
    if (is_ordered && (!write || certainly_writes(access))) note_ordered(access, write, *evidence);
  }
  drop_settled(state, {});
}

void ThreadPairs::note_ordered(size_t access, bool write, Evidence& evidence) const {
  evidence.ordered.add(write ? Evidence::write_id(access) : Evidence::read_id(access));
  evidence.settled = evidence.settled || orders_what_follows(access, write);
}

void ThreadPairs::note_write(size_t write, bool is_ordered, Evidence& evidence) const {
  const bool certain = certainly_writes(write) && cells(write).size() == 1;
  cells(write).for_each([&](size_t cell) {
    const auto known = evidence.last_writes.find(cell);
    if (!is_ordered)
      evidence.last_writes.erase(cell);
    else if (certain)
      evidence.last_writes[cell] = BitSet{write};
    else if (known != evidence.last_writes.end())
      known->second.add(write);
  });
}

// Is the load ordered itself before every store that follows, by a branch or by what is in between?
bool ThreadPairs::settles(size_t load, const Evidence& evidence, Dependency on, size_t middle) const {
  AccessPair pair{.first = &at(load), .second_writes = true};
  if (evidence.ctrl) pair.of_second = Dependency::kCtrl;
  if (middle != kNoNumber) {
    pair.middle = &at(middle);
    pair.middle_writes = at(middle).kind == InstrKind::kStore;
    pair.of_middle = on;
  }
  return order_(pair);
}

bool ThreadPairs::orders_what_follows(size_t access, bool write) const {
  return order_({.first = &at(access), .first_writes = write, .second_writes = true});
}

// Is the write of the read-modify-write ordered behind its read?
bool ThreadPairs::own_write_is_ordered(size_t rmw) const {
  return order_({.first = &at(rmw),
                 .second = &at(rmw),
                 .second_writes = true,
                 .same_instruction = true,
                 .in_section = in_section_[points_[rmw].index()]});
}

// Is the load, or what it reads, certainly ordered before the access that is executed now?
bool ThreadPairs::ordered(size_t load, bool newest, const Evidence& evidence, const Target& target,
                          const State& state) const {
  if (ordered_directly(load, newest, evidence, target, true)) return true;
  bool found = false;
  evidence.ordered.for_each([&](size_t id) {
    const size_t other = id / 2;
    if (found || other == target.access) return;
    found = order_({.first = &at(other),
                    .second = &at(target.access),
                    .first_writes = id % 2 == 1,
                    .second_writes = target.write});
    if (found || id % 2 == 1) return;
    if (const auto between = state.newest.find(other); between != state.newest.end())
      found = ordered_directly(other, true, between->second, target, false);
  });
  return found || (!target.write && behind_last_write(target.access, evidence));
}

// By dependencies, by a fence or an access in between, and, `by_location`, by coherence, which may be about what the load
// reads only.
bool ThreadPairs::ordered_directly(size_t load, bool newest, const Evidence& evidence, const Target& target,
                                   bool by_location) const {
  Dependency on = evidence.ctrl ? Dependency::kCtrl : Dependency::kNone;
  if (newest && target.by_address.has(load)) on = on | Dependency::kAddr;
  if (newest && target.by_data.has(load)) on = on | Dependency::kData;
  const AccessPair direct{.first = &at(load),
                          .second = &at(target.access),
                          .second_writes = target.write,
                          .of_second = on,
                          .ends_alias = by_location && alias(load, target.access)};
  if (order_(direct)) return true;
  bool found = false;
  const auto through = [&](size_t middle, bool writes, Dependency of_middle, bool same_cell) {
    AccessPair with = direct;
    with.middle = &at(middle);
    with.middle_writes = writes;
    with.of_middle = of_middle;
    with.middle_and_second_alias = same_cell;
    found = found || order_(with);
  };
  evidence.fences.for_each([&](size_t fence) { through(fence, false, Dependency::kNone, false); });
  evidence.addressed.for_each([&](size_t other) {
    if (other != load && other != target.access)
      through(other, at(other).kind == InstrKind::kStore, Dependency::kAddr, false);
  });
  evidence.stores.for_each([&](size_t store) {
    if (store != load && alias(store, target.access)) through(store, true, Dependency::kData, true);
  });
  return found;
}

// A read is ordered behind the last write of its thread to the cell, whichever that is.
bool ThreadPairs::behind_last_write(size_t read, const Evidence& evidence) const {
  if (cells(read).size() != 1) return false;
  bool result = false;
  cells(read).for_each([&](size_t cell) {
    const auto writes = evidence.last_writes.find(cell);
    if (writes == evidence.last_writes.end()) return;
    result = true;
    writes->second.for_each([&](size_t write) {
      result = result &&
               order_({.first = &at(write), .second = &at(read), .first_writes = true, .ends_alias = true});
    });
  });
  return result;
}

// ---- The pairs

void ThreadPairs::add_pairs(size_t store, const State& state) {
  const Target to = target(store, true, state);
  state.loads.for_each([&](size_t load) {
    bool kept = true;
    for (const auto member : {&State::newest, &State::older})
      if (const auto found = (state.*member).find(load); kept && found != (state.*member).end())
        kept = ordered(load, member == &State::newest, found->second, to, state);
    add_pair(load, store, kept);
  });
  if (at(store).kind == InstrKind::kRmw) add_pair(store, store, own_write_is_ordered(store));
  const auto [waits, is_new] = waits_before_.try_emplace(store, state.waits);
  if (!is_new) waits->second &= state.waits;
}

void ThreadPairs::add_pair(size_t load, size_t store, bool ordered) {
  const auto [known, is_new] = pair_numbers_.try_emplace({load, store}, pairs_.size());
  if (is_new)
    pairs_.push_back({points_[load], points_[store], ordered});
  else
    pairs_[known->second].ordered = pairs_[known->second].ordered && ordered;
}

bool ThreadPairs::executed_before(Point load, Point store) const {
  const auto waits = waits_before_.find(number(store));
  return waits != waits_before_.end() && waits->second.has(number(load));
}

}  // namespace fenceline::executions
