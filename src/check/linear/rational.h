// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exact fractions. Most numbers are whole, so whole numbers take the short path.
#pragma once

#include <utility>

#include "check/linear/integer.h"

namespace fenceline::check {

class Rational {
 public:
  Rational() = default;
  Rational(Integer value)
      : numerator_(std::move(value)) {}  // NOLINT(google-explicit-constructor): numbers are numbers

  bool is_zero() const { return numerator_ == 0; }
  bool is_negative() const { return numerator_ < 0; }
  bool is_positive() const { return numerator_ > 0; }

  friend Rational operator+(const Rational& a, const Rational& b) {
    if (a.denominator_ == 1 && b.denominator_ == 1) return a.numerator_ + b.numerator_;
    return reduced(a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_,
                   a.denominator_ * b.denominator_);
  }
  friend Rational operator-(const Rational& a) {
    Rational result = a;
    result.numerator_ = -a.numerator_;
    return result;
  }
  friend Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
  friend Rational operator*(const Rational& a, const Rational& b) {
    if (a.denominator_ == 1 && b.denominator_ == 1) return a.numerator_ * b.numerator_;
    return reduced(a.numerator_ * b.numerator_, a.denominator_ * b.denominator_);
  }
  // Precondition: b is not zero.
  friend Rational operator/(const Rational& a, const Rational& b) {
    Rational inverse;
    inverse.numerator_ = b.is_negative() ? -b.denominator_ : b.denominator_;
    inverse.denominator_ = b.is_negative() ? -b.numerator_ : b.numerator_;
    return a * inverse;
  }
  friend bool operator==(const Rational&, const Rational&) = default;
  friend bool operator<(const Rational& a, const Rational& b) { return (a - b).is_negative(); }

 private:
  // Precondition: denominator > 0.
  static Rational reduced(const Integer& numerator, const Integer& denominator) {
    const Integer divisor = greatest_common_divisor(numerator, denominator);
    Rational result;
    result.numerator_ = numerator / divisor;
    result.denominator_ = denominator / divisor;
    return result;
  }

  Integer numerator_ = 0, denominator_ = 1;  // without a common divisor; the denominator is positive
};

}  // namespace fenceline::check
