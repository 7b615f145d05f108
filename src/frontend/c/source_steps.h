// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the steps of a program are to those who wrote it: which ones belong to the library's way to start and join a
// thread, and what a fence is called in the source.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>

#include "ir/instruction.h"

namespace fenceline::frontend::c {

// Is it a step that the library takes and the user has not asked for: code of std::thread around the function that a
// thread executes, the read of a handle to join the thread, a choice inside of a condition variable?
bool is_library_step(const llvm::Instruction& instruction);

// "fence(release)".
std::string fence_text(MemoryOrder order);

// "mfence", "dmb ish": an instruction of the processor that the module is for; empty if it has none for these kinds.
std::string fence_instruction(FenceKinds kinds, const llvm::Module& module);

}  // namespace fenceline::frontend::c
