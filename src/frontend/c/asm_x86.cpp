// SPDX-License-Identifier: GPL-3.0-or-later
//
// x86-64. LLVM's name of an instruction is its mnemonic, the size in bits and the forms of its operands: in
// ADD32mr the destination is in memory and the source in a register.
//
// A locked instruction, and an exchange with memory, is sequentially consistent. A load acquires and a store
// releases: that is what x86 guarantees. On models of C11 a load is sequentially consistent, since compilers make
// such a load a `mov`; those models then have every execution that x86 has.
#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>

#include <charconv>
#include <map>
#include <set>

#include "env/errors.h"
#include "frontend/c/asm_machine.h"

namespace fenceline::frontend::c {
namespace {

constexpr llvm::AtomicOrdering kLoad = llvm::AtomicOrdering::Acquire, kStore = llvm::AtomicOrdering::Release,
                               kLocked = llvm::AtomicOrdering::SequentiallyConsistent;

// "ADD32mi8" taken apart.
struct Name {
  std::string mnemonic;
  unsigned bits = 0;
  std::string form;
};

Name taken_apart(const std::string& name) {
  Name result;
  size_t end = 0;
  while (end < name.size() && (name[end] < '0' || name[end] > '9')) ++end;
  result.mnemonic = name.substr(0, end);
  const char* last = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + end, last, result.bits);
  if (error == std::errc()) result.form = std::string(stop, last);
  return result;
}

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
  bool is_stack_fence(const AsmInstruction& instruction, const Name& name);
  bool arithmetic(const Name& name, std::vector<Operand>& operands);
  llvm::Value* with_carry(llvm::Value* a, llvm::Value* b, bool adds);
  bool unary(const Name& name, const std::vector<Operand>& operands);
  bool exchange(const Name& name, const std::vector<Operand>& operands);
  bool compare_and_exchange(const AsmInstruction& instruction, const Name& name,
                            const std::vector<Operand>& operands);
  void exchange_wide(const std::vector<Operand>& operands, unsigned half);
  bool bit_test(const Name& name, const std::vector<Operand>& operands);
  bool shift(const Name& name, std::vector<Operand>& operands);
  bool scan(const Name& name, const std::vector<Operand>& operands);
  bool move(const AsmInstruction& instruction, const Name& name, const std::vector<Operand>& operands);

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
      return load(address_of(operand), bits, kLoad, kStrongInC);
  }
  throw Bug("a kind of operand that does not exist");
}

void X86::assign(const Operand& operand, llvm::Value* value) {
  if (operand.is_memory()) return store(address_of(operand), value, kStore);
  require(operand.kind == Operand::Kind::kRegister, "an assignment to a number");
  const RegisterPart part = register_part(target(), operand.reg);
  // 32 bits clear the others.
  write(whole_register(target(), operand.reg), part.bits == 32 ? widen(value, 64) : value, part.from);
}

// ---- Flags ----

void X86::set_result_flags(llvm::Value* result) {
  const unsigned bits = result->getType()->getIntegerBitWidth();
  set_flag("ZF", ir().CreateICmpEQ(result, number(0, bits)));
  set_flag("SF", negative(result));
  llvm::Value* low = narrow(result, 8);
  for (const unsigned by : {4U, 2U, 1U}) low = ir().CreateXor(low, ir().CreateLShr(low, number(by, 8)));
  set_flag("PF", ir().CreateNot(narrow(low, 1)));
}

void X86::set_logic_flags(llvm::Value* result) {
  set_result_flags(result);
  set_flag("CF", ir().getFalse());
  set_flag("OF", ir().getFalse());
}

void X86::set_add_flags(llvm::Value* a, llvm::Value* b, llvm::Value* result, bool carry) {
  set_result_flags(result);
  if (carry) set_flag("CF", ir().CreateICmpULT(result, a));
  set_flag("OF", negative(ir().CreateAnd(ir().CreateXor(a, result), ir().CreateXor(b, result))));
}

