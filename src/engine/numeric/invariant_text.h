// SPDX-License-Identifier: GPL-3.0-or-later
//
// An invariant for people to read: what holds for which program counters.
#pragma once

#include <functional>
#include <string>

#include "engine/numeric/invariant.h"

namespace fenceline::numeric {

// States for which `is_bad` says so are marked.
std::string invariant_text(const Plan& plan, const Invariant& invariant,
                           const std::function<bool(const AbstractState&)>& is_bad);

}  // namespace fenceline::numeric
