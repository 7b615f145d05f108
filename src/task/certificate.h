// SPDX-License-Identifier: GPL-3.0-or-later
//
// What certificates have in common, whatever form they give to the contents of store buffers: each is a set
// of abstract states, and it proves the property if it is an inductive invariant without a bad state
// (check/check_certificate.h).
#pragma once

#include <optional>
#include <vector>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

// Represents all states with these locations, memory and registers, and with any buffers that the contents
// represent, each thread's independently of the others'.
template <class Contents>
struct CertificateState {
  std::vector<Point> locations;  // by thread; may be virtual points of the overlay of task.fences
  std::vector<Value> memory;     // by cell
  // By thread and register. None: the value is arbitrary (the register is dead according to the engine; the
  // checker rejects the certificate if a step needs the value).
  std::vector<std::vector<std::optional<Value>>> registers;
  std::vector<Contents> buffers;  // by thread

  friend bool operator==(const CertificateState&, const CertificateState&) = default;
};

}  // namespace fenceline
