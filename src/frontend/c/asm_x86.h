// SPDX-License-Identifier: GPL-3.0-or-later
//
// x86-64. LLVM's name of an instruction is its mnemonic, the size in bits and the forms of its operands: in
// ADD32mr the destination is in memory and the source in a register.
//
// A locked instruction, and an exchange with memory, is sequentially consistent. A load acquires and a store
// releases: that is what x86 guarantees. On models of C11 a load is sequentially consistent, since compilers make
// such a load a `mov`; those models then have every execution that x86 has.
//
//   asm_x86              operands, dispatch, control, moves
//   asm_x86_arithmetic   flags, arithmetic, shifts, bits
//   asm_x86_exchange     read-modify-writes that give the old value
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/c/asm_machine.h"

namespace fenceline::frontend::c {

// The orders of accesses.
inline constexpr llvm::AtomicOrdering kX86Load = llvm::AtomicOrdering::Acquire,
                                      kX86Store = llvm::AtomicOrdering::Release,
                                      kX86Locked = llvm::AtomicOrdering::SequentiallyConsistent;

// An opcode of LLVM, "ADD32mi8", taken apart.
struct X86Name {
  std::string mnemonic;
  unsigned bits = 0;
  std::string form;
};

class X86 : public AsmMachine {
 public:
  explicit X86(llvm::Function& function) : AsmMachine(AsmTarget::kX86, function) {}

 protected:
  void execute(const AsmInstruction& instruction) override;
  llvm::Value* condition(const std::string& name) override;
  void finish() override {
    if (prefix_) throw AsmUnsupported("the prefix 'lock' without an instruction");
  }
  bool allows_reading_beyond(unsigned, unsigned) const override { return false; }

 private:
  // A register, a number, or memory; the operand of an instruction.
  struct Operand {
    enum class Kind : uint8_t { kRegister, kImmediate, kMemory };
    Kind kind;
    std::string reg;
    int64_t value = 0;
    std::vector<AsmOperand> address;  // base, scale, index, displacement, segment
    bool is_memory() const { return kind == Kind::kMemory; }
  };

  std::vector<Operand> operands_of(const AsmInstruction& instruction);
  static Operand reg_operand(const char* name) { return {Operand::Kind::kRegister, name, 0, {}}; }
  llvm::Value* address_of(const Operand& memory);
  llvm::Value* value_of(const Operand& operand, unsigned bits);
  void assign(const Operand& operand, llvm::Value* value);

  bool no_operands(const AsmInstruction& instruction);
  bool control(const AsmInstruction& instruction);
  bool conditional(const AsmInstruction& instruction);
  bool is_stack_fence(const AsmInstruction& instruction, const X86Name& name);
  bool arithmetic(const X86Name& name, std::vector<Operand>& operands);
  llvm::Value* with_carry(llvm::Value* a, llvm::Value* b, bool adds);
  bool unary(const X86Name& name, const std::vector<Operand>& operands);
  bool exchange(const X86Name& name, const std::vector<Operand>& operands);
  bool compare_and_exchange(const AsmInstruction& instruction, const X86Name& name,
                            const std::vector<Operand>& operands);
  void exchange_wide(const std::vector<Operand>& operands, unsigned half);
  bool bit_test(const X86Name& name, const std::vector<Operand>& operands);
  bool shift(const X86Name& name, std::vector<Operand>& operands);
  bool scan(const X86Name& name, const std::vector<Operand>& operands);
  bool move(const AsmInstruction& instruction, const X86Name& name, const std::vector<Operand>& operands);

  // Flags.
  llvm::Value* condition(int64_t code);
  void set_result_flags(llvm::Value* result);
  void set_add_flags(llvm::Value* a, llvm::Value* b, llvm::Value* result, bool carry = true);
  void set_sub_flags(llvm::Value* a, llvm::Value* b, llvm::Value* result, bool carry = true);
  void set_logic_flags(llvm::Value* result);
  llvm::Value* negative(llvm::Value* value) {
    return ir().CreateICmpSLT(value, number(0, value->getType()->getIntegerBitWidth()));
  }

  bool is_unset_copy(const std::string& copy, const std::string& original) {
    const auto found = unset_copies_.find(copy);
    return found != unset_copies_.end() && found->second == original && !is_set(copy) && !is_set(original);
  }

  std::map<std::string, std::string> unset_copies_;
  bool locked_ = false;  // the current instruction
  bool prefix_ = false;  // `lock` was an instruction of its own, and the next one has it
};

}  // namespace fenceline::frontend::c