void X86::set_sub_flags(llvm::Value* a, llvm::Value* b, llvm::Value* result, bool carry) {
  set_result_flags(result);
  set_flag("ZF", ir().CreateICmpEQ(a, b));
  if (carry) set_flag("CF", ir().CreateICmpULT(a, b));
  set_flag("OF", negative(ir().CreateAnd(ir().CreateXor(a, b), ir().CreateXor(a, result))));
}

// The codes of the architecture: an odd one is the opposite of the one before it.
llvm::Value* X86::condition(int64_t code) {
  llvm::Value* result = nullptr;
  switch (code / 2) {
    case 0:
      result = flag("OF");
      break;
    case 1:
      result = flag("CF");
      break;
    case 2:
      result = flag("ZF");
      break;
    case 3:
      result = ir().CreateOr(flag("CF"), flag("ZF"));
      break;
    case 4:
      result = flag("SF");
      break;
    case 5:
      result = flag("PF");
      break;
    case 6:
      result = ir().CreateXor(flag("SF"), flag("OF"));
      break;
    case 7:
      result = ir().CreateOr(ir().CreateXor(flag("SF"), flag("OF")), flag("ZF"));
      break;
    default:
      throw AsmUnsupported("a condition that does not exist");
  }
  return code % 2 == 1 ? ir().CreateNot(result) : result;
}

