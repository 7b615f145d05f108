// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/thread_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

constexpr uint32_t kMostLocalSteps = 1'000'000;  // between two events
constexpr uint32_t kMostVisits = 16;             // of one loop that are remembered

}  // namespace

// ---- ThreadCode

ThreadCode::ThreadCode(const Overlay& overlay, bool dependencies, IdleIterations idle)
    : overlay_(overlay), dependencies_(dependencies), idle_(std::move(idle)) {
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    const ThreadId thread(t);
    may_wait_.emplace_back(overlay.points(thread));
    find_waits(thread);
    chooses_read_.emplace_back(overlay.points(thread));
    find_chosen_reads(thread);
    begins_iteration_.emplace_back(overlay.points(thread));
    if (idle_.wait_loops != nullptr) find_iterations(thread);
  }
}

// At the heads of loops; and, where dependencies count, at loads in them. Not where one iteration is kept: which one that
// is is decided at the heads.
void ThreadCode::find_iterations(ThreadId thread) {
  const Loops& loops = idle_.wait_loops->loops(thread);
  std::vector<bool>& begins = begins_iteration_[thread.index()];
  if (dependencies_ && !idle_.keep_one)
    for (size_t p = 0; p < begins.size(); ++p) begins[p] = idle_.wait_loops->is_reload(thread, Point(p));
  for (uint32_t loop = 0; loop < loops.size(); ++loop) begins[loops.header(loop).index()] = true;
}

// A load may have to wait if it can be reached from itself without a store in between, or if an assumption that waits
// follows it before any other event.
void ThreadCode::find_waits(ThreadId thread) {
  const size_t points = overlay_.points(thread);
  for (size_t p = 0; p < points; ++p) {
    if (!overlay_.at(thread, Point(p)).reads_memory()) continue;
    std::vector<bool> seen(points);
    // Points reached, and whether an event lies between.
    std::vector<std::pair<Point, bool>> todo{{Point(p), false}};
    bool waits = false;
    while (!todo.empty() && !waits) {
      const auto [point, behind_event] = todo.back();
      todo.pop_back();
      const Instruction& i = overlay_.at(thread, point);
      for (size_t slot = 0; slot < i.next.size(); ++slot) {
        const Point next = overlay_.next(thread, point, slot);
        const Instruction& reached = overlay_.at(thread, next);
        if (next == Point(p) || (reached.kind == InstrKind::kAssume && reached.blocking && !behind_event))
          waits = true;
        if (seen[next.index()] || reached.kind == InstrKind::kStore) continue;
        seen[next.index()] = true;
        todo.emplace_back(next, behind_event || reached.reads_memory());
      }
    }
    may_wait_[thread.index()][p] = waits;
  }
}

void ThreadCode::find_chosen_reads(ThreadId thread) {
  constexpr size_t kMostSteps = 64;
  const auto reads_first = [&](Point point) {
    for (size_t steps = 0; steps < kMostSteps; ++steps) {
      const Instruction& i = overlay_.at(thread, point);
      if (i.reads_memory()) return true;
      if (i.kind != InstrKind::kAssert && i.kind != InstrKind::kAssign && i.kind != InstrKind::kMark)
        return false;
      point = overlay_.next(thread, point, 0);
    }
    return false;
  };
  for (size_t p = 0; p < overlay_.points(thread); ++p) {
    const Instruction& i = overlay_.at(thread, Point(p));
    if (i.kind != InstrKind::kChoose) continue;
    bool all = true;
    for (size_t slot = 0; slot < i.next.size(); ++slot)
      all = all && reads_first(overlay_.next(thread, Point(p), slot));
    chooses_read_[thread.index()][p] = all;
  }
}

// ---- Steps

template <size_t kWords>
ThreadState<kWords> ThreadRunner<kWords>::begin() const {
  State state;
  state.location = program_.thread(thread_).entry;
  for (const Register& reg : program_.thread(thread_).registers) state.registers.push_back(reg.init);
  if (code_.dependencies()) state.depends_on.resize(state.registers.size());
  advance(state);
  return state;
}

