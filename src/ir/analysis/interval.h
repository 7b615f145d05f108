// SPDX-License-Identifier: GPL-3.0-or-later
//
// Interval arithmetic: from ranges of the operands to a range of the result. Where an operation has no result
// (division by zero, a negative shift, a value outside 64 bits) there is nothing to contain, so such operands
// are simply left out; an operation that can only fail has the empty range.
#pragma once

#include "base/numbers.h"
#include "ir/instruction.h"

namespace fenceline {

// Precondition: arity(op) is 1 or 2, not a leaf; if it is 1, `b` is ignored, but for kWrap, whose width it
// is. Postcondition: contains apply(op, x, y) for all x in a, y in b for which it is ok. kAnd and kOr are
// lazy: an empty `b` represents "fails whenever it is looked at".
Range apply_range(ExprOp op, Range a, Range b);

// The same for fetch() of ir/eval.h. Precondition: is_fetch(op).
Range fetch_range(RmwOp op, Range old, Range a, int wrap);

// {0}, {1}, or both: the truth values of a range; empty for the empty range.
Range truth_of(Range a);

}  // namespace fenceline
