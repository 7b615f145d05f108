// SPDX-License-Identifier: GPL-3.0-or-later
//
// The front end of the `.fl` language (docs/language.md).
#pragma once

#include "env/source.h"
#include "frontend/parameters.h"
#include "ir/program.h"

namespace fenceline::frontend {

// The program of `source`. Throws InputError with up to 20 messages if the text has errors.
// Postcondition: the program passes ir/verify and has a thread; if there is no property, there are
// transactions or errors that could happen.
Program parse_fl(SourceFile source, const FrontEndParameters& parameters = {});

}  // namespace fenceline::frontend