template <size_t kWords>
void ThreadRunner<kWords>::step(State& state, Value input, ReadSource source) const {
  const Instruction& i = code_.overlay().at(thread_, state.location);
  const NextStep event = state.next;
  require(!state.alternatives, "an alternative is executed, not the choice between them");
  ++state.events;
  switch (event) {
    case NextStep::kRead:
      state.section_cell = state.cell;
      state.source = source;
      state.of_rmw ? finish_rmw_read(state, i, input) : finish_read(state, i, input);
      return;
    case NextStep::kWrite:
      state.section_cell = state.cell;
      state.section_wrote = true;
      note_write(state, i);
      go(state);
      return advance(state);
    case NextStep::kFence:
      ++state.fences;
      go(state);
      return advance(state);
    case NextStep::kChoice:
      if (i.kind == InstrKind::kChoose) {
        go(state, static_cast<size_t>(input));
        return advance(state);
      }
      if (size_t reg = 0; target(state, i.dest, reg) && in_range(state, reg, input)) {
        assign(state, i.dest, reg, input, {});
        go(state);
        advance(state);
      }
      return;
    case NextStep::kEnded:
    case NextStep::kBlocked:
    case NextStep::kFailed:
    case NextStep::kTooLarge:
    case NextStep::kBeyond:
      break;
  }
  throw Bug("a thread without a next event is executed");
}

template <size_t kWords>
void ThreadRunner<kWords>::resume_at(State& state, Point point) const {
  state.location = point;
  state.visits.clear();
  state.own_sources.clear();
  state.read_by_others.clear();
  state.kept_from.reset();
  advance(state);
}

// Up to the next event.
template <size_t kWords>
void ThreadRunner<kWords>::advance(State& state) const {
  state.of_rmw = state.idle = state.read_failed = state.same_value = false;
  for (uint32_t steps = 0; steps < kMostLocalSteps; ++steps) {
    if (code_.begins_iteration(thread_, state.location) && !state.in_section && !begin_iteration(state))
      return;
    const Instruction& i = code_.overlay().at(thread_, state.location);
    if (i.is_memory_access()) return prepare_access(state, i);
    if (!run_local(state, i)) return;
  }
  state.next = NextStep::kBeyond;
}

// False: state.next has been set.
template <size_t kWords>
bool ThreadRunner<kWords>::run_local(State& state, const Instruction& i) const {
  Value value = 0;
  switch (i.kind) {
    case InstrKind::kFence:
      if (i.fence.has_process_wide())
        throw Unsupported(
            "sync, which waits for the stores of all threads, has no meaning in axiomatic models");
      state.next = NextStep::kFence;
      state.addr = state.data = Set();
      return false;
    case InstrKind::kChoose:
      if (prepare_alternatives(state, i)) return false;
      state.next = NextStep::kChoice;
      state.choices = {0, static_cast<Value>(i.next.size()) - 1};
      return false;
    case InstrKind::kHavoc:
      state.next = NextStep::kChoice;
      state.choices = i.havoc_range;
      return false;
    case InstrKind::kAssign: {
      size_t reg = 0;
      if (!value_of(state, i.a, value) || !target(state, i.dest, reg) || !in_range(state, reg, value))
        return false;
      assign(state, i.dest, reg, value, dependencies(state, i.a));
      break;
    }
    case InstrKind::kBranch:
      if (!value_of(state, i.a, value)) return false;
      collect(state, i.a, state.ctrl);
      go(state, value != 0 ? 0 : 1);
      return true;
    case InstrKind::kAssume:
      if (!value_of(state, i.a, value)) return false;
      if (value == 0) {
        state.next = NextStep::kBlocked;
        return false;
      }
      if (i.branches) collect(state, i.a, state.ctrl);
      break;
    case InstrKind::kAssert:
      if (!value_of(state, i.a, value)) return false;
      if (value == 0) {
        state.next = NextStep::kFailed;
        return false;
      }
      break;
    case InstrKind::kAtomicBegin:
      state.in_section = true;
      state.section_begin = state.location;
      state.section_events = state.events;
      state.section_cell = CellId();
      state.section_wrote = false;
      ++state.sections;
      break;
    case InstrKind::kAtomicEnd:
      state.in_section = false;
      break;
    case InstrKind::kMark:
      break;
    case InstrKind::kHalt:
      state.next = NextStep::kEnded;
      return false;
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kRmw:
      throw Bug("a memory access is no local step");
  }
  go(state);
  return true;
}

