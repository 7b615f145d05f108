// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls through pointers to member functions, as std::thread(&Worker::run, &worker) makes them. Such a pointer is a pair
// of numbers: the function, or its place among the virtual ones, and a distance that is added to the object's address,
// which is not 0 only with several base classes. An address with an unknown distance may be anywhere in the object,
// and so may be what is read as the table of virtual functions.
//
// Where a program has no pointer with such a distance, it is taken for granted that there is none, and checked where
// the program executes (index_guards.h). The same holds for pointers to virtual functions.
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

// Precondition: operations are not hidden.
void guard_member_pointers(llvm::Module& module);

}  // namespace fenceline::frontend::c
