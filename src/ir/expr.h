// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions are trees in one pool per program. Those inside instructions read registers and constants only:
// every memory access is an instruction of its own, so that an expression is a single, invisible step.
// Expressions of properties may also look at memory and at the locations of threads.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

enum class ExprOp : uint8_t {
  kConst,  // imm
  kReg,    // register `reg` of the executing thread
  kRegAt,  // register `reg` + a of the executing thread, 0 <= a < count (a local array)
  kNeg,
  kNot,
  kBitNot,  // a
  // What is left of `a` in a narrower type, by two's complement: the low n bits, where `imm` is n for a
  // signed type (1 <= n <= 64; the highest one is the sign) and -n for an unsigned one (1 <= n <= 63).
  kWrap,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,  // a, b; division truncates as in C
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,  // a, b; 0 or 1
  kUlt,
  kUle,  // a, b, both taken as unsigned 64-bit numbers; 0 or 1
  kAnd,
  kOr,  // a, b; lazy; 0 or 1
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,  // a, b
  // a, b, of 64 bits by two's complement: what does not fit into them is lost. (All others leave 64 bits then.)
  kAdd64,
  kSub64,
  kMul64,
  kShl64,
  kSelect,  // a ? b : c; lazy
  // In properties only:
  kCell,         // memory cell a of `object`, 0 <= a < its size
  kThreadReg,    // register `reg` of `thread`
  kThreadRegAt,  // register `reg` + a of `thread`, 0 <= a < count
  kAt,           // 1 if `thread` is at `point`, else 0
};

struct Expr {
  ExprOp op = ExprOp::kConst;
  ExprId a{}, b{}, c{};
  Value imm = 0;
  RegId reg{};
  uint32_t count = 1;
  ObjectId object{};
  ThreadId thread{};  // of kReg and kRegAt: none, it is the executing one
  Point point{};
};

// Operators are distinguished in three ways, by class_of(), leaf_of() and shape_of(); code elsewhere switches over what
// they return, without `default`, so that the compiler lists what a new one affects. A new operator gets a
// class of its own: those of one class are distinguished by comparisons, which the compiler does not check.

// For what an operator computes: nothing but the leaves is lumped together.
enum class OperatorClass : uint8_t {
  kLeaf,  // all without a computation: constants, registers, cells, locations
  kNeg,
  kNot,
  kBitNot,
  kWrap,
  kAdd,
  kSub,
  kMul,
  kDivide,        // kDiv, kMod: undefined if b is 0
  kEqual,         // kEq, kNe
  kLess,          // kLt, kLe
  kGreater,       // kGt, kGe
  kUnsignedLess,  // kUlt, kUle
  kLazy,          // kAnd, kOr
  kBitwise,       // kBitAnd, kBitOr, kBitXor
  kShift,         // kShl, kShr: undefined if b is negative
  kModular,       // kAdd64, kSub64, kMul64, kShl64: the last one undefined if b is negative
  kSelect,
};

constexpr OperatorClass class_of(ExprOp op) {
  switch (op) {
    case ExprOp::kConst:
    case ExprOp::kReg:
    case ExprOp::kRegAt:
    case ExprOp::kCell:
    case ExprOp::kThreadReg:
    case ExprOp::kThreadRegAt:
    case ExprOp::kAt:
      return OperatorClass::kLeaf;
    case ExprOp::kNeg:
      return OperatorClass::kNeg;
    case ExprOp::kNot:
      return OperatorClass::kNot;
    case ExprOp::kBitNot:
      return OperatorClass::kBitNot;
    case ExprOp::kWrap:
      return OperatorClass::kWrap;
    case ExprOp::kAdd:
      return OperatorClass::kAdd;
    case ExprOp::kSub:
      return OperatorClass::kSub;
    case ExprOp::kMul:
      return OperatorClass::kMul;
    case ExprOp::kDiv:
    case ExprOp::kMod:
      return OperatorClass::kDivide;
    case ExprOp::kEq:
    case ExprOp::kNe:
      return OperatorClass::kEqual;
    case ExprOp::kLt:
    case ExprOp::kLe:
      return OperatorClass::kLess;
    case ExprOp::kGt:
    case ExprOp::kGe:
      return OperatorClass::kGreater;
    case ExprOp::kUlt:
    case ExprOp::kUle:
      return OperatorClass::kUnsignedLess;
    case ExprOp::kAnd:
    case ExprOp::kOr:
      return OperatorClass::kLazy;
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
      return OperatorClass::kBitwise;
    case ExprOp::kShl:
    case ExprOp::kShr:
      return OperatorClass::kShift;
    case ExprOp::kAdd64:
    case ExprOp::kSub64:
    case ExprOp::kMul64:
    case ExprOp::kShl64:
      return OperatorClass::kModular;
    case ExprOp::kSelect:
      return OperatorClass::kSelect;
  }
  return OperatorClass::kLeaf;  // none of them; ir/verify complains about it
}

