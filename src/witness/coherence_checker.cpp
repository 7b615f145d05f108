// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the checker needs of abstract states: the steps must forget none (coherence_buffer.h), the order must
// not claim too much (coherence_order.cpp), and whether something waits must be exact, which it is.
#include "witness/certificate_checker.h"
#include "witness/coherence_buffer.h"
#include "witness/coherence_certificate.h"

namespace fenceline {

CertificateCheck check_certificate(const Problem& problem, const CoherenceCertificate& certificate,
                                   Limits& limits) {
  CoherenceBuffer buffers(problem.model.buffering);
  return check_states(problem, certificate.states, buffers, limits);
}

}  // namespace fenceline
