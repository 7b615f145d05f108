// SPDX-License-Identifier: GPL-3.0-or-later
//
// AArch64. LLVM's names end with the size of the access, B, H, W or X (LDAXRB, CASALX), or with the size of the
// registers and the form of the last operand (ADDWri, SUBSXrs).
//
// ldar, stlr, and ldaxr with stlxr are what compilers make of sequentially consistent accesses, so that is
// what they are on models of C11; ldapr acquires.
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Intrinsics.h>

#include <map>
#include <optional>
#include <set>

#include "env/errors.h"
#include "frontend/c/asm_machine.h"

namespace fenceline::frontend::c {
namespace {

using Order = llvm::AtomicOrdering;

// The size of an access by the last letter of the name.
std::optional<unsigned> access_bits(llvm::StringRef& name) {
  static const std::map<char, unsigned> kSizes = {{'B', 8}, {'H', 16}, {'W', 32}, {'X', 64}};
  const auto found = name.empty() ? kSizes.end() : kSizes.find(name.back());
  if (found == kSizes.end()) return std::nullopt;
  name = name.drop_back();
  return found->second;
}

// The bit mask that an immediate of a logical instruction encodes: a run of ones in an element, rotated and
// repeated (Arm ARM, DecodeBitMasks).
uint64_t logical_immediate(uint64_t encoded, unsigned bits) {
  const unsigned n = (encoded >> 12) & 1, immr = (encoded >> 6) & 63, imms = encoded & 63;
  unsigned size = 64;
  if (n == 0)
    for (size = 32; size > 1 && (imms & size) != 0; size /= 2) {
    }
  const unsigned ones = (imms & (size - 1)) + 1, rotate = immr & (size - 1);
  uint64_t element = ones == 64 ? ~uint64_t{0} : (uint64_t{1} << ones) - 1;
  if (rotate != 0) {
    element = (element >> rotate) | (element << (size - rotate));
    if (size < 64) element &= (uint64_t{1} << size) - 1;
  }
  uint64_t result = 0;
  for (unsigned at = 0; at < bits; at += size) result |= element << at;
  return result;
}

class AArch64 : public AsmMachine {
 public:
  explicit AArch64(llvm::Function& function) : AsmMachine(AsmTarget::kAArch64, function) {}

 protected:
  void execute(const AsmInstruction& instruction) override {
    llvm::StringRef name = instruction.name;
    if (hint(instruction) || barrier(instruction) || exclusive(instruction, name) ||
        ordered(instruction, name) || plain(instruction, name) || atomic(instruction, name) ||
        control(instruction) || conditional(instruction) || move(instruction) || arithmetic(instruction) ||
        bits(instruction))
      return;
    unsupported(instruction);
  }

  llvm::Value* condition(const std::string& name) override {
    static const std::map<std::string_view, int64_t> kCodes = {
        {"eq", 0}, {"ne", 1}, {"cs", 2}, {"hs", 2}, {"cc", 3},  {"lo", 3},  {"mi", 4},  {"pl", 5},
        {"vs", 6}, {"vc", 7}, {"hi", 8}, {"ls", 9}, {"ge", 10}, {"lt", 11}, {"gt", 12}, {"le", 13}};
    const auto found = kCodes.find(name);
    if (found == kCodes.end()) throw AsmUnsupported(fmt::format("the condition '{}' as an output", name));
    return condition(found->second);
  }

  // Narrow operands are extended with zeros, as Clang does it without optimisation.
  bool allows_reading_beyond(unsigned operand_bits, unsigned read_bits) const override {
    return operand_bits > 0 && read_bits <= 32;
  }

 private:
  // ---- Operands ----

