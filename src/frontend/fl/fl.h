// SPDX-License-Identifier: GPL-3.0-or-later
//
// The front end of the `.fl` language (docs/language.md).
#pragma once

#include "env/source.h"
#include "frontend/parameters.h"
#include "ir/program.h"

namespace fenceline {

// The program that `source` says. Throws InputError with up to 20 complaints if it says none.
// Postcondition: the program passes ir/verify and has a thread; if there is no property, there are
// transactions or errors that could happen.
Program parse_fl(SourceFile source, const FrontEndParameters& parameters = {});

}  // namespace fenceline
