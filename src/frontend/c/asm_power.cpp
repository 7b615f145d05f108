// SPDX-License-Identifier: GPL-3.0-or-later
//
// Power of 64 bits. LLVM calls the 64-bit form of an instruction ADD8 or OR8, where the other is ADD4 or OR; the low
// 32 bits of both are the same, and the registers are the same, so they are one instruction here.
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <set>

#include "frontend/c/asm_machine.h"

namespace fenceline::frontend::c {
namespace {

using Order = llvm::AtomicOrdering;

class Power : public AsmMachine {
 public:
  explicit Power(llvm::Function& function) : AsmMachine(AsmTarget::kPower, function) {
    for (const char* flag : {kLoaded, kDecided}) set_flag(flag, ir().getFalse());
  }

 protected:
  void execute(const AsmInstruction& instruction) override {
    if (barrier(instruction) || exclusive(instruction) || access(instruction) || compare(instruction) ||
        control(instruction) || arithmetic(instruction))
      return;
    unsupported(instruction);
  }

  llvm::Value* condition(const std::string& name) override {
    throw AsmUnsupported(fmt::format("the condition '{}' as an output", name));
  }
  bool allows_reading_beyond(unsigned operand_bits, unsigned) const override { return operand_bits > 0; }

 private:
  // Made of what the last lwarx has loaded: by it, and by a branch on whether its stwcx. has succeeded.
  static constexpr const char *kLoaded = "LOADED", *kDecided = "DECIDED";

  std::string general(const AsmOperand& operand) const {
    const std::string whole = whole_register(target(), operand.name);
    if (whole.empty() || whole == "R1" || whole == "R2")
      throw AsmUnsupported(fmt::format("assembly with the register '{}'", operand.name));
    return whole;
  }
  llvm::Value* get(const AsmOperand& operand, unsigned bits = 64) {
    const std::string whole = general(operand);
    return whole == "ZERO" ? number(0, bits) : read(whole, bits);
  }
  void set(const AsmOperand& operand, llvm::Value* value, bool with_sign = false) {
    write(general(operand), widen(value, 64, with_sign));
  }
  // The sum of two registers, the first of which may be the number 0.
  llvm::Value* indexed(const AsmOperand& base, const AsmOperand& index) {
    if (general(base) == "ZERO") return address(get(index), nullptr);
    return address(get(base), get(index));
  }

  bool barrier(const AsmInstruction& instruction) {
    const FenceKinds loads = FenceKinds::load_load() | FenceKinds::load_store();
    if (instruction.name == "SYNC" || instruction.name == "SYNCP10") {
      const bool light = instruction.operands.front().value == 1;
      fence(light ? loads | FenceKinds::store_store() : FenceKinds::full());
    } else if (instruction.name == "EnforceIEIO") {
      fence(FenceKinds::store_store());
    } else if (instruction.name == "ISYNC") {
      // Behind a pair and the branch that tries it again, isync is how Power acquires. That branch is no part of the
      // read-modify-write that is made of the pair, so the fence has what it depends on.
      if (decides_pair_)
        fence(loads, "ISYNC", flag(kDecided));
      else
        fence({}, "ISYNC");
    } else {
      return instruction.name == "NOP";
    }
    return true;
  }

  bool exclusive(const AsmInstruction& instruction) {
    static const std::map<std::string_view, unsigned> kLoads = {
        {"LBARX", 8}, {"LHARX", 16}, {"LWARX", 32}, {"LDARX", 64}};
    static const std::map<std::string_view, unsigned> kStores = {
        {"STBCX", 8}, {"STHCX", 16}, {"STWCX", 32}, {"STDCX", 64}};
    const auto& operands = instruction.operands;
    // LWARXL: with the hint that it is the lock of a critical section.
    llvm::StringRef name = instruction.name;
    if (name.ends_with("RXL")) name = name.drop_back();
    if (const auto found = kLoads.find(std::string_view(name)); found != kLoads.end()) {
      llvm::Value* value = load_exclusive(indexed(operands[1], operands[2]), found->second, Order::Monotonic);
      set(operands[0], value);
      set_flag(kLoaded, ir().CreateICmpNE(value, number(0, found->second)));
      return true;
    }
    const auto found = kStores.find(instruction.name);
    if (found == kStores.end()) return false;
    llvm::Value* failed =
        store_exclusive(indexed(operands[1], operands[2]), get(operands[0], found->second), Order::Monotonic);
    set_flag("CR0LT", ir().getFalse());
    set_flag("CR0GT", ir().getFalse());
    set_flag("CR0EQ", ir().CreateNot(failed));
    tests_pair_ = true;
    return true;
  }

  bool access(const AsmInstruction& instruction) {
    static const std::map<std::string_view, unsigned> kLoads = {
        {"LBZ", 8}, {"LHZ", 16}, {"LWZ", 32}, {"LD", 64}};
    static const std::map<std::string_view, unsigned> kStores = {
        {"STB", 8}, {"STH", 16}, {"STW", 32}, {"STD", 64}};
    llvm::StringRef name = instruction.name;
    name.consume_back("8");
    const auto& operands = instruction.operands;
    const bool with_index = name.ends_with("X");
    if (with_index) name = name.drop_back();
    const auto loads = kLoads.find(std::string_view(name)), stores = kStores.find(std::string_view(name));
    if (loads == kLoads.end() && stores == kStores.end()) return false;
    llvm::Value* pointer = nullptr;
    if (with_index) {
      pointer = indexed(operands[1], operands[2]);
    } else {
      if (operands[1].kind != AsmOperand::Kind::kImmediate) return false;
      pointer = address(get(operands[2]), operands[1].value == 0 ? nullptr : number(operands[1].value, 64));
    }
    if (loads != kLoads.end())
      set(operands[0], load(pointer, loads->second, Order::Monotonic));
    else
      store(pointer, get(operands[0], stores->second), Order::Monotonic);
    return true;
  }