  llvm::Value* get(const AsmOperand& operand) {
    const unsigned bits = register_part(target(), operand.name).bits;
    const std::string whole = general(operand);
    return whole == "XZR" ? number(0, bits) : read(whole, bits);
  }
  void set(const AsmOperand& operand, llvm::Value* value) {
    const std::string whole = general(operand);
    if (whole != "XZR") write(whole, widen(value, 64));
  }
  bool is_zero(const AsmOperand& operand) const { return general(operand) == "XZR"; }
  std::string general(const AsmOperand& operand) const {
    const std::string whole = whole_register(target(), operand.name);
    if (whole.empty() || whole == "SP")
      throw AsmUnsupported(fmt::format("assembly with the register '{}'", operand.name));
    return whole;
  }
  llvm::Value* pointer(const AsmOperand& base, llvm::Value* offset = nullptr) {
    return address(read(general(base)), offset);
  }

  // ---- Memory ----

  // Of the architecture's hints, those that do nothing to memory: nop, yield, wfe, wfi, sev, sevl and the like.
  bool hint(const AsmInstruction& instruction) {
    if (instruction.name == "CLREX") unsupported(instruction);
    return instruction.name == "HINT" || llvm::StringRef(instruction.name).starts_with("PRFM");
  }

  bool barrier(const AsmInstruction& instruction) {
    if (instruction.name == "ISB") {
      fence({}, "ISB");
      return true;
    }
    if (instruction.name != "DMB" && instruction.name != "DSB") return false;
    // The low two bits: 1 is LD, 2 is ST, 3 is all.
    switch (instruction.operands.front().value & 3) {
      case 1:
        fence(FenceKinds::load_load() | FenceKinds::load_store());
        return true;
      case 2:
        fence(FenceKinds::store_store());
        return true;
      case 3:
        fence(FenceKinds::full());
        return true;
      default:
        return false;
    }
  }

  bool exclusive(const AsmInstruction& instruction, llvm::StringRef name) {
    const bool acquires = name.starts_with("LDAX"), releases = name.starts_with("STLX");
    if (!acquires && !releases && !name.starts_with("LDX") && !name.starts_with("STX")) return false;
    const bool loads = name.starts_with("LD");
    name = name.drop_front(acquires || releases ? 4 : 3);
    const bool two = name.consume_front("P");
    if (!two && !name.consume_front("R")) return false;
    const auto bits = access_bits(name);
    if (!bits || !name.empty()) return false;
    const auto& operands = instruction.operands;
    if (loads) {
      llvm::Value* value =
          load_exclusive(pointer(operands.back()), two ? 2 * *bits : *bits,
                         acquires ? Order::Acquire : Order::Monotonic, acquires ? kStrongOnArm : nullptr);
      set(operands[0], narrow(value, *bits));
      if (two) set(operands[1], narrow(ir().CreateLShr(value, number(*bits, 2 * *bits)), *bits));
      return true;
    }
    llvm::Value* value = narrow(get(operands[1]), *bits);
    if (two) value = joined(value, narrow(get(operands[2]), *bits));
    llvm::Value* failed =
        store_exclusive(pointer(operands.back()), value, releases ? Order::Release : Order::Monotonic);
    set(operands[0], widen(failed, 32));
    return true;
  }

  llvm::Value* joined(llvm::Value* low, llvm::Value* high) {
    const unsigned half = low->getType()->getIntegerBitWidth();
    llvm::Value* upper = ir().CreateShl(widen(high, 2 * half), number(half, 2 * half));
    return ir().CreateOr(upper, widen(low, 2 * half));
  }

  bool ordered(const AsmInstruction& instruction, llvm::StringRef name) {
    const bool ldar = name.consume_front("LDAR"), ldapr = !ldar && name.consume_front("LDAPR");
    const bool stlr = !ldar && !ldapr && name.consume_front("STLR");
    if (!ldar && !ldapr && !stlr) return false;
    const auto bits = access_bits(name);
    if (!bits || !name.empty()) return false;
    const auto& operands = instruction.operands;
    if (stlr)
      store(pointer(operands[1]), narrow(get(operands[0]), *bits), Order::Release, kStrongOnArm);
    else
      set(operands[0], load(pointer(operands[1]), *bits, Order::Acquire, ldar ? kStrongOnArm : nullptr));
    return true;
  }

