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
  kShr,     // a, b
  kSelect,  // a ? b : c; lazy
  // In properties only:
  kCell,         // memory cell a of `object`, 0 <= a < its size
  kThreadReg,    // register `reg` of `thread`
  kThreadRegAt,  // register `reg` + a of `thread`, 0 <= a < count
  kAt,           // 1 if `thread` is at `point`, else 0
};

struct Expr {
  ExprOp op = ExprOp::kConst;
  ExprId a, b, c;
  Value imm = 0;
  RegId reg;
  uint32_t count = 1;
  ObjectId object;
  ThreadId thread;
  Point point;
};

// The operands of an operator, for traversals of expressions, and how they are evaluated. What it computes is
// defined only for kUnary, kBinary and kLazy.
//
// Wherever operators, or kinds of instructions, are distinguished, all of them are listed and there is no
// `default`, so that the compiler lists what a new one affects.
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
