// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exact fractions of 128-bit integers. A result that does not fit is thrown. Most numbers are whole, so whole
// numbers take the short path.
#pragma once

#include <compare>

namespace fenceline {

__extension__ using WideInteger = __int128;

// A number needs more than 128 bits: the query has no answer.
struct DoesNotFit {};

inline WideInteger plus(WideInteger a, WideInteger b) {
  WideInteger result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw DoesNotFit{};
  return result;
}

inline WideInteger minus(WideInteger a, WideInteger b) {
  WideInteger result = 0;
  if (__builtin_sub_overflow(a, b, &result)) throw DoesNotFit{};
  return result;
}

inline WideInteger times(WideInteger a, WideInteger b) {
  WideInteger result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw DoesNotFit{};
  return result;
}

// Never negative. Throws for the one number whose absolute value does not fit.
inline WideInteger greatest_common_divisor(WideInteger a, WideInteger b) {
  if (a < 0) a = minus(0, a);
  if (b < 0) b = minus(0, b);
  while (b != 0) {
    const WideInteger rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Precondition: divisor > 0.
inline WideInteger floor_quotient(WideInteger a, WideInteger divisor) {
  const WideInteger quotient = a / divisor;
  return a % divisor < 0 ? quotient - 1 : quotient;
}

class Rational {
 public:
  Rational() = default;
  Rational(WideInteger value)
      : numerator_(value) {}  // NOLINT(google-explicit-constructor): numbers are numbers

  bool is_zero() const { return numerator_ == 0; }
  bool is_negative() const { return numerator_ < 0; }
  bool is_positive() const { return numerator_ > 0; }

  friend Rational operator+(const Rational& a, const Rational& b) {
    if (a.denominator_ == 1 && b.denominator_ == 1) return plus(a.numerator_, b.numerator_);
    return reduced(plus(times(a.numerator_, b.denominator_), times(b.numerator_, a.denominator_)),
                   times(a.denominator_, b.denominator_));
  }
  friend Rational operator-(const Rational& a) {
    Rational result = a;
    result.numerator_ = minus(0, a.numerator_);
    return result;
  }
  friend Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
  friend Rational operator*(const Rational& a, const Rational& b) {
    if (a.denominator_ == 1 && b.denominator_ == 1) return times(a.numerator_, b.numerator_);
    return reduced(times(a.numerator_, b.numerator_), times(a.denominator_, b.denominator_));
  }
  // Precondition: b is not zero.
  friend Rational operator/(const Rational& a, const Rational& b) {
    Rational inverse;
    inverse.numerator_ = b.is_negative() ? minus(0, b.denominator_) : b.denominator_;
    inverse.denominator_ = b.is_negative() ? minus(0, b.numerator_) : b.numerator_;
    return a * inverse;
  }
  friend bool operator==(const Rational&, const Rational&) = default;
  friend bool operator<(const Rational& a, const Rational& b) { return (a - b).is_negative(); }

 private:
  // Precondition: denominator > 0.
  static Rational reduced(WideInteger numerator, WideInteger denominator) {
    const WideInteger divisor = greatest_common_divisor(numerator, denominator);
    Rational result;
    result.numerator_ = numerator / divisor;
    result.denominator_ = denominator / divisor;
    return result;
  }

  WideInteger numerator_ = 0, denominator_ = 1;  // without a common divisor; the denominator is positive
};

}  // namespace fenceline
