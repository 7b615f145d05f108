// SPDX-License-Identifier: GPL-3.0-or-later
//
// Instructions whose results are computed from others: arithmetic, comparisons, conversions, addresses, and the
// parts of structures in registers.
#include <fmt/format.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <limits>

#include "frontend/c/body.h"

namespace fenceline::frontend::c {

void Body::instruction(const llvm::Instruction& instruction) {
  using namespace llvm;
  if (const auto* i = dyn_cast<CallBase>(&instruction)) return call(*i);
  if (const auto* i = dyn_cast<LoadInst>(&instruction)) return load(*i);
  if (const auto* i = dyn_cast<StoreInst>(&instruction)) return store(*i);
  if (const auto* i = dyn_cast<AtomicRMWInst>(&instruction)) return exchange(*i);
  if (const auto* i = dyn_cast<AtomicCmpXchgInst>(&instruction)) return compare_exchange(*i);
  if (const auto* i = dyn_cast<FenceInst>(&instruction)) return fence(*i);
  if (const auto* i = dyn_cast<AllocaInst>(&instruction)) return variable(*i);
  if (wide_instruction(instruction)) return;
  if (const auto* i = dyn_cast<InsertValueInst>(&instruction)) {
    if (!is_scalar(*i->getInsertedValueOperand()->getType()))
      reject(instruction, "a structure inside of a value");
    return;  // checked where its parts are extracted
  }
  if (isa<VAArgInst>(instruction)) reject(instruction, "variable arguments");
  if (const auto* i = dyn_cast<ExtractValueInst>(&instruction)) {
    if (!is_part_of_wide_exchange(*i)) define(instruction, part(*i));
    return;
  }
  const llvm::Type& type = *instruction.getType();
  if (type.isFloatingPointTy() ||
      (instruction.getNumOperands() > 0 && instruction.getOperand(0)->getType()->isFloatingPointTy()))
    reject(instruction, "floating-point arithmetic");
  if (type.isVectorTy()) reject(instruction, "a vector type");
  if (type.isIntegerTy() && type.getIntegerBitWidth() > 64) reject(instruction, words_for(type));
  if (const auto* i = dyn_cast<llvm::BinaryOperator>(&instruction)) return define(instruction, binary(*i));
  if (const auto* i = dyn_cast<ICmpInst>(&instruction)) return define(instruction, compare(*i));
  if (const auto* i = dyn_cast<CastInst>(&instruction)) return define(instruction, cast(*i));
  if (isa<GetElementPtrInst>(instruction)) return define(instruction, element_address(instruction));
  if (isa<FreezeInst>(instruction)) return define(instruction, value(*instruction.getOperand(0)));
  if (const auto* i = dyn_cast<SelectInst>(&instruction))
    return define(instruction, builder_.select(used(*i->getCondition()), value(*i->getTrueValue()),
                                               value(*i->getFalseValue())));
  reject(instruction, fmt::format("the instruction '{}'", instruction.getOpcodeName()));
}

ExprId Body::binary(const llvm::BinaryOperator& instruction) {
  const auto note = bit_field_note(instruction);
  if (note && note->use == BitFieldUse::kClear) return cleared_bits(instruction, note->mask);
  if (note && note->use == BitFieldUse::kSet) return combined_bits(instruction);
  const llvm::Value& first = *instruction.getOperand(0);
  const ExprId a = note ? read_bits(first, note->mask) : used(first), b = used(*instruction.getOperand(1));
  const llvm::Type& type = *instruction.getType();
  const unsigned bits = bit_width(type);
  // Sums of smaller types fit into 64 bits, products of more than 32 bits do not. (Bit fields have such types.)
  const auto wrap = [&](ExprOp operation, ExprOp of_64_bits) {
    const bool fits = bits <= 32 || (bits < 64 && operation != ExprOp::kMul && operation != ExprOp::kShl);
    return wrapped(op(fits ? operation : of_64_bits, a, b), type);
  };
  const auto unsigned_value = [&](ExprId x) { return builder_.wrap(x, -static_cast<int>(bits)); };
  // What can fail fails here, whether or not the result is used.
  const auto check_divisor = [&](bool is_signed) {
    const auto divisor = builder_.constant_value(b), dividend = builder_.constant_value(a);
    if (!divisor || *divisor == 0) thread_.check(op(ExprOp::kNe, b, number(0)), here_, "a division by zero");
    if (!is_signed) return;
    const Value smallest = std::numeric_limits<Value>::min() >> (64 - bits);
    if ((divisor && *divisor != -1) || (dividend && *dividend != smallest)) return;
    thread_.check(op(ExprOp::kOr, op(ExprOp::kNe, b, number(-1)), op(ExprOp::kNe, a, number(smallest))),
                  here_, "the quotient of the smallest number and -1 does not fit");
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return wrap(ExprOp::kAdd, ExprOp::kAdd64);
    case llvm::Instruction::Sub:
      return wrap(ExprOp::kSub, ExprOp::kSub64);
    case llvm::Instruction::Mul:
      return wrap(ExprOp::kMul, ExprOp::kMul64);
    case llvm::Instruction::And:
      return op(ExprOp::kBitAnd, a, b);
    case llvm::Instruction::Or:
      return op(ExprOp::kBitOr, a, b);
    case llvm::Instruction::Xor:
      return op(ExprOp::kBitXor, a, b);
    case llvm::Instruction::SDiv:
      check_divisor(true);
      return wrapped(op(ExprOp::kDiv, a, b), type);
    case llvm::Instruction::SRem:
      check_divisor(true);
      return wrapped(op(ExprOp::kMod, a, b), type);
    case llvm::Instruction::UDiv:
      check_divisor(false);
      if (bits == 64) return unsigned_quotient(a, b, false);
      return wrapped(op(ExprOp::kDiv, unsigned_value(a), unsigned_value(b)), type);
    case llvm::Instruction::URem: {
      if (const auto by = builder_.constant_value(b); by && *by > 0 && (*by & (*by - 1)) == 0)
        return op(ExprOp::kBitAnd, a, number(*by - 1));
      check_divisor(false);
      if (bits == 64) return unsigned_quotient(a, b, true);
      return wrapped(op(ExprOp::kMod, unsigned_value(a), unsigned_value(b)), type);
    }
    case llvm::Instruction::Shl:
      thread_.check(builder_.binary(ExprOp::kUlt, b, number(bits)), here_,
                    "a shift by more bits than the type has");
      return wrap(ExprOp::kShl, ExprOp::kShl64);
    case llvm::Instruction::AShr:
      thread_.check(builder_.binary(ExprOp::kUlt, b, number(bits)), here_,
                    "a shift by more bits than the type has");
      return op(ExprOp::kShr, a, b);
    case llvm::Instruction::LShr: {
      thread_.check(builder_.binary(ExprOp::kUlt, b, number(bits)), here_,
                    "a shift by more bits than the type has");
      if (bits == 64) return shifted_right(a, b);
      return wrapped(op(ExprOp::kShr, unsigned_value(a), b), type);
    }
    default:
      reject(instruction, fmt::format("the operation '{}'", instruction.getOpcodeName()));
  }
}

// ---- Bit fields (bit_fields.h) ----

bool Body::may_be_set_in_part(unsigned bits) const {
  return bits <= kMostBitsInPart && lowering_.unit().sets_bit_fields(bits);
}

ExprId Body::is_whole(ExprId unit) { return op(ExprOp::kEq, unit, builder_.wrap(unit, kMostBitsInPart)); }

// What is stored if the bits of the mask are 0. If all are set with them, it is an ordinary number again.
ExprId Body::cleared_bits(const llvm::BinaryOperator& instruction, uint64_t mask) {
  const llvm::Value& operand = *instruction.getOperand(0);
  const ExprId unit = value(operand), rest = value(*instruction.getOperand(1));
  if (!may_be_undefined(operand)) return op(ExprOp::kBitAnd, unit, rest);
  const unsigned bits = bit_width(*instruction.getType());
  if (bits > kMostBitsInPart) {
    thread_.limit(
        op(ExprOp::kNe, unit, number(kUndefined)), here_,
        fmt::format("Fenceline does not support a bit field that is set in {} bits of which none was set",
                    bits));
    return op(ExprOp::kBitAnd, unit, rest);
  }
  constexpr auto kNoneSet = static_cast<uint64_t>(kUndefined) >> kMostBitsInPart;
  const auto in_high_half = [](uint64_t half) { return static_cast<Value>(half << kMostBitsInPart); };
  const ExprId kept =
      op(ExprOp::kBitAnd, unit, number(static_cast<Value>(~(mask | mask << kMostBitsInPart))));
  const ExprId part = op(ExprOp::kBitOr, kept, number(in_high_half(mask & ~kNoneSet)));
  const ExprId high = op(ExprOp::kShr, part, number(kMostBitsInPart));
  const ExprId whole = is_whole(unit);
  // Sets of bits for which the number would be an ordinary one, or another mark.
  for (const uint64_t other :
       {uint64_t{0}, uint64_t{0xffffffff}, static_cast<uint64_t>(kFreed) >> kMostBitsInPart,
        static_cast<uint64_t>(kEnded) >> kMostBitsInPart})
    if ((mask & ~(other ^ kNoneSet)) == 0)
      thread_.limit(op(ExprOp::kOr, whole, op(ExprOp::kNe, high, number(static_cast<int32_t>(other)))), here_,
                    "Fenceline does not support that these bit fields are set, and no others");
  const auto all = number(static_cast<int32_t>(llvm::maskTrailingOnes<uint64_t>(bits) ^ kNoneSet));
  return builder_.select(
      whole, op(ExprOp::kBitAnd, unit, rest),
      builder_.select(op(ExprOp::kEq, high, all), builder_.wrap(part, static_cast<int>(bits)), part));
}

ExprId Body::combined_bits(const llvm::BinaryOperator& instruction) {
  const llvm::Value& operand = *instruction.getOperand(0);
  const ExprId unit = value(operand), field = used(*instruction.getOperand(1));
  const ExprId ordinary = op(ExprOp::kBitOr, unit, field);
  if (!may_be_undefined(operand)) return ordinary;
  const auto all = llvm::maskTrailingOnes<uint64_t>(bit_width(*instruction.getType()));
  return builder_.select(
      is_whole(unit), ordinary,
      op(ExprOp::kBitOr, unit, op(ExprOp::kBitAnd, field, number(static_cast<Value>(all)))));
}

// The unit, of which only the bits of the mask matter.
ExprId Body::read_bits(const llvm::Value& unit, uint64_t mask) {
  const unsigned bits = bit_width(*unit.getType());
  if (!may_be_undefined(unit) || !may_be_set_in_part(bits)) return used(unit);
  constexpr auto kNoneSet = static_cast<uint64_t>(kUndefined) >> kMostBitsInPart;
  const ExprId all = value(unit);
  const ExprId set =
      op(ExprOp::kBitAnd, op(ExprOp::kShr, all, number(kMostBitsInPart)), number(static_cast<Value>(mask)));
  thread_.check(
      op(ExprOp::kOr, is_whole(all), op(ExprOp::kEq, set, number(static_cast<Value>(mask & ~kNoneSet)))),
      here_, "a value that was never set is used");
  return builder_.wrap(all, static_cast<int>(bits));
}

// Of 64 bits, without the sign. Precondition: 0 <= b < 64.
ExprId Body::shifted_right(ExprId a, ExprId b) {
  constexpr Value kMost = std::numeric_limits<Value>::max();
  const ExprId shifted = op(ExprOp::kShr, a, b);
  if (const auto by = builder_.constant_value(b))
    return *by == 0 ? a : op(ExprOp::kBitAnd, shifted, number(kMost >> (*by - 1)));
  return builder_.select(
      op(ExprOp::kEq, b, number(0)), a,
      op(ExprOp::kBitAnd, shifted, op(ExprOp::kShr, number(kMost), op(ExprOp::kSub, b, number(1)))));
}

// Of unsigned numbers of 64 bits; those above 2^63 are negative here. Half of such a number is divided, which gives
// twice the quotient but for 1.
ExprId Body::unsigned_quotient(ExprId a, ExprId b, bool remainder) {
  const auto constant = builder_.constant_value(b);
  const ExprId simple = op(remainder ? ExprOp::kMod : ExprOp::kDiv, a, b);
  const ExprId once = op(ExprOp::kUle, b, a);  // by a large number: 1 or 0
  const ExprId by_large = remainder ? builder_.select(once, op(ExprOp::kSub64, a, b), a) : once;
  const ExprId nearly = op(ExprOp::kShl64, op(ExprOp::kDiv, shifted_right(a, number(1)), b), number(1));
  const ExprId rest = op(ExprOp::kSub64, a, op(ExprOp::kMul64, nearly, b));
  const ExprId more = op(ExprOp::kUle, b, rest);
  const ExprId of_large =
      remainder ? builder_.select(more, op(ExprOp::kSub64, rest, b), rest) : op(ExprOp::kAdd64, nearly, more);
  const ExprId by_small = builder_.select(op(ExprOp::kGe, a, number(0)), simple, of_large);
  if (constant) return *constant < 0 ? by_large : by_small;
  return builder_.select(op(ExprOp::kLt, b, number(0)), by_large, by_small);
}

ExprId Body::compare(const llvm::ICmpInst& instruction) {
  if (!is_scalar(*instruction.getOperand(0)->getType())) reject(instruction, "a comparison of this type");
  const ExprId a = used(*instruction.getOperand(0)), b = used(*instruction.getOperand(1));
  switch (instruction.getPredicate()) {
    case llvm::ICmpInst::ICMP_EQ:
      return op(ExprOp::kEq, a, b);
    case llvm::ICmpInst::ICMP_NE:
      return op(ExprOp::kNe, a, b);
    case llvm::ICmpInst::ICMP_SLT:
      return op(ExprOp::kLt, a, b);
    case llvm::ICmpInst::ICMP_SLE:
      return op(ExprOp::kLe, a, b);
    case llvm::ICmpInst::ICMP_SGT:
      return op(ExprOp::kGt, a, b);
    case llvm::ICmpInst::ICMP_SGE:
      return op(ExprOp::kGe, a, b);
    case llvm::ICmpInst::ICMP_ULT:
      return op(ExprOp::kUlt, a, b);
    case llvm::ICmpInst::ICMP_ULE:
      return op(ExprOp::kUle, a, b);
    case llvm::ICmpInst::ICMP_UGT:
      return op(ExprOp::kUlt, b, a);
    case llvm::ICmpInst::ICMP_UGE:
      return op(ExprOp::kUle, b, a);
    default:
      reject(instruction, "this comparison");
  }
}

ExprId Body::cast(const llvm::CastInst& instruction) {
  const llvm::Value& operand = *instruction.getOperand(0);
  if (!is_scalar(*operand.getType()) || !is_scalar(*instruction.getType()))
    reject(instruction, "a conversion of this type");
  const unsigned from = bit_width(*operand.getType());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      if (bit_width(*instruction.getType()) == 64 && from == 64) return value(operand);
      return wrapped(used(operand), *instruction.getType());
    case llvm::Instruction::BitCast:
      return value(operand);
    case llvm::Instruction::Trunc:
      return wrapped(used(operand), *instruction.getType());
    case llvm::Instruction::ZExt:
      return from == 1 ? used(operand) : builder_.wrap(used(operand), -static_cast<int>(from));
    case llvm::Instruction::SExt:
      return from == 1 ? builder_.unary(ExprOp::kNeg, used(operand)) : used(operand);
    default:
      reject(instruction, fmt::format("the conversion '{}'", instruction.getOpcodeName()));
  }
}

