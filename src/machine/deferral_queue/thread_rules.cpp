// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/thread_rules.h"

#include <algorithm>

#include "base/graph.h"
#include "env/errors.h"
#include "machine/deferral_queue/stamps.h"

namespace fenceline::machine::queue {
namespace {

// Is an access of kind `access` one that a fence calls a load or a store? An rmw is both.
bool counts_as(EntryKind access, AccessKind kind) {
  return access == EntryKind::kRmw || access_kind(access) == kind;
}

bool is_pending(const std::vector<Captured>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Captured& input) { return input.operand.pending; });
}

}  // namespace

ThreadRules::ThreadRules(const Overlay& overlay, ThreadId thread, const ReorderTable& table,
                         const Liveness& liveness, Value far, const RuleOptions& options)
    : overlay_(overlay), thread_(thread), table_(table), liveness_(liveness), far_(far), options_(options) {
  for (const AccessKind first : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kRmw})
    for (const AccessKind second : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kRmw})
      for (const bool same : {false, true})
        if (table.at(first, second, same) != Reorder::kKeep) overtakable_[static_cast<size_t>(first)] = true;

  std::vector<std::vector<uint32_t>> next(overlay.points(thread));
  loop_head_.resize(next.size());
  for (size_t p = 0; p < next.size(); ++p) {
    const Instruction& instruction = at(static_cast<uint32_t>(p));
    for (size_t slot = 0; slot < instruction.next.size(); ++slot)
      next[p].push_back(overlay.next(thread, Point(p), slot).value());
    // An inserted fence reads nothing: what is live before it is what is live behind it.
    for (const uint32_t to : next[p])
      if (to <= p) loop_head_[to] = true;
    live_at_.push_back(overlay.inserted(thread, Point(p)) ? instruction.next[0] : Point(p));
  }
  for (const std::vector<uint32_t>& cycle : cyclic_components(next))
    for (const uint32_t point : cycle) endless_ = endless_ || at(point).is_memory_access();

  if (far_ == 0) return;
  const Program& program = overlay.program();
  added_by_.resize(program.exprs.size());
  for (size_t p = 0; p < next.size(); ++p)
    for (const ExprId expr : {at(static_cast<uint32_t>(p)).a, at(static_cast<uint32_t>(p)).b})
      if (expr.valid()) added_by_[expr.index()] = added_to_stamps(program, program.thread(thread), expr);
}

// cas(x, r, r + 1), and not cas(x, r, s).
bool ThreadRules::increments_stamp(const Entry& entry) const {
  const Program& program = overlay_.program();
  const Instruction& instruction = at(entry.point);
  if (entry.kind != EntryKind::kRmw || !is_cas(instruction.rmw)) return false;
  if (!program.object(instruction.address.object).stamp) return false;
  const Expr &expected = program.expr(instruction.a), &desired = program.expr(instruction.b);
  if (expected.op != ExprOp::kReg || desired.op != ExprOp::kAdd) return false;
  const Expr& base = program.expr(desired.a);
  return base.op == ExprOp::kReg && base.reg == expected.reg && program.expr(desired.b).op == ExprOp::kConst;
}

bool ThreadRules::holds_stamp(const Entry& entry) const {
  if (!is_access(entry.kind) || entry.kind == EntryKind::kLoad) return false;
  const Instruction& instruction = at(entry.point);
  const bool counts = entry.kind == EntryKind::kRmw && is_fetch(instruction.rmw);
  return !counts && overlay_.program().object(instruction.address.object).stamp;
}

bool ThreadRules::holds_second_stamp(const Entry& entry) const {
  return entry.kind == EntryKind::kRmw && is_cas(at(entry.point).rmw) && holds_stamp(entry) &&
         !increments_stamp(entry);
}

// ------------------------------------------------------------------------------------------- operands

void ThreadRules::capture(const LocalState& state, ExprId expr, std::vector<Captured>& inputs) const {
  const Expr& e = overlay_.program().expr(expr);
  const auto add = [&](uint32_t reg) {
    const bool there =
        std::any_of(inputs.begin(), inputs.end(), [&](const Captured& input) { return input.reg == reg; });
    if (!there) inputs.push_back({reg, state.registers[reg]});
  };
  if (e.op == ExprOp::kReg) add(e.reg.value());
  if (e.a.valid()) capture(state, e.a, inputs);
  if (e.b.valid()) capture(state, e.b, inputs);
  if (e.c.valid()) capture(state, e.c, inputs);
  if (e.op != ExprOp::kRegAt) return;
  const std::optional<Evaluated> index = value_now(state, e.a);
  if (index && index->ok() && index->value >= 0 && index->value < static_cast<Value>(e.count))
    return add(e.reg.value() + static_cast<uint32_t>(index->value));
  for (uint32_t i = 0; i < e.count; ++i) add(e.reg.value() + i);
}

