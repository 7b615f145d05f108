// SPDX-License-Identifier: GPL-3.0-or-later
//
// Integers of any size. Nearly all that the checker of numeric certificates computes with fit into 64 bits, and
// are kept there; GMP takes over where they do not. (docs/decisions.md has what that is worth.)
#pragma once

#include <gmpxx.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <utility>

namespace fenceline::check {

class Integer {
 public:
  Integer() = default;
  Integer(int64_t value) : small_(value) {}  // NOLINT(google-explicit-constructor): numbers are numbers
  Integer(const Integer& other)
      : small_(other.small_), large_(other.large_ ? std::make_unique<mpz_class>(*other.large_) : nullptr) {}
  Integer(Integer&& other) noexcept = default;
  Integer& operator=(const Integer& other) {
    if (this != &other) *this = Integer(other);
    return *this;
  }
  Integer& operator=(Integer&& other) noexcept = default;
  ~Integer() = default;

  bool fits_64_bits() const { return !large_; }
  int64_t to_64_bits() const { return small_; }  // precondition: fits_64_bits()

  friend Integer operator+(const Integer& a, const Integer& b) {
    int64_t result = 0;
    if (both_small(a, b) && !__builtin_add_overflow(a.small_, b.small_, &result)) return result;
    return from(a.large() + b.large());
  }
  friend Integer operator-(const Integer& a, const Integer& b) {
    int64_t result = 0;
    if (both_small(a, b) && !__builtin_sub_overflow(a.small_, b.small_, &result)) return result;
    return from(a.large() - b.large());
  }
  friend Integer operator-(const Integer& a) { return Integer(0) - a; }
  friend Integer operator*(const Integer& a, const Integer& b) {
    int64_t result = 0;
    if (both_small(a, b) && !__builtin_mul_overflow(a.small_, b.small_, &result)) return result;
    return from(a.large() * b.large());
  }
  // Truncates, as in C. Precondition: b is not zero.
  friend Integer operator/(const Integer& a, const Integer& b) {
    if (both_small(a, b) && b.small_ != -1) return a.small_ / b.small_;
    return from(a.large() / b.large());
  }
  // With the sign of a. Precondition: b is not zero.
  friend Integer operator%(const Integer& a, const Integer& b) {
    if (both_small(a, b)) return b.small_ == -1 ? 0 : a.small_ % b.small_;
    return from(a.large() % b.large());
  }
  Integer& operator+=(const Integer& b) { return *this = *this + b; }
  Integer& operator-=(const Integer& b) { return *this = *this - b; }
  Integer& operator/=(const Integer& b) { return *this = *this / b; }

  friend bool operator==(const Integer& a, const Integer& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Integer& a, const Integer& b) {
    if (both_small(a, b)) return a.small_ <=> b.small_;
    return cmp(a.large(), b.large()) <=> 0;
  }

  // Precondition: exponent >= 0.
  static Integer power_of_two(unsigned exponent) { return from(mpz_class(1) << exponent); }

 private:
  static bool both_small(const Integer& a, const Integer& b) { return !a.large_ && !b.large_; }
  mpz_class large() const { return large_ ? *large_ : mpz_class(static_cast<long>(small_)); }
  static Integer from(mpz_class value) {
    static_assert(sizeof(long) == sizeof(int64_t));
    if (value.fits_slong_p()) return value.get_si();
    Integer result;
    result.large_ = std::make_unique<mpz_class>(std::move(value));
    return result;
  }

  int64_t small_ = 0;
  std::unique_ptr<mpz_class> large_;  // where 64 bits do not suffice, and only there
};

// Never negative.
inline Integer greatest_common_divisor(Integer a, Integer b) {
  while (b != 0) {
    Integer rest = a % b;
    a = std::move(b);
    b = std::move(rest);
  }
  return a < 0 ? -a : a;
}

// Precondition: divisor > 0.
inline Integer floor_quotient(const Integer& a, const Integer& divisor) {
  const Integer quotient = a / divisor;
  return a % divisor < 0 ? quotient - 1 : quotient;
}

}  // namespace fenceline::check
