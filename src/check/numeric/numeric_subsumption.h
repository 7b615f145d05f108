// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does a member of the invariant represent all states that a state of forms represents?
#pragma once

#include <optional>
#include <vector>

#include "check/numeric/numeric_members.h"

namespace fenceline::check {

// Precondition of both: threads are at the same points. `false` may be a lack of
// precision.
bool subsumes(const NumericMember& member, const FormState& state, Buffering buffering);

// What would have to be known in addition (form >= 0) for the member to subsume the state. None: that is not
// all that is missing.
std::optional<std::vector<LinearForm>> missing_facts(const NumericMember& member, const FormState& state,
                                                     Buffering buffering);

}  // namespace fenceline::check
