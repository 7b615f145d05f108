// SPDX-License-Identifier: GPL-3.0-or-later
//
// Local variables that may be used after they have ended: by a pointer that outlives their block, function or
// thread. Clang marks where each variable begins and ends, and inlining does so for functions.
//
// Checking each access would be expensive for all programs. So this determines which variables may be
// accessed afterwards (flow-sensitive inside of a function, without any order between threads), and by which
// accesses; only these are checked when they execute.
#pragma once

#include <set>
#include <vector>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

// Can one of the accesses follow the end of the variable, before it begins again?
bool comes_after_end(const llvm::AllocaInst& variable, const llvm::Instruction& end,
                     const std::set<const llvm::Instruction*>& accesses);

class Lifetimes {
 public:
  // `main` ends with the process, and with it all variables; null if there is none.
  Lifetimes(const std::vector<const llvm::Function*>& functions, const PointsTo& points_to,
            const llvm::Function* main);

  bool is_seen_afterwards(const llvm::AllocaInst& variable) const { return variables_.contains(&variable); }
  bool may_come_too_late(const llvm::Instruction& access) const { return accesses_.contains(&access); }

 private:
  std::set<const llvm::AllocaInst*> variables_;
  std::set<const llvm::Instruction*> accesses_;
};

}  // namespace fenceline::frontend::c
