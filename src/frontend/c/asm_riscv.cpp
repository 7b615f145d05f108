// SPDX-License-Identifier: GPL-3.0-or-later
//
// RISC-V of 64 bits. LLVM's names have the order behind the size: LR_W_AQ, AMOADD_D_AQ_RL.
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <set>

#include "frontend/c/asm_machine.h"

namespace fenceline::frontend::c {
namespace {

using Order = llvm::AtomicOrdering;

class RiscV : public AsmMachine {
 public:
  explicit RiscV(llvm::Function& function) : AsmMachine(AsmTarget::kRiscV, function) {}

 protected:
  void execute(const AsmInstruction& instruction) override {
    if (barrier(instruction) || atomic(instruction) || access(instruction) || control(instruction) ||
        arithmetic(instruction))
      return;
    unsupported(instruction);
  }

  llvm::Value* condition(const std::string& name) override {
    throw AsmUnsupported(fmt::format("the condition '{}' as an output", name));
  }
  // The architecture's calling convention, which compilers follow for operands of assembly, too.
  bool extends_with_sign() const override { return true; }
  bool allows_reading_beyond(unsigned operand_bits, unsigned) const override { return operand_bits > 0; }

 private:
  std::string general(const AsmOperand& operand) const {
    const std::string whole = whole_register(target(), operand.name);
    if (whole.empty() || whole == "X2")
      throw AsmUnsupported(fmt::format("assembly with the register '{}'", operand.name));
    return whole;
  }
  llvm::Value* get(const AsmOperand& operand, unsigned bits = 64) {
    const std::string whole = general(operand);
    return whole == "X0" ? number(0, bits) : read(whole, bits);
  }
  void set(const AsmOperand& operand, llvm::Value* value, bool with_sign = true) {
    const std::string whole = general(operand);
    if (whole != "X0") write(whole, widen(value, 64, with_sign));
  }

  bool barrier(const AsmInstruction& instruction) {
    if (instruction.name == "FENCE_TSO") {
      fence(FenceKinds::load_load() | FenceKinds::load_store() | FenceKinds::store_store());
      return true;
    }
    if (instruction.name != "FENCE") return false;
    constexpr int64_t kReads = 2, kWrites = 1;
    const int64_t before = instruction.operands[0].value, after = instruction.operands[1].value;
    FenceKinds kinds;
    if ((before & kReads) != 0 && (after & kReads) != 0) kinds = kinds | FenceKinds::load_load();
    if ((before & kReads) != 0 && (after & kWrites) != 0) kinds = kinds | FenceKinds::load_store();
    if ((before & kWrites) != 0 && (after & kReads) != 0) kinds = kinds | FenceKinds::store_load();
    if ((before & kWrites) != 0 && (after & kWrites) != 0) kinds = kinds | FenceKinds::store_store();
    fence(kinds);
    return true;
  }

  bool atomic(const AsmInstruction& instruction) {
    using Rmw = llvm::AtomicRMWInst;
    static const std::map<std::string_view, Rmw::BinOp> kOperations = {
        {"AMOSWAP", Rmw::Xchg}, {"AMOADD", Rmw::Add},   {"AMOAND", Rmw::And},
        {"AMOOR", Rmw::Or},     {"AMOXOR", Rmw::Xor},   {"AMOMAX", Rmw::Max},
        {"AMOMIN", Rmw::Min},   {"AMOMAXU", Rmw::UMax}, {"AMOMINU", Rmw::UMin}};
    auto [operation, rest] = llvm::StringRef(instruction.name).split('_');
    const bool loads = operation == "LR", stores = operation == "SC";
    const auto found = kOperations.find(std::string_view(operation));
    if (!loads && !stores && found == kOperations.end()) return false;
    const unsigned bits = rest.consume_front("W") ? 32 : rest.consume_front("D") ? 64 : 0;
    const bool acquires = rest.consume_front("_AQ"), releases = rest.consume_front("_RL");
    if (bits == 0 || !rest.empty()) return false;
    const Order order = acquires && releases ? Order::SequentiallyConsistent
                        : acquires           ? Order::Acquire
                        : releases           ? Order::Release
                                             : Order::Monotonic;
    const auto& operands = instruction.operands;
    llvm::Value* pointer = address(get(operands[1]), nullptr);
    if (loads) {
      if (releases && !acquires) unsupported(instruction);
      // lr.aqrl, if sc.rl follows, is what compilers make of a sequentially consistent read-modify-write.
      set(operands[0], releases ? load_exclusive(pointer, bits, Order::Acquire, kStrongOnRiscV)
                                : load_exclusive(pointer, bits, order));
    } else if (stores) {
      // A store that acquires is in no pair that the models have.
      if (acquires) unsupported(instruction);
      set(operands[0], store_exclusive(pointer, get(operands[2], bits), order), false);
    } else {
      set(operands[0], rmw(found->second, pointer, get(operands[2], bits), order));
    }
    return true;
  }

