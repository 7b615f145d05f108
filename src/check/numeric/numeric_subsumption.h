// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does a member of the invariant stand for all states that a state of forms stands for?
#pragma once

#include <optional>
#include <vector>

#include "check/numeric/numeric_members.h"

namespace fenceline {

// Precondition of both: threads stand at the same points. A `no` may be wrong; both throw DoesNotFit.
bool covers(const NumericMember& member, const FormState& state, Buffering buffering);

// What would have to be known in addition (form >= 0) for the member to cover the state. None: that is not
// all that is missing.
std::optional<std::vector<LinearForm>> missing_facts(const NumericMember& member, const FormState& state,
                                                     Buffering buffering);

}  // namespace fenceline