  // ldr, ldrb, ldrh, ldrsw, str and so on: [x1], [x1, #8], [x1, x2].
  bool plain(const AsmInstruction& instruction, llvm::StringRef name) {
    const bool loads = name.consume_front("LD"), stores = !loads && name.consume_front("ST");
    if (!loads && !stores) return false;
    const bool unscaled = name.consume_front("UR");
    if (!unscaled && !name.consume_front("R")) return false;
    static const std::map<std::string_view, unsigned> kSizes = {{"BB", 8}, {"HH", 16}, {"W", 32}, {"X", 64}};
    const bool with_sign = name.consume_front("S");
    std::string form;
    for (const char* end : {"ui", "roX", "i"})
      if (form.empty() && name.consume_back(end)) form = end;
    if (with_sign && name != "W") return false;
    const auto found = kSizes.find(std::string_view(name));
    if (found == kSizes.end() || form.empty() || (form == "i") != unscaled) return false;
    const unsigned bits = found->second;
    const auto& operands = instruction.operands;
    llvm::Value* offset = nullptr;
    if (form == "roX") {
      if (operands[3].value != 0) return false;
      const int64_t scale = operands[4].value != 0 ? bits / 8 : 1;
      offset = ir().CreateMul(get(operands[2]), number(scale, 64));
    } else {
      if (operands[2].kind != AsmOperand::Kind::kImmediate) return false;
      const int64_t distance = operands[2].value * (unscaled ? 1 : bits / 8);
      if (distance != 0) offset = number(distance, 64);
    }
    llvm::Value* at = pointer(operands[1], offset);
    if (loads)
      set(operands[0], widen(load(at, bits, Order::Monotonic), 64, with_sign));
    else
      store(at, narrow(get(operands[0]), bits), Order::Monotonic);
    return true;
  }

  // swp, ldadd, ldset, cas and their like: the name, A and L for the order, the size.
  bool atomic(const AsmInstruction& instruction, llvm::StringRef name) {
    using Rmw = llvm::AtomicRMWInst;
    static const std::vector<std::pair<const char*, Rmw::BinOp>> kOperations = {
        {"SWP", Rmw::Xchg},   {"LDADD", Rmw::Add},   {"LDSET", Rmw::Or},
        {"LDCLR", Rmw::And},  {"LDEOR", Rmw::Xor},   {"LDSMAX", Rmw::Max},
        {"LDSMIN", Rmw::Min}, {"LDUMAX", Rmw::UMax}, {"LDUMIN", Rmw::UMin}};
    const bool pair = name.consume_front("CASP"), compares = pair || name.consume_front("CAS");
    std::optional<Rmw::BinOp> operation;
    for (const auto& [prefix, which] : kOperations)
      if (!compares && !operation && name.consume_front(prefix)) operation = which;
    if (!compares && !operation) return false;
    const auto bits = access_bits(name);
    const bool acquires = name.consume_front("A"), releases = name.consume_front("L");
    if (!bits || !name.empty()) return false;
    const Order order = acquires && releases ? Order::SequentiallyConsistent
                        : acquires           ? Order::Acquire
                        : releases           ? Order::Release
                                             : Order::Monotonic;
    const auto& operands = instruction.operands;
    if (compares) {
      if (pair) unsupported(instruction);
      const Exchanged done = compare_exchange(
          pointer(operands[3]), narrow(get(operands[0]), *bits), narrow(get(operands[2]), *bits), order,
          acquires ? (releases ? Order::SequentiallyConsistent : Order::Acquire) : Order::Monotonic);
      set(operands[0], done.old);
      return true;
    }
    llvm::Value* operand = narrow(get(operands[1]), *bits);
    if (*operation == Rmw::And) operand = ir().CreateNot(operand);
    // An atomic instruction whose result is dropped does not acquire, and is no load to DMB LD.
    const bool dropped = is_zero(operands[0]);
    const Order really = !dropped || !acquires ? order : releases ? Order::Release : Order::Monotonic;
    set(operands[0],
        rmw(*operation, pointer(operands[2]), operand, really, dropped ? kRmwNoResult : kRmwSingle));
    return true;
  }

