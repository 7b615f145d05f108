// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/padded_exchanges.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace fenceline::frontend::c {
namespace {

// Clang makes { T, [n x i8] } of an atomic type whose size is not one that processors have.
bool is_enlarged(const llvm::Type& type) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(&type);
  if (structure == nullptr || !structure->isLiteral() || structure->getNumElements() != 2) return false;
  const auto* rest = llvm::dyn_cast<llvm::ArrayType>(structure->getElementType(1));
  return rest != nullptr && rest->getElementType()->isIntegerTy(8);
}

void clear_enlargement(llvm::AllocaInst& variable) {
  llvm::Type& type = *variable.getAllocatedType();
  llvm::IRBuilder<> builder(variable.getNextNode());
  for (unsigned i = 0; i < type.getStructElementType(1)->getArrayNumElements(); ++i)
    builder.CreateStore(builder.getInt8(0),
                        builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(),
                                                           builder.CreateStructGEP(&type, &variable, 1), i));
}

bool has_padding(llvm::Type& type, const llvm::DataLayout& layout) {
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type))
    return has_padding(*array->getElementType(), layout);
  auto* structure = llvm::dyn_cast<llvm::StructType>(&type);
  if (structure == nullptr) return false;
  if (is_enlarged(*structure)) return true;
  uint64_t used = 0;
  for (llvm::Type* element : structure->elements()) {
    if (has_padding(*element, layout)) return true;
    used += layout.getTypeAllocSize(element);
  }
  return used != layout.getTypeAllocSize(structure);
}

bool is_in_c(const llvm::Function& function) {
  const llvm::DISubprogram* program = function.getSubprogram();
  if (program == nullptr || program->getUnit() == nullptr) return false;
  return llvm::dwarf::isC(static_cast<llvm::dwarf::SourceLanguage>(program->getUnit()->getSourceLanguage()));
}

bool is_padded(const llvm::Value& operand, const llvm::DataLayout& layout) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&operand);
  const auto* variable =
      load == nullptr ? nullptr : llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
  return variable != nullptr && has_padding(*variable->getAllocatedType(), layout);
}

}  // namespace

void weaken_padded_exchanges(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!is_in_c(function)) continue;
    std::vector<llvm::AllocaInst*> enlarged;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
          variable != nullptr && is_enlarged(*variable->getAllocatedType()))
        enlarged.push_back(variable);
      if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        if (is_padded(*exchange->getCompareOperand(), module.getDataLayout()) ||
            is_padded(*exchange->getNewValOperand(), module.getDataLayout()))
          exchange->setWeak(true);
    }
    for (llvm::AllocaInst* variable : enlarged) clear_enlargement(*variable);
  }
}

}  // namespace fenceline::frontend::c
