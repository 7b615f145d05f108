// SPDX-License-Identifier: GPL-3.0-or-later
//
// xchg, xadd and cmpxchg: read-modify-writes whose old value is a result.
#include "frontend/c/asm_x86.h"

namespace fenceline::frontend::c {

bool X86::exchange(const X86Name& name, const std::vector<Operand>& operands) {
  if (name.mnemonic != "XCHG" && name.mnemonic != "XADD") return false;
  const bool adds = name.mnemonic == "XADD";
  std::vector<Operand> both = operands;
  // XCHG32ar: the other one is the accumulator.
  if (both.size() == 1) both.push_back(reg_operand(name.bits == 64 ? "RAX" : name.bits == 32 ? "EAX" : "AX"));
  if (both.size() != 2) return false;
  const Operand &first = both[0], &second = both[1];
  using Rmw = llvm::AtomicRMWInst;
  llvm::Value* a = value_of(first, name.bits);
  if (second.is_memory() && (locked_ || !adds)) {
    llvm::Value* old = rmw(adds ? Rmw::Add : Rmw::Xchg, address_of(second), a, kX86Locked, kRmwLocked);
    if (adds) set_add_flags(old, a, ir().CreateAdd(old, a));
    assign(first, old);
    return true;
  }
  llvm::Value* b = value_of(second, name.bits);
  if (!adds) {
    assign(first, b);
    assign(second, a);
    return true;
  }
  // LLVM has the source of an addition without memory last.
  const bool memory = second.is_memory();
  llvm::Value* sum = ir().CreateAdd(a, b);
  set_add_flags(memory ? b : a, memory ? a : b, sum);
  assign(memory ? first : second, memory ? b : a);
  assign(memory ? second : first, sum);
  return true;
}

bool X86::compare_and_exchange(const AsmInstruction& instruction, const X86Name& name,
                               const std::vector<Operand>& operands) {
  if (name.mnemonic != "CMPXCHG") return false;
  if (instruction.name == "CMPXCHG8B" || instruction.name == "CMPXCHG16B") {
    if (!locked_) unsupported(instruction, "without 'lock'");
    exchange_wide(operands, instruction.name == "CMPXCHG8B" ? 32 : 64);
    return true;
  }
  if (operands.size() != 2) return false;
  if (!locked_) unsupported(instruction, "without 'lock'");
  const unsigned bits = name.bits;
  llvm::Value *expected = read("RAX", bits), *desired = value_of(operands[1], bits);
  const Exchanged done =
      compare_exchange(address_of(operands[0]), expected, desired, kX86Locked, kX86Locked, kRmwLocked);
  set_sub_flags(expected, done.old, ir().CreateSub(expected, done.old));
  set_flag("ZF", done.succeeded);
  // If they are equal the register keeps its value, which is the same one.
  write("RAX", bits == 32 ? widen(done.old, 64) : done.old);
  return true;
}

// The halves are in EDX:EAX and ECX:EBX, or in the whole registers.
void X86::exchange_wide(const std::vector<Operand>& operands, unsigned half) {
  const auto give = [&](llvm::Value* old) {
    write("RAX", widen(narrow(old, half), 64));
    write("RDX", widen(narrow(ir().CreateLShr(old, number(half, 2 * half)), half), 64));
  };
  // What is written is what is expected, whatever that is: this is how x86 reads 16 bytes at once.
  if (is_unset_copy("RBX", "RAX") && is_unset_copy("RCX", "RDX")) {
    give(rmw(llvm::AtomicRMWInst::Or, address_of(operands[0]), number(0, 2 * half), kX86Locked, kRmwLocked));
    return forget_flag("ZF");
  }
  const auto pair = [&](const char* high, const char* low) {
    llvm::Value* upper = ir().CreateShl(widen(read(high, half), 2 * half), number(half, 2 * half));
    return ir().CreateOr(upper, widen(read(low, half), 2 * half));
  };
  llvm::Value *expected = pair("RDX", "RAX"), *desired = pair("RCX", "RBX");
  const Exchanged done =
      compare_exchange(address_of(operands[0]), expected, desired, kX86Locked, kX86Locked, kRmwLocked);
  set_flag("ZF", done.succeeded);
  give(done.old);
}

}  // namespace fenceline::frontend::c
