// SPDX-License-Identifier: GPL-3.0-or-later
//
// A certificate is accepted if it is an inductive invariant that implies the property: the initial state is
// subsumed, each step from each state leads to subsumed states only, and no state is bad. Then by induction
// every reachable state of the machine is one that some state of the certificate represents, and none of them
// is bad. This is the same for all kinds of certificates; they differ in the algebra of their buffers.
#pragma once

#include <vector>

#include "check/check_certificate.h"
#include "check/statespace/buffer_algebra.h"
#include "env/limits.h"
#include "task/certificate.h"
#include "task/task.h"

namespace fenceline::check {

// Do the states prove the property of the task? Never throws, whatever is in them.
template <BufferAlgebra Buffers>
CertificateCheck check_states(const Task& task,
                              const std::vector<CertificateState<typename Buffers::Contents>>& states,
                              Buffers& buffers, Limits& limits);

}  // namespace fenceline::check
