// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/assembly.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/TargetParser/Host.h>

#include <charconv>
#include <map>
#include <memory>
#include <vector>

#include "env/errors.h"
#include "frontend/c/asm_machine.h"
#include "frontend/c/asm_parser.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kReason = "fenceline.assembly";
constexpr const char* kFenceText = "fenceline.fence";

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::unique_ptr<AsmMachine> make_machine(AsmTarget target, llvm::Function& function) {
  switch (target) {
    case AsmTarget::kX86:
      return make_x86(function);
    case AsmTarget::kAArch64:
      return make_aarch64(function);
    case AsmTarget::kRiscV:
      return make_riscv(function);
    case AsmTarget::kPower:
      return make_power(function);
    case AsmTarget::kSparc:
      throw AsmUnsupported("assembly of this processor");
  }
  throw Bug("a processor without a reader");
}

// Several results are stored to where further parameters point: values that are structures are not understood
// by what follows.
llvm::Function* new_function(const llvm::CallBase& call, llvm::Module& module) {
  llvm::FunctionType* type = call.getFunctionType();
  if (const auto* results = llvm::dyn_cast<llvm::StructType>(call.getType())) {
    std::vector<llvm::Type*> parameters(type->param_begin(), type->param_end());
    parameters.insert(parameters.end(), results->getNumElements(),
                      llvm::PointerType::get(module.getContext(), 0));
    type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), parameters, false);
  }
  return llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kAssemblyFunction, module);
}

// A call of the function instead of the assembly.
void replace(llvm::CallInst& call, llvm::Function& function) {
  std::vector<llvm::Value*> arguments(call.arg_begin(), call.arg_end());
  llvm::IRBuilder<> builder(&call);
  auto* results = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (results == nullptr) {
    llvm::CallInst* direct = builder.CreateCall(&function, arguments);
    direct->takeName(&call);
    call.replaceAllUsesWith(direct);
    call.eraseFromParent();
    return;
  }
  llvm::IRBuilder<> first(&call.getFunction()->getEntryBlock(), call.getFunction()->getEntryBlock().begin());
  std::vector<llvm::AllocaInst*> slots;
  for (llvm::Type* type : results->elements())
    arguments.push_back(slots.emplace_back(first.CreateAlloca(type)));
  builder.CreateCall(&function, arguments);
  std::vector<llvm::Value*> values;
  for (llvm::AllocaInst* slot : slots) values.push_back(builder.CreateLoad(slot->getAllocatedType(), slot));
  for (llvm::User* user : llvm::make_early_inc_range(call.users())) {
    auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    require(part != nullptr && part->getNumIndices() == 1, "a use of all results of assembly at once");
    part->replaceAllUsesWith(values[part->getIndices().front()]);
    part->eraseFromParent();
  }
  call.eraseFromParent();
}

bool is_intel(const llvm::CallBase& call) {
  return llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getDialect() == llvm::InlineAsm::AD_Intel;
}

bool is_assembly_of(AsmTarget target, const llvm::CallBase& call) {
  try {
    parse_assembly(target, bind_operands(target, call).text, is_intel(call));
    return true;
  } catch (const AsmInvalid&) {
    return false;
  } catch (const AsmUnsupported&) {
    return true;  // as far as is known
  }
}

// For reports: a piece that is one fence is called as it is written.
void note_text(const llvm::CallBase& assembly, llvm::Function& function) {
  const std::string text(trimmed(llvm::cast<llvm::InlineAsm>(assembly.getCalledOperand())->getAsmString()));
  if (text.find_first_of(";\n$") != std::string::npos) return;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call != nullptr && fence_of_assembly(*call))
      call->setMetadata(kFenceText,
                        llvm::MDNode::get(call->getContext(), llvm::MDString::get(call->getContext(), text)));
}

// As a function; null if it is no code of the module's own processor that is understood, and then `reason` says
// why.
llvm::Function* translated(const llvm::CallBase& call, AsmTarget target, llvm::Module& module,
                           std::string& reason) {
  llvm::Function* function = new_function(call, module);
  try {
    const AsmOperands operands = bind_operands(target, call);
    make_machine(target, *function)
        ->translate(parse_assembly(target, operands.text, is_intel(call)), operands);
    return function;
  } catch (const AsmUnsupported& error) {
    reason = error.what();
    for (llvm::BasicBlock& block : *function) block.dropAllReferences();
    function->eraseFromParent();
    return nullptr;
  }
}

// The fences of all processors are understood on each of them: a program that has those of another one is about
// their order.
llvm::Function* translated_fence(const llvm::CallBase& call, llvm::Module& module) {
  const auto kinds = assembly_fence(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString());
  if (!kinds || !call.getType()->isVoidTy()) return nullptr;
  llvm::Function* function = new_function(call, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
  if (!kinds->none())
    builder.CreateCall(
        module.getOrInsertFunction(kAssemblyFence + std::to_string(kinds->bits()), builder.getVoidTy()));
  builder.CreateRetVoid();
  return function;
}

// ---- Fences of any processor ----

// Of an instruction that is nothing else than a fence or a hint.
std::optional<FenceKinds> kinds_of(AsmTarget target, const AsmCode& code) {
  llvm::LLVMContext context;
  llvm::Module module("fence", context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "", module);
  make_machine(target, *function)->translate(code, {});
  FenceKinds kinds;
  for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
    if (llvm::isa<llvm::ReturnInst>(instruction)) continue;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const auto fence = call == nullptr ? std::nullopt : fence_of_assembly(*call);
    if (!fence || !fence->name.empty()) return std::nullopt;
    kinds = kinds | fence->kinds;
  }
  return kinds;
}