  // ---- Control and flags ----

  llvm::Value* condition(int64_t code) {
    llvm::Value* result = nullptr;
    switch (code / 2) {
      case 0:
        result = flag("Z");
        break;
      case 1:
        result = flag("C");
        break;
      case 2:
        result = flag("N");
        break;
      case 3:
        result = flag("V");
        break;
      case 4:
        result = ir().CreateAnd(flag("C"), ir().CreateNot(flag("Z")));
        break;
      case 5:
        result = ir().CreateNot(ir().CreateXor(flag("N"), flag("V")));
        break;
      case 6:
        result =
            ir().CreateAnd(ir().CreateNot(ir().CreateXor(flag("N"), flag("V"))), ir().CreateNot(flag("Z")));
        break;
      default:
        return ir().getTrue();
    }
    return code % 2 == 1 ? ir().CreateNot(result) : result;
  }

  bool control(const AsmInstruction& instruction) {
    const std::string& name = instruction.name;
    const auto& operands = instruction.operands;
    const auto label = [&]() -> const std::string& {
      if (operands.back().kind != AsmOperand::Kind::kLabel)
        unsupported(instruction, "a jump out of the assembly");
      return operands.back().name;
    };
    if (name == "B") {
      jump(instruction, label());
    } else if (name == "Bcc") {
      branch(instruction, condition(operands[0].value), label());
    } else if (name.starts_with("CBZ") || name.starts_with("CBNZ")) {
      llvm::Value* value = get(operands[0]);
      llvm::Value* zero = number(0, value->getType()->getIntegerBitWidth());
      branch(instruction,
             name.starts_with("CBZ") ? ir().CreateICmpEQ(value, zero) : ir().CreateICmpNE(value, zero),
             label());
    } else if (name.starts_with("TBZ") || name.starts_with("TBNZ")) {
      llvm::Value* value = get(operands[0]);
      llvm::Value* bit = narrow(
          ir().CreateLShr(value, number(operands[1].value, value->getType()->getIntegerBitWidth())), 1);
      branch(instruction, name.starts_with("TBZ") ? ir().CreateNot(bit) : bit, label());
    } else {
      return false;
    }
    return true;
  }

  // csel, csinc (cset), csinv, csneg
  bool conditional(const AsmInstruction& instruction) {
    static const std::set<std::string_view> kNames = {"CSELWr",  "CSELXr",  "CSINCWr", "CSINCXr",
                                                      "CSINVWr", "CSINVXr", "CSNEGWr", "CSNEGXr"};
    if (!kNames.contains(instruction.name)) return false;
    const auto& operands = instruction.operands;
    llvm::Value *holds = condition(operands[3].value), *yes = get(operands[1]), *no = get(operands[2]);
    const unsigned bits = yes->getType()->getIntegerBitWidth();
    if (instruction.name.starts_with("CSINC")) no = ir().CreateAdd(no, number(1, bits));
    if (instruction.name.starts_with("CSINV")) no = ir().CreateNot(no);
    if (instruction.name.starts_with("CSNEG")) no = ir().CreateNeg(no);
    set(operands[0], ir().CreateSelect(holds, yes, no));
    return true;
  }

  void set_flags(llvm::Value* a, llvm::Value* b, llvm::Value* result, bool subtracts) {
    const unsigned bits = result->getType()->getIntegerBitWidth();
    const auto negative = [&](llvm::Value* value) { return ir().CreateICmpSLT(value, number(0, bits)); };
    set_flag("N", negative(result));
    set_flag("Z", subtracts ? ir().CreateICmpEQ(a, b) : ir().CreateICmpEQ(result, number(0, bits)));
    set_flag("C", subtracts ? ir().CreateICmpUGE(a, b) : ir().CreateICmpULT(result, a));
    llvm::Value* other = subtracts ? ir().CreateXor(a, b) : ir().CreateXor(b, result);
    set_flag("V", negative(ir().CreateAnd(ir().CreateXor(a, result), other)));
  }

