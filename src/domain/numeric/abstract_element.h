// SPDX-License-Identifier: GPL-3.0-or-later
//
// An abstract element: a convex set of values of a few dimensions, in one of four numerical domains.
//
//   polyhedra     any linear inequalities (of many dimensions: as differences)
//   octagons      bounds of x, x + y and x - y
//   differences   bounds of x and x - y
//   boxes         bounds of x
//
// The sets are those of the Parma Polyhedra Library. One concept (abstract_element.cpp) says what is needed
// of such a set, one template makes a domain of it, and this class hides which one it is. A set of no
// dimensions is a truth value and has no PPL object: most states of most programs have no unbounded integers
// at all.
//
// Sets are rational while values are integers, so strict inequalities are never used: a < b is a + 1 <= b.
// Copies share the set until one of them changes.
//
// PPL keeps scratch memory in global variables: only one thread of a process may use it at a time. The caller
// holds a PplSession while it works with abstract elements.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/linear.h"
#include "env/limits.h"

namespace fenceline::numeric {

enum class NumericDomain : uint8_t { kPolyhedra, kOctagons, kDifferences, kBoxes };

std::string_view to_string(NumericDomain domain);

// Thrown by an operation on an abstract element when a limit of the session is reached. The element that was
// being changed is lost.
struct OperationAbandoned {};

class PplSession {
 public:
  // A single operation on many dimensions can take hours. With limits it is aborted when one is reached.
  explicit PplSession(Limits* limits = nullptr);
  ~PplSession();
  PplSession(const PplSession&) = delete;
  PplSession& operator=(const PplSession&) = delete;

  // The work done so far by all sessions, in units of the library: deterministic.
  static uint64_t work();

 private:
  std::unique_lock<std::mutex> lock_;
};

class AbstractElement {
 public:
  explicit AbstractElement(NumericDomain domain) : domain_(domain) {}

  NumericDomain domain() const { return domain_; }
  Dimension dimensions() const { return dimensions_; }
  bool empty() const { return empty_; }

  // A new dimension about which nothing is known.
  Dimension add();
  // Afterwards the constraint holds, as far as the domain can express it. Returns !empty().
  bool assume(const LinearConstraint& constraint);
  bool assume_zero(const Linear& expression) { return assume({expression, true}); }
  bool assume_not_negative(const Linear& expression) { return assume({expression, false}); }
  // Dimension i becomes what order[i] was; all others are projected out. Precondition: no dimension twice.
  // This is also when a set takes the form that suits its dimensions: sets that are compared come from here.
  void keep(const std::vector<Dimension>& order);

  // Precondition for these: the same domain and dimensions.
  bool subsumes(const AbstractElement& other) const;
  void join(const AbstractElement& other);
  // Precondition: this subsumes `older`. The standard widening of the domain: every chain becomes stable.
  void widen(const AbstractElement& older);
  // Widening with thresholds, without that guarantee: bounds of dimensions and of differences that have not
  // moved are kept, even if other constraints imply them (standard widening drops those, and with them facts
  // like head <= tail), and those that have moved go to the next of the thresholds, which ascend.
  void widen_with_thresholds(const AbstractElement& older, const std::vector<Value>& thresholds);

  // The values that the expression can have. A bound that is not known, or not in 64 bits, is that of
  // Range::all(). Precondition: !empty().
  Range bounds(const Linear& expression) const;
  // A small system, in which what is always zero is an equality; those whose coefficients do not fit into 64
  // bits are left out.
  std::vector<LinearConstraint> constraints() const;

  class Representation;  // abstract_element.cpp

 private:
  Representation& own();

  NumericDomain domain_;
  Dimension dimensions_ = 0;
  bool empty_ = false;
  std::shared_ptr<Representation> representation_;  // none if there are no dimensions or it is empty
};

}  // namespace fenceline::numeric
