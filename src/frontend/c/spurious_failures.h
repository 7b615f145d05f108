// SPDX-License-Identifier: GPL-3.0-or-later
//
// Spurious failures of weak compare-exchanges.
//
// A loop that tries again after a spurious failure has no bound. Where such an iteration leaves nothing behind, as in
// a lock, the engines drop it (ir/analysis/wait_loops.h). It does leave something behind if the loop goes on with the
// value that the failed exchange has read, which makes later accesses depend on another load, or if it stores to
// memory: `do node->next = top; while (!compare_exchange_weak(&head, &top, node));`. On models with dependencies no
// engine could ever finish then, so the spurious failures of a call are counted, and executions with more of them than a
// limit are left out. The result of the check says so. On other models that is done only if the user gives a limit:
// machines finish without one, and so does every engine if the loop stores nothing that others see.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/compilation_scheme.h"

namespace fenceline::frontend::c {

// How many spurious failures there are in such loops, by `-D FL_SPURIOUS_FAILURES=N` or, without that, by the model that
// the program is compiled for; none: as many as there may be ("any"). Throws UsageError if N is no number.
std::optional<uint32_t> most_spurious_failures(const std::vector<std::string>& defines,
                                               CompilationScheme mapping);

// Does a loop retry the weak exchange, so that its failures leave something behind?
bool leaves_failures_behind(const llvm::AtomicCmpXchgInst& exchange, const llvm::LoopInfo& loops);

// What is left out, for users.
std::string too_many_spurious_failures(uint32_t most);

}  // namespace fenceline::frontend::c
