// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/asm_x86.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "env/errors.h"

namespace fenceline::frontend::c {
namespace {

X86Name taken_apart(const std::string& name) {
  X86Name result;
  size_t end = 0;
  while (end < name.size() && (name[end] < '0' || name[end] > '9')) ++end;
  result.mnemonic = name.substr(0, end);
  const char* last = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + end, last, result.bits);
  if (error == std::errc()) result.form = std::string(stop, last);
  return result;
}

}  // namespace

// ---- Operands ----

std::vector<X86::Operand> X86::operands_of(const AsmInstruction& instruction) {
  std::vector<Operand> result;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const AsmOperand& one = instruction.operands[i];
    if (one.tied) continue;
    // LLVM has another type for addresses that are only computed.
    if (one.address || (instruction.name.starts_with("LEA") && i == 1)) {
      Operand memory{Operand::Kind::kMemory, "", 0, {}};
      for (size_t k = 0; k < 5 && i < instruction.operands.size(); ++k, ++i)
        memory.address.push_back(instruction.operands[i]);
      --i;
      if (memory.address.size() != 5) unsupported(instruction);
      if (!memory.address[4].name.empty()) unsupported(instruction, "a segment register");
      if (memory.address[3].kind != AsmOperand::Kind::kImmediate)
        unsupported(instruction, "a variable by its name");
      result.push_back(std::move(memory));
      continue;
    }
    switch (one.kind) {
      case AsmOperand::Kind::kRegister:
        if (whole_register(target(), one.name).empty())
          unsupported(instruction, fmt::format("the register '{}'", one.name));
        result.push_back(reg_operand(one.name.c_str()));
        break;
      case AsmOperand::Kind::kImmediate:
        result.push_back({Operand::Kind::kImmediate, "", one.value, {}});
        break;
      case AsmOperand::Kind::kLabel:
        unsupported(instruction, "the address of a label");
    }
  }
  return result;
}

llvm::Value* X86::address_of(const Operand& memory) {
  const auto part = [&](const AsmOperand& operand) -> llvm::Value* {
    const std::string whole = whole_register(target(), operand.name);
    if (whole.empty() || whole == "RSP" || whole == "RBP")
      throw AsmUnsupported(fmt::format("assembly with an address in the register '{}'", operand.name));
    return read(whole);
  };
  const AsmOperand &base = memory.address[0], &index = memory.address[2];
  llvm::Value* offset = memory.address[3].value == 0 ? nullptr : number(memory.address[3].value, 64);
  if (!index.name.empty()) {
    llvm::Value* scaled = ir().CreateMul(part(index), number(memory.address[1].value, 64));
    offset = offset == nullptr ? scaled : ir().CreateAdd(scaled, offset);
  }
  if (base.name.empty()) throw AsmUnsupported("assembly with an address that has no base");
  return address(part(base), offset);
}

llvm::Value* X86::value_of(const Operand& operand, unsigned bits) {
  switch (operand.kind) {
    case Operand::Kind::kRegister: {
      const RegisterPart part = register_part(target(), operand.reg);
      return read(whole_register(target(), operand.reg), part.bits, part.from);
    }
    case Operand::Kind::kImmediate:
      return number(operand.value, bits);
    case Operand::Kind::kMemory:
      return load(address_of(operand), bits, kX86Load, kStrongInC);
  }
  throw Bug("a kind of operand that does not exist");
}

void X86::assign(const Operand& operand, llvm::Value* value) {
  if (operand.is_memory()) return store(address_of(operand), value, kX86Store);
  require(operand.kind == Operand::Kind::kRegister, "an assignment to a number");
  const RegisterPart part = register_part(target(), operand.reg);
  // 32 bits clear the others.
  write(whole_register(target(), operand.reg), part.bits == 32 ? widen(value, 64) : value, part.from);
}

// ---- Instructions ----

void X86::execute(const AsmInstruction& instruction) {
  if (instruction.name == "LOCK_PREFIX") {
    prefix_ = true;
    return;
  }
  locked_ = instruction.locked || prefix_;
  prefix_ = false;
  if (no_operands(instruction) || control(instruction) || conditional(instruction)) return;
  const X86Name name = taken_apart(instruction.name);
  if (is_stack_fence(instruction, name)) return fence(FenceKinds::full());
  std::vector<Operand> operands = operands_of(instruction);
  if (name.mnemonic.starts_with("PREFETCH")) return;
  static const std::set<std::string_view> kLockable = {"ADD",     "SUB", "AND", "OR",  "XOR", "ADC",
                                                       "SBB",     "INC", "DEC", "NEG", "NOT", "XADD",
                                                       "CMPXCHG", "BTS", "BTR", "BTC", "XCHG"};
  const bool memory = !operands.empty() && (operands.front().is_memory() || operands.back().is_memory());
  if (locked_ && (!memory || !kLockable.contains(name.mnemonic))) unsupported(instruction, "'lock'");
  if (arithmetic(name, operands) || unary(name, operands) || exchange(name, operands) ||
      compare_and_exchange(instruction, name, operands) || bit_test(name, operands) ||
      shift(name, operands) || scan(name, operands) || move(instruction, name, operands))
    return;
  unsupported(instruction);
}

