// SPDX-License-Identifier: GPL-3.0-or-later
//
// Assembly, executed symbolically: the instructions of one piece become the LLVM code of a function, with
// registers and flags as its variables. A processor (asm_x86.cpp and its like) says what each instruction
// does in terms of this class; what the class does not know about is rejected by name.
//
// Accesses become atomic ones of LLVM, with the order that the processor gives them. So the same code has a
// meaning on every model.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/asm_operands.h"
#include "frontend/c/asm_parser.h"
#include "ir/instruction.h"

namespace fenceline::frontend::c {

// Calls of functions whose name begins so are fences: the kinds, as a number, and a name that models know it by. With an
// argument, the fence is behind a branch that depends on it and on nothing else.
inline constexpr const char* kAssemblyFence = "fl.fence.";

// The note of a read-modify-write that comes from assembly: is it one instruction, one of which the result is
// dropped (stadd on ARM), a locked one of x86, which is a full fence, too, or a pair of them (lr/sc)?
inline constexpr const char* kRmwNote = "fenceline.rmw";
inline constexpr const char *kRmwSingle = "single", *kRmwNoResult = "no result", *kRmwLocked = "locked",
                            *kRmwPair = "pair";

// The note of an access that is stronger than LLVM's order for it says: it is sequentially consistent on models of
// C11, and on the model of the processor that is named. Elsewhere fences would make it stronger than it is.
inline constexpr const char* kOrderNote = "fenceline.order";
inline constexpr const char *kStrongInC = "C11", *kStrongOnArm = "C11 and ARM",
                            *kStrongOnRiscV = "C11 and RISC-V";

class AsmMachine {
 public:
  AsmMachine(AsmTarget target, llvm::Function& function);
  virtual ~AsmMachine() = default;
  AsmMachine(const AsmMachine&) = delete;
  AsmMachine& operator=(const AsmMachine&) = delete;

  // The body of the function: its parameters go to the registers of `operands`, the code is executed, and the
  // outputs are returned.
  void translate(const AsmCode& code, const AsmOperands& operands);

 protected:
  virtual void execute(const AsmInstruction& instruction) = 0;
  // Behind the last instruction.
  virtual void finish() {}
  // Of the flags: "z", "eq".
  virtual llvm::Value* condition(const std::string& name) = 0;
  // Operands that are narrower than the register, as compilers extend them.
  virtual bool extends_with_sign() const { return false; }
  // May more bits be read than the operand has?
  virtual bool allows_reading_beyond(unsigned operand_bits, unsigned read_bits) const = 0;

  [[noreturn]] void unsupported(const AsmInstruction& instruction, const std::string& why = "") const;

  // ---- Values ----
  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::Type* type(unsigned bits) { return ir_.getIntNTy(bits); }
  llvm::Value* number(int64_t value, unsigned bits) {
    return llvm::ConstantInt::get(type(bits), static_cast<uint64_t>(value), true);
  }
  llvm::Value* narrow(llvm::Value* value, unsigned bits);  // the low bits
  llvm::Value* widen(llvm::Value* value, unsigned bits, bool with_sign = false);

  // Registers have 64 bits. A write of fewer bits keeps the others.
  llvm::Value* read(const std::string& whole, unsigned bits = 64, unsigned from = 0);
  void write(const std::string& whole, llvm::Value* value, unsigned from = 0);
  bool is_set(const std::string& whole) { return reg(whole).set_bits > 0; }
  llvm::Value* flag(const std::string& name);
  void set_flag(const std::string& name, llvm::Value* value);
  void forget_flag(const std::string& name);                            // it is undefined from here on
  llvm::Value* read_or_unset(const std::string& whole, unsigned bits);  // what is not set may be copied

  // ---- Memory ----
  llvm::Value* address(llvm::Value* base, llvm::Value* offset);  // of 64 bits each; no offset: null
  // `strong` is a note of the order, or null.
  llvm::Value* load(llvm::Value* pointer, unsigned bits, llvm::AtomicOrdering order,
                    const char* strong = nullptr);
  void store(llvm::Value* pointer, llvm::Value* value, llvm::AtomicOrdering order,
             const char* strong = nullptr);
  // `kind` is one of the notes above.
  llvm::Value* rmw(llvm::AtomicRMWInst::BinOp operation, llvm::Value* pointer, llvm::Value* operand,
                   llvm::AtomicOrdering order, const char* kind = kRmwSingle);
  struct Exchanged {
    llvm::Value *old, *succeeded;
  };
  Exchanged compare_exchange(llvm::Value* pointer, llvm::Value* expected, llvm::Value* desired,
                             llvm::AtomicOrdering success, llvm::AtomicOrdering failure,
                             const char* kind = kRmwSingle);
  // A read-modify-write that there is no atomic operation for: a compare-and-exchange in a loop. Gives the old
  // value.
  llvm::Value* compute_atomically(llvm::Value* pointer, unsigned bits, llvm::AtomicOrdering order,
                                  const char* kind, const std::function<llvm::Value*(llvm::Value*)>& compute);
  void fence(FenceKinds kinds, const std::string& name = "", llvm::Value* behind_branch_on = nullptr);
  // The first and the second instruction of a pair; the latter gives whether it failed. They are made one
  // read-modify-write when the whole code is there (asm_pairs.h).
  llvm::Value* load_exclusive(llvm::Value* pointer, unsigned bits, llvm::AtomicOrdering order,
                              const char* strong = nullptr);
  llvm::Value* store_exclusive(llvm::Value* pointer, llvm::Value* value, llvm::AtomicOrdering order);

  // ---- Control ----
  void jump(const AsmInstruction& by, const std::string& label);
  void branch(const AsmInstruction& by, llvm::Value* condition, const std::string& label);
  void trap();

  AsmTarget target() const { return target_; }

 private:
  struct Register {
    llvm::AllocaInst* slot = nullptr;
    unsigned set_bits = 0;               // how many of them have a value
    llvm::AllocaInst* output = nullptr;  // the low bits that are an output, if they are fewer
    // In this block: its low bits, to read them without detours.
    llvm::Value* low = nullptr;
  };
  Register& reg(const std::string& whole);
  llvm::AllocaInst* new_slot(llvm::Type* type, const std::string& name);
  llvm::BasicBlock* block_of(const AsmInstruction& by, const std::string& label);
  void enter(llvm::BasicBlock* block);
  void take_inputs(const AsmOperands& operands);
  void prepare_outputs(const AsmOperands& operands);
  void return_outputs(const AsmOperands& operands);
  void note(llvm::Instruction& access, const char* about, const char* text);

  AsmTarget target_;
  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
  llvm::BasicBlock* entry_;
  std::map<std::string, Register> registers_;
  std::set<std::string> writable_;
  std::map<std::string, llvm::AllocaInst*> flags_;
  std::map<std::string, llvm::BasicBlock*> labels_;
};

// One for each processor; null for those of which only fences are read.
std::unique_ptr<AsmMachine> make_x86(llvm::Function& function);
std::unique_ptr<AsmMachine> make_aarch64(llvm::Function& function);
std::unique_ptr<AsmMachine> make_riscv(llvm::Function& function);
std::unique_ptr<AsmMachine> make_power(llvm::Function& function);

}  // namespace fenceline::frontend::c
