// SPDX-License-Identifier: GPL-3.0-or-later
//
// Destructors of global variables and of static variables of functions. They are registered where the variable is
// initialised (__cxa_atexit), and run in the reverse order when main() returns or exit() is called.
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

class Unit;

// The end of main() and calls of exit() run what has been registered. Without `main`, which is the case for the
// tests of a data type, the program does not end, and registering has no effect. A registration that is not of a
// known function and object stays, and is rejected where it is lowered.
// Precondition: nothing is flat or hidden.
void run_static_destructors(llvm::Module& module, llvm::Function* main);

}  // namespace fenceline::frontend::c
