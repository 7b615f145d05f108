// SPDX-License-Identifier: GPL-3.0-or-later
//
// The text of inline assembly as instructions, read by LLVM's assembly parser of the processor. An instruction
// keeps LLVM's name for its opcode ("XADD32rm", "LDAXRW"), which says what its operands are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fenceline::frontend::c {

enum class AsmTarget : uint8_t { kX86, kAArch64, kRiscV, kPower, kSparc };

// The processor of a target triple, if it is one of these.
std::optional<AsmTarget> asm_target_of(std::string_view triple);

// Why a piece of assembly is not understood, in the user's words: the instruction is named.
class AsmUnsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The parser rejects the text: it is no assembly of this processor.
class AsmInvalid : public AsmUnsupported {
 public:
  using AsmUnsupported::AsmUnsupported;
};

struct AsmOperand {
  enum class Kind : uint8_t { kRegister, kImmediate, kLabel };
  Kind kind = Kind::kRegister;
  std::string name;   // of the register, as LLVM spells it ("EAX", "W0"), or of the label; empty: no register
  int64_t value = 0;  // of the immediate
  bool tied = false;  // repeats an operand before it: read and written
  bool address = false;  // a part of a memory operand
};

struct AsmInstruction {
  std::string name;  // LLVM's name of the opcode
  std::string text;  // as written
  std::vector<AsmOperand> operands;
  bool locked = false;  // x86: has the prefix `lock`
};

struct AsmCode {
  std::vector<AsmInstruction> instructions;
  std::map<std::string, size_t> labels;  // the instruction that follows them
};

// Throws AsmInvalid for what the parser rejects, and AsmUnsupported for directives that put data somewhere.
AsmCode parse_assembly(AsmTarget target, const std::string& text, bool intel_syntax);

}  // namespace fenceline::frontend::c
