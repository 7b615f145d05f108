// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a C program gets from its environment when it begins.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// The parameters of main() become constants: the program is started without arguments, so that argc is 1,
// argv { "program", NULL } and envp { NULL }. False if main() is called by the program itself, too, or has
// parameters of other types; then it stays as it is.
bool set_main_arguments(llvm::Function& main);

}  // namespace fenceline::frontend::c
