// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/linking.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <memory>

#include "env/errors.h"
#include "frontend/c/cxx_runtime.h"
#include "frontend/c/mutex_kinds.h"
#include "frontend/c/static_destructors.h"
#include "frontend/c/support.h"

namespace fenceline::frontend::c {
namespace {

std::unique_ptr<llvm::Module> parse(const std::string& bitcode, llvm::LLVMContext& context) {
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(bitcode, "", false);
  auto parsed = llvm::parseBitcodeFile(*buffer, context);
  if (!parsed)
    throw Unsupported("the compiler's output cannot be read: " + llvm::toString(parsed.takeError()));
  return std::move(*parsed);
}

std::string written(const llvm::Module& module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  stream.flush();
  return bitcode;
}

// ---- Volatile accesses ----

// One access of the machine: a number of 1, 2, 4 or 8 bytes, or a pointer.
bool can_be_atomic(const llvm::Type& type, llvm::Align alignment) {
  if (type.isPointerTy()) return alignment.value() >= 8;
  if (!type.isIntegerTy()) return false;
  const unsigned bits = type.getIntegerBitWidth();
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && alignment.value() >= bits / 8;
}

void make_volatile_atomic(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (load->isVolatile() && !load->isAtomic() && can_be_atomic(*load->getType(), load->getAlign()))
          load->setAtomic(llvm::AtomicOrdering::Monotonic);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (store->isVolatile() && !store->isAtomic() &&
            can_be_atomic(*store->getValueOperand()->getType(), store->getAlign()))
          store->setAtomic(llvm::AtomicOrdering::Monotonic);
      }
    }
}

// Initialises a thread_local variable that other files define (Itanium C++ ABI). It is null if a constant does.
void drop_missing_initialisers(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (function.isDeclaration() && function.hasExternalWeakLinkage() &&
        function.getName().starts_with("_ZTH"))
      function.replaceAllUsesWith(llvm::ConstantPointerNull::get(function.getType()));
}

// ---- Linking ----

// What LLVM's linker complains about.
class Complaints : public llvm::DiagnosticHandler {
 public:
  explicit Complaints(std::string& text) : text_(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(text_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

 private:
  std::string& text_;
};

void link_into(llvm::Module& whole, const std::string& name, const std::string& bitcode, unsigned flags) {
  std::string complaints;
  whole.getContext().setDiagnosticHandler(std::make_unique<Complaints>(complaints));
  if (llvm::Linker::linkModules(whole, parse(bitcode, whole.getContext()), flags))
    throw InputError({name, ""}, {{{}, "the files do not fit together: " + complaints, ""}});
}

bool is_missing(const llvm::Module& module, std::string_view name) {
  const llvm::Function* function = module.getFunction(name);
  return function != nullptr && function->isDeclaration() && !function->use_empty();
}

// Is the value more than returned to callers that drop it?
bool is_used(const llvm::Value& value, unsigned depth = 0) {
  return std::ranges::any_of(value.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::CastInst>(user)) return is_used(*user, depth);
    const auto* end = llvm::dyn_cast<llvm::ReturnInst>(user);
    if (end == nullptr || depth == 4) return true;
    const llvm::Function& function = *end->getFunction();
    return function.hasAddressTaken() || std::ranges::any_of(function.users(), [&](const llvm::User* call) {
             return is_used(*call, depth + 1);
           });
  });
}

// What a call for a futex returns is of interest, unless it certainly waits.
bool looks_at_number(const llvm::CallInst& call) {
  if (!is_used(call)) return false;
  const auto* operation =
      call.arg_size() < 3 ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  if (operation == nullptr) return true;
  const uint64_t what =
      operation->getZExtValue() & ~static_cast<uint64_t>(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  return what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET;
}

// syscall(n, a, b) becomes fl_syscall(n, a, b, 0, 0, 0, 0).
void bind_system_calls(llvm::Module& module) {
  llvm::Function* syscall = module.getFunction("syscall");
  if (syscall == nullptr || !syscall->isDeclaration()) return;
  llvm::Type* number = llvm::Type::getInt64Ty(module.getContext());
  const std::vector<llvm::Type*> types(kSystemCallArguments, number);
  const bool counts = std::ranges::any_of(syscall->users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call != nullptr && looks_at_number(*call);
  });
  for (llvm::User* user : llvm::make_early_inc_range(syscall->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != syscall || call->getType() != number) continue;
    llvm::IRBuilder<> builder(call);
    std::vector<llvm::Value*> arguments;
    for (llvm::Value* argument : call->args()) {
      if (arguments.size() == kSystemCallArguments) break;
      arguments.push_back(argument->getType()->isPointerTy() ? builder.CreatePtrToInt(argument, number)
                                                             : builder.CreateSExtOrTrunc(argument, number));
    }
    while (arguments.size() < kSystemCallArguments) arguments.push_back(llvm::ConstantInt::get(number, 0));
    const auto target = module.getOrInsertFunction(counts ? kCountedSystemCall : kSystemCall,
                                                   llvm::FunctionType::get(number, types, false));
    llvm::CallInst* bound = builder.CreateCall(target, arguments);
    bound->setDebugLoc(call->getDebugLoc());
    call->replaceAllUsesWith(bound);
    call->eraseFromParent();
  }
}

void link_support(llvm::Module& module, const SupportCompiler& compile) {
  bind_system_calls(module);
  register_at_run_time(module);
  const bool kinds = sets_mutex_kind(module) || is_missing(module, "pthread_mutexattr_settype");
  for (bool again = true; again;) {
    again = false;
    for (const SupportFile& file : support_files()) {
      const auto missing = [&](std::string_view name) { return is_missing(module, name); };
      if (!std::ranges::any_of(file.functions, missing) &&
          !(kinds && std::ranges::any_of(file.with_kinds, missing)))
        continue;
      link_into(module, std::string(file.name), compile(file.name, support_text(file.name)),
                file.whole ? llvm::Linker::None : llvm::Linker::LinkOnlyNeeded);
      for (const std::string_view name : file.functions)
        require(!is_missing(module, name), "a support file lacks a function");
      again = true;
    }
  }
}

// Flags may ask for others (-mabi=ilp32, -mbig-endian).
void require_supported_layout(const llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  if (!layout.isLittleEndian() || layout.getPointerSizeInBits() != 64)
    throw UsageError(
        "compiler flags that make pointers smaller than 64 bits, or numbers begin with their most "
        "significant byte, are not supported");
}

}  // namespace

std::string link_program(const std::vector<std::pair<std::string, std::string>>& files,
                         VolatileAccess volatile_access, const SupportCompiler& compile,
                         const std::function<std::string()>& cxx_runtime) {
  require(!files.empty(), "nothing to link");
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> whole = parse(files.front().second, context);
  require_supported_layout(*whole);
  for (size_t i = 1; i < files.size(); ++i)
    link_into(*whole, files[i].first, files[i].second, llvm::Linker::None);
  drop_missing_initialisers(*whole);
  if (volatile_access == VolatileAccess::kAtomic) make_volatile_atomic(*whole);
  if (cxx_runtime && needs_cxx_runtime(*whole)) link_cxx_runtime(*whole, cxx_runtime());
  link_support(*whole, compile);
  return written(*whole);
}

}  // namespace fenceline::frontend::c
