// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inline assembly. Each piece becomes a function of LLVM code with atomic accesses, and the piece a call of it,
// which is inlined like any other. So nothing behind this depends on assembly.
//
//   asm_parser     the text as instructions, by LLVM's parser
//   asm_operands   operands: values in registers, and the text with their names
//   asm_machine    execution on symbolic registers; asm_x86, asm_aarch64, asm_riscv, asm_power
//   asm_pairs      exclusive loads and stores as read-modify-writes
//   asm_simplify   what only the translation has added is removed
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <string_view>

#include "ir/instruction.h"

namespace fenceline::frontend::c {

// How the names of these functions begin.
inline constexpr const char* kAssemblyFunction = "fl.assembly";

// All of the module that is understood. What is not stays, with a note of the reason: it may be in code that
// is never executed.
void translate_assembly(llvm::Module& module);

// The first text of the module that is assembly of this machine and not of the one that the module is compiled for;
// empty if there is none. Fences are understood on all.
std::string native_assembly(const llvm::Module& module);

// Why this piece of assembly was not understood.
std::string reason_of(const llvm::CallBase& assembly);

// What a piece of assembly does to the order of accesses; no kind if it is a compiler barrier or a pause.
// None: it is more than a fence of the common processors.
std::optional<FenceKinds> assembly_fence(std::string_view text);

// The fence that a call represents which translated assembly has: its kinds, and its name if that counts.
struct NamedFence {
  FenceKinds kinds;
  std::string name;
  std::string text = {};  // as it is written, if it is all that the piece has
};
std::optional<NamedFence> fence_of_assembly(const llvm::CallBase& call);

// "load-load", "store-store, load-store", "full".
std::optional<FenceKinds> fence_kinds_of(std::string_view text);

}  // namespace fenceline::frontend::c
