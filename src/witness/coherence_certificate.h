// SPDX-License-Identifier: GPL-3.0-or-later
//
// The proof that comes with `verified` from the coherence engine: a set of abstract states that contains the
// initial state, is closed under every step of the machine, and has no bad state. The checker knows nothing
// of how the set was found. It has successor functions and an order of its own, written from
// docs/semantics.md and from the meaning of BufferContents; it shares no code with semantics/ or with the
// buffers of domain/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/buffer/contents.h"
#include "env/limits.h"
#include "ir/ids.h"
#include "property/problem.h"

namespace fenceline {

struct AbstractState {
  std::vector<Point> where;   // by thread; may be virtual points of the overlay of problem.fences
  std::vector<Value> memory;  // by cell
  // By thread and register. None: the value is arbitrary (the register is dead here, says who made this; the
  // checker rejects the certificate if a step needs the value after all).
  std::vector<std::vector<std::optional<Value>>> registers;
  std::vector<BufferContents> buffers;  // by thread

  friend bool operator==(const AbstractState&, const AbstractState&) = default;
};

struct CoherenceCertificate {
  std::vector<AbstractState> states;
};

struct CertificateCheck {
  bool ok = false;
  std::string why_not;      // if !ok: what is wrong, and with which state
  bool gave_up = false;     // a limit was reached: neither right nor wrong
  uint64_t successors = 0;  // how many were looked at
};

// Does the certificate prove the property of the problem? Never throws on a bad certificate, whatever is in
// it.
CertificateCheck check_certificate(const Problem& problem, const CoherenceCertificate& certificate,
                                   Limits& limits);

}  // namespace fenceline
