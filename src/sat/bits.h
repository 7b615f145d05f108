// SPDX-License-Identifier: GPL-3.0-or-later
//
// Integers as literals: two's complement, least significant bit first, the last one is the sign and
// represents all higher ones. Widths fit what the number can be, so a result is never cut off: sums get a bit
// more, products as many as both operands together.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers.h"
#include "base/value_set.h"
#include "sat/circuit.h"

namespace fenceline::sat {

struct Bits {
  std::vector<Lit> lits = {kFalse};  // at least one

  size_t width() const { return lits.size(); }
  Lit sign() const { return lits.back(); }
  Lit at(size_t bit) const { return bit < lits.size() ? lits[bit] : sign(); }
};

// How many bits hold all numbers of the range.
unsigned width_for(Range range);

// Bits that are the same in all members of a set are constants, and bits that are the same as another one in
// all of them (or its opposite in all of them) are that one: {0, 1, 1 << 46} costs two literals.
struct BitPattern {
  struct Bit {
    enum Kind : uint8_t { kFree, kConstant, kCopy } kind = kFree;
    bool value = false;  // kConstant: it; kCopy: the opposite of the bit
    uint8_t source = 0;  // kCopy: which bit
  };
  std::vector<Bit> bits;  // as many as the set needs
};
BitPattern pattern_of(const ValueSet& values);

class Arithmetic {
 public:
  explicit Arithmetic(Circuit& circuit) : circuit_(circuit) {}

  static Bits constant(Value value);
  // Any number that has the pattern of the set (not only its members).
  Bits fresh(const ValueSet& values);
  // Demands that it is in the set. Precondition: it has the pattern of the set.
  void require_member(const Bits& number, const ValueSet& values);
  Bits from(Lit truth) { return {{truth, kFalse}}; }
  // The same number with no more literals than the set needs. Precondition: it is in the set.
  static Bits fit(Bits number, const ValueSet& values);

  Bits add(const Bits& a, const Bits& b, Lit carry = kFalse);
  Bits negate(const Bits& a) { return add(constant(0), complement(a), kTrue); }
  Bits subtract(const Bits& a, const Bits& b) { return add(a, complement(b), kTrue); }
  Bits multiply(const Bits& a, const Bits& b);
  // As in C, the quotient rounds to zero. Where b is 0 the results are any numbers.
  void divide(const Bits& a, const Bits& b, Bits& quotient, Bits& remainder);
  static Bits complement(Bits a);
  static Bits wrap(const Bits& a, Value bits);  // kWrap of ir/expr.h; needs no gates
  Bits bit_and(const Bits& a, const Bits& b);
  Bits bit_xor(const Bits& a, const Bits& b);
  Bits bit_or(const Bits& a, const Bits& b) { return complement(bit_and(complement(a), complement(b))); }
  // By 0 <= b <= max; for other b any number.
  Bits shift_left(const Bits& a, const Bits& b, unsigned max);
  Bits shift_right(const Bits& a, const Bits& b, unsigned max);
  Bits choose(Lit condition, const Bits& then, const Bits& otherwise);

  Lit equal(const Bits& a, const Bits& b);
  Lit less(const Bits& a, const Bits& b) { return subtract(a, b).sign(); }
  Lit less_unsigned(const Bits& a,
                    const Bits& b);  // signed 64-bit numbers compared as unsigned ones
  Lit truth(const Bits& a);          // is it not 0?

  // If the condition holds, the two are equal.
  void require_equal(Lit condition, const Bits& a, const Bits& b);

  Circuit& circuit() { return circuit_; }

 private:
  Circuit& circuit_;
};

// The number in the solver's last answer.
Value number(const Solver& solver, const Bits& bits);

}  // namespace fenceline::sat
