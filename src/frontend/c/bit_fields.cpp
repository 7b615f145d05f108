// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/bit_fields.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace fenceline::frontend::c {
namespace {

// How Clang names what it loads, and what it computes from that. (No variable has a dot in its name.)
constexpr const char* kLoaded = "bf.load";
constexpr const char* kCleared = "bf.clear";
constexpr const char* kCombined = "bf.set";

void note(llvm::Instruction& operation, BitFieldUse use, uint64_t mask) {
  llvm::LLVMContext& context = operation.getContext();
  const auto number = [&](uint64_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value));
  };
  operation.setMetadata(kBitFieldNote,
                        llvm::MDNode::get(context, {number(static_cast<uint64_t>(use)), number(mask)}));
}

// Its second one.
std::optional<uint64_t> constant_operand(const llvm::Instruction& operation) {
  if (!llvm::isa<llvm::BinaryOperator>(operation)) return std::nullopt;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  return number == nullptr ? std::nullopt : std::optional(number->getZExtValue());
}

bool is_stored_to(const llvm::Instruction& value, const llvm::Value& pointer) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    return store != nullptr && store->getValueOperand() == &value && store->getPointerOperand() == &pointer;
  });
}

// The bits that the operation, and those on its result, need of what was loaded.
uint64_t bits_read(const llvm::Instruction& operation, uint64_t all, unsigned bits) {
  const auto by = constant_operand(operation);
  if (!by) return all;
  // The result of a shift goes into one more operation, if that leaves something out.
  const auto next = [&](unsigned opcode) -> std::optional<uint64_t> {
    const auto* user =
        operation.hasOneUse() ? llvm::dyn_cast<llvm::Instruction>(operation.user_back()) : nullptr;
    return user != nullptr && user->getOpcode() == opcode && user->getOperand(0) == &operation
               ? constant_operand(*user)
               : std::nullopt;
  };
  if (operation.getOpcode() == llvm::Instruction::And) return *by;
  if (*by >= bits) return all;
  switch (operation.getOpcode()) {
    case llvm::Instruction::LShr:
      return next(llvm::Instruction::And).value_or(all) << *by & all;
    case llvm::Instruction::AShr:
      return all << *by & all;
    case llvm::Instruction::Shl: {
      const uint64_t dropped = next(llvm::Instruction::AShr).value_or(0);
      return dropped >= bits ? all : (all >> dropped << dropped & all) >> *by;
    }
    default:
      return all;
  }
}

}  // namespace

void note_bit_fields(llvm::Function& function, std::set<unsigned>& sizes) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->getName().starts_with(kLoaded) || !load->getType()->isIntegerTy()) continue;
    const unsigned bits = load->getType()->getIntegerBitWidth();
    if (bits > 64) continue;
    const uint64_t all = llvm::maskTrailingOnes<uint64_t>(bits);
    for (llvm::User* user : load->users()) {
      auto* operation = llvm::dyn_cast<llvm::Instruction>(user);
      if (operation == nullptr || operation->getOperand(0) != load) continue;
      const bool is_and = operation->getOpcode() == llvm::Instruction::And && constant_operand(*operation) &&
                          operation->getName().starts_with(kCleared);
      bool clears = is_and && is_stored_to(*operation, *load->getPointerOperand());  // all are set to 0
      for (llvm::User* other : operation->users())
        if (auto* combined = llvm::dyn_cast<llvm::BinaryOperator>(other);
            is_and && combined != nullptr && combined->getOpcode() == llvm::Instruction::Or &&
            combined->getName().starts_with(kCombined) && combined->getOperand(0) == operation) {
          note(*combined, BitFieldUse::kSet, ~*constant_operand(*operation) & all);
          clears = true;
        }
      if (clears) {
        note(*operation, BitFieldUse::kClear, ~*constant_operand(*operation) & all);
        sizes.insert(bits);
      } else if (const uint64_t read = bits_read(*operation, all, bits);
                 llvm::isa<llvm::BinaryOperator>(operation) && read != all) {
        note(*operation, BitFieldUse::kRead, read);
      }
    }
  }
}

std::optional<BitFieldNote> bit_field_note(const llvm::Instruction& operation) {
  const llvm::MDNode* node = operation.getMetadata(kBitFieldNote);
  if (node == nullptr) return std::nullopt;
  const auto number = [&](unsigned i) {
    return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(i))->getZExtValue();
  };
  return BitFieldNote{static_cast<BitFieldUse>(number(0)), number(1)};
}

}  // namespace fenceline::frontend::c