template <size_t kWords>
void ThreadRunner<kWords>::prepare_access(State& state, const Instruction& i) const {
  if (!cell_of(state, i.address, state.cell)) return;
  state.addr = dependencies(state, i.address.offset);
  state.data = Set();
  state.of_rmw = i.kind == InstrKind::kRmw;
  if (i.kind != InstrKind::kStore) {
    // What fails whatever is read fails before the read.
    Value operand = 0;
    size_t reg = 0;
    if (state.of_rmw && (!value_of(state, i.a, operand) || (is_cas(i.rmw) && !value_of(state, i.b, operand))))
      return;
    if (i.dest.valid() && !target(state, i.dest, reg)) return;
    state.next = NextStep::kRead;
    return;
  }
  if (!value_of(state, i.a, state.value)) return;
  const std::optional<Range>& declared = program_.object(i.address.object).declared;
  if (declared && !declared->contains(state.value)) {
    state.next = NextStep::kFailed;
    return;
  }
  state.data = dependencies(state, i.a);
  state.next = NextStep::kWrite;
}

// False: not all alternatives read the same cell first; then the choice is an event of its own.
template <size_t kWords>
bool ThreadRunner<kWords>::prepare_alternatives(State& state, const Instruction& i) const {
  if (state.in_section || !code_.chooses_read(thread_, state.location)) return false;
  auto alternatives = std::make_shared<std::vector<State>>();
  for (size_t slot = 0; slot < i.next.size(); ++slot) {
    State& alternative = alternatives->emplace_back(state);
    go(alternative, slot);
    advance(alternative);
    if (alternative.next != NextStep::kRead || alternative.cell != alternatives->front().cell) return false;
  }
  state.next = NextStep::kRead;
  state.cell = alternatives->front().cell;
  state.alternatives = std::move(alternatives);
  return true;
}

template <size_t kWords>
bool ThreadRunner<kWords>::is_wrong_guess(const State& state) const {
  if (state.next != NextStep::kBlocked || state.idle) return false;
  const Instruction& i = code_.overlay().at(thread_, state.location);
  return i.kind == InstrKind::kAssume && !i.branches;
}

template <size_t kWords>
void ThreadRunner<kWords>::finish_read(State& state, const Instruction& i, Value input) const {
  size_t reg = 0;
  if (!target(state, i.dest, reg) || !in_range(state, reg, input)) {
    state.read_failed = true;
    return;
  }
  assign(state, i.dest, reg, input, Set::single(state.events - 1));
  go(state);
  advance(state);
}

template <size_t kWords>
void ThreadRunner<kWords>::finish_rmw_read(State& state, const Instruction& i, Value input) const {
  Value a = 0, b = 0;
  const bool compares = is_cas(i.rmw);
  bool ok = value_of(state, i.a, a) && (!compares || value_of(state, i.b, b));
  const bool writes = !compares || input == a;
  Value written = b;
  if (ok && i.rmw == RmwOp::kXchg) written = a;
  if (ok && is_fetch(i.rmw)) {
    const Evaluated fetched = fetch(i.rmw, input, a, i.wrap);
    ok = fetched.ok() || fail(state, fetched.status);
    written = fetched.value;
  }
  const std::optional<Range>& declared = program_.object(i.address.object).declared;
  if (ok && writes && declared && !declared->contains(written)) {
    state.next = NextStep::kFailed;
    ok = false;
  }
  size_t reg = 0;
  const Value result = i.rmw == RmwOp::kCas ? input == a : input;
  if (!ok || (i.dest.valid() && (!target(state, i.dest, reg) || !in_range(state, reg, result)))) {
    state.read_failed = true;
    return;
  }
  if (code_.dependencies()) {
    state.data = dependencies(state, i.a);
    if (compares) state.data |= dependencies(state, i.b);
  }
  if (i.dest.valid()) {
    Set on = Set::single(state.events - 1);
    if (i.rmw == RmwOp::kCas) on |= dependencies(state, i.a);  // it says whether the two are equal
    assign(state, i.dest, reg, result, on);
  }
  if (writes) {
    state.next = NextStep::kWrite;
    state.value = written;
    state.same_value = written == input;
    return;
  }
  go(state);
  advance(state);
}

template <size_t kWords>
void ThreadRunner<kWords>::check_section(const State& state) const {
  if (!state.in_section || !state.section_cell.valid()) return;
  if (state.next == NextStep::kWrite && !state.section_wrote && state.section_cell == state.cell) return;
  throw Unsupported(
      fmt::format("an atomic section that does more than load one location and store to it (line {})",
                  program_.line_name(code_.overlay().at(thread_, state.section_begin).pos)));
}

template <size_t kWords>
void ThreadRunner<kWords>::go(State& state, size_t slot) const {
  state.location = code_.overlay().next(thread_, state.location, slot);
  ++state.position;
}