  bool access(const AsmInstruction& instruction) {
    struct Size {
      unsigned bits;
      bool with_sign;
    };
    static const std::map<std::string_view, Size> kLoads = {
        {"LB", {8, true}},  {"LBU", {8, false}},  {"LH", {16, true}}, {"LHU", {16, false}},
        {"LW", {32, true}}, {"LWU", {32, false}}, {"LD", {64, false}}};
    static const std::map<std::string_view, unsigned> kStores = {
        {"SB", 8}, {"SH", 16}, {"SW", 32}, {"SD", 64}};
    const auto loads = kLoads.find(instruction.name);
    const auto stores = kStores.find(instruction.name);
    if (loads == kLoads.end() && stores == kStores.end()) return false;
    const auto& operands = instruction.operands;
    if (operands[2].kind != AsmOperand::Kind::kImmediate) return false;
    llvm::Value* offset = operands[2].value == 0 ? nullptr : number(operands[2].value, 64);
    llvm::Value* pointer = address(get(operands[1]), offset);
    if (loads != kLoads.end())
      set(operands[0], load(pointer, loads->second.bits, Order::Monotonic), loads->second.with_sign);
    else
      store(pointer, get(operands[0], stores->second), Order::Monotonic);
    return true;
  }

  bool control(const AsmInstruction& instruction) {
    static const std::map<std::string_view, llvm::CmpInst::Predicate> kBranches = {
        {"BEQ", llvm::CmpInst::ICMP_EQ},   {"BNE", llvm::CmpInst::ICMP_NE},
        {"BLT", llvm::CmpInst::ICMP_SLT},  {"BGE", llvm::CmpInst::ICMP_SGE},
        {"BLTU", llvm::CmpInst::ICMP_ULT}, {"BGEU", llvm::CmpInst::ICMP_UGE}};
    const auto& operands = instruction.operands;
    const auto label = [&]() -> const std::string& {
      if (operands.back().kind != AsmOperand::Kind::kLabel)
        unsupported(instruction, "a jump out of the assembly");
      return operands.back().name;
    };
    if (instruction.name == "JAL" && general(operands[0]) == "X0") {
      jump(instruction, label());
      return true;
    }
    const auto found = kBranches.find(instruction.name);
    if (found == kBranches.end()) return false;
    branch(instruction, ir().CreateICmp(found->second, get(operands[0]), get(operands[1])), label());
    return true;
  }

  // ADD, ADDI, ADDW, ADDIW: I for a number, W for 32 bits.
  bool arithmetic(const AsmInstruction& instruction) {
    enum class Op : uint8_t { kAdd, kSub, kAnd, kOr, kXor, kShl, kShr, kSar, kLess, kLessUnsigned };
    static const std::map<std::string_view, Op> kOps = {
        {"ADD", Op::kAdd},  {"SUB", Op::kSub},          {"AND", Op::kAnd}, {"OR", Op::kOr},
        {"XOR", Op::kXor},  {"SLL", Op::kShl},          {"SRL", Op::kShr}, {"SRA", Op::kSar},
        {"SLT", Op::kLess}, {"SLTU", Op::kLessUnsigned}};
    const auto& operands = instruction.operands;
    if (instruction.name == "LUI" && operands[1].kind == AsmOperand::Kind::kImmediate) {
      set(operands[0], number(operands[1].value << 12, 32));
      return true;
    }
    llvm::StringRef name = instruction.name;
    if (name == "SLTIU") name = "SLTU";
    const unsigned bits = name.consume_back("W") ? 32 : 64;
    if (!kOps.contains(std::string_view(name))) name.consume_back("I");
    const auto found = kOps.find(std::string_view(name));
    if (found == kOps.end() || operands.size() != 3 || operands[2].kind == AsmOperand::Kind::kLabel)
      return false;
    llvm::Value* a = get(operands[1], bits);
    llvm::Value* b = operands[2].kind == AsmOperand::Kind::kImmediate ? number(operands[2].value, bits)
                                                                      : get(operands[2], bits);
    const auto amount = [&] { return ir().CreateAnd(b, number(bits - 1, bits)); };
    llvm::Value* result = nullptr;
    switch (found->second) {
      case Op::kAdd:
        result = ir().CreateAdd(a, b);
        break;
      case Op::kSub:
        result = ir().CreateSub(a, b);
        break;
      case Op::kAnd:
        result = ir().CreateAnd(a, b);
        break;
      case Op::kOr:
        result = ir().CreateOr(a, b);
        break;
      case Op::kXor:
        result = ir().CreateXor(a, b);
        break;
      case Op::kShl:
        result = ir().CreateShl(a, amount());
        break;
      case Op::kShr:
        result = ir().CreateLShr(a, amount());
        break;
      case Op::kSar:
        result = ir().CreateAShr(a, amount());
        break;
      case Op::kLess:
        return set(operands[0], ir().CreateICmpSLT(a, b), false), true;
      case Op::kLessUnsigned:
        return set(operands[0], ir().CreateICmpULT(a, b), false), true;
    }
    set(operands[0], result);
    return true;
  }
};

}  // namespace

std::unique_ptr<AsmMachine> make_riscv(llvm::Function& function) { return std::make_unique<RiscV>(function); }

}  // namespace fenceline::frontend::c
