// SPDX-License-Identifier: GPL-3.0-or-later
//
// The proof that comes with `verified` from the coherence engine: a set of abstract states that contains the
// initial state, is closed under every step of the machine, and has no bad state. The checker knows nothing
// of how the set was found. It has successor functions and an order of its own, written from
// docs/semantics.md and from the meaning of BufferContents; it shares no code with semantics/ or with the
// buffers of domain/.
#pragma once

#include <vector>

#include "domain/buffer/contents.h"
#include "env/limits.h"
#include "property/problem.h"
#include "witness/certificate.h"

namespace fenceline {

using AbstractState = CertificateState<BufferContents>;

struct CoherenceCertificate {
  std::vector<AbstractState> states;
};

// Does the certificate prove the property of the problem? Never throws on a bad certificate, whatever is in
// it.
CertificateCheck check_certificate(const Problem& problem, const CoherenceCertificate& certificate,
                                   Limits& limits);

}  // namespace fenceline