  // ---- Arithmetic ----

  bool move(const AsmInstruction& instruction) {
    const std::string& name = instruction.name;
    const auto& operands = instruction.operands;
    if (name == "MOVZWi" || name == "MOVZXi" || name == "MOVNWi" || name == "MOVNXi") {
      const unsigned bits = name[4] == 'X' ? 64 : 32;
      const uint64_t value = static_cast<uint64_t>(operands[1].value) << operands[2].value;
      set(operands[0], number(static_cast<int64_t>(name[3] == 'N' ? ~value : value), bits));
      return true;
    }
    if (name != "MOVKWi" && name != "MOVKXi") return false;
    llvm::Value* before = get(operands[0]);
    const unsigned bits = before->getType()->getIntegerBitWidth();
    const uint64_t mask = uint64_t{0xffff} << operands[3].value;
    const uint64_t value = static_cast<uint64_t>(operands[2].value) << operands[3].value;
    llvm::Value* kept = ir().CreateAnd(before, number(static_cast<int64_t>(~mask), bits));
    set(operands[0], ir().CreateOr(kept, number(static_cast<int64_t>(value), bits)));
    return true;
  }

  // The last operand, which may be shifted or extended.
  std::optional<llvm::Value*> last_operand(const AsmInstruction& instruction, llvm::StringRef form,
                                           unsigned bits, bool logical) {
    const auto& operands = instruction.operands;
    if (form == "ri") {
      if (logical)
        return number(static_cast<int64_t>(logical_immediate(static_cast<uint64_t>(operands[2].value), bits)),
                      bits);
      if (operands[2].kind != AsmOperand::Kind::kImmediate) return std::nullopt;
      return number(operands[2].value << operands[3].value, bits);
    }
    llvm::Value* value = get(operands[2]);
    const int64_t how = operands.size() > 3 ? operands[3].value : 0;
    if (form == "rs") {
      llvm::Value* by = number(how & 63, bits);
      switch (how >> 6) {
        case 0:
          return ir().CreateShl(value, by);
        case 1:
          return ir().CreateLShr(value, by);
        case 2:
          return ir().CreateAShr(value, by);
        case 3:
          return ir().CreateIntrinsic(llvm::Intrinsic::fshr, {type(bits)}, {value, value, by});
        default:
          return std::nullopt;
      }
    }
    if (form != "rx") return std::nullopt;
    const unsigned from = 8U << ((how >> 3) & 3);
    value = widen(narrow(value, std::min(from, value->getType()->getIntegerBitWidth())), bits,
                  ((how >> 3) & 4) != 0);
    return ir().CreateShl(value, number(how & 7, bits));
  }