bool X86::no_operands(const AsmInstruction& instruction) {
  static const std::set<std::string_view> kNothing = {"NOOP", "PAUSE", "REP_PREFIX", "CLD", "ENDBR64"};
  static const std::map<std::string_view, FenceKinds> kFences = {
      {"MFENCE", FenceKinds::full()},
      {"LFENCE", FenceKinds::load_load() | FenceKinds::load_store()},
      {"SFENCE", FenceKinds::store_store()}};
  if (kNothing.contains(instruction.name) && !locked_) return true;
  if (const auto found = kFences.find(instruction.name); found != kFences.end()) {
    fence(found->second);
    return true;
  }
  if (instruction.name != "TRAP") return false;
  trap();
  return true;
}

bool X86::control(const AsmInstruction& instruction) {
  const auto target = [&]() -> const std::string& {
    if (instruction.operands.front().kind != AsmOperand::Kind::kLabel)
      unsupported(instruction, "a jump out of the assembly");
    return instruction.operands.front().name;
  };
  if (instruction.name == "JMP_1") {
    jump(instruction, target());
    return true;
  }
  if (instruction.name != "JCC_1") return false;
  branch(instruction, condition(instruction.operands.back().value), target());
  return true;
}

bool X86::conditional(const AsmInstruction& instruction) {
  const bool set = instruction.name == "SETCCr" || instruction.name == "SETCCm";
  const X86Name name = taken_apart(instruction.name);
  if (!set && name.mnemonic != "CMOV") return false;
  llvm::Value* holds = condition(instruction.operands.back().value);
  AsmInstruction without = instruction;
  without.operands.pop_back();
  const std::vector<Operand> operands = operands_of(without);
  if (set) {
    assign(operands[0], widen(holds, 8));
  } else {
    llvm::Value* source = value_of(operands[1], name.bits);
    assign(operands[0], ir().CreateSelect(holds, source, value_of(operands[0], name.bits)));
  }
  return true;
}

// A locked instruction on the thread's own stack that changes nothing is a full fence.
bool X86::is_stack_fence(const AsmInstruction& instruction, const X86Name& name) {
  if (!locked_ || (name.mnemonic != "ADD" && name.mnemonic != "OR") || instruction.operands.size() != 6)
    return false;
  const AsmOperand &base = instruction.operands[0], &index = instruction.operands[2],
                   &displacement = instruction.operands[3], &source = instruction.operands[5];
  return base.address && whole_register(target(), base.name) == "RSP" && index.name.empty() &&
         displacement.kind == AsmOperand::Kind::kImmediate && source.kind == AsmOperand::Kind::kImmediate &&
         source.value == 0;
}

bool X86::move(const AsmInstruction& instruction, const X86Name& name, const std::vector<Operand>& operands) {
  if (operands.size() != 2) return false;
  if (name.mnemonic == "MOV") {
    if (name.form.find("_") != std::string::npos || name.form.find("s") != std::string::npos) return false;
    // A register that nothing has set can be copied; only what it is a copy of is known then.
    if (instruction.name == "MOV64rr" && !is_set(operands[1].reg) && !is_set(operands[0].reg)) {
      unset_copies_[operands[0].reg] = operands[1].reg;
      return true;
    }
    assign(operands[0], value_of(operands[1], name.bits));
    return true;
  }
  if (name.mnemonic == "MOVZX" || name.mnemonic == "MOVSX") {
    // The size of the source is at the end: MOVZX32rm8.
    const size_t digits = name.form.find_last_not_of("0123456789") + 1;
    unsigned from = 0;
    std::from_chars(name.form.data() + digits, name.form.data() + name.form.size(), from);
    if (from == 0) return false;
    assign(operands[0], widen(value_of(operands[1], from), name.bits, name.mnemonic == "MOVSX"));
    return true;
  }
  if (instruction.name != "LEA64r" && instruction.name != "LEA32r" && instruction.name != "LEA64_32r")
    return false;
  llvm::Value* address = ir().CreatePtrToInt(address_of(operands[1]), type(64));
  assign(operands[0], instruction.name == "LEA64r" ? address : narrow(address, 32));
  return true;
}

std::unique_ptr<AsmMachine> make_x86(llvm::Function& function) { return std::make_unique<X86>(function); }

}  // namespace fenceline::frontend::c