llvm::Value* X86::condition(const std::string& name) {
  static const std::map<std::string_view, int64_t> kCodes = {
      {"o", 0},    {"no", 1},  {"b", 2},   {"c", 2},   {"nae", 2}, {"ae", 3},  {"nb", 3},
      {"nc", 3},   {"e", 4},   {"z", 4},   {"ne", 5},  {"nz", 5},  {"be", 6},  {"na", 6},
      {"a", 7},    {"nbe", 7}, {"s", 8},   {"ns", 9},  {"p", 10},  {"np", 11}, {"l", 12},
      {"nge", 12}, {"ge", 13}, {"nl", 13}, {"le", 14}, {"ng", 14}, {"g", 15},  {"nle", 15}};
  const auto found = kCodes.find(name);
  if (found == kCodes.end()) throw AsmUnsupported(fmt::format("the condition '{}' as an output", name));
  return condition(found->second);
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
  const Name name = taken_apart(instruction.name);
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
  const Name name = taken_apart(instruction.name);
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
bool X86::is_stack_fence(const AsmInstruction& instruction, const Name& name) {
  if (!locked_ || (name.mnemonic != "ADD" && name.mnemonic != "OR") || instruction.operands.size() != 6)
    return false;
  const AsmOperand &base = instruction.operands[0], &index = instruction.operands[2],
                   &displacement = instruction.operands[3], &source = instruction.operands[5];
  return base.address && whole_register(target(), base.name) == "RSP" && index.name.empty() &&
         displacement.kind == AsmOperand::Kind::kImmediate && source.kind == AsmOperand::Kind::kImmediate &&
         source.value == 0;
}

// adc and sbb
llvm::Value* X86::with_carry(llvm::Value* a, llvm::Value* b, bool adds) {
  llvm::Value* carry = widen(flag("CF"), a->getType()->getIntegerBitWidth());
  llvm::Value* first = adds ? ir().CreateAdd(a, b) : ir().CreateSub(a, b);
  llvm::Value* result = adds ? ir().CreateAdd(first, carry) : ir().CreateSub(first, carry);
  llvm::Value* over = adds ? ir().CreateOr(ir().CreateICmpULT(first, a), ir().CreateICmpULT(result, first))
                           : ir().CreateOr(ir().CreateICmpULT(a, b), ir().CreateICmpULT(first, carry));
  set_result_flags(result);
  set_flag("CF", over);
  llvm::Value* sign =
      ir().CreateAnd(ir().CreateXor(a, result), adds ? ir().CreateXor(b, result) : ir().CreateXor(a, b));
  set_flag("OF", negative(sign));
  return result;
}

bool X86::arithmetic(const Name& name, std::vector<Operand>& operands) {
  enum class Op : uint8_t { kAdd, kSub, kAnd, kOr, kXor, kCmp, kTest, kAdc, kSbb };
  static const std::map<std::string_view, Op> kOps = {
      {"ADD", Op::kAdd}, {"SUB", Op::kSub}, {"AND", Op::kAnd},   {"OR", Op::kOr},  {"XOR", Op::kXor},
      {"CMP", Op::kCmp}, {"ADC", Op::kAdc}, {"TEST", Op::kTest}, {"SBB", Op::kSbb}};
  const auto found = kOps.find(name.mnemonic);
  if (found == kOps.end() || name.bits == 0) return false;
  // ADD32i32: the destination is the accumulator.
  if (operands.size() == 1) {
    const char* accumulator = name.bits == 64   ? "RAX"
                              : name.bits == 32 ? "EAX"
                              : name.bits == 16 ? "AX"
                                                : "AL";
    operands.insert(operands.begin(), reg_operand(accumulator));
  }
  if (operands.size() != 2) return false;
  using Rmw = llvm::AtomicRMWInst;
  const Op op = found->second;
  // The ways to write 0, or the carry, that do not depend on what is in the register.
  const bool same = operands[0].kind == Operand::Kind::kRegister &&
                    operands[1].kind == Operand::Kind::kRegister && operands[0].reg == operands[1].reg &&
                    (op == Op::kXor || op == Op::kSub || op == Op::kSbb);
  llvm::Value* b = same ? number(0, name.bits) : value_of(operands[1], name.bits);
  if (op == Op::kAdc || op == Op::kSbb) {
    if (locked_) return false;
    llvm::Value* a = same ? b : value_of(operands[0], name.bits);
    assign(operands[0], with_carry(a, b, op == Op::kAdc));
    return true;
  }
  llvm::Value* a = nullptr;
  if (locked_) {
    const auto which = op == Op::kAdd   ? Rmw::Add
                       : op == Op::kSub ? Rmw::Sub
                       : op == Op::kAnd ? Rmw::And
                       : op == Op::kOr  ? Rmw::Or
                                        : Rmw::Xor;
    a = rmw(which, address_of(operands[0]), b, kLocked, kRmwLocked);
  } else {
    a = same ? b : value_of(operands[0], name.bits);
  }
  llvm::Value* result = nullptr;
  switch (op) {
    case Op::kAdd:
      result = ir().CreateAdd(a, b);
      set_add_flags(a, b, result);
      break;
    case Op::kSub:
    case Op::kCmp:
      result = ir().CreateSub(a, b);
      set_sub_flags(a, b, result);
      break;
    case Op::kAnd:
    case Op::kTest:
      result = ir().CreateAnd(a, b);
      set_logic_flags(result);
      break;
    case Op::kOr:
      result = ir().CreateOr(a, b);
      set_logic_flags(result);
      break;
    case Op::kXor:
      result = ir().CreateXor(a, b);
      set_logic_flags(result);
      break;
    case Op::kAdc:
    case Op::kSbb:
      throw Bug("an operation with carry");
  }
  if (!locked_ && op != Op::kCmp && op != Op::kTest) assign(operands[0], result);
  return true;
}

bool X86::unary(const Name& name, const std::vector<Operand>& operands) {
  const std::string& op = name.mnemonic;
  if (operands.size() != 1 || name.bits == 0) return false;
  if (op == "BSWAP") {
    assign(operands[0], ir().CreateUnaryIntrinsic(llvm::Intrinsic::bswap, value_of(operands[0], name.bits)));
    return true;
  }
  if (op != "INC" && op != "DEC" && op != "NEG" && op != "NOT") return false;
  using Rmw = llvm::AtomicRMWInst;
  llvm::Value *one = number(1, name.bits), *ones = number(-1, name.bits), *zero = number(0, name.bits);
  llvm::Value* a = nullptr;
  if (locked_ && op == "NEG") {
    // There is no atomic operation for it: a compare-and-exchange, until it succeeds.
    llvm::Value* pointer = address_of(operands[0]);
    a = compute_atomically(pointer, name.bits, kLocked, kRmwLocked,
                           [&](llvm::Value* old) { return ir().CreateSub(zero, old); });
  } else if (locked_) {
    a = rmw(op == "INC"   ? Rmw::Add
            : op == "DEC" ? Rmw::Sub
                          : Rmw::Xor,
            address_of(operands[0]), op == "NOT" ? ones : one, kLocked, kRmwLocked);
  } else {
    a = value_of(operands[0], name.bits);
  }
  llvm::Value* result = op == "INC"   ? ir().CreateAdd(a, one)
                        : op == "DEC" ? ir().CreateSub(a, one)
                        : op == "NEG" ? ir().CreateSub(zero, a)
                                      : ir().CreateXor(a, ones);
  if (op == "INC") set_add_flags(a, one, result, false);
  if (op == "DEC") set_sub_flags(a, one, result, false);
  if (op == "NEG") set_sub_flags(zero, a, result);
  if (!locked_) assign(operands[0], result);
  return true;
}

bool X86::exchange(const Name& name, const std::vector<Operand>& operands) {
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
    llvm::Value* old = rmw(adds ? Rmw::Add : Rmw::Xchg, address_of(second), a, kLocked, kRmwLocked);
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

bool X86::compare_and_exchange(const AsmInstruction& instruction, const Name& name,
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
      compare_exchange(address_of(operands[0]), expected, desired, kLocked, kLocked, kRmwLocked);
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
    give(rmw(llvm::AtomicRMWInst::Or, address_of(operands[0]), number(0, 2 * half), kLocked, kRmwLocked));
    return forget_flag("ZF");
  }
  const auto pair = [&](const char* high, const char* low) {
    llvm::Value* upper = ir().CreateShl(widen(read(high, half), 2 * half), number(half, 2 * half));
    return ir().CreateOr(upper, widen(read(low, half), 2 * half));
  };
  llvm::Value *expected = pair("RDX", "RAX"), *desired = pair("RCX", "RBX");
  const Exchanged done =
      compare_exchange(address_of(operands[0]), expected, desired, kLocked, kLocked, kRmwLocked);
  set_flag("ZF", done.succeeded);
  give(done.old);
}

// With a register as the number of the bit, the bit may be in another word than the operand.
bool X86::bit_test(const Name& name, const std::vector<Operand>& operands) {
  const std::string& op = name.mnemonic;
  if (op != "BT" && op != "BTS" && op != "BTR" && op != "BTC") return false;
  if (operands.size() != 2) return false;
  const unsigned bits = name.bits;
  const bool far = operands[0].is_memory() && operands[1].kind == Operand::Kind::kRegister;
  llvm::Value* offset = value_of(operands[1], bits);
  llvm::Value* within = ir().CreateAnd(offset, number(bits - 1, bits));
  llvm::Value* mask = ir().CreateShl(number(1, bits), within);
  llvm::Value* pointer = operands[0].is_memory() ? address_of(operands[0]) : nullptr;
  if (far) {
    const unsigned log = bits == 64 ? 6 : bits == 32 ? 5 : 4;
    llvm::Value* word = widen(ir().CreateAShr(offset, number(log, bits)), 64, true);
    pointer = ir().CreateGEP(ir().getIntNTy(bits), pointer, word);
  }
  using Rmw = llvm::AtomicRMWInst;
  llvm::Value* cleared = ir().CreateNot(mask);
  llvm::Value* old = nullptr;
  if (locked_)
    old = rmw(op == "BTS"   ? Rmw::Or
              : op == "BTR" ? Rmw::And
                            : Rmw::Xor,
              pointer, op == "BTR" ? cleared : mask, kLocked, kRmwLocked);
  else
    old = pointer != nullptr ? load(pointer, bits, kLoad, kStrongInC) : value_of(operands[0], bits);
  set_flag("CF", ir().CreateICmpNE(ir().CreateAnd(old, mask), number(0, bits)));
  for (const char* other : {"OF", "SF", "PF"}) forget_flag(other);
  if (locked_ || op == "BT") return true;
  llvm::Value* result = op == "BTS"   ? ir().CreateOr(old, mask)
                        : op == "BTR" ? ir().CreateAnd(old, cleared)
                                      : ir().CreateXor(old, mask);
  if (pointer != nullptr)
    store(pointer, result, kStore);
  else
    assign(operands[0], result);
  return true;
}

bool X86::shift(const Name& name, std::vector<Operand>& operands) {
  const std::string& op = name.mnemonic;
  if (op != "SHL" && op != "SHR" && op != "SAR" && op != "ROL" && op != "ROR") return false;
  const unsigned bits = name.bits;
  llvm::Value* by = nullptr;
  if (name.form.ends_with("CL"))
    by = widen(read("RCX", 8), 64);
  else
    by = number(name.form.ends_with("1") || operands.size() < 2 ? 1 : operands[1].value, 64);
  by = narrow(ir().CreateAnd(by, number(bits == 64 ? 63 : 31, 64)), bits);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(by);
  // Narrow operands can be shifted by more than they have, which LLVM leaves undefined.
  if (bits < 32 && (constant == nullptr || constant->getZExtValue() >= bits)) return false;
  llvm::Value* a = value_of(operands[0], bits);
  llvm::Value* result = nullptr;
  if (op == "ROL" || op == "ROR")
    result = ir().CreateIntrinsic(op == "ROL" ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, {type(bits)},
                                  {a, a, by});
  else
    result = op == "SHL"   ? ir().CreateShl(a, by)
             : op == "SHR" ? ir().CreateLShr(a, by)
                           : ir().CreateAShr(a, by);
  assign(operands[0], result);
  if (constant != nullptr && constant->isZero()) return true;
  for (const char* flag : {"CF", "OF", "PF", "SF", "ZF"}) forget_flag(flag);
  // By an amount that is not known flags may stay as they were; nothing is said about them then.
  if (constant == nullptr || op == "ROL" || op == "ROR") return true;
  set_result_flags(result);
  const unsigned last = static_cast<unsigned>(constant->getZExtValue());
  set_flag("CF", narrow(ir().CreateLShr(a, number(op == "SHL" ? bits - last : last - 1, bits)), 1));
  return true;
}

// The position of a bit. Of 0 there is none: the result is not set.
bool X86::scan(const Name& name, const std::vector<Operand>& operands) {
  const std::string& op = name.mnemonic;
  if (operands.size() != 2) return false;
  if (op == "IMUL") {
    assign(operands[0], ir().CreateMul(value_of(operands[0], name.bits), value_of(operands[1], name.bits)));
    for (const char* flag : {"CF", "OF", "PF", "SF", "ZF"}) forget_flag(flag);
    return true;
  }
  if (op != "BSF" && op != "BSR") return false;
  llvm::Value* source = value_of(operands[1], name.bits);
  llvm::Value* none = ir().CreateICmpEQ(source, number(0, name.bits));
  const auto count = op == "BSF" ? llvm::Intrinsic::cttz : llvm::Intrinsic::ctlz;
  llvm::Value* position = ir().CreateIntrinsic(count, {type(name.bits)}, {source, ir().getFalse()});
  if (op == "BSR") position = ir().CreateSub(number(name.bits - 1, name.bits), position);
  const RegisterPart part = register_part(target(), operands[0].reg);
  assign(
      operands[0],
      ir().CreateSelect(none, read_or_unset(whole_register(target(), operands[0].reg), part.bits), position));
  for (const char* other : {"CF", "OF", "PF", "SF"}) forget_flag(other);
  set_flag("ZF", none);
  return true;
}

bool X86::move(const AsmInstruction& instruction, const Name& name, const std::vector<Operand>& operands) {
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

}  // namespace

std::unique_ptr<AsmMachine> make_x86(llvm::Function& function) { return std::make_unique<X86>(function); }

}  // namespace fenceline::frontend::c
