// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions on sets of values: exactly what they can be while the sets are small (every operation is
// applied to every pair), by intervals and by residues beyond that. Relations between operands are ignored, so the
// result may be too large, never too small.
#pragma once

#include <functional>
#include <vector>

#include "base/value_set.h"
#include "ir/program.h"

namespace fenceline {

// As apply_range(). A result that may leave 64 bits makes the set unbounded.
ValueSet apply_values(ExprOp op, const ValueSet& a, const ValueSet& b);

// The same for fetch() of ir/eval.h. Precondition: is_fetch(op).
ValueSet fetch_values(RmwOp op, const ValueSet& old, const ValueSet& a, int wrap);

// {0}, {1}, or both; empty for the empty set.
ValueSet truth_of(const ValueSet& a);

// What the registers of the executing thread can be.
using RegisterValues = std::function<const ValueSet&(RegId)>;

// All values of an expression of a thread (not of a property); empty if it can only fail.
ValueSet values_of(const Program& program, ExprId id, const RegisterValues& registers);

// What is known about the outcome of an expression: could it be one of these values?
using Outcome = std::function<bool(const ValueSet&)>;
bool may_hold(const ValueSet& condition);  // one of them is not 0
bool may_not_hold(const ValueSet& condition);

// What a register can be, now that the expression has been evaluated with such an outcome: those of its
// values with which this is possible. For one register at a time; relations between registers are not
// tracked. Precondition: the register's set is small.
ValueSet narrowed(const Program& program, ExprId id, const Outcome& outcome, RegId reg,
                  const RegisterValues& registers);

// The registers that the expression names one by one (not as elements of arrays), each once, and how many
// operations and leaves it has.
struct NamedRegisters {
  std::vector<RegId> registers;
  size_t size = 0;
};
NamedRegisters registers_of(const Program& program, ExprId id);

// Those of the registers that the expression names which are known better, now that it had such an outcome.
// Calls f(RegId, ValueSet) for each; the set may be empty: then this never happens.
void narrow_registers(const Program& program, ExprId id, const Outcome& outcome,
                      const RegisterValues& registers, const std::function<void(RegId, ValueSet)>& f);

}  // namespace fenceline
