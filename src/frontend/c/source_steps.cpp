// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/source_steps.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/TargetParser/Triple.h>

#include <array>
#include <vector>

#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

bool is_member_of_thread(const llvm::DISubprogram* function) {
  if (function == nullptr) return false;
  const llvm::StringRef name =
      function->getLinkageName().empty() ? function->getName() : function->getLinkageName();
  constexpr std::array kMembers = {"_ZNSt6thread", "_ZNKSt6thread", "_ZNSt7jthread", "_ZNKSt7jthread"};
  return llvm::any_of(kMembers, [&](const char* member) { return name.starts_with(member); });
}

constexpr FenceKinds kLoads = FenceKinds::load_load() | FenceKinds::load_store();
constexpr FenceKinds kAllButStoreLoad = kLoads | FenceKinds::store_store();

struct Mnemonic {
  FenceKinds kinds;
  const char* text;
};

std::vector<Mnemonic> mnemonics(const llvm::Triple& triple) {
  if (triple.isX86())
    return {{FenceKinds::full(), "mfence"}, {kLoads, "lfence"}, {FenceKinds::store_store(), "sfence"}};
  if (triple.isAArch64())
    return {{FenceKinds::full(), "dmb ish"}, {kLoads, "dmb ishld"}, {FenceKinds::store_store(), "dmb ishst"}};
  if (triple.isPPC()) return {{FenceKinds::full(), "sync"}, {kAllButStoreLoad, "lwsync"}};
  if (triple.isRISCV())
    return {{FenceKinds::full(), "fence rw,rw"},
            {kLoads, "fence r,rw"},
            {FenceKinds::store_store() | FenceKinds::load_store(), "fence rw,w"},
            {FenceKinds::store_store(), "fence w,w"},
            {FenceKinds::load_load(), "fence r,r"}};
  return {};
}

// Is it a handle that is read to be joined, and for nothing else?
bool is_joined(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::LoadInst>(instruction) && !instruction.use_empty() &&
         llvm::all_of(instruction.users(), [](const llvm::User* user) {
           const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
           const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
           return callee != nullptr && !callee->isIntrinsic() &&
                  library_call(*callee) == Library::kThreadJoin;
         });
}

// How many threads a signal lets go on, whether a wait ends without one: what follows shows it.
bool is_choice_of_library(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  return callee != nullptr && !callee->isIntrinsic() && library_call(*callee) == Library::kNondet &&
         location != nullptr && Unit::is_in_library(*location);
}

}  // namespace

// From the inside to the outside, up to what the user has written.
bool is_library_step(const llvm::Instruction& instruction) {
  if (is_joined(instruction) || is_choice_of_library(instruction)) return true;
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  for (; location != nullptr; location = location->getInlinedAt()) {
    if (location->getLine() != 0 && !Unit::is_in_library(*location)) return false;
    if (is_member_of_thread(location->getScope()->getSubprogram())) return true;
  }
  return source_name(*instruction.getFunction()) == kThreadEntry;
}

std::string fence_text(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::kPlain:
      return "";
    case MemoryOrder::kRelaxed:
      return "fence(relaxed)";
    case MemoryOrder::kConsume:
      return "fence(consume)";
    case MemoryOrder::kAcquire:
      return "fence(acquire)";
    case MemoryOrder::kRelease:
      return "fence(release)";
    case MemoryOrder::kAcqRel:
      return "fence(acq_rel)";
    case MemoryOrder::kSeqCst:
      return "fence(seq_cst)";
  }
  return "";
}

std::string fence_instruction(FenceKinds kinds, const llvm::Module& module) {
  for (const Mnemonic& one : mnemonics(llvm::Triple(module.getTargetTriple())))
    if (one.kinds == kinds) return one.text;
  return "";
}

}  // namespace fenceline::frontend::c
