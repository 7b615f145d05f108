// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the textual form of ir/text/printer.h. It is strict: what print_program() would not write is mostly
// rejected. A program may have comments, in lines that begin with `//`.
#pragma once

#include "env/source.h"
#include "ir/program.h"

namespace fenceline {

// Postcondition: the program passes ir/verify; its source has the name that the text gives and no text.
// Throws InputError with the position in `file` if the text is malformed, whatever it contains.
Program parse_program(const SourceFile& file);

}  // namespace fenceline
