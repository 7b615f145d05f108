// SPDX-License-Identifier: GPL-3.0-or-later
//
// A smashed object is nowhere in the state: a store to it only has to be in the range, a load gives anything
// that is. That is a machine with more executions than the real one, in which such stores are never blocked and
// block nothing.
//
// A load that is local reads what only its own thread writes, so it does not matter when it is done, but for
// marked entries, which hold it back. Local ones do not wait for them; that again only adds executions.
#include "check/numeric/numeric_steps.h"

#include <fmt/format.h>

#include "check/statespace/certificate_steps.h"
#include "env/errors.h"

namespace fenceline::check {

void NumericSteps::run(FormState&& state, ThreadId thread, bool first, Reached reached) const {
  std::vector<Halfway> open;
  open.push_back({std::move(state), first, false});
  while (!open.empty()) {
    values_.poll();
    Halfway now = std::move(open.back());
    open.pop_back();
    const Point at = now.state.locations[thread.index()];
    if (!now.first && !now.section && certificate_.cut_points[thread.index()][at.index()]) {
      reached(std::move(now.state));
      continue;
    }
    const Execution execution{thread, overlay_.at(thread, at), now.first, now.section, open, reached};
    execute(execution, std::move(now.state));
  }
}

void NumericSteps::execute(const Execution& now, FormState&& state) const {
  const Instruction& i = now.instruction;
  switch (i.kind) {
    case InstrKind::kLoad:
      return load(now, std::move(state));
    case InstrKind::kStore:
      return store(now, std::move(state));
    case InstrKind::kRmw:
      return rmw(now, std::move(state));
    case InstrKind::kFence:
      return fence(now, std::move(state));
    case InstrKind::kAssign:
      return evaluate(now, std::move(state), i.a, [&](FormState&& later, const LinearForm& value) {
        assign(now, std::move(later), value, [&](FormState&& done) { go(now, std::move(done)); });
      });
    case InstrKind::kHavoc:
      return havoc(now, std::move(state));
    case InstrKind::kChoose:
      for (size_t slot = 0; slot < i.next.size(); ++slot) go(now, FormState(state), slot);
      return;
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert: {
      const auto failed = [&](FormState&& s, const ProgramError& error) { fail(now, std::move(s), error); };
      return values_.truth({now.thread, failed}, std::move(state), i.a, [&](FormState&& later, bool holds) {
        if (i.kind == InstrKind::kBranch) return go(now, std::move(later), holds ? 0 : 1);
        if (holds) return go(now, std::move(later));
        if (i.kind == InstrKind::kAssume) return stuck(now, std::move(later));
        fail(now, std::move(later), failed_assertion(i));
      });
    }
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      return go(now, std::move(state));
    case InstrKind::kHalt:
      return stuck(now, std::move(state));
  }
  throw Bug("an instruction without a meaning");
}

void NumericSteps::go(const Execution& now, FormState&& state, size_t slot) const {
  Point& at = state.locations[now.thread.index()];
  at = overlay_.next(now.thread, at, slot);
  const InstrKind kind = now.instruction.kind;
  const bool section = kind == InstrKind::kAtomicBegin || (now.section && kind != InstrKind::kAtomicEnd);
  now.open.push_back({std::move(state), false, section});
}

// A section that cannot be finished is no step, and a thread that cannot leave its cut point has none.
void NumericSteps::stuck(const Execution& now, FormState&& state) const {
  if (!now.first && !now.section) now.reached(std::move(state));
}

// A limitation of Fenceline is no error of the program, but nothing is proved about executions that lead there.
void NumericSteps::fail(const Execution& now, FormState&& state, const ProgramError& error) const {
  if (!state.facts->feasible()) return;
  if (looks_at_errors(task_.property.kind) || error.our_limit)
    throw NotProved{
        fmt::format("the step of {} can fail: {}", task_.program.thread(now.thread).name, to_string(error))};
  stuck(now, std::move(state));
}

void NumericSteps::evaluate(const Execution& now, FormState&& state, ExprId expr, Then then) const {
  const auto failed = [&](FormState&& s, const ProgramError& error) { fail(now, std::move(s), error); };
  values_.value({now.thread, failed}, std::move(state), expr, then);
}

// ---- Memory accesses
// ---------------------------------------------------------------------------------------

void NumericSteps::load(const Execution& now, FormState&& state) const {
  const bool local = !now.first && !now.section;
  if (!local && state.buffers[now.thread.index()].marked()) return stuck(now, std::move(state));
  cell_at(now, std::move(state), [&](FormState&& later, const std::optional<CellId>& cell) {
    LinearForm value;
    if (cell) {
      const LinearForm* own = later.buffers[now.thread.index()].newest(*cell);
      value = own ? *own : *later.memory[cell->index()];
    } else {
      value = later.fresh(*smashed(now));
    }
    assign(now, std::move(later), value, [&](FormState&& done) { go(now, std::move(done)); });
  });
}

void NumericSteps::store(const Execution& now, FormState&& state) const {
  const size_t t = now.thread.index();
  if (now.section && !drained_for_write(state.buffers[t])) return stuck(now, std::move(state));
  cell_at(now, std::move(state), [&](FormState&& found, const std::optional<CellId>& cell) {
    if (now.section && !drained_for_write(found.buffers[t], cell)) return stuck(now, std::move(found));
    evaluate(now, std::move(found), now.instruction.a, [&](FormState&& later, const LinearForm& value) {
      need_in_range(now, std::move(later), value, [&](FormState&& done) {
        if (cell && (now.section || buffering() == Buffering::kUnbuffered))
          done.memory[cell->index()] = value;
        else if (cell)
          done.buffers[t].store(*cell, value, buffering() == Buffering::kPerThread);
        go(now, std::move(done));
      });
    });
  });
}

void NumericSteps::rmw(const Execution& now, FormState&& state) const {
  const FormBuffer& buffer = state.buffers[now.thread.index()];
  if (buffer.marked() || !drained_for_write(buffer)) return stuck(now, std::move(state));
  cell_at(now, std::move(state), [&](FormState&& found, const std::optional<CellId>& cell) {
    if (!drained_for_write(found.buffers[now.thread.index()], cell)) return stuck(now, std::move(found));
    rmw_on(now, std::move(found), cell);
  });
}

void NumericSteps::rmw_on(const Execution& now, FormState&& state, const std::optional<CellId>& cell) const {
  const Instruction& i = now.instruction;
  const LinearForm old = cell ? *state.memory[cell->index()] : state.fresh(*smashed(now));
  const auto finish = [&](FormState&& later, const LinearForm& result, const LinearForm* written) {
    const auto give_result = [&](FormState&& checked) {
      const auto write = [&](FormState&& done) {
        if (written && cell) done.memory[cell->index()] = *written;
        go(now, std::move(done));
      };
      if (!i.dest.valid()) return write(std::move(checked));
      assign(now, std::move(checked), result, write);
    };
    if (!written) return give_result(std::move(later));
    need_in_range(now, std::move(later), *written, give_result);
  };
  evaluate(now, std::move(state), i.a, [&](FormState&& later, const LinearForm& a) {
    if (i.rmw == RmwOp::kXchg) return finish(std::move(later), old, &a);
    if (!is_cas(i.rmw)) {
      const auto failed = [&](FormState&& s, const ProgramError& error) { fail(now, std::move(s), error); };
      const auto write = [&](FormState&& made, const LinearForm& written) {
        finish(std::move(made), old, &written);
      };
      const auto wrap = [&](FormState&& made, const LinearForm& sum) {
        if (i.wrap == 0) return write(std::move(made), sum);
        values_.apply({now.thread, failed}, std::move(made), ExprOp::kWrap, i.wrap, sum, sum, write);
      };
      return values_.apply({now.thread, failed}, std::move(later), operator_of(i.rmw), 0, old, a, wrap);
    }
    // The replacement is evaluated even if it is not needed: that may fail.
    evaluate(now, std::move(later), i.b, [&](FormState&& both, const LinearForm& replacement) {
      values_.sign(std::move(both), difference_of(old, a), [&](FormState&& known, int s) {
        const LinearForm result = i.rmw == RmwOp::kCas ? LinearForm::of(s == 0 ? 1 : 0) : old;
        finish(std::move(known), result, s == 0 ? &replacement : nullptr);
      });
    });
  });
}

void NumericSteps::fence(const Execution& now, FormState&& state) const {
  const FenceKinds kinds = now.instruction.fence;
  FormBuffer& buffer = state.buffers[now.thread.index()];
  const bool drains =
      buffering() == Buffering::kPerThread
          ? kinds.has_store_load()
          : buffering() == Buffering::kPerCell && kinds.has_store_load() && kinds.has_store_store();
  if (drains && !buffer.empty()) return stuck(now, std::move(state));
  if (drains && kinds.has_process_wide())
    for (const FormBuffer& other : state.buffers)
      if (!other.empty()) return stuck(now, std::move(state));
  if (buffering() == Buffering::kPerCell && !drains) {
    if (kinds.has_store_store()) ++buffer.epoch;
    if (kinds.has_store_load())
      for (FormEntry& entry : buffer.entries) entry.marked = true;
  }
  go(now, std::move(state));
}

// Precondition: as docs/semantics.md has it, for a write that does not go through the buffer.
bool NumericSteps::drained_for_write(const FormBuffer& buffer) const {
  return buffering() == Buffering::kPerThread ? buffer.empty() : !buffer.before_barrier();
}

bool NumericSteps::drained_for_write(const FormBuffer& buffer, const std::optional<CellId>& cell) const {
  return drained_for_write(buffer) && (!cell || !buffer.holds(*cell));
}

void NumericSteps::havoc(const Execution& now, FormState&& state) const {
  const Range& range = now.instruction.havoc_range;
  if (range.is_empty()) throw NotProved{"a choice from no values"};
  const LinearForm value = range.lo == range.hi ? LinearForm::of(range.lo) : state.fresh(range);
  assign(now, std::move(state), value, [&](FormState&& done) { go(now, std::move(done)); });
}

// ---- Locations
// --------------------------------------------------------------------------------------

void NumericSteps::cell_at(const Execution& now, FormState&& state, ThenCell then) const {
  const Address& address = now.instruction.address;
  const Object& object = task_.program.object(address.object);
  const auto failed = [&](FormState&& s, const ProgramError& error) { fail(now, std::move(s), error); };
  evaluate(now, std::move(state), address.offset, [&](FormState&& later, const LinearForm& offset) {
    if (smashed(now) && object.cell_bytes.empty())
      return values_.inside(std::move(later), offset, {0, static_cast<Value>(object.size()) - 1},
                            [&](FormState&& found, bool good) {
                              if (!good)
                                return fail(now, std::move(found), {.kind = ProgramError::Kind::kIndex});
                              then(std::move(found), std::nullopt);
                            });
    values_.element({now.thread, failed}, std::move(later), offset, object.size(),
                    [&](FormState&& found, size_t i) {
                      if (!object.admits(static_cast<Value>(i), address.bytes)) {
                        const bool another_size = object.admits(static_cast<Value>(i), 0);
                        return fail(now, std::move(found),
                                    another_size ? ProgramError{.kind = ProgramError::Kind::kInsideValue,
                                                                .bytes = address.bytes,
                                                                .our_limit = true}
                                                 : ProgramError{.kind = ProgramError::Kind::kNoObject});
                      }
                      if (smashed(now)) return then(std::move(found), std::nullopt);
                      then(std::move(found), CellId(object.first_cell.index() + i));
                    });
  });
}

void NumericSteps::assign(const Execution& now, FormState&& state, const LinearForm& value,
                          ThenState then) const {
  const Dest& dest = now.instruction.dest;
  const auto& registers = task_.program.thread(now.thread).registers;
  const auto set = [&](FormState&& later, size_t reg) {
    const auto write = [&](FormState&& done) {
      done.registers[now.thread.index()][reg] = value;
      then(std::move(done));
    };
    if (!registers[reg].declared) return write(std::move(later));
    values_.inside(std::move(later), value, *registers[reg].declared, [&](FormState&& done, bool good) {
      if (good) return write(std::move(done));
      fail(now, std::move(done), {.kind = ProgramError::Kind::kRange, .name = registers[reg].name});
    });
  };
  if (!dest.is_element()) return set(std::move(state), dest.reg.index());
  const auto failed = [&](FormState&& s, const ProgramError& error) { fail(now, std::move(s), error); };
  evaluate(now, std::move(state), dest.index, [&](FormState&& later, const LinearForm& index) {
    values_.element({now.thread, failed}, std::move(later), index, dest.count,
                    [&](FormState&& found, size_t i) { set(std::move(found), dest.reg.index() + i); });
  });
}

// The range that was declared, and that of a smashed object.
void NumericSteps::need_in_range(const Execution& now, FormState&& state, const LinearForm& value,
                                 ThenState then) const {
  const Object& object = task_.program.object(now.instruction.address.object);
  values_.inside(
      std::move(state), value, object.declared.value_or(Range::all()), [&](FormState&& later, bool good) {
        if (!good)
          return fail(now, std::move(later), {.kind = ProgramError::Kind::kRange, .name = object.name});
        if (!smashed(now)) return then(std::move(later));
        values_.inside(std::move(later), value, *smashed(now), [&](FormState&& done, bool known) {
          if (!known && !done.facts->feasible()) return;
          if (!known)
            throw NotProved{fmt::format(
                "a value stored in {} may be outside the range that is claimed for it", object.name)};
          then(std::move(done));
        });
      });
}

}  // namespace fenceline::check
