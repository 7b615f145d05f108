// SPDX-License-Identifier: GPL-3.0-or-later
//
// What certificates have in common, whatever form they give to the contents of store buffers: each is a set
// of states that stand for many, and the question to each is whether it proves the property.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

// Stands for all states with these places, memory and registers, and with any buffers that the contents stand
// for, each thread's independently of the others'.
template <class Contents>
struct CertificateState {
  std::vector<Point> where;   // by thread; may be virtual points of the overlay of problem.fences
  std::vector<Value> memory;  // by cell
  // By thread and register. None: the value is arbitrary (the register is dead here, says who made this; the
  // checker rejects the certificate if a step needs the value after all).
  std::vector<std::vector<std::optional<Value>>> registers;
  std::vector<Contents> buffers;  // by thread

  friend bool operator==(const CertificateState&, const CertificateState&) = default;
};

struct CertificateCheck {
  bool ok = false;
  std::string why_not;      // if !ok: what is wrong, and with which state
  bool gave_up = false;     // a limit was reached: neither right nor wrong
  uint64_t successors = 0;  // how many were looked at
};

}  // namespace fenceline
