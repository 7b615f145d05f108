// SPDX-License-Identifier: GPL-3.0-or-later
//
// Destructors of global variables and of static variables of functions. They are registered where the variable is
// initialised (__cxa_atexit), and run in the reverse order when main() returns or exit() is called.
//
// The first registrations happen in every execution, before main() and in a known order: those of global variables, up
// to the first one whose initialisation may register something else, or end the process. Their destructors are a fixed
// sequence. What is registered later is kept in a list at run time, with the functions for atexit() (support/exit.c).
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

// Registrations that are not in the fixed sequence become calls of a function of support/exit.c. To be called when the
// files of the program are linked, before support/.
void register_at_run_time(llvm::Module& module);

// The end of main() and exit() run what has been registered. Without `main`, which is the case for the tests of a data
// type, the program does not end, and registering has no effect. A registration that is not of a known function and
// object stays, and is rejected where it is lowered.
// Precondition: register_at_run_time() has been called; nothing is flat or hidden.
void run_static_destructors(llvm::Module& module, llvm::Function* main);

// Does something run at the end of main() and in exit()?
bool runs_at_end(const llvm::Module& module);

}  // namespace fenceline::frontend::c
