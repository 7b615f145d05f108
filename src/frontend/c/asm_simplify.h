// SPDX-License-Identifier: GPL-3.0-or-later
//
// Translated assembly (asm_machine.h) without what only the translation has added: flags that nothing reads,
// numbers that are widened and narrowed again, addresses that travel through integers.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// Throws AsmUnsupported if something is used that was never set.
void simplify(llvm::Function& function);

}  // namespace fenceline::frontend::c