// False: the one that has ended was idle.
template <size_t kWords>
bool ThreadRunner<kWords>::begin_iteration(State& state) const {
  const auto last = std::find_if(state.visits.begin(), state.visits.end(),
                                 [&](const auto& visit) { return visit->at == state.location; });
  // The last visit since which nothing was left behind: one iteration ago, or several, where a counter comes back to
  // an earlier value. Several that are kept might overlap with others, of which none is inside of the other one.
  const typename State::LoopVisit* since = last == state.visits.end() ? nullptr : last->get();
  while (since != nullptr && !leaves_nothing(state, *since))
    since = code_.idle().keep_one ? nullptr : since->earlier.get();
  const bool keep =
      since != nullptr && code_.idle().keep_one && (!state.kept_from || since->events <= *state.kept_from);
  if (keep) state.kept_from = since->events;
  if (since != nullptr && !keep) {
    state.next = NextStep::kBlocked;
    state.idle = true;
    state.idle_from = since->events;
    return false;
  }
  typename State::LoopVisit visit{state.location, state.events, state.fences, state.registers,
                                  state.depends_on};
  if (last == state.visits.end()) {
    state.visits.push_back(std::make_shared<const typename State::LoopVisit>(std::move(visit)));
  } else {
    if ((*last)->number < kMostVisits) {
      visit.number = (*last)->number + 1;
      visit.earlier = *last;
    }
    *last = std::make_shared<const typename State::LoopVisit>(std::move(visit));
  }
  return true;
}

// The writes in between do not count as such; but a write that is dropped together with its source does.
template <size_t kWords>
bool ThreadRunner<kWords>::leaves_nothing(const State& state, const typename State::LoopVisit& visit) const {
  const WaitLoops& loops = *code_.idle().wait_loops;
  const Point at = loops.behind_fences(thread_, visit.at);
  for (size_t r = 0; r < state.registers.size(); ++r) {
    if (!loops.counts(thread_, at, RegId(r))) continue;
    if (visit.registers[r] != state.registers[r]) return false;
    if (!code_.dependencies()) continue;
    Set kept = state.depends_on[r];
    if (!loops.is_passed_on(thread_, at, RegId(r))) kept |= state.ctrl;
    if (!visit.depends_on[r].subset_of(kept)) return false;
  }
  const bool repeated = std::any_of(state.read_by_others.begin(), state.read_by_others.end(),
                                    [&](const auto& stored) { return stored.write >= visit.events; });
  if (repeated && !state.rehearsal && !is_repeated_alike(state, visit)) return false;
  return std::none_of(state.own_sources.begin(), state.own_sources.end(),
                      [&](uint32_t source) { return source >= visit.events; });
}

// The iteration has one read-modify-write, which stores what it has read, and no other access. Would the next iteration be
// idle, too, if it read what this one stored? Then all that follow are that read what the one before has stored
// (wait_loops.h, 3).
template <size_t kWords>
bool ThreadRunner<kWords>::is_repeated_alike(const State& state,
                                             const typename State::LoopVisit& visit) const {
  const uint32_t events = state.events - visit.events;
  if (events != 2 + state.fences - visit.fences || state.events + events > Set::kCapacity) return false;
  const auto [write, value] = state.read_by_others.back();
  State next = state;
  next.rehearsal = true;
  next.visits.clear();
  next.own_sources.clear();
  next.read_by_others.clear();
  advance(next);
  for (uint32_t i = 0; i < events; ++i) {
    if (next.next == NextStep::kRead && next.of_rmw && next.cell == state.cell)
      step(next, value, {.own = true, .of_rmw = true, .index = write});
    else if (next.next == NextStep::kFence || (next.next == NextStep::kWrite && next.of_rmw))
      step(next, 0);
    else
      return false;
  }
  return next.next == NextStep::kBlocked && next.idle && next.idle_from == state.events;
}

