// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/unknown_value.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <deque>
#include <set>

#include "frontend/c/member_names.h"

namespace fenceline::frontend::c {
namespace {

// "ring->size", "table[...]": the location, as far as it has a name. Empty: it has none.
std::string name_of_location(const llvm::Value& pointer, Unit& unit) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&pointer)) return variable_name(*variable);
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&pointer)) return variable_name(*variable);
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&pointer);
      call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address)
    return name_of_location(*call->getArgOperand(0), unit);
  const auto* element = llvm::dyn_cast<llvm::GEPOperator>(&pointer);
  if (element == nullptr) return "";
  const llvm::Value& base = *element->getPointerOperand();
  std::string name, member = ".";
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&base)) {
    name = name_of_location(*load->getPointerOperand(), unit);
    member = "->";
  } else {
    name = name_of_location(base, unit);
  }
  auto* structure = llvm::dyn_cast<llvm::StructType>(element->getSourceElementType());
  if (structure == nullptr || element->getNumIndices() < 2) return name.empty() ? "" : name + "[...]";
  const auto* field = llvm::dyn_cast<llvm::ConstantInt>(element->getOperand(2));
  if (field == nullptr) return name;
  const llvm::StructLayout& layout = *unit.layout().getStructLayout(structure);
  const auto index = static_cast<unsigned>(field->getZExtValue());
  const auto found =
      part_name(unit.object_types().type_of_structure(*structure), layout.getElementOffset(index),
                unit.layout().getTypeStoreSize(structure->getElementType(index)));
  if (!found || !found->brief.starts_with(".")) return name;
  return name.empty() ? found->brief.substr(1) : name + member + found->brief.substr(1);
}

}  // namespace

std::string what_is_unknown(const llvm::Value& value, Unit& unit) {
  std::deque<const llvm::Value*> todo{&value};
  std::set<const llvm::Value*> seen{&value};
  const auto location = [&](const llvm::Value& pointer) {
    const std::string name = name_of_location(pointer, unit);
    return name.empty() ? std::string("what is read from memory here") : fmt::format("'{}'", name);
  };
  while (!todo.empty()) {
    const llvm::Value* next = todo.front();
    todo.pop_front();
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(next))
      return fmt::format("the argument '{}' of the thread", argument->getName().str());
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(next);
    if (instruction == nullptr) continue;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
      return location(*load->getPointerOperand());
    if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(instruction))
      return location(*rmw->getPointerOperand());
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(instruction))
      return location(*exchange->getPointerOperand());
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction))
      if (const llvm::Function* callee = call->getCalledFunction();
          callee != nullptr && !callee->isIntrinsic())
        return fmt::format("what {}() returns", readable_name(*callee));
    for (const llvm::Value* operand : instruction->operands())
      if (seen.insert(operand).second) todo.push_back(operand);
  }
  return "the path that is taken";
}

std::string what_bounds(const llvm::Loop& loop, Unit& unit) {
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  for (const llvm::BasicBlock* block : exiting)
    if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        jump != nullptr && jump->isConditional() && !llvm::isa<llvm::Constant>(jump->getCondition()))
      return fmt::format(": it depends on {}", what_is_unknown(*jump->getCondition(), unit));
  return "";
}

}  // namespace fenceline::frontend::c
