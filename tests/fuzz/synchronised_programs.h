// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random programs for the robustness engine: threads that synchronise, rightly or nearly so. Few random programs are robust
// and would not be with one order less; those that pass messages, take locks and wait often are.
#pragma once

#include <string>

#include "base/rng.h"

namespace fenceline::fuzz {

// The text is for read_program().
std::string synchronised_text(Rng& rng);

}  // namespace fenceline::fuzz