std::vector<Captured> ThreadRules::capture(const LocalState& state, ExprId expr) const {
  std::vector<Captured> inputs;
  if (expr.valid()) capture(state, expr, inputs);
  return inputs;
}

Value ThreadRules::added(const std::vector<Captured>& inputs, ExprId expr) const {
  Value most = 0;
  for (const Captured& input : inputs)
    if (is_stamp(input.reg)) most = std::max(most, input.operand.added.by);
  return most + added_by_[expr.index()];
}

Evaluated ThreadRules::value(const std::vector<Captured>& inputs, ExprId expr) const {
  if (!expr.valid()) return {0};
  if (far_ > 0 && added(inputs, expr) >= far_) return {0, EvalStatus::kOverflow};
  return evaluate(overlay_.program(), expr, [&](const Expr& leaf, Value index) {
    const auto reg = leaf.reg.value() + static_cast<uint32_t>(index);
    for (const Captured& input : inputs)
      if (input.reg == reg) return input.operand.value;
    throw Bug("an operand was not captured");
  });
}

std::optional<Evaluated> ThreadRules::value_now(const LocalState& state, ExprId expr) const {
  const std::vector<Captured> inputs = capture(state, expr);
  if (is_pending(inputs)) return std::nullopt;
  return value(inputs, expr);
}

bool ThreadRules::in_range_of_dest(uint32_t point, Value value) const {
  const Dest& dest = at(point).dest;
  if (!dest.valid()) return true;
  const std::optional<Range>& declared =
      overlay_.program().thread(thread_).registers[dest.reg.index()].declared;
  return !declared || declared->contains(value);
}

// ------------------------------------------------------------------------- values that come in, entries that
// go

void ThreadRules::remove(LocalState& state, uint32_t entry) {
  state.entries.erase(state.entries.begin() + entry);
  const auto renumber = [&](Operand& operand) {
    if (!operand.pending || operand.entry < entry) return;
    require(operand.entry > entry, "something waits for an entry that is gone");
    --operand.entry;
  };
  for (Operand& operand : state.registers) renumber(operand);
  for (Entry& other : state.entries)
    for (Captured& input : other.inputs) renumber(input.operand);
}

// The entry has got its value.
ThreadRules::Settled ThreadRules::resolve(LocalState& state, uint32_t entry, Value value, Added added) const {
  const auto fill = [&](Operand& operand) {
    if (operand.pending && operand.entry == entry) operand = {false, value, 0, added};
  };
  for (Operand& operand : state.registers) fill(operand);
  for (Entry& other : state.entries)
    for (Captured& input : other.inputs) fill(input.operand);
  remove(state, entry);
  return settle(state);
}

ThreadRules::Settled ThreadRules::settle_one(LocalState& state, uint32_t index, bool& changed) const {
  Entry& entry = state.entries[index];
  if (entry.kind == EntryKind::kFence) {
    const bool over = std::none_of(
        state.entries.begin(), state.entries.begin() + index,
        [&](const Entry& before) { return is_access(before.kind) && counts_as(before.kind, entry.earlier); });
    if (over) remove(state, index);
    changed = over;
    return Settled::kFine;
  }
  if (entry.kind == EntryKind::kLoad || is_pending(entry.inputs)) return Settled::kFine;
  Added added;
  if (!entry.known) {
    const Instruction& instruction = at(entry.point);
    if (far_ > 0 && instruction.a.valid()) added.by = this->added(entry.inputs, instruction.a);
    const Evaluated a = value(entry.inputs, instruction.a);
    const Evaluated b =
        instruction.kind == InstrKind::kRmw ? value(entry.inputs, instruction.b) : Evaluated{0};
    if (a.status == EvalStatus::kOverflow || b.status == EvalStatus::kOverflow) return Settled::kOverflow;
    bool fails = !a.ok() || !b.ok();
    if (entry.kind == EntryKind::kStore) {
      const std::optional<Range>& declared = overlay_.program().object(instruction.address.object).declared;
      fails = fails || (declared && !declared->contains(a.value));
    }
    if (entry.kind == EntryKind::kCompute) fails = fails || !in_range_of_dest(entry.cell, a.value);
    if (fails) entry.kind = EntryKind::kAssert;  // fails if the thread really gets so far
    entry.a = fails ? 0 : a.value;
    entry.b = fails ? 0 : b.value;
    if (!fails && increments_stamp(entry)) entry.b -= entry.a;
    entry.known = true;
    entry.inputs.clear();
    changed = true;
  }
  switch (state.entries[index].kind) {
    case EntryKind::kCompute:
      changed = true;
      return resolve(state, index, state.entries[index].a, added);
    case EntryKind::kGuess:
      if ((state.entries[index].a != 0) != state.entries[index].expected) return Settled::kWrongGuess;
      remove(state, index);
      changed = true;
      return Settled::kFine;
    case EntryKind::kAssert:
      if (has_guess_before(state, index) || state.entries[index].a == 0) return Settled::kFine;
      remove(state, index);
      changed = true;
      return Settled::kFine;
    default:
      return Settled::kFine;
  }
}

