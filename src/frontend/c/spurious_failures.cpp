// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/spurious_failures.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicInst.h>

#include <charconv>

#include "env/errors.h"

namespace fenceline::frontend::c {
namespace {

constexpr std::string_view kDefine = "FL_SPURIOUS_FAILURES";
constexpr uint32_t kDefault = 1;

bool writes(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::StoreInst>(instruction) || llvm::isa<llvm::AtomicRMWInst>(instruction) ||
         llvm::isa<llvm::AtomicCmpXchgInst>(instruction) || llvm::isa<llvm::MemIntrinsic>(instruction);
}

// Is the model of these programs one in which what an access depends on matters?
bool has_dependencies(CompilationScheme mapping) {
  switch (mapping) {
    case CompilationScheme::kLanguage:
    case CompilationScheme::kFences:
      return false;
    case CompilationScheme::kLoadFences:
    case CompilationScheme::kLeadingFences:
    case CompilationScheme::kAcquireRelease:
      return true;
  }
  throw Bug("an unknown compilation scheme");
}

bool uses_what_was_read(const llvm::AtomicCmpXchgInst& exchange) {
  for (const llvm::User* user : exchange.users()) {
    const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (part == nullptr || (part->getIndices().front() == 0 && !part->use_empty())) return true;
  }
  return false;
}

}  // namespace

std::optional<uint32_t> most_spurious_failures(const std::vector<std::string>& defines,
                                               CompilationScheme mapping) {
  std::optional<uint32_t> most = has_dependencies(mapping) ? std::optional(kDefault) : std::nullopt;
  for (const std::string& define : defines) {
    const size_t equals = define.find('=');
    if (equals == std::string::npos || std::string_view(define).substr(0, equals) != kDefine) continue;
    const std::string_view text = std::string_view(define).substr(equals + 1);
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text == "any")
      most = std::nullopt;
    else if (error == std::errc() && end == text.data() + text.size())
      most = number;
    else
      throw UsageError(fmt::format("-D {}: expected a number, or 'any'", define));
  }
  return most;
}

bool leaves_failures_behind(const llvm::AtomicCmpXchgInst& exchange, const llvm::LoopInfo& loops) {
  const llvm::Loop* loop = loops.getLoopFor(exchange.getParent());
  if (!exchange.isWeak() || loop == nullptr) return false;
  if (uses_what_was_read(exchange)) return true;
  for (const llvm::BasicBlock* block : loop->blocks())
    for (const llvm::Instruction& instruction : *block)
      if (&instruction != &exchange && writes(instruction)) return true;
  return false;
}

std::string too_many_spurious_failures(uint32_t most) {
  const std::string beyond = most == 0   ? ""
                             : most == 1 ? " more than once"
                                         : fmt::format(" more than {} times", most);
  return fmt::format("weak compare-exchanges of a thread that fail spuriously{} (-D {}=N)", beyond, kDefine);
}

}  // namespace fenceline::frontend::c
