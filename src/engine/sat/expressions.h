// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions as circuits: what ir/eval.h computes, for all executions at once.
#pragma once

#include <memory>
#include <vector>

#include "base/value_set.h"
#include "ir/program.h"
#include "sat/bits.h"

namespace fenceline::sat {

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

// A number with what is known about it: wherever it matters it is one of `values`. Its bits make use of that
// and are right only there.
struct Number {
  Bits bits;
  ValueSet values = ValueSet::single(0);
  Dependencies depends;
  // The number that this one is, if it is one of which less was known.
  std::shared_ptr<const Number> whole = nullptr;
};
using NumberPtr = std::shared_ptr<const Number>;  // registers keep theirs for long and mostly unchanged

// Where the leaves of an expression get their values: registers, memory, program counters.
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
  Number constant(Value value) const { return {Arithmetic::constant(value), ValueSet::single(value), {}}; }
  Number truth(Lit literal, Dependencies depends) {
    if (literal.constant())
      return {arithmetic_.from(literal), ValueSet::single(literal == kTrue), std::move(depends)};
    return {arithmetic_.from(literal), Range{0, 1}, std::move(depends)};
  }
  // The same number where it is known to be in the set.
  static Number narrow(const Number& number, const ValueSet& values);
  Lit within(const Number& number, Range range);  // is it in the range?
  Lit is(const Number& number, Value value);
  Lit holds(const Number& number);  // is it not 0?
  Lit equal(const Number& a, const Number& b);
  Number apply(ExprOp op, const Number& a, const Number& b, Lit& fails);
  // What a read-modify-write leaves in memory. Precondition: is_fetch(rmw.rmw).
  Number fetch(const Instruction& rmw, const Number& old, const Number& a);

 private:
  Result element(const Expr& expr, Leaves& leaves);
  // Adds what the value of the expression depends on.
  void depend(ExprId id, Leaves& leaves, Dependencies& depends);
  Lit condition(ExprOp op, const Number& a, const Number& b);
  Bits total(ExprOp op, const Number& a, const Number& b);
  Bits shift(ExprOp op, const Number& a, const Number& b);
  bool by_table(ExprOp op, const Number& a, const Number& b, Number& result);

  const Program& program_;
  Arithmetic& arithmetic_;
};

}  // namespace fenceline::sat