  bool arithmetic(const AsmInstruction& instruction) {
    enum class Op : uint8_t { kAdd, kSub, kAnd, kOr, kXor };
    struct Row {
      Op op;
      bool inverted, flags;
    };
    static const std::vector<std::pair<const char*, Row>> kRows = {
        {"ADDS", {Op::kAdd, false, true}}, {"SUBS", {Op::kSub, false, true}},
        {"ANDS", {Op::kAnd, false, true}}, {"BICS", {Op::kAnd, true, true}},
        {"ADD", {Op::kAdd, false, false}}, {"SUB", {Op::kSub, false, false}},
        {"AND", {Op::kAnd, false, false}}, {"BIC", {Op::kAnd, true, false}},
        {"ORR", {Op::kOr, false, false}},  {"ORN", {Op::kOr, true, false}},
        {"EOR", {Op::kXor, false, false}}, {"EON", {Op::kXor, true, false}}};
    for (const auto& [prefix, row] : kRows) {
      llvm::StringRef rest = instruction.name;
      if (!rest.consume_front(prefix)) continue;
      const unsigned bits = rest.consume_front("W") ? 32 : rest.consume_front("X") ? 64 : 0;
      if (bits == 0) continue;
      const bool logical = row.op != Op::kAdd && row.op != Op::kSub;
      const auto last = last_operand(instruction, rest, bits, logical);
      if (!last) return false;
      llvm::Value *a = get(instruction.operands[1]), *b = row.inverted ? ir().CreateNot(*last) : *last;
      llvm::Value* result = row.op == Op::kAdd   ? ir().CreateAdd(a, b)
                            : row.op == Op::kSub ? ir().CreateSub(a, b)
                            : row.op == Op::kAnd ? ir().CreateAnd(a, b)
                            : row.op == Op::kOr  ? ir().CreateOr(a, b)
                                                 : ir().CreateXor(a, b);
      if (row.flags && logical) {
        set_flag("N", ir().CreateICmpSLT(result, number(0, bits)));
        set_flag("Z", ir().CreateICmpEQ(result, number(0, bits)));
        set_flag("C", ir().getFalse());
        set_flag("V", ir().getFalse());
      } else if (row.flags) {
        set_flags(a, b, result, row.op == Op::kSub);
      }
      set(instruction.operands[0], result);
      return true;
    }
    return false;
  }

  // Bit fields, which shifts by constants and extensions are; shifts by registers; clz, rbit, rev.
  bool bits(const AsmInstruction& instruction) {
    const std::string& name = instruction.name;
    const auto& operands = instruction.operands;
    if (name == "UBFMWri" || name == "UBFMXri" || name == "SBFMWri" || name == "SBFMXri") {
      const auto rotate = static_cast<unsigned>(operands[2].value),
                 last = static_cast<unsigned>(operands[3].value);
      const unsigned width = name[4] == 'X' ? 64 : 32;
      // sxtw takes a half, which is all that an operand of 32 bits has.
      llvm::Value* value = is_zero(operands[1])
                               ? number(0, width)
                               : widen(read(general(operands[1]), last < 32 ? 32 : 64), width);
      const bool with_sign = name[0] == 'S';
      // Bits up to `last` go to the top and come down again, to where they belong.
      const unsigned up = width - 1 - last;
      value = ir().CreateShl(value, number(up, width));
      const unsigned down = last >= rotate ? rotate + up : up - (width - rotate);
      if (last < rotate && up < width - rotate) return false;
      value = with_sign ? ir().CreateAShr(value, number(down, width))
                        : ir().CreateLShr(value, number(down, width));
      set(operands[0], value);
      return true;
    }
    llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::not_intrinsic;
    if (name == "CLZWr" || name == "CLZXr") {
      llvm::Value* value = get(operands[1]);
      set(operands[0],
          ir().CreateIntrinsic(llvm::Intrinsic::ctlz, {value->getType()}, {value, ir().getFalse()}));
      return true;
    }
    if (name == "RBITWr" || name == "RBITXr") intrinsic = llvm::Intrinsic::bitreverse;
    if (name == "REVWr" || name == "REVXr") intrinsic = llvm::Intrinsic::bswap;
    if (intrinsic != llvm::Intrinsic::not_intrinsic) {
      set(operands[0], ir().CreateUnaryIntrinsic(intrinsic, get(operands[1])));
      return true;
    }
    const bool left = name == "LSLVWr" || name == "LSLVXr", right = name == "LSRVWr" || name == "LSRVXr";
    if (!left && !right) return false;
    llvm::Value *value = get(operands[1]), *by = get(operands[2]);
    const unsigned width = value->getType()->getIntegerBitWidth();
    by = ir().CreateAnd(by, number(width - 1, width));
    set(operands[0], left ? ir().CreateShl(value, by) : ir().CreateLShr(value, by));
    return true;
  }
};

}  // namespace

std::unique_ptr<AsmMachine> make_aarch64(llvm::Function& function) {
  return std::make_unique<AArch64>(function);
}

}  // namespace fenceline::frontend::c