// membar #StoreLoad|#StoreStore: bits 0 to 3 are load-load, store-load, load-store, store-store.
std::optional<FenceKinds> sparc_kinds(const AsmCode& code) {
  FenceKinds kinds;
  for (const AsmInstruction& instruction : code.instructions) {
    if (instruction.name == "NOP") continue;
    if (instruction.name != "MEMBARi" || instruction.operands.size() != 1) return std::nullopt;
    const int64_t mask = instruction.operands.front().value;
    if (mask == 0 || mask > 15) return std::nullopt;
    if ((mask & 1) != 0) kinds = kinds | FenceKinds::load_load();
    if ((mask & 2) != 0) kinds = kinds | FenceKinds::store_load();
    if ((mask & 4) != 0) kinds = kinds | FenceKinds::load_store();
    if ((mask & 8) != 0) kinds = kinds | FenceKinds::store_store();
  }
  return kinds;
}

}  // namespace

void translate_assembly(llvm::Module& module) {
  const auto target = asm_target_of(module.getTargetTriple());
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call != nullptr && call->isInlineAsm())
        calls.push_back(call);
  for (llvm::CallInst* call : calls) {
    std::string reason = "assembly of this processor";
    llvm::Function* function = target ? translated(*call, *target, module, reason) : nullptr;
    if (function == nullptr) function = translated_fence(*call, module);
    if (function == nullptr) {
      llvm::LLVMContext& context = module.getContext();
      call->setMetadata(kReason, llvm::MDNode::get(context, llvm::MDString::get(context, reason)));
      continue;
    }
    note_text(*call, *function);
    replace(*call, *function);
  }
}

std::string native_assembly(const llvm::Module& module) {
  const auto target = asm_target_of(module.getTargetTriple()),
             here = asm_target_of(llvm::sys::getDefaultTargetTriple());
  if (!target || !here || target == here) return "";
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || !call->isInlineAsm() || is_assembly_of(*target, *call)) continue;
      const std::string text = llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString();
      if (!assembly_fence(text) && is_assembly_of(*here, *call)) return text;
    }
  return "";
}

std::string reason_of(const llvm::CallBase& assembly) {
  const llvm::MDNode* note = assembly.getMetadata(kReason);
  return note == nullptr ? "" : llvm::cast<llvm::MDString>(note->getOperand(0))->getString().str();
}

std::optional<FenceKinds> assembly_fence(std::string_view text) {
  // Alpha is no target of LLVM.
  if (trimmed(text) == "mb") return FenceKinds::full();
  if (trimmed(text) == "wmb") return FenceKinds::store_store();
  // As it is in LLVM's code, or in C's.
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && text[i] == text[i - 1] && (text[i] == '$' || text[i] == '%')) continue;
    plain += text[i];
  }
  for (const AsmTarget target :
       {AsmTarget::kX86, AsmTarget::kAArch64, AsmTarget::kRiscV, AsmTarget::kPower, AsmTarget::kSparc}) {
    try {
      const AsmCode code = parse_assembly(target, plain, false);
      const auto kinds = target == AsmTarget::kSparc ? sparc_kinds(code) : kinds_of(target, code);
      if (kinds) return kinds;
    } catch (const AsmUnsupported&) {
    }
  }
  return std::nullopt;
}

std::optional<NamedFence> fence_of_assembly(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return std::nullopt;
  llvm::StringRef name = callee->getName();
  if (!name.consume_front(kAssemblyFence)) return std::nullopt;
  const auto [bits, rest] = name.split('.');
  unsigned kinds = 0;
  require(!bits.getAsInteger(10, kinds), "a fence of assembly without kinds");
  const llvm::MDNode* note = call.getMetadata(kFenceText);
  const std::string text =
      note == nullptr ? "" : llvm::cast<llvm::MDString>(note->getOperand(0))->getString().str();
  return NamedFence{FenceKinds(static_cast<uint8_t>(kinds)), rest.str(), text};
}

std::optional<FenceKinds> fence_kinds_of(std::string_view text) {
  static const std::map<std::string_view, FenceKinds> kKinds = {
      {"load-load", FenceKinds::load_load()},
      {"load-store", FenceKinds::load_store()},
      {"store-load", FenceKinds::store_load()},
      {"store-store", FenceKinds::store_store()},
      {"full", FenceKinds::full()},
  };
  FenceKinds kinds;
  while (true) {
    const size_t end = text.find(',');
    const auto found = kKinds.find(trimmed(text.substr(0, end)));
    if (found == kKinds.end()) return std::nullopt;
    kinds = kinds | found->second;
    if (end == std::string_view::npos) return kinds;
    text.remove_prefix(end + 1);
  }
}

}  // namespace fenceline::frontend::c
