// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is this program well-formed? Everything the engines rely on without further checks is checked here: edges
// lead to instructions, expressions are trees over what exists, atomic sections are closed boxes, initial
// values respect declared ranges. Front ends run it through ProgramBuilder::finish(); passes that change a
// program should run it afterwards.
//
// An offset or index that is constant and out of bounds is *not* a defect: `if (i > 0) a[i - 1] = 1;` in
// the thread with i == 0 is a correct program. It is an error of the execution that gets there.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"

namespace fenceline {

// All defects, one sentence each; empty if there are none. Never throws, whatever the program looks like.
std::vector<std::string> verify(const Program& program);

// Throws Bug with the first few of these sentences.
void require_valid(const Program& program);

}  // namespace fenceline
