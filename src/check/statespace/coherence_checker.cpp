// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the checker needs of abstract states: the steps must omit none (coherence_buffer.h), the order must
// not claim too much (coherence_order.cpp), and whether something is pending must be exact, which it is.
#include "check/check_certificate.h"
#include "check/statespace/certificate_checker.h"
#include "check/statespace/coherence_buffer.h"
#include "task/coherence_certificate.h"

namespace fenceline::check {

CertificateCheck check_certificate(const Task& task, const CoherenceCertificate& certificate,
                                   Limits& limits) {
  CoherenceBuffer buffers(task.model.buffering);
  return check_states(task, certificate.states, buffers, limits);
}

}  // namespace fenceline::check
