// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each is written so that no step of it needs more than 64 bits with a sign: the larger half of the unsigned numbers
// of 64 bits cannot be divided, and sums of such numbers do not fit.
#include "frontend/c/intrinsics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/NoFolder.h>
#include <llvm/TargetParser/Triple.h>

#include <string>
#include <vector>

#include "frontend/c/assembly.h"

namespace fenceline::frontend::c {
namespace {

using Builder = llvm::IRBuilder<llvm::NoFolder>;
using llvm::Value;

unsigned bits_of(const Value& value) { return value.getType()->getIntegerBitWidth(); }

llvm::Constant* constant(const Value& like, uint64_t value) {
  return llvm::ConstantInt::get(like.getType(), value);
}

// ---- Bits ----

// Binary search for the highest bit: the number of zeros before it, all of them if there is none.
Value* leading_zeros(Builder& builder, Value* x) {
  const unsigned bits = bits_of(*x);
  Value* zeros = constant(*x, bits);
  for (unsigned half = bits / 2; half > 0; half /= 2) {
    Value* upper = builder.CreateLShr(x, constant(*x, half));
    Value* there = builder.CreateICmpNE(upper, constant(*x, 0));
    zeros = builder.CreateSelect(there, builder.CreateSub(zeros, constant(*x, half)), zeros);
    x = builder.CreateSelect(there, upper, x);
  }
  return builder.CreateSub(zeros, x);  // what is left of x is 0 or 1
}

Value* trailing_zeros(Builder& builder, Value* x) {
  const unsigned bits = bits_of(*x);
  Value* none = builder.CreateICmpEQ(x, constant(*x, 0));
  Value* zeros = constant(*x, 0);
  for (unsigned half = bits / 2; half > 0; half /= 2) {
    Value* lower = builder.CreateAnd(x, constant(*x, (uint64_t{1} << half) - 1));
    Value* empty = builder.CreateICmpEQ(lower, constant(*x, 0));
    zeros = builder.CreateSelect(empty, builder.CreateAdd(zeros, constant(*x, half)), zeros);
    x = builder.CreateSelect(empty, builder.CreateLShr(x, constant(*x, half)), x);
  }
  return builder.CreateSelect(none, constant(*x, bits), zeros);
}

// Sums of neighbours: of bits, of pairs of bits, and so on.
Value* population(Builder& builder, Value* x) {
  const unsigned bits = bits_of(*x);
  if (bits == 64) {
    llvm::Type* half = builder.getInt32Ty();
    Value* low = population(builder, builder.CreateTrunc(x, half));
    Value* high = population(builder, builder.CreateTrunc(builder.CreateLShr(x, constant(*x, 32)), half));
    return builder.CreateZExt(builder.CreateAdd(low, high), x->getType());
  }
  for (unsigned width = 1; width < bits; width *= 2) {
    uint64_t mask = 0;
    for (unsigned at = 0; at < bits; at += 2 * width) mask |= ((uint64_t{1} << width) - 1) << at;
    Value* even = builder.CreateAnd(x, constant(*x, mask));
    Value* odd = builder.CreateAnd(builder.CreateLShr(x, constant(*x, width)), constant(*x, mask));
    x = builder.CreateAdd(even, odd);
  }
  return x;
}

// The parts of `width` bits in reverse order.
Value* reversed(Builder& builder, Value* x, unsigned width) {
  const unsigned bits = bits_of(*x);
  Value* result = constant(*x, 0);
  for (unsigned at = 0; at < bits; at += width) {
    Value* part = at == 0 ? x : builder.CreateLShr(x, constant(*x, at));
    part = builder.CreateAnd(part, constant(*x, (uint64_t{1} << width) - 1));
    if (const unsigned to = bits - width - at; to == 63)
      part = builder.CreateSelect(builder.CreateICmpNE(part, constant(*x, 0)),
                                  constant(*x, uint64_t{1} << 63), constant(*x, 0));
    else if (to > 0)
      part = builder.CreateShl(part, constant(*x, to));
    result = builder.CreateOr(result, part);
  }
  return result;
}

// The upper or the lower half of (high, low), shifted by the amount modulo the width. Rotations are of this kind.
Value* funnel_shift(Builder& builder, const llvm::CallBase& call, bool left) {
  Value *high = call.getArgOperand(0), *low = call.getArgOperand(1), *amount = call.getArgOperand(2);
  const unsigned bits = bits_of(*high);
  Value* by = builder.CreateAnd(amount, constant(*amount, bits - 1));
  Value* rest =
      builder.CreateAnd(builder.CreateSub(constant(*amount, bits), by), constant(*amount, bits - 1));
  Value* both =
      builder.CreateOr(builder.CreateShl(high, left ? by : rest), builder.CreateLShr(low, left ? rest : by));
  return builder.CreateSelect(builder.CreateICmpEQ(by, constant(*by, 0)), left ? high : low, both);
}

// ---- Arithmetic that reports its overflow ----

struct Checked {
  Value *result, *overflow;
};

Checked with_overflow(Builder& builder, llvm::WithOverflowInst& call) {
  Value *a = call.getLHS(), *b = call.getRHS();
  const unsigned bits = bits_of(*a);
  const llvm::Instruction::BinaryOps op = call.getBinaryOp();
  const bool is_signed = call.isSigned();
  if (bits <= 32) {  // there is room for the exact result
    llvm::Type *type = a->getType(), *wide = builder.getInt64Ty();
    const auto widen = [&](Value* x) {
      return is_signed ? builder.CreateSExt(x, wide) : builder.CreateZExt(x, wide);
    };
    // The largest product of unsigned numbers of 32 bits has a bit too many for a sign.
    if (!(op == llvm::Instruction::Mul && !is_signed && bits == 32)) {
      Value* exact = builder.CreateBinOp(op, widen(a), widen(b));
      Value* result = builder.CreateTrunc(exact, type);
      return {result, builder.CreateICmpNE(widen(result), exact)};
    }
  }
  Value* zero = constant(*a, 0);
  Value* result = builder.CreateBinOp(op, a, b);
  if (op == llvm::Instruction::Add && !is_signed) return {result, builder.CreateICmpULT(result, a)};
  if (op == llvm::Instruction::Sub && !is_signed) return {result, builder.CreateICmpULT(a, b)};
  if (op != llvm::Instruction::Mul) {
    // The signs of a and b agree (of a difference: differ), and that of the result is another.
    Value* signs = builder.CreateXor(a, b);
    if (op == llvm::Instruction::Add) signs = builder.CreateXor(signs, constant(*a, ~uint64_t{0}));
    Value* lost = builder.CreateAnd(signs, builder.CreateXor(a, result));
    return {result, builder.CreateICmpSLT(lost, zero)};
  }
  // Dividing the product by one factor has to give the other.
  Value* one = constant(*a, 1);
  Value* trivial = builder.CreateICmpEQ(a, zero);
  if (is_signed) trivial = builder.CreateOr(trivial, builder.CreateICmpEQ(a, constant(*a, ~uint64_t{0})));
  Value* by = builder.CreateSelect(trivial, one, a);
  Value* quotient = is_signed ? builder.CreateSDiv(result, by) : builder.CreateUDiv(result, by);
  Value* differs = builder.CreateICmpNE(quotient, b);
  // -1 times the smallest number is the only product with -1 that does not fit.
  Value* smallest = constant(*a, uint64_t{1} << (bits - 1));
  Value* trivially = is_signed
                         ? builder.CreateAnd(builder.CreateICmpNE(a, zero), builder.CreateICmpEQ(b, smallest))
                         : builder.getFalse();
  return {result, builder.CreateSelect(trivial, trivially, differs)};
}

bool expand_overflow(llvm::WithOverflowInst& call) {
  for (const llvm::User* user : call.users())
    if (const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
        part == nullptr || part->getNumIndices() != 1)
      return false;
  Builder builder(&call);
  const Checked made = with_overflow(builder, call);
  for (llvm::User* user : llvm::make_early_inc_range(call.users())) {
    auto* part = llvm::cast<llvm::ExtractValueInst>(user);
    part->replaceAllUsesWith(part->getIndices()[0] == 0 ? made.result : made.overflow);
    part->eraseFromParent();
  }
  return true;
}

// ---- All ----

// Is the result not used if the operand is 0? That is how Clang writes __builtin_ffs: x == 0 ? 0 : ctz(x) + 1, computed
// before it is chosen.
bool is_find_first(const llvm::CallBase& call) {
  const auto chooses = [&](const llvm::User* user) {
    const auto* select = llvm::dyn_cast<llvm::SelectInst>(user);
    const auto* zero = select == nullptr ? nullptr : llvm::dyn_cast<llvm::ICmpInst>(select->getCondition());
    const auto* nothing = zero == nullptr ? nullptr : llvm::dyn_cast<llvm::Constant>(zero->getOperand(1));
    return nothing != nullptr && zero->getPredicate() == llvm::ICmpInst::ICMP_EQ &&
           zero->getOperand(0) == call.getArgOperand(0) && nothing->isNullValue() &&
           llvm::isa<llvm::Constant>(select->getTrueValue());
  };
  return llvm::all_of(call.users(), [&](const llvm::User* user) {
    const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
    return sum != nullptr && sum->getOpcode() == llvm::Instruction::Add &&
           llvm::all_of(sum->users(), chooses);
  });
}

// __builtin_clz(0) is undefined in the documentation of both compilers. Clang defines it for the processors whose
// instruction does; assembly means that instruction.
bool is_undefined_for_zero(const llvm::CallBase& call) {
  if (llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne()) return true;
  const llvm::Triple triple(call.getModule()->getTargetTriple());
  return (triple.isAArch64() || triple.isPPC64()) &&
         !call.getFunction()->getName().starts_with(kAssemblyFunction);
}

void require_not_zero(Builder& builder, llvm::CallBase& call) {
  if (!is_undefined_for_zero(call) || is_find_first(call)) return;
  Value* x = call.getArgOperand(0);
  llvm::Module& module = *call.getModule();
  builder.CreateCall(module.getOrInsertFunction(kNotZero + std::string("i") + std::to_string(bits_of(*x)),
                                                builder.getVoidTy(), x->getType()),
                     {x});
}

// What the call is replaced by; null if it stays.
Value* expansion(llvm::IntrinsicInst& call) {
  Builder builder(&call);
  Value* x = call.arg_size() > 0 ? call.getArgOperand(0) : nullptr;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::ctlz:
      require_not_zero(builder, call);
      return leading_zeros(builder, x);
    case llvm::Intrinsic::cttz:
      require_not_zero(builder, call);
      return trailing_zeros(builder, x);
    case llvm::Intrinsic::ctpop:
      return population(builder, x);
    case llvm::Intrinsic::bswap:
      return reversed(builder, x, 8);
    case llvm::Intrinsic::bitreverse:
      return reversed(builder, x, 1);
    case llvm::Intrinsic::fshl:
      return funnel_shift(builder, call, true);
    case llvm::Intrinsic::fshr:
      return funnel_shift(builder, call, false);
    case llvm::Intrinsic::abs:
      return builder.CreateSelect(builder.CreateICmpSLT(x, constant(*x, 0)),
                                  builder.CreateSub(constant(*x, 0), x), x);
    case llvm::Intrinsic::umax:
      return builder.CreateSelect(builder.CreateICmpULT(x, call.getArgOperand(1)), call.getArgOperand(1), x);
    case llvm::Intrinsic::uadd_sat: {
      Value* sum = builder.CreateAdd(x, call.getArgOperand(1));
      return builder.CreateSelect(builder.CreateICmpULT(sum, x), constant(*x, ~uint64_t{0}), sum);
    }
    case llvm::Intrinsic::usub_sat:
      return builder.CreateSelect(builder.CreateICmpULT(x, call.getArgOperand(1)), constant(*x, 0),
                                  builder.CreateSub(x, call.getArgOperand(1)));
    case llvm::Intrinsic::is_constant:
      return builder.getFalse();
    case llvm::Intrinsic::objectsize:
      // Not known: the largest number, or 0 where the least possible one is asked for.
      return llvm::ConstantInt::get(
          call.getType(), llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne() ? 0 : ~uint64_t{0},
          true);
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::annotation:
    case llvm::Intrinsic::ptr_annotation:
      return x;
    default:
      return nullptr;
  }
}

bool is_hint(const llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID what = call.getIntrinsicID();
  return what == llvm::Intrinsic::prefetch || what == llvm::Intrinsic::var_annotation;
}

bool fits(const llvm::IntrinsicInst& call) {
  for (const Value* argument : call.args()) {
    const llvm::Type* type = argument->getType();
    if (type->isVectorTy()) return false;
    if (type->isIntegerTy() && (type->getIntegerBitWidth() > 64 ||
                                (type->getIntegerBitWidth() & (type->getIntegerBitWidth() - 1)) != 0))
      return false;
  }
  return true;
}

}  // namespace

void expand_intrinsics(llvm::Function& function) {
  std::vector<llvm::IntrinsicInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) calls.push_back(call);
  for (llvm::IntrinsicInst* call : calls) {
    if (!fits(*call)) continue;
    auto* checked = llvm::dyn_cast<llvm::WithOverflowInst>(call);
    if (is_hint(*call) || (checked != nullptr && expand_overflow(*checked))) {
      call->eraseFromParent();
    } else if (Value* made = checked == nullptr ? expansion(*call) : nullptr) {
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
  }
}

}  // namespace fenceline::frontend::c
