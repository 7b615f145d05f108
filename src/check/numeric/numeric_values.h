// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions on linear forms. What is linear stays exact; a condition that may be true or false splits the
// state into two cases, each with its fact; what is not linear (the product of two unknowns, bits) becomes a
// value about which little or nothing is known. So there are several results, and each is given to the callback
// together with the state in which it is the result. Together they represent all that can come out in any of
// the states that are meant, and nothing that can fail is left out.
#pragma once

#include <string>

#include "check/numeric/numeric_state.h"
#include "env/limits.h"
#include "ir/program.h"
#include "task/program_error.h"

namespace fenceline::check {

class NumericValues {
 public:
  using Then = FunctionRef<void(FormState&&, const LinearForm&)>;
  using ThenTruth = FunctionRef<void(FormState&&, bool)>;
  using ThenSign = FunctionRef<void(FormState&&, int)>;  // -1, 0, 1
  using ThenIndex = FunctionRef<void(FormState&&, size_t)>;
  using Failed = FunctionRef<void(FormState&&, const ProgramError&)>;

  // Keeps references.
  NumericValues(const Program& program, const NumericCertificate& certificate, Limits& limits)
      : program_(program), certificate_(certificate), limits_(limits) {}

  // The thread that evaluates, or none for formulas of properties; and the continuation for expressions without
  // a value. All functions here throw NotProved and OutOfLimits.
  struct Reader {
    ThreadId thread;
    Failed failed;
  };

  void value(const Reader& reader, FormState&& state, ExprId expr, Then then) const;
  void truth(const Reader& reader, FormState&& state, ExprId expr, ThenTruth then) const;

  // Cases that others need too.
  void not_negative(FormState&& state, const LinearForm& form, ThenTruth then) const;
  void sign(FormState&& state, const LinearForm& form, ThenSign then) const;
  void inside(FormState&& state, const LinearForm& form, const Range& range, ThenTruth then) const;
  // An index below the count, element by element; `failed` if it is none.
  void element(const Reader& reader, FormState&& state, const LinearForm& index, size_t count,
               ThenIndex then) const;
  // What an operator makes of two values; `imm` as in Expr.
  void apply(const Reader& reader, FormState&& state, ExprOp op, Value imm, const LinearForm& a,
             const LinearForm& b, Then then) const;

  void poll() const;

 private:
  void leaf(const Reader& reader, FormState&& state, const Expr& e, Then then) const;
  void known(FormState&& state, ThreadId thread, size_t reg, Then then) const;
  void divide(const Reader& reader, FormState&& state, bool modulo, const LinearForm& a, const LinearForm& b,
              Then then) const;
  void divide_by(FormState&& state, bool modulo, const LinearForm& a, const Integer& b, Then then) const;
  void shift(const Reader& reader, FormState&& state, bool left, const LinearForm& a, const LinearForm& b,
             Then then) const;
  void wrap(FormState&& state, const LinearForm& a, Value width, Then then) const;
  void bits(FormState&& state, ExprOp op, const LinearForm& a, const LinearForm& b, Then then) const;
  void compare(FormState&& state, ExprOp op, const LinearForm& a, const LinearForm& b, ThenTruth then) const;

  const Program& program_;
  const NumericCertificate& certificate_;
  Limits& limits_;
  mutable uint64_t polls_ = 0;
};

}  // namespace fenceline::check
