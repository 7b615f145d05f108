// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values of LLVM's constants: numbers, addresses, and what is computed from addresses.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include "frontend/c/body.h"
#include "frontend/c/lowering.h"

namespace fenceline::frontend::c {

// What is computed from addresses. None if it is no integer, or not supported.
std::optional<Value> Lowering::constant_expression(const llvm::ConstantExpr& expression,
                                                   const llvm::Instruction& user) {
  const auto operand = [&](unsigned i) {
    return static_cast<uint64_t>(constant(*expression.getOperand(i), user));
  };
  const auto of_type = [&](uint64_t number) {
    const unsigned bits = bit_width(*expression.getType());
    return bits == 1 ? static_cast<Value>(number & 1) : llvm::SignExtend64(number, bits);
  };
  if (!is_scalar(*expression.getType())) return std::nullopt;
  switch (expression.getOpcode()) {
    case llvm::Instruction::GetElementPtr: {
      llvm::APInt offset(64, 0);
      if (!llvm::cast<llvm::GEPOperator>(expression).accumulateConstantOffset(unit_.layout(), offset))
        return std::nullopt;
      return of_type(operand(0) + offset.getZExtValue());
    }
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
      return of_type(operand(0));
    case llvm::Instruction::Add:
      return of_type(operand(0) + operand(1));
    case llvm::Instruction::Sub:
      return of_type(operand(0) - operand(1));
    case llvm::Instruction::Mul:
      return of_type(operand(0) * operand(1));
    case llvm::Instruction::Xor:
      return of_type(operand(0) ^ operand(1));
    default:
      return std::nullopt;
  }
}

Value Lowering::constant(const llvm::Constant& constant, const llvm::Instruction& user) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    if (number->getBitWidth() > 64)
      unit_.reject(user, fmt::format("an integer of {} bits", number->getBitWidth()));
    const Value value =
        number->getBitWidth() == 1 ? static_cast<Value>(number->getZExtValue()) : number->getSExtValue();
    if (value == kUndefined || value == kFreed || value == kEnded)
      unit_.reject(user,
                   fmt::format("the number {}, which represents what was never set or is freed", value));
    return value;
  }
  if (llvm::isa<llvm::ConstantPointerNull>(constant)) return 0;
  if (llvm::isa<llvm::UndefValue>(constant) || is_never_set(constant)) return kUndefined;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) return global(*variable, user);
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&constant))
    return functions_.emplace(function, kFirstFunction + 16 * static_cast<Value>(functions_.size()))
        .first->second;
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant))
    if (const auto value = constant_expression(*expression, user)) return *value;
  if (llvm::isa<llvm::BlockAddress>(constant)) unit_.reject(user, "the address of a label (a computed goto)");
  if (constant.getType()->isFloatingPointTy()) unit_.reject(user, "floating-point numbers");
  unit_.reject(user, "a constant of this kind");
}

}  // namespace fenceline::frontend::c