// a, b; 0 or 1; both are evaluated.
constexpr bool is_comparison(ExprOp op) {
  const OperatorClass c = class_of(op);
  return c == OperatorClass::kEqual || c == OperatorClass::kLess || c == OperatorClass::kGreater ||
         c == OperatorClass::kUnsignedLess;
}

// Can it be undefined for what b is? Leaving 64 bits, and an index outside of its array, are other matters.
constexpr bool is_partial(ExprOp op) {
  switch (class_of(op)) {
    case OperatorClass::kDivide:
    case OperatorClass::kShift:
      return true;
    case OperatorClass::kModular:
      return op == ExprOp::kShl64;
    case OperatorClass::kLeaf:
    case OperatorClass::kNeg:
    case OperatorClass::kNot:
    case OperatorClass::kBitNot:
    case OperatorClass::kWrap:
    case OperatorClass::kAdd:
    case OperatorClass::kSub:
    case OperatorClass::kMul:
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kUnsignedLess:
    case OperatorClass::kLazy:
    case OperatorClass::kBitwise:
    case OperatorClass::kSelect:
      break;
  }
  return false;
}

// For walking a tree: the leaves, and how the operands of the others are evaluated.
enum class ExprShape : uint8_t {
  kConst,
  kReg,
  kRegAt,
  kUnary,   // a
  kWrap,    // a, imm
  kBinary,  // a, b; both are evaluated
  kLazy,    // a, b; kAnd, kOr
  kSelect,
  // In properties only:
  kCell,
  kThreadReg,
  kThreadRegAt,
  kAt,
};

constexpr ExprShape shape_of(ExprOp op) {
  switch (op) {
    case ExprOp::kConst:
      return ExprShape::kConst;
    case ExprOp::kReg:
      return ExprShape::kReg;
    case ExprOp::kRegAt:
      return ExprShape::kRegAt;
    case ExprOp::kNeg:
    case ExprOp::kNot:
    case ExprOp::kBitNot:
      return ExprShape::kUnary;
    case ExprOp::kWrap:
      return ExprShape::kWrap;
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kMod:
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
    case ExprOp::kUlt:
    case ExprOp::kUle:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kShl:
    case ExprOp::kShr:
    case ExprOp::kAdd64:
    case ExprOp::kSub64:
    case ExprOp::kMul64:
    case ExprOp::kShl64:
      return ExprShape::kBinary;
    case ExprOp::kAnd:
    case ExprOp::kOr:
      return ExprShape::kLazy;
    case ExprOp::kSelect:
      return ExprShape::kSelect;
    case ExprOp::kCell:
      return ExprShape::kCell;
    case ExprOp::kThreadReg:
      return ExprShape::kThreadReg;
    case ExprOp::kThreadRegAt:
      return ExprShape::kThreadRegAt;
    case ExprOp::kAt:
      return ExprShape::kAt;
  }
  return ExprShape::kBinary;  // no operator; ir/verify rejects it
}

// For the value of a leaf. Operands of leaves are indices.
enum class LeafKind : uint8_t {
  kNone,  // an operator
  kConst,
  kRegister,  // kReg, kRegAt, kThreadReg, kThreadRegAt
  kCell,
  kLocation,  // kAt
};

constexpr LeafKind leaf_of(ExprOp op) {
  switch (shape_of(op)) {
    case ExprShape::kConst:
      return LeafKind::kConst;
    case ExprShape::kReg:
    case ExprShape::kRegAt:
    case ExprShape::kThreadReg:
    case ExprShape::kThreadRegAt:
      return LeafKind::kRegister;
    case ExprShape::kCell:
      return LeafKind::kCell;
    case ExprShape::kAt:
      return LeafKind::kLocation;
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
    case ExprShape::kSelect:
      break;
  }
  return LeafKind::kNone;
}

constexpr unsigned arity(ExprOp op) {
  switch (shape_of(op)) {
    case ExprShape::kConst:
    case ExprShape::kReg:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      return 0;
    case ExprShape::kRegAt:
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kCell:
    case ExprShape::kThreadRegAt:
      return 1;
    case ExprShape::kBinary:
    case ExprShape::kLazy:
      return 2;
    case ExprShape::kSelect:
      return 3;
  }
  return 2;
}

// What kWrap may have as `imm`.
constexpr bool is_width(Value bits) { return bits != 0 && bits >= -63 && bits <= 64; }

// Expressions are walked recursively wherever they are used, so ir/verify bounds how deep their trees are and
// how many nodes they have (counting shared ones as often as they occur).
inline constexpr unsigned kMaxExprDepth = 2000;
inline constexpr unsigned kMaxExprNodes = 1'000'000;

// True for the leaves that only a property may use.
constexpr bool only_in_properties(ExprOp op) { return op >= ExprOp::kCell; }

// "+", "&&", ...; empty for leaves, kWrap and kSelect. As in C, so kUlt is spelled like kLt.
std::string_view spelling(ExprOp op);

}  // namespace fenceline