ThreadRules::Settled ThreadRules::settle(LocalState& state) const {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < state.entries.size() && !again; ++i) {
      bool changed = false;
      const Settled settled = settle_one(state, i, changed);
      if (settled != Settled::kFine) return settled;
      again = changed;
    }
  }
  return Settled::kFine;
}

void ThreadRules::drop_dead_values(LocalState& state) const {
  if (options_.liveness)
    for (uint32_t r = 0; r < state.registers.size(); ++r)
      if (!liveness_.live(thread_, live_at_[state.location], RegId(r))) state.registers[r] = {};
  // From the newest: an entry whose result is not wanted any more may be the only one that wants an older one.
  for (auto index = static_cast<uint32_t>(state.entries.size()); index-- > 0;)
    if (state.entries[index].kind == EntryKind::kCompute && !wanted(state, index) &&
        !may_fail(state.entries[index]))
      remove(state, index);
}

// May the result be an error, so that it matters even if it is not wanted?
bool ThreadRules::may_fail(const Entry& entry) const {
  const uint32_t receiver = entry.kind == EntryKind::kCompute ? entry.cell : entry.point;
  const Dest& dest = at(receiver).dest;
  if (dest.valid() && overlay_.program().thread(thread_).registers[dest.reg.index()].declared) return true;
  return entry.kind == EntryKind::kCompute && partial(at(entry.point).a);
}

// Does the expression have no value for some operands?
bool ThreadRules::partial(ExprId id) const {
  const Expr& e = overlay_.program().expr(id);
  if (e.op == ExprOp::kDiv || e.op == ExprOp::kMod || e.op == ExprOp::kShl || e.op == ExprOp::kShr ||
      e.op == ExprOp::kRegAt)
    return true;
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid() && partial(operand)) return true;
  return false;
}

// Does anything wait for the result of the entry?
bool ThreadRules::wanted(const LocalState& state, uint32_t index) {
  const auto awaits = [&](const Operand& operand) { return operand.pending && operand.entry == index; };
  if (std::any_of(state.registers.begin(), state.registers.end(), awaits)) return true;
  return std::any_of(state.entries.begin(), state.entries.end(), [&](const Entry& entry) {
    return std::any_of(entry.inputs.begin(), entry.inputs.end(),
                       [&](const Captured& input) { return awaits(input.operand); });
  });
}

// A load that may take effect now, whose result is not wanted, and which no history has: it makes no
// difference when it does, so it may as well do so now.
std::optional<uint32_t> ThreadRules::useless_load(const LocalState& state) const {
  if (options_.one_by_one) return std::nullopt;
  for (uint32_t i = 0; i < state.entries.size(); ++i) {
    const Entry& entry = state.entries[i];
    std::optional<uint32_t> forwarded_from;
    if (entry.kind == EntryKind::kLoad && !history_of(entry) && !wanted(state, i) && !may_fail(entry) &&
        !held_back(state, i, forwarded_from))
      return i;
  }
  return std::nullopt;
}

// ------------------------------------------------------------------------------------ what may happen next

// May the access not take effect yet? If it is a load that a pending store answers, `forwarded_from` says
// which.
bool ThreadRules::held_back(const LocalState& state, uint32_t index,
                            std::optional<uint32_t>& forwarded_from) const {
  const Entry& entry = state.entries[index];
  if (entry.kind != EntryKind::kLoad && !entry.known) return true;
  const bool writes = entry.kind != EntryKind::kLoad;
  for (uint32_t i = 0; i < index; ++i) {
    const Entry& before = state.entries[i];
    switch (before.kind) {
      case EntryKind::kCompute:
        break;
      case EntryKind::kGuess:
        if (writes) return true;
        break;
      case EntryKind::kAssert:
        if (before.known && before.a == 0) return true;
        break;
      case EntryKind::kFence:
        if (counts_as(entry.kind, before.later)) return true;
        break;
      default: {
        const bool same = before.cell == entry.cell;
        const Reorder reorder = table_.at(access_kind(before.kind), access_kind(entry.kind), same);
        if (reorder == Reorder::kKeep) return true;
        if (reorder == Reorder::kForward) forwarded_from = i;
      }
    }
  }
  return false;
}

bool ThreadRules::has_access(const LocalState& state, AccessKind kind) const {
  return std::any_of(state.entries.begin(), state.entries.end(), [&](const Entry& entry) {
    return is_access(entry.kind) && counts_as(entry.kind, kind);
  });
}

