// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/dynamic_casts.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <optional>
#include <vector>

namespace fenceline::frontend::c {
namespace {

constexpr const char* kCast = "__dynamic_cast";  // (object, its static type, the wanted type, a hint)
constexpr uint64_t kVirtual = 1, kPublic = 2, kOffsetShift = 8;  // of a base class

const llvm::GlobalVariable* type_info(const llvm::Constant* constant) {
  const auto* variable =
      constant == nullptr ? nullptr : llvm::dyn_cast<llvm::GlobalVariable>(constant->stripPointerCasts());
  return variable != nullptr && variable->getName().starts_with("_ZTI") ? variable : nullptr;
}

// Where the base class lies in a class.
struct Base {
  enum class Kind : uint8_t { kNone, kAt, kUnsupported } kind;
  int64_t offset = 0;
};

Base find_base(const llvm::GlobalVariable& type, const llvm::GlobalVariable& base) {
  if (&type == &base) return {Base::Kind::kAt};
  if (!type.hasInitializer()) return {Base::Kind::kUnsupported};
  const llvm::Constant& fields = *type.getInitializer();
  const llvm::Constant* table = fields.getAggregateElement(0U);
  while (const auto* element = llvm::dyn_cast_or_null<llvm::GEPOperator>(table))
    table = llvm::cast<llvm::Constant>(element->getPointerOperand());
  const llvm::StringRef layout = table == nullptr ? "" : table->getName();
  if (layout.contains("__si_class_type_info")) {
    const llvm::GlobalVariable* only = type_info(fields.getAggregateElement(2U));
    return only == nullptr ? Base{Base::Kind::kUnsupported} : find_base(*only, base);
  }
  if (!layout.contains("__vmi_class_type_info"))
    return {layout.contains("__class_type_info") ? Base::Kind::kNone : Base::Kind::kUnsupported};
  const auto number = [&](unsigned i) {
    return llvm::cast<llvm::ConstantInt>(fields.getAggregateElement(i))->getZExtValue();
  };
  Base result{Base::Kind::kNone};
  for (unsigned i = 0; i < number(3); ++i) {
    const llvm::GlobalVariable* one = type_info(fields.getAggregateElement(4 + 2 * i));
    const uint64_t how = number(5 + 2 * i);
    if (one == nullptr || (how & kVirtual) != 0) return {Base::Kind::kUnsupported};
    Base found = find_base(*one, base);
    if (found.kind == Base::Kind::kNone) continue;
    if (found.kind == Base::Kind::kUnsupported || (how & kPublic) == 0 || result.kind != Base::Kind::kNone)
      return {Base::Kind::kUnsupported};
    found.offset += static_cast<int64_t>(how) >> kOffsetShift;
    result = found;
  }
  return result;
}

// What an object with this part points to there.
struct Table {
  const llvm::GlobalVariable* type;  // of the whole object
  int64_t to_top;                    // from the part to the object
  llvm::Constant* address;
};

std::optional<int64_t> as_number(const llvm::Constant& constant) {
  if (constant.isNullValue()) return 0;
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
  const auto* number = expression == nullptr || expression->getOpcode() != llvm::Instruction::IntToPtr
                           ? nullptr
                           : llvm::dyn_cast<llvm::ConstantInt>(expression->getOperand(0));
  return number == nullptr ? std::nullopt : std::optional(number->getSExtValue());
}

// None if one of them is of a class with virtual base classes.
std::optional<std::vector<Table>> tables_of(llvm::Module& module) {
  std::vector<Table> tables;
  llvm::Type* word = llvm::Type::getInt32Ty(module.getContext());
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getName().starts_with("_ZTC") || variable.getName().starts_with("_ZTT")) return std::nullopt;
    if (!variable.getName().starts_with("_ZTV") || !variable.hasInitializer()) continue;
    const llvm::Constant& parts = *variable.getInitializer();
    for (unsigned i = 0; parts.getAggregateElement(i) != nullptr; ++i) {
      const llvm::Constant& entries = *parts.getAggregateElement(i);
      const llvm::Constant *top = entries.getAggregateElement(0U), *type = entries.getAggregateElement(1U);
      const auto to_top = top == nullptr ? std::nullopt : as_number(*top);
      if (!to_top || type_info(type) == nullptr) return std::nullopt;
      const auto index = [&](unsigned at) { return llvm::ConstantInt::get(word, at); };
      tables.push_back({type_info(type), *to_top,
                        llvm::ConstantExpr::getInBoundsGetElementPtr(
                            variable.getValueType(), &variable,
                            llvm::ArrayRef<llvm::Constant*>{index(0), index(i), index(2)})});
    }
  }
  return tables;
}

void expand(llvm::CallBase& call, const std::vector<Table>& tables) {
  const auto type_of = [&](unsigned i) {
    return type_info(llvm::dyn_cast<llvm::Constant>(call.getArgOperand(i)));
  };
  const llvm::GlobalVariable *from = type_of(1), *to = type_of(2);
  if (from == nullptr || to == nullptr || !llvm::isa<llvm::CallInst>(call)) return;
  struct Choice {
    llvm::Constant* table;
    std::optional<int64_t> distance;  // none: the cast fails
  };
  std::vector<Choice> choices;
  for (const Table& table : tables) {
    const Base has = find_base(*table.type, *from), wanted = find_base(*table.type, *to);
    if (has.kind == Base::Kind::kNone) continue;
    if (has.kind == Base::Kind::kUnsupported || wanted.kind == Base::Kind::kUnsupported) return;
    choices.push_back({table.address, wanted.kind == Base::Kind::kNone
                                          ? std::nullopt
                                          : std::optional(table.to_top + wanted.offset)});
  }
  llvm::IRBuilder<> builder(&call);
  llvm::Value* object = call.getArgOperand(0);
  llvm::Value* table = builder.CreateAlignedLoad(builder.getPtrTy(), object, llvm::Align(8));
  llvm::Value* known = builder.getInt32(0);
  llvm::Value* result = llvm::ConstantPointerNull::get(builder.getPtrTy());
  for (const Choice& choice : choices) {
    llvm::Value* is_this = builder.CreateICmpEQ(table, choice.table);
    known = builder.CreateOr(known, builder.CreateZExt(is_this, builder.getInt32Ty()));
    if (choice.distance)
      result = builder.CreateSelect(
          is_this,
          builder.CreateConstGEP1_64(builder.getInt8Ty(), object, static_cast<uint64_t>(*choice.distance)),
          result);
  }
  const llvm::FunctionCallee limit = call.getModule()->getOrInsertFunction(
      "fl_limit", builder.getVoidTy(), builder.getInt32Ty(), builder.getPtrTy());
  builder.CreateCall(
      limit,
      {known, builder.CreateGlobalString(
                  "Fenceline does not support dynamic_cast of an object whose class is defined elsewhere",
                  "fl.text")});
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

}  // namespace

void expand_dynamic_casts(llvm::Module& module) {
  const llvm::Function* cast = module.getFunction(kCast);
  if (cast == nullptr || !cast->isDeclaration()) return;
  const auto tables = tables_of(module);
  if (!tables) return;
  std::vector<llvm::CallBase*> calls;
  for (const llvm::User* user : cast->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(const_cast<llvm::User*>(user));
        call != nullptr && call->getCalledFunction() == cast && call->arg_size() == 4)
      calls.push_back(call);
  for (llvm::CallBase* call : calls) expand(*call, *tables);
}

}  // namespace fenceline::frontend::c
