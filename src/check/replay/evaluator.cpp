// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/replay/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/counted.h"
#include "check/replay/replay.h"
#include "env/errors.h"
#include "ir/cell_bytes.h"

namespace fenceline::check {
namespace {

__extension__ using Wide = __int128;

Value narrow(Wide value) {
  if (value < std::numeric_limits<Value>::min() || value > std::numeric_limits<Value>::max())
    throw ValueTooLarge{};
  return static_cast<Value>(value);
}

Wide divisor(Value b) {
  if (b == 0) throw ProgramError{.kind = ProgramError::Kind::kDivisionByZero};
  return b;
}

Wide shift_amount(Value b) {
  if (b < 0) throw ProgramError{.kind = ProgramError::Kind::kShift, .value = b};
  return b;
}

Value shift_left(Value a, Value b) {
  if (shift_amount(b) > 64 && a != 0) throw ValueTooLarge{};
  Wide result = a;
  for (Wide i = 0; i < b && a != 0; ++i) result *= 2;  // at most 2^63 * 2^64
  return narrow(result);
}

Value shift_right(Value a, Value b) { return shift_amount(b) > 63 ? (a < 0 ? -1 : 0) : a >> b; }

// Adds or subtracts the type's size until the value fits: with the remainder, since it may be far.
Value wrap(Wide a, Value bits) {
  const Wide size = Wide{1} << (bits < 0 ? -bits : bits);
  Wide rest = a % size;
  if (rest < 0) rest += size;
  return narrow(bits > 0 && rest >= size / 2 ? rest - size : rest);
}

// The number that an unsigned 64-bit type makes of it.
Wide as_unsigned(Value a) { return a < 0 ? Wide{a} + (Wide{1} << 64) : Wide{a}; }

Value unary(ExprOp op, Value a) {
  if (op == ExprOp::kNeg) return narrow(-Wide{a});
  if (op == ExprOp::kNot) return a == 0;
  require(op == ExprOp::kBitNot, "an operator without a meaning");
  return ~a;
}

Value combine(ExprOp op, Value a, Value b) {
  const Wide x = a, y = b;
  switch (op) {
    case ExprOp::kAdd:
      return narrow(x + y);
    case ExprOp::kSub:
      return narrow(x - y);
    case ExprOp::kMul:
      return narrow(x * y);
    case ExprOp::kDiv:
      return narrow(x / divisor(b));
    case ExprOp::kMod:
      return narrow(x % divisor(b));
    case ExprOp::kEq:
      return a == b;
    case ExprOp::kNe:
      return a != b;
    case ExprOp::kLt:
      return a < b;
    case ExprOp::kLe:
      return a <= b;
    case ExprOp::kGt:
      return a > b;
    case ExprOp::kGe:
      return a >= b;
    case ExprOp::kUlt:
      return as_unsigned(a) < as_unsigned(b);
    case ExprOp::kUle:
      return as_unsigned(a) <= as_unsigned(b);
    case ExprOp::kBitAnd:
      return a & b;
    case ExprOp::kBitOr:
      return a | b;
    case ExprOp::kBitXor:
      return a ^ b;
    case ExprOp::kShl:
      return shift_left(a, b);
    case ExprOp::kShr:
      return shift_right(a, b);
    case ExprOp::kAdd64:
      return wrap(x + y, 64);
    case ExprOp::kSub64:
      return wrap(x - y, 64);
    case ExprOp::kMul64:
      return wrap(x * y, 64);
    case ExprOp::kShl64: {
      Wide shifted = x;
      for (Wide i = std::min<Wide>(shift_amount(b), 64); i > 0; --i) shifted = wrap(2 * shifted, 64);
      return narrow(shifted);
    }
    case ExprOp::kConst:
    case ExprOp::kReg:
    case ExprOp::kRegAt:
    case ExprOp::kNeg:
    case ExprOp::kNot:
    case ExprOp::kBitNot:
    case ExprOp::kWrap:
    case ExprOp::kAnd:
    case ExprOp::kOr:
    case ExprOp::kSelect:
    case ExprOp::kCell:
    case ExprOp::kThreadReg:
    case ExprOp::kThreadRegAt:
    case ExprOp::kAt:
      break;
  }
  throw Bug("an operator without a meaning");
}

}  // namespace

ProgramError failed_assertion(const Instruction& assertion) {
  return {.kind = ProgramError::Kind::kAssertion,
          .name = assertion.label,
          .our_limit = assertion.our_limit,
          .assertion = assertion.assertion};
}

ProgramError outside_range(std::string name, Value value, const Range& declared) {
  return {.kind = ProgramError::Kind::kRange, .name = std::move(name), .value = value, .range = declared};
}

size_t checked_index(Value index, size_t size, const std::string& array) {
  if (index < 0 || static_cast<uint64_t>(index) >= size)
    throw ProgramError{.kind = ProgramError::Kind::kIndex,
                       .name = array,
                       .value = index,
                       .range = Range{0, static_cast<Value>(size) - 1}};
  return static_cast<size_t>(index);
}

std::string local_array_name(const Program& program, ThreadId thread, RegId reg) {
  const std::string& first = program.thread(thread).registers[reg.index()].name;
  return first.substr(0, first.find('['));
}

size_t checked_offset(Value offset, const Object& object, uint8_t bytes) {
  if (object.cell_bytes.empty()) return checked_index(offset, object.size(), object.name);
  // Offsets are addresses: what lies before the first object is what null pointers point to.
  size_t first = 0;
  while (first < object.cell_bytes.size() && object.cell_bytes[first] == 0) ++first;
  if (offset >= 0 && offset < static_cast<Value>(first))
    throw ProgramError{.kind = ProgramError::Kind::kNullPointer};
  // The object that is there has all of these bytes.
  const auto reaches = [&](Value at) {
    return at >= 0 && at < static_cast<Value>(object.size()) &&
           object.cell_bytes[static_cast<size_t>(at)] != 0;
  };
  const uint8_t there = reaches(offset) ? object.cell_bytes[static_cast<size_t>(offset)] : 0;
  if (there == 0) throw ProgramError{.kind = ProgramError::Kind::kNoObject, .value = offset};
  if (bytes == there || (bytes == 0 && there != kNoCellHere)) return static_cast<size_t>(offset);
  if (bytes != 0 && offset % bytes != 0)
    throw ProgramError{.kind = ProgramError::Kind::kAlignment, .value = offset, .bytes = bytes};
  for (Value at = offset + (there == kNoCellHere ? 1 : there); at < offset + bytes; ++at)
    if (!reaches(at))
      throw ProgramError{.kind = ProgramError::Kind::kBeyondObject, .value = offset, .bytes = bytes};
  if (there == kNoCellHere)
    throw ProgramError{.kind = ProgramError::Kind::kInsideValue, .bytes = bytes, .our_limit = true};
  throw ProgramError{
      .kind = ProgramError::Kind::kPartOfValue, .bytes = bytes, .cell_bytes = there, .our_limit = true};
}

Value fetched(const Instruction& rmw, Value old, Value operand) {
  const Wide left = [&]() -> Wide {
    switch (rmw.rmw) {
      case RmwOp::kFetchAdd:
        return Wide{old} + Wide{operand};
      case RmwOp::kFetchAnd:
        return old & operand;
      case RmwOp::kFetchOr:
        return old | operand;
      case RmwOp::kFetchXor:
        return old ^ operand;
      case RmwOp::kCas:
      case RmwOp::kCasValue:
      case RmwOp::kXchg:
        break;
    }
    throw Bug("an rmw without a meaning");
  }();
  return rmw.wrap != 0 ? wrap(left, rmw.wrap) : narrow(left);
}

Value evaluate_checked(const Program& program, ExprId id, const LeafValue& leaf, ThreadId self) {
  const Expr& e = program.expr(id);
  const auto operand = [&](ExprId operand_id) { return evaluate_checked(program, operand_id, leaf, self); };
  switch (shape_of(e.op)) {
    case ExprShape::kConst:
      return e.imm;
    case ExprShape::kReg:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      return leaf(e, 0);
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt: {
      const ThreadId owner = e.op == ExprOp::kRegAt ? self : e.thread;
      return leaf(e, checked_index(operand(e.a), e.count, local_array_name(program, owner, e.reg)));
    }
    case ExprShape::kCell: {
      const Object& object = program.object(e.object);
      return leaf(e, checked_index(operand(e.a), object.size(), object.name));
    }
    case ExprShape::kUnary:
      return unary(e.op, operand(e.a));
    case ExprShape::kWrap:
      return wrap(operand(e.a), e.imm);
    case ExprShape::kLazy:
      if (e.op == ExprOp::kAnd) return operand(e.a) != 0 && operand(e.b) != 0;
      return operand(e.a) != 0 || operand(e.b) != 0;
    case ExprShape::kSelect:
      return operand(e.a) != 0 ? operand(e.b) : operand(e.c);
    case ExprShape::kBinary:
      break;
  }
  const Value a = operand(e.a);
  return combine(e.op, a, operand(e.b));
}

Value evaluate_formula(const Program& program, ExprId formula, const FormulaState& state) {
  return evaluate_checked(program, formula, [&](const Expr& leaf, size_t index) -> Value {
    switch (leaf_of(leaf.op)) {
      case LeafKind::kCell:
        return state.cell(CellId(program.object(leaf.object).first_cell.index() + index));
      case LeafKind::kRegister:
        if (!leaf.thread.valid()) break;
        return state.reg(leaf.thread, RegId(leaf.reg.index() + index));
      case LeafKind::kLocation:
        return state.location(leaf.thread) == leaf.point;
      case LeafKind::kConst:
      case LeafKind::kNone:
        break;
    }
    throw Bug("a property that reads a register of no thread");
  });
}

}  // namespace fenceline::check