bool ThreadRules::has_guess_before(const LocalState& state, size_t index) {
  return std::any_of(
      state.entries.begin(), state.entries.begin() + static_cast<ptrdiff_t>(index),
      [](const Entry& entry) { return entry.kind == EntryKind::kGuess || entry.kind == EntryKind::kAssert; });
}

// Nothing that the thread could issue would overtake what is pending.
bool ThreadRules::need_not_go_on(const LocalState& state) const {
  if (failed(state)) return true;
  if (options_.run_ahead) return false;
  return std::any_of(state.entries.begin(), state.entries.end(), [&](const Entry& entry) {
    return is_access(entry.kind) && !overtakable_[static_cast<size_t>(entry.kind)];
  });
}

std::optional<HistoryOp> ThreadRules::history_of(const Entry& entry) const {
  const Instruction& instruction = at(entry.point);
  if (!overlay_.program().object(instruction.address.object).transactional) return std::nullopt;
  if (instruction.history) return instruction.history;
  return entry.kind == EntryKind::kLoad ? HistoryOp::kLoad : HistoryOp::kStore;
}

// The step of a transaction at the location of the thread, if it is possible.
std::optional<Choice> ThreadRules::history_step(const LocalState& state) const {
  const Instruction& here = at(state.location);
  if (here.kind != InstrKind::kMark || !here.history) return std::nullopt;
  if (need_not_go_on(state)) return std::nullopt;
  if (has_guess(state)) return std::nullopt;
  // A read is over when its loads are done; a transaction when its stores are, and all that its history has.
  const bool read = *here.history == HistoryOp::kRfin;
  if (has_access(state, read ? AccessKind::kLoad : AccessKind::kStore)) return std::nullopt;
  for (const Entry& entry : state.entries)
    if (!read && is_access(entry.kind) && history_of(entry)) return std::nullopt;
  Choice choice;
  choice.kind = Choice::kHistory;
  choice.history = here.history;
  return choice;
}

std::vector<Choice> ThreadRules::choices(const LocalState& state) const {
  // Accesses take effect only if the thread has to wait for some of them.
  if (options_.one_by_one && can_move(state)) {
    Choice choice;
    choice.kind = Choice::kInstruction;
    return {choice};
  }
  if (const std::optional<Choice> step = history_step(state)) return {*step};
  std::vector<Choice> choices;
  for (uint32_t i = 0; i < state.entries.size(); ++i) {
    const Entry& entry = state.entries[i];
    if (!is_access(entry.kind)) continue;
    std::optional<uint32_t> forwarded_from;
    if (held_back(state, i, forwarded_from)) continue;
    choices.push_back({Choice::kAccess, i, entry.kind, entry.cell, forwarded_from.has_value(),
                       forwarded_from.value_or(0), history_of(entry)});
  }
  return choices;
}

MemoryEffect ThreadRules::effect(const LocalState& state, const Choice& choice, Value memory) const {
  const Entry& entry = state.entries[choice.entry];
  constexpr EvalStatus kError = EvalStatus::kIndexOutOfBounds;  // any error will do
  if (entry.kind == EntryKind::kLoad)
    return {std::nullopt, memory, in_range_of_dest(entry.point, memory) ? EvalStatus::kOk : kError};
  if (entry.kind == EntryKind::kStore) return {entry.a};
  const Instruction& instruction = at(entry.point);
  MemoryEffect effect{std::nullopt, memory};
  if (is_cas(instruction.rmw)) {
    const bool equal = memory == entry.a;
    if (equal) effect.written = increments_stamp(entry) ? entry.a + entry.b : entry.b;
    if (instruction.rmw == RmwOp::kCas) effect.result = equal ? 1 : 0;
  } else if (instruction.rmw == RmwOp::kXchg) {
    effect.written = entry.a;
  } else {
    const Evaluated sum = fetch(instruction.rmw, memory, entry.a, instruction.wrap);
    effect.status = sum.status;
    effect.written = sum.value;
  }
  const std::optional<Range>& declared = overlay_.program().object(instruction.address.object).declared;
  if (effect.status == EvalStatus::kOk && effect.written && declared && !declared->contains(*effect.written))
    effect.status = kError;
  if (effect.status == EvalStatus::kOk && !in_range_of_dest(entry.point, effect.result))
    effect.status = kError;
  if (effect.status != EvalStatus::kOk) effect.written.reset();  // what fails does not take effect
  return effect;
}

bool ThreadRules::failed(const LocalState& state) {
  for (const Entry& entry : state.entries) {
    if (entry.kind == EntryKind::kGuess) return false;
    if (entry.kind == EntryKind::kAssert) return entry.known && entry.a == 0;
  }
  return false;
}

bool ThreadRules::ended(const LocalState& state) const {
  return at(state.location).kind == InstrKind::kHalt && state.entries.empty();
}

}  // namespace fenceline::machine::queue
