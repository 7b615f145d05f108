// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does a certificate prove the property of its task? The engines give their proofs as data (task/), and the
// code that checks them does not depend on how they were found: check/statespace for certificates whose values
// are concrete, check/numeric for those whose values are linear forms.
#pragma once

#include <cstdint>
#include <string>

#include "env/limits.h"
#include "task/automata_certificate.h"
#include "task/coherence_certificate.h"
#include "task/numeric_certificate.h"
#include "task/task.h"

namespace fenceline::check {

struct CertificateCheck {
  bool ok = false;
  std::string why_not;      // if !ok: the reason, with the state
  bool gave_up = false;     // a limit was reached: neither accepted nor rejected
  uint64_t successors = 0;  // how many were looked at
};

// Never throws on a bad certificate, whatever is in it.
CertificateCheck check_certificate(const Task& task, const CoherenceCertificate& certificate, Limits& limits);
CertificateCheck check_certificate(const Task& task, const AutomataCertificate& certificate, Limits& limits);
CertificateCheck check_certificate(const Task& task, const NumericCertificate& certificate, Limits& limits);

}  // namespace fenceline::check
