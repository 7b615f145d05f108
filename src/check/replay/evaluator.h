// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reference evaluator: the meaning of expressions, independently of ir/eval.h. The engines use that; the
// interpreter must not, or an error there would confirm itself. Here every operation is computed in 128 bits,
// and then tested whether it fits into 64. Errors are exceptions, so that the interpreter reads like the rules;
// they are caught in check/replay/replay.
#pragma once

#include <functional>
#include <string>

#include "ir/program.h"
#include "task/effect.h"

namespace fenceline::check {

// What an assertion whose condition is 0 throws.
ProgramError failed_assertion(const Instruction& assertion);
ProgramError outside_range(std::string name, Value value, const Range& declared);

// A value does not fit into 64 bits: not an error of the program, but nothing more is known about this execution.
struct ValueTooLarge {};

// Supplies the leaves other than constants; `index` is the checked operand of kRegAt, kThreadRegAt and kCell.
using LeafValue = std::function<Value(const Expr& leaf, size_t index)>;

// Throws ProgramError or ValueTooLarge. && || and ?: look only at what they need. `self` is the thread whose
// registers kReg and kRegAt mean; properties have none.
Value evaluate_checked(const Program& program, ExprId id, const LeafValue& leaf, ThreadId self = ThreadId());

// What the formula of a property looks at.
struct FormulaState {
  std::function<Value(CellId)> cell;
  std::function<Value(ThreadId, RegId)> reg;
  std::function<Point(ThreadId)> location;
};

// The formula of a property, which has no registers of its own. Throws ProgramError or ValueTooLarge.
Value evaluate_formula(const Program& program, ExprId formula, const FormulaState& state);

// The value that one of the kFetch... leaves behind. Throws ValueTooLarge.
Value fetched(const Instruction& rmw, Value old, Value operand);

// An index into an array of `size` elements called `array`; throws ProgramError.
size_t checked_index(Value index, size_t size, const std::string& array);

// The offset of an access of so many bytes; throws ProgramError if the object has no such cell there.
size_t checked_offset(Value offset, const Object& object, uint8_t bytes);

// The name of the local array whose first element is `reg`, a register called "name[0]".
std::string local_array_name(const Program& program, ThreadId thread, RegId reg);

}  // namespace fenceline::check
