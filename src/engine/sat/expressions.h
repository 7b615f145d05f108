// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions as circuits: what ir/eval.h computes, for all executions at once.
#pragma once

#include <memory>
#include <vector>

#include "base/numbers.h"
#include "ir/program.h"
#include "sat/bits.h"

namespace fenceline {

// A value depends on what a read event returned, in executions where `holds`.
struct Dependency {
  uint32_t read;
  Lit holds;
};
using Dependencies = std::vector<Dependency>;  // by read

// For every read, if one of the two has it.
Dependencies merge(Circuit& circuit, const Dependencies& a, const Dependencies& b);
// Those of the chosen one.
Dependencies choose(Circuit& circuit, Lit condition, const Dependencies& then, const Dependencies& otherwise);

// A number with what is known about it.
struct Number {
  Bits bits;
  Range range = Range::single(0);
  Dependencies depends;
};
using NumberPtr = std::shared_ptr<const Number>;  // registers keep theirs for long and mostly unchanged

// Where the leaves of an expression get their values: registers, memory, places of threads.
class Leaves {
 public:
  virtual ~Leaves() = default;
  // `element` counts from the register or cell that the expression names.
  virtual Number leaf(const Expr& expr, uint32_t element) = 0;
};

class Expressions {
 public:
  struct Result {
    Number number;
    Lit fails =
        kFalse;  // divides by zero, leaves its array, shifts by a negative number; the number is then any
  };

  Expressions(const Program& program, Arithmetic& arithmetic) : program_(program), arithmetic_(arithmetic) {}

  // Throws Unsupported if a value may leave 64 bits.
  Result evaluate(ExprId id, Leaves& leaves);
  Number choose(Lit condition, const Number& then, const Number& otherwise);
  Number constant(Value value) const { return {Arithmetic::constant(value), Range::single(value), {}}; }
  Number truth(Lit literal, Dependencies depends) {
    return {arithmetic_.from(literal), {0, 1}, std::move(depends)};
  }
  Lit within(const Number& number, Range range);  // is it in the range?
  Lit is(const Number& number, Value value);
  Number apply(ExprOp op, const Number& a, const Number& b, Lit& fails);

 private:
  Result element(const Expr& expr, Leaves& leaves);

  const Program& program_;
  Arithmetic& arithmetic_;
};

}  // namespace fenceline
