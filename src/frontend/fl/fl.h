// SPDX-License-Identifier: GPL-3.0-or-later
//
// The front end of the `.fl` language (docs/language.md).
#pragma once

#include "env/source.h"
#include "ir/program.h"

namespace fenceline {

// The program that `source` says. Throws InputError with up to 20 complaints if it says none.
// Postcondition: the program passes ir/verify, has a thread and something to check.
Program parse_fl(SourceFile source);

}  // namespace fenceline
