// SPDX-License-Identifier: GPL-3.0-or-later
//
// Spurious failures of weak compare-exchanges, on models with dependencies.
//
// A loop that tries again after a spurious failure has no bound. Where such an iteration leaves nothing behind, as in
// a lock, the engines drop it (ir/analysis/wait_loops.h). It does leave something behind if the loop goes on with the
// value that the failed exchange has read, which makes later accesses depend on another load, or if it stores to
// memory: `do node->next = top; while (!compare_exchange_weak(&head, &top, node));`. Then no engine could ever finish,
// so the spurious failures of a call are counted, and executions with more of them than a limit are left out. The
// result of the check says so.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/compilation_scheme.h"

namespace fenceline::frontend::c {

// How many spurious failures are counted, by `-D FL_SPURIOUS_FAILURES=N`; none: all ("any"). Throws UsageError if that
// is no number.
std::optional<uint32_t> most_spurious_failures(const std::vector<std::string>& defines);

// Does a loop retry the weak exchange, so that its failures leave something behind?
bool leaves_failures_behind(const llvm::AtomicCmpXchgInst& exchange, const llvm::LoopInfo& loops);

// Is the model of these programs one in which what an access depends on matters?
bool has_dependencies(CompilationScheme mapping);

// What is left out, for users.
std::string too_many_spurious_failures(uint32_t most);

}  // namespace fenceline::frontend::c
