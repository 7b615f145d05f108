// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is it sufficient to consider threads at these cut points? An execution visits many states between them, and
// each must be as harmless as one in which every thread is at a cut point.
#pragma once

#include <vector>

#include "ir/edit/overlay.h"
#include "task/numeric_certificate.h"
#include "task/task.h"

namespace fenceline::check {

// Throws NotProved if not. Precondition: there is a flag for each point of each thread.
void need_right_cut_points(const Task& task, const Overlay& overlay, const NumericCertificate& certificate);

}  // namespace fenceline::check