ExprId Body::element_address(const llvm::Instruction& instruction) {
  const auto& gep = llvm::cast<llvm::GEPOperator>(instruction);
  if (!gep.getType()->isPointerTy()) reject(instruction, "a vector of pointers");
  const llvm::DataLayout& layout = lowering_.unit().layout();
  llvm::MapVector<llvm::Value*, llvm::APInt> scaled;
  llvm::APInt offset(64, 0);
  if (!gep.collectOffset(layout, 64, scaled, offset)) reject(instruction, "an address of this kind");
  // An address inside of what a null or undefined pointer points to is no better than that pointer.
  ExprId address = used(*gep.getPointerOperand());
  for (const auto& [index, scale] : scaled)
    address = op(ExprOp::kAdd, address, op(ExprOp::kMul, used(*index), number(scale.getSExtValue())));
  if (offset.getSExtValue() != 0) address = op(ExprOp::kAdd, address, number(offset.getSExtValue()));
  return address;
}

// What a compare-and-exchange of two words found.
bool Body::is_part_of_wide_exchange(const llvm::ExtractValueInst& instruction) {
  const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(instruction.getAggregateOperand());
  if (exchange == nullptr || !is_wide(*instruction.getType())) return false;
  parts_[&instruction] = parts_.at(exchange);
  return true;
}

// Structures in registers: what cmpxchg returns, and what was put together before.
ExprId Body::part(const llvm::ExtractValueInst& instruction) {
  if (instruction.getNumIndices() != 1) reject(instruction, "a structure inside of a value");
  const unsigned index = instruction.getIndices()[0];
  const llvm::Value* from = instruction.getAggregateOperand();
  while (const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(from)) {
    if (insert->getNumIndices() == 1 && insert->getIndices()[0] == index)
      return value(*insert->getInsertedValueOperand());
    from = insert->getAggregateOperand();
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(from)) {
    if (index == 0) return value(*exchange);
    if (const auto found = succeeded_.find(exchange); found != succeeded_.end()) return found->second;
    return op(ExprOp::kEq, value(*exchange), value(*exchange->getCompareOperand()));
  }
  reject(instruction, "a structure as a value of its own");
}

}  // namespace fenceline::frontend::c
