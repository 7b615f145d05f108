// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operands of inline assembly: which register stands for which value, and the text with these registers in
// it, as a compiler would hand it to the assembler.
//
// Every operand gets a register of its own, unless a constraint ties two together; a memory operand gets one
// for its address. So an output that is written before an input is read never destroys it, also where the
// text forgets to say that (`=&r`).
#pragma once

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/asm_parser.h"

namespace fenceline::frontend::c {

struct AsmInput {
  std::string reg;    // what holds the whole register: "RAX", "X0"
  unsigned argument;  // of the call
};

struct AsmOutput {
  std::string reg;                   // empty if it is a flag
  std::string condition;             // "z", "eq": a condition of the flags
  llvm::Type* type = nullptr;        // of the value
  std::optional<unsigned> argument;  // the value is stored to where this argument of the call points
};

struct AsmOperands {
  std::string text;
  std::vector<AsmInput> inputs;
  std::vector<AsmOutput> outputs;  // the results of the call in their order, and those that are stored
  std::set<std::string> writable;  // registers that the text may change
};

// Throws AsmUnsupported.
AsmOperands bind_operands(AsmTarget target, const llvm::CallBase& call);

// The register that contains the named one, in LLVM's or the assembler's spelling; empty if it is not a
// general register.
std::string whole_register(AsmTarget target, std::string_view name);

// x86 only: the part of a register. EAX: 32 bits from bit 0, AH: 8 bits from bit 8.
struct RegisterPart {
  unsigned bits = 64, from = 0;
};
RegisterPart register_part(AsmTarget target, std::string_view name);

}  // namespace fenceline::frontend::c
