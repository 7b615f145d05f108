// SPDX-License-Identifier: GPL-3.0-or-later
//
// What x86 computes, and the flags that it leaves.
#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>

#include "env/errors.h"
#include "frontend/c/asm_x86.h"

namespace fenceline::frontend::c {

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

// ---- Arithmetic ----

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

bool X86::arithmetic(const X86Name& name, std::vector<Operand>& operands) {
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
    a = rmw(which, address_of(operands[0]), b, kX86Locked, kRmwLocked);
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

bool X86::unary(const X86Name& name, const std::vector<Operand>& operands) {
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
    a = compute_atomically(pointer, name.bits, kX86Locked, kRmwLocked,
                           [&](llvm::Value* old) { return ir().CreateSub(zero, old); });
  } else if (locked_) {
    a = rmw(op == "INC"   ? Rmw::Add
            : op == "DEC" ? Rmw::Sub
                          : Rmw::Xor,
            address_of(operands[0]), op == "NOT" ? ones : one, kX86Locked, kRmwLocked);
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

// ---- Bits ----

// With a register as the number of the bit, the bit may be in another word than the operand.
bool X86::bit_test(const X86Name& name, const std::vector<Operand>& operands) {
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
              pointer, op == "BTR" ? cleared : mask, kX86Locked, kRmwLocked);
  else
    old = pointer != nullptr ? load(pointer, bits, kX86Load, kStrongInC) : value_of(operands[0], bits);
  set_flag("CF", ir().CreateICmpNE(ir().CreateAnd(old, mask), number(0, bits)));
  for (const char* other : {"OF", "SF", "PF"}) forget_flag(other);
  if (locked_ || op == "BT") return true;
  llvm::Value* result = op == "BTS"   ? ir().CreateOr(old, mask)
                        : op == "BTR" ? ir().CreateAnd(old, cleared)
                                      : ir().CreateXor(old, mask);
  if (pointer != nullptr)
    store(pointer, result, kX86Store);
  else
    assign(operands[0], result);
  return true;
}

bool X86::shift(const X86Name& name, std::vector<Operand>& operands) {
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
bool X86::scan(const X86Name& name, const std::vector<Operand>& operands) {
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

}  // namespace fenceline::frontend::c
