// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is done to a function after its calls have been inlined: variables whose address does not escape
// leave memory, what is computed from constants becomes a constant, and loops with a constant number of
// iterations are unrolled.
//
// All of it works on hidden operations (opaque.h), and each pass is checked with a ledger. Only one pass is
// LLVM's: SROA, which is shown nothing but variables, that is, local objects of which every use is an access
// inside of the object at a constant offset. Folding needs constants for all operands: `r ^ r` stays, since
// a store to `a[r ^ r]` depends on `r`. Unrolling copies iterations and leaves the loop behind them; that
// nothing comes to it follows from folding the conditions of the copies.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>

#include <optional>
#include <string>
#include <vector>

#include "frontend/c/address_constants.h"
#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {

// One pass over a function: how many operations, accesses and calls there were, and which of them it removed.
struct PassCounts {
  std::string pass;
  size_t before = 0, after = 0;
  size_t of_variables = 0, constant = 0, unreachable = 0;
};

class Passes {
 public:
  Passes(Opaque& opaque, const llvm::DataLayout& layout);

  void promote_variables(llvm::Function& function);
  void fold_constants(llvm::Function& function);
  // Loops of which it is known how often they iterate. True if there was one.
  bool unroll_loops(llvm::Function& function);

  const std::vector<PassCounts>& counts() const { return counts_; }

 private:
  struct Variable;
  bool is_variable(llvm::AllocaInst& alloca, Variable& variable);
  bool track_uses(llvm::Value& pointer, int64_t offset, Variable& variable);
  // `only_members`: nothing is copied to the variable, or fills it.
  void expand_copy(llvm::MemIntrinsic& copy, const Variable& variable, bool only_members);
  static std::optional<std::map<int64_t, llvm::Type*>> parts_of(const Variable& variable);
  static bool is_set_first(const Variable& variable, const llvm::DominatorTree& dominators);
  static void leave_unset(const Variable& variable);
  void prepare(const Variable& variable, Ledger& ledger, PassCounts& counts);
  void remove_variables(llvm::Function& function);

  llvm::Value* folded(llvm::Instruction& instruction);
  static llvm::Constant* compared_with_null(const llvm::ICmpInst& comparison, const llvm::CallInst& call);
  llvm::Constant* folded(const llvm::Instruction& operation, llvm::ArrayRef<llvm::Constant*> operands);

  unsigned iterations(const llvm::Loop& loop, const llvm::DominatorTree& dominators);
  llvm::Constant* value_in(const llvm::Loop& loop, llvm::Value& value,
                           std::map<llvm::Value*, llvm::Constant*>& known);
  // Adds the memory that values go through for the time being to `slots`.
  void peel(llvm::Function& function, const llvm::Loop& loop, unsigned iterations,
            std::vector<llvm::AllocaInst*>& slots);

  Opaque& opaque_;
  const llvm::DataLayout& layout_;
  AddressConstants addresses_;
  llvm::FunctionAnalysisManager analyses_;
  std::vector<PassCounts> counts_;
};

}  // namespace fenceline::frontend::c
