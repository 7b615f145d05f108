// SPDX-License-Identifier: GPL-3.0-or-later
//
// std::call_once(flag, f): the library passes `f` to pthread_once() in two variables of the thread, of which one is a
// pointer to a function. Here it is an argument, so that it is known what is called.
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

void pass_callables_of_once(llvm::Module& module);

}  // namespace fenceline::frontend::c