// Iterations in which the write counts are not idle.
template <size_t kWords>
void ThreadRunner<kWords>::note_write(State& state, const Instruction& i) const {
  if (state.visits.empty()) return;
  const auto may_drop_own = [&](sat::SameValue same) {
    switch (same) {
      case sat::SameValue::kCounts:
      case sat::SameValue::kOwnSourceCounts:
        return false;
      case sat::SameValue::kOwnStoreCounts:
        return state.source.of_rmw;
      case sat::SameValue::kDoesNotCount:
        return true;
    }
    return false;
  };
  if (state.of_rmw && state.same_value) {
    const auto may_drop = [&](sat::SameValue same) {
      return same != sat::SameValue::kCounts && (!state.source.own || may_drop_own(same));
    };
    const bool by_any = may_drop(code_.idle().same_value(i, sat::Readers::kAny));
    // Iterations like this one may come one after the other, each reading what the one before has stored. They can be
    // dropped beginning with the last one.
    const sat::SameValue others =
        by_any ? sat::SameValue::kCounts : code_.idle().same_value(i, sat::Readers::kOfOtherThreads);
    const bool by_others =
        (others == sat::SameValue::kOwnStoreCounts || others == sat::SameValue::kDoesNotCount) &&
        may_drop(others);
    if (by_any || by_others) {
      if (state.source.own) state.own_sources.push_back(state.source.index);
      if (by_others) state.read_by_others.push_back({state.events - 1, state.value});
      return;
    }
  }
  std::erase_if(state.visits, [&](const auto& visit) {
    const WaitLoops& loops = *code_.idle().wait_loops;
    return !code_.idle().omit_dead_writes ||
           !loops.is_dead(thread_, loops.behind_fences(thread_, visit->at), state.cell);
  });
  if (!state.visits.empty()) return;
  state.own_sources.clear();
  state.read_by_others.clear();
}

// ---- Values

template <size_t kWords>
bool ThreadRunner<kWords>::fail(State& state, EvalStatus status) const {
  state.next = status == EvalStatus::kOverflow ? NextStep::kTooLarge : NextStep::kFailed;
  return false;
}

template <size_t kWords>
bool ThreadRunner<kWords>::value_of(State& state, ExprId expr, Value& value) const {
  const Value* registers = state.registers.data();
  const Evaluated result = evaluate(program_, expr, [registers](const Expr& leaf, Value index) {
    return registers[leaf.reg.index() + static_cast<size_t>(index)];
  });
  value = result.value;
  return result.ok() || fail(state, result.status);
}

template <size_t kWords>
bool ThreadRunner<kWords>::cell_of(State& state, const Address& address, CellId& cell) const {
  Value offset = 0;
  if (!value_of(state, address.offset, offset)) return false;
  const Object& object = program_.object(address.object);
  if (!object.admits(offset, address.bytes)) {
    state.next = NextStep::kFailed;
    return false;
  }
  cell = CellId(object.first_cell.index() + static_cast<size_t>(offset));
  return true;
}

template <size_t kWords>
bool ThreadRunner<kWords>::target(State& state, const Dest& dest, size_t& reg) const {
  reg = dest.reg.index();
  if (!dest.is_element()) return true;
  Value index = 0;
  if (!value_of(state, dest.index, index)) return false;
  if (index < 0 || index >= static_cast<Value>(dest.count)) {
    state.next = NextStep::kFailed;
    return false;
  }
  reg += static_cast<size_t>(index);
  return true;
}

template <size_t kWords>
bool ThreadRunner<kWords>::in_range(State& state, size_t reg, Value value) const {
  const std::optional<Range>& declared = program_.thread(thread_).registers[reg].declared;
  if (!declared || declared->contains(value)) return true;
  state.next = NextStep::kFailed;
  return false;
}

template <size_t kWords>
void ThreadRunner<kWords>::assign(State& state, const Dest& dest, size_t reg, Value value,
                                  Set depends_on) const {
  state.registers[reg] = value;
  if (!code_.dependencies()) return;
  if (!dest.is_element()) {
    state.depends_on[reg] = depends_on;
    return;
  }
  // A local array is taken as one.
  collect(state, dest.index, depends_on);
  for (size_t i = 0; i < dest.count; ++i) state.depends_on[dest.reg.index() + i] |= depends_on;
}

template <size_t kWords>
void ThreadRunner<kWords>::collect(const State& state, ExprId expr, Set& into) const {
  if (!code_.dependencies()) return;
  for_each_expr(program_, expr, [&](const Expr& e) {
    if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
    for (size_t i = 0; i < (e.op == ExprOp::kReg ? 1 : e.count); ++i)
      into |= state.depends_on[e.reg.index() + i];
  });
}

template <size_t kWords>
Bits<kWords> ThreadRunner<kWords>::dependencies(const State& state, ExprId expr) const {
  Set result;
  collect(state, expr, result);
  return result;
}

template class ThreadRunner<1>;
template class ThreadRunner<2>;
template class ThreadRunner<4>;
template class ThreadRunner<8>;
template class ThreadRunner<16>;

}  // namespace fenceline::executions
