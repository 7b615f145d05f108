// SPDX-License-Identifier: GPL-3.0-or-later
//
// What programs can do that `.fl` has no words for: rmw operations and operators that other languages need,
// and the property that looks at errors and at the end. print_fl() writes them in disguise, this takes the
// disguise off:
//
//   cas/*value*/(x, a, b)      kCasValue
//   fetch_add/*or*/(x, a)      kFetchOr; in the same way kFetchAnd and kFetchXor
//   fetch_add/*as -3*/(x, a)   what is stored is wrapped to 3 bits without a sign
//   (a ^ b), (a | b)           kUlt, kUle
//   (a << 3), (a << 35)        kWrap to 3 bits with a sign, and to 35 - 32 without
//   halt/*all*/                a kHalt that ends the program
//   assume/*guess*/(c)         a kAssume that is no branch
//   assume/*wait*/(c)          a kAssume that is part of a join
//   property observed: finally kObservations
//
// The operators are found in the program and not in its text, so at least one operand must not be a constant.
#pragma once

#include <string>

#include "ir/program.h"

namespace fenceline::fuzz {

// Throws InputError, as the front end does.
Program read_program(const std::string& fl_text);

}  // namespace fenceline::fuzz