  void set_condition(const std::string& field, llvm::Value* a, llvm::Value* b, bool is_unsigned) {
    if (field == "CR0") tests_pair_ = false;
    set_flag(field + "LT", is_unsigned ? ir().CreateICmpULT(a, b) : ir().CreateICmpSLT(a, b));
    set_flag(field + "GT", is_unsigned ? ir().CreateICmpUGT(a, b) : ir().CreateICmpSGT(a, b));
    set_flag(field + "EQ", ir().CreateICmpEQ(a, b));
  }

  // cmpw, cmpd, cmplw, cmpld and those with a number.
  bool compare(const AsmInstruction& instruction) {
    llvm::StringRef name = instruction.name;
    if (!name.consume_front("CMP")) return false;
    const bool is_unsigned = name.consume_front("L");
    const unsigned bits = name.consume_front("W") ? 32 : name.consume_front("D") ? 64 : 0;
    const bool with_number = name.consume_front("I");
    if (bits == 0 || !name.empty()) return false;
    const auto& operands = instruction.operands;
    llvm::Value* b = with_number ? number(operands[2].value, bits) : get(operands[2], bits);
    set_condition(operands[0].name, get(operands[1], bits), b, is_unsigned);
    return true;
  }

  // bne, beq- and so on. The predicate: which bit of the field, and whether it is set; hints do not count.
  bool control(const AsmInstruction& instruction) {
    const auto& operands = instruction.operands;
    const auto label = [&]() -> const std::string& {
      if (operands.back().kind != AsmOperand::Kind::kLabel)
        unsupported(instruction, "a jump out of the assembly");
      return operands.back().name;
    };
    if (instruction.name == "B") {
      jump(instruction, label());
      return true;
    }
    if (instruction.name != "BCC") return false;
    const int64_t predicate = operands[0].value;
    static const char* const kBits[] = {"LT", "GT", "EQ"};
    if ((predicate >> 5) > 2) return false;
    llvm::Value* bit = flag(operands[1].name + kBits[predicate >> 5]);
    if (tests_pair_ && operands[1].name == "CR0") {
      set_flag(kDecided, flag(kLoaded));
      decides_pair_ = true;
    }
    branch(instruction, (predicate & 8) != 0 ? bit : ir().CreateNot(bit), label());
    return true;
  }

  bool arithmetic(const AsmInstruction& instruction) {
    const auto& operands = instruction.operands;
    llvm::StringRef name = instruction.name;
    const bool record = name.consume_back("_rec");
    name.consume_back("8");
    if (name == "ADD4") name = "ADD";
    if (operands.size() < 2) return false;
    const auto done = [&](llvm::Value* value) {
      set(operands[0], value);
      if (record) set_condition("CR0", value, number(0, 64), false);
      return true;
    };
    if (name == "NEG") return done(ir().CreateNeg(get(operands[1])));
    if (operands.size() != 3) return false;
    // `or 1,1,1` is a hint about priorities.
    if (name == "OR" && !record && operands[0].name == operands[1].name &&
        operands[1].name == operands[2].name)
      return true;
    static const std::set<std::string_view> kKnown = {"ADD",  "ADDI", "ADDIC", "ADDIS", "SUBF", "AND",
                                                      "ANDC", "OR",   "ORC",   "NOR",   "XOR",  "NAND",
                                                      "EQV",  "ORI",  "XORI",  "ANDI"};
    if (!kKnown.contains(std::string_view(name))) return false;
    const bool with_number = operands[2].kind == AsmOperand::Kind::kImmediate;
    if (operands[2].kind == AsmOperand::Kind::kLabel) return false;
    llvm::Value* a = get(operands[1]);
    llvm::Value* b = with_number ? number(operands[2].value, 64) : get(operands[2]);
    if (name == "ADD" || name == "ADDI" || name == "ADDIC") return done(ir().CreateAdd(a, b));
    if (name == "ADDIS") return done(ir().CreateAdd(a, number(operands[2].value << 16, 64)));
    if (name == "SUBF") return done(ir().CreateSub(b, a));
    if (name == "AND" || name == "ANDI") return done(ir().CreateAnd(a, b));
    if (name == "ANDC") return done(ir().CreateAnd(a, ir().CreateNot(b)));
    if (name == "OR" || name == "ORI")
      return done(operands[1].name == operands[2].name ? a : ir().CreateOr(a, b));
    if (name == "ORC") return done(ir().CreateOr(a, ir().CreateNot(b)));
    if (name == "NOR")
      return done(ir().CreateNot(operands[1].name == operands[2].name ? a : ir().CreateOr(a, b)));
    if (name == "XOR" || name == "XORI") return done(ir().CreateXor(a, b));
    if (name == "NAND") return done(ir().CreateNot(ir().CreateAnd(a, b)));
    return done(ir().CreateNot(ir().CreateXor(a, b)));
  }

  bool tests_pair_ = false;    // the last instruction that has set CR0 is the second of a pair
  bool decides_pair_ = false;  // there was a branch on it
};

}  // namespace

std::unique_ptr<AsmMachine> make_power(llvm::Function& function) { return std::make_unique<Power>(function); }

}  // namespace fenceline::frontend::c
