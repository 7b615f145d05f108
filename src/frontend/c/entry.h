// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a C program gets from its environment when it begins, and what happens when main() returns.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// The parameters of main() become constants: the program is started without arguments, so that argc is 1,
// argv { "program", NULL } and envp { NULL }. False if main() is called by the program itself, too, or has
// parameters of other types; then it stays as it is.
bool set_main_arguments(llvm::Function& main);

// The function of support/exit.c that calls what was registered at run time; null if the program does not use that.
llvm::Function* exit_handlers(llvm::Module& module);
// Where main() returns, the process ends. Nothing happens when it is called again.
void run_exit_handlers(llvm::Function& main);

}  // namespace fenceline::frontend::c
