// SPDX-License-Identifier: GPL-3.0-or-later
//
// Blocking assumptions outside of atomic sections: a join or a mutex on axiomatic models, fl_await() of C. A program
// evaluates such a condition again and again until it holds; here it is evaluated once, and if it does not hold the
// thread stops there. For safety that is the same. Whether the thread waits for ever depends on what it would read
// later, so this finds where it begins to read again.
//
// That is known if the condition is computed, without a branch, from one access right before it. All other registers in
// it must be ones that no access has set: in `fl_await(x == y)` both are read again, in `r = x; fl_await(r == y)` one is,
// and the two look alike here.
#pragma once

#include <optional>
#include <vector>

#include "ir/program.h"

namespace fenceline {

class RetriedWaits {
 public:
  // Precondition: the program passes ir/verify.
  explicit RetriedWaits(const Program& program);

  // Where the thread goes on that stops at this point, a blocking assumption outside of atomic sections: at the access
  // that its condition depends on. None: it is not known, or the point is something else.
  std::optional<Point> retry(ThreadId thread, Point assumption) const {
    const auto& points = retry_[thread.index()];
    return assumption.index() < points.size() ? points[assumption.index()] : std::nullopt;
  }

  // A blocking assumption outside of atomic sections for which it is not known.
  struct Unknown {
    ThreadId thread;
    Point point;
  };
  const std::optional<Unknown>& unknown() const { return unknown_; }

 private:
  std::vector<std::vector<std::optional<Point>>> retry_;  // by thread and point
  std::optional<Unknown> unknown_;
};

}  // namespace fenceline
