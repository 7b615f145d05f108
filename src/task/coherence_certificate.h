// SPDX-License-Identifier: GPL-3.0-or-later
//
// The proof that comes with `verified` from the coherence engine: a set of abstract states that contains the
// initial state, is closed under every step of the machine, and has no bad state. The checker does not depend
// on how the set was found. It has successor functions and an order of its own, written from
// docs/semantics.md and from the meaning of BufferContents; it shares no code with machine/ or with the
// buffers of domain/.
#pragma once

#include <vector>

#include "task/buffer_contents.h"
#include "task/certificate.h"

namespace fenceline {

using CoherenceState = CertificateState<BufferContents>;

struct CoherenceCertificate {
  std::vector<CoherenceState> states;
};

}  // namespace fenceline
