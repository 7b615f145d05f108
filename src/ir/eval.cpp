// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/eval.h"

#include <limits>

#include "env/errors.h"

namespace fenceline {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min();

// By reference, since the order in which arguments are evaluated is open and the first one sets `value`.
Evaluated checked(bool overflowed, const Value& value) {
  return overflowed ? Evaluated{0, EvalStatus::kOverflow} : Evaluated{value};
}

Evaluated shift_left(Value a, Value b) {
  if (b < 0) return {0, EvalStatus::kShiftOutOfRange};
  if (a == 0) return {0};
  if (b > 62) return {0, EvalStatus::kOverflow};
  Value product;
  const bool overflowed = __builtin_mul_overflow(a, Value{1} << b, &product);
  return checked(overflowed, product);
}

Value wrap(Value a, Value bits) {
  const int unused = static_cast<int>(64 - (bits < 0 ? -bits : bits));
  const uint64_t high = static_cast<uint64_t>(a) << unused;
  return bits < 0 ? static_cast<Value>(high >> unused) : static_cast<Value>(high) >> unused;
}

}  // namespace

Evaluated apply(ExprOp op, Value a, Value b) {
  Value result = 0;
  switch (op) {
    case ExprOp::kNeg:
      return checked(__builtin_sub_overflow(Value{0}, a, &result), result);
    case ExprOp::kNot:
      return {a == 0};
    case ExprOp::kBitNot:
      return {~a};
    case ExprOp::kWrap:
      return {wrap(a, b)};
    case ExprOp::kAdd:
      return checked(__builtin_add_overflow(a, b, &result), result);
    case ExprOp::kSub:
      return checked(__builtin_sub_overflow(a, b, &result), result);
    case ExprOp::kMul:
      return checked(__builtin_mul_overflow(a, b, &result), result);
    case ExprOp::kDiv:
      if (b == 0) return {0, EvalStatus::kDivisionByZero};
      return a == kMin && b == -1 ? Evaluated{0, EvalStatus::kOverflow} : Evaluated{a / b};
    case ExprOp::kMod:
      if (b == 0) return {0, EvalStatus::kDivisionByZero};
      return b == -1 ? Evaluated{0} : Evaluated{a % b};
    case ExprOp::kEq:
      return {a == b};
    case ExprOp::kNe:
      return {a != b};
    case ExprOp::kLt:
      return {a < b};
    case ExprOp::kLe:
      return {a <= b};
    case ExprOp::kGt:
      return {a > b};
    case ExprOp::kGe:
      return {a >= b};
    case ExprOp::kUlt:
      return {static_cast<uint64_t>(a) < static_cast<uint64_t>(b)};
    case ExprOp::kUle:
      return {static_cast<uint64_t>(a) <= static_cast<uint64_t>(b)};
    case ExprOp::kAnd:
      return {a != 0 && b != 0};
    case ExprOp::kOr:
      return {a != 0 || b != 0};
    case ExprOp::kBitAnd:
      return {a & b};
    case ExprOp::kBitOr:
      return {a | b};
    case ExprOp::kBitXor:
      return {a ^ b};
    case ExprOp::kShl:
      return shift_left(a, b);
    case ExprOp::kShr:
      if (b < 0) return {0, EvalStatus::kShiftOutOfRange};
      return {a >> (b > 63 ? 63 : b)};
    case ExprOp::kAdd64:
      return {static_cast<Value>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b))};
    case ExprOp::kSub64:
      return {static_cast<Value>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b))};
    case ExprOp::kMul64:
      return {static_cast<Value>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b))};
    case ExprOp::kShl64:
      if (b < 0) return {0, EvalStatus::kShiftOutOfRange};
      return {b > 63 ? 0 : static_cast<Value>(static_cast<uint64_t>(a) << b)};
    case ExprOp::kConst:
    case ExprOp::kReg:
    case ExprOp::kRegAt:
    case ExprOp::kSelect:
    case ExprOp::kCell:
    case ExprOp::kThreadReg:
    case ExprOp::kThreadRegAt:
    case ExprOp::kAt:
      break;
  }
  throw Bug("apply() called on a leaf");
}

Evaluated fetch(RmwOp op, Value old, Value a, int bits) {
  if (bits == 0) return apply(operator_of(op), old, a);
  // What is lost beyond 64 bits is a multiple of 2^64, and so of the type's size.
  if (op == RmwOp::kFetchAdd)
    return {wrap(static_cast<Value>(static_cast<uint64_t>(old) + static_cast<uint64_t>(a)), bits)};
  return {wrap(apply(operator_of(op), old, a).value, bits)};
}

}  // namespace fenceline
