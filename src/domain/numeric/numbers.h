// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is known about some numbers: a convex set of values of a few dimensions, in one of four domains.
//
//   polyhedra     any linear inequalities (of many dimensions: as differences)
//   octagons      bounds of x, x + y and x - y
//   differences   bounds of x and x - y
//   boxes         bounds of x
//
// The sets are those of the Parma Polyhedra Library. One concept (numbers.cpp) says what is needed of such a
// set, one template makes a domain of it, and this class hides which one it is. A set of no dimensions is a
// truth value and has no PPL object: most states of most programs have no unbounded integers at all.
//
// Sets are rational while values are integers, so strict inequalities are never used: a < b is a + 1 <= b.
// Copies share the set until one of them changes.
//
// PPL keeps scratch memory in global variables: only one thread of a process may use it at a time. Whoever
// works with Numbers holds a NumbersOwner.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/linear.h"
#include "env/limits.h"

namespace fenceline {

enum class NumericDomain : uint8_t { kPolyhedra, kOctagons, kDifferences, kBoxes };

std::string_view to_string(NumericDomain domain);

// Thrown out of an operation on Numbers when a limit of their owner is reached. What was changed is lost.
struct NumbersAbandoned {};

class NumbersOwner {
 public:
  // A single operation on many dimensions can take hours. With limits it is given up when one is reached.
  explicit NumbersOwner(Limits* limits = nullptr);
  ~NumbersOwner();
  NumbersOwner(const NumbersOwner&) = delete;
  NumbersOwner& operator=(const NumbersOwner&) = delete;

  // What was done with numbers so far, by all owners, in units of the library: the same in every run.
  static uint64_t work();

 private:
  std::unique_lock<std::mutex> lock_;
};

class Numbers {
 public:
  explicit Numbers(NumericDomain domain) : domain_(domain) {}

  NumericDomain domain() const { return domain_; }
  Dimension dimensions() const { return dimensions_; }
  bool empty() const { return empty_; }

  // A new dimension about which nothing is known.
  Dimension add();
  // Afterwards the constraint holds, as far as the domain can express it. Returns !empty().
  bool assume(const LinearConstraint& constraint);
  bool assume_zero(const Linear& expression) { return assume({expression, true}); }
  bool assume_not_negative(const Linear& expression) { return assume({expression, false}); }
  // Dimension i becomes what order[i] was; all others are forgotten. Precondition: no dimension twice. This
  // is also when a set takes the form that suits its dimensions: sets that are compared come from here.
  void keep(const std::vector<Dimension>& order);

  // Precondition for these: the same domain and dimensions.
  bool covers(const Numbers& other) const;
  void join(const Numbers& other);
  // Precondition: this covers `older`. The plain widening of the domain: repeated, it comes to an end.
  void widen(const Numbers& older);
  // A gentle one, which may not: bounds of dimensions and of differences that have not moved are kept, even
  // if other constraints imply them (plain widening forgets those, and with them facts like head <= tail),
  // and those that have moved stop at the next of the thresholds, which ascend.
  void widen_gently(const Numbers& older, const std::vector<Value>& thresholds);

  // The values that the expression can have. A bound that is not known, or not in 64 bits, is that of
  // Range::all(). Precondition: !empty().
  Range bounds(const Linear& expression) const;
  // A small system, in which what is always zero is an equality; those whose coefficients do not fit into 64
  // bits are left out.
  std::vector<LinearConstraint> constraints() const;

  class Shape;  // numbers.cpp

 private:
  Shape& own();

  NumericDomain domain_;
  Dimension dimensions_ = 0;
  bool empty_ = false;
  std::shared_ptr<Shape> shape_;  // none if there are no dimensions or it is empty
};

}  // namespace fenceline
