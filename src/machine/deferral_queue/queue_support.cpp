// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/queue_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ir/analysis/constructs.h"
#include "machine/deferral_queue/stamps.h"

namespace fenceline::machine {
namespace {

// Does an address or an index of a local array depend on what a load brings?
bool has_loaded_address(const Program& program, const Thread& thread) {
  std::vector<bool> loaded(thread.registers.size(), false);
  const auto reads = [&](ExprId root) {
    std::vector<ExprId> open{root};
    while (!open.empty()) {
      const Expr& e = program.expr(open.back());
      open.pop_back();
      if (e.op == ExprOp::kReg && loaded[e.reg.index()]) return true;
      if (e.op == ExprOp::kRegAt)
        for (uint32_t i = 0; i < e.count; ++i)
          if (loaded[e.reg.index() + i]) return true;
      for (const ExprId operand : {e.a, e.b, e.c})
        if (operand.valid()) open.push_back(operand);
    }
    return false;
  };
  for (bool again = true; again;) {
    again = false;
    for (const Instruction& instruction : thread.code) {
      if (!instruction.dest.valid()) continue;
      const bool now =
          instruction.reads_memory() || (instruction.kind == InstrKind::kAssign && reads(instruction.a));
      for (uint32_t i = 0; now && i < instruction.dest.count; ++i)
        if (!loaded[instruction.dest.reg.index() + i]) {
          loaded[instruction.dest.reg.index() + i] = true;
          again = true;
        }
    }
  }
  return std::any_of(thread.code.begin(), thread.code.end(), [&](const Instruction& instruction) {
    return (instruction.is_memory_access() && reads(instruction.address.offset)) ||
           (instruction.dest.valid() && instruction.dest.is_element() && reads(instruction.dest.index));
  });
}

// An atomic section with one load and no other access is that load: nothing in it could come in between.
bool has_one_load(const Thread& thread, Point begin) {
  std::vector<Point> open = thread.at(begin).next;
  std::set<Point> seen(open.begin(), open.end());
  size_t loads = 0;
  while (!open.empty()) {
    const Instruction& instruction = thread.at(open.back());
    open.pop_back();
    if (instruction.kind == InstrKind::kAtomicEnd) continue;
    if (instruction.writes_memory() || instruction.kind == InstrKind::kFence) return false;
    if (instruction.kind == InstrKind::kLoad && ++loads > 1) return false;
    for (const Point next : instruction.next)
      if (seen.insert(next).second) open.push_back(next);
  }
  return true;
}

}  // namespace

std::string queue_unsupported_reason(const Program& program, const ReorderTable& table) {
  for (const Thread& thread : program.threads) {
    for (size_t point = 0; point < thread.code.size(); ++point) {
      const Instruction& instruction = thread.code[point];
      if (instruction.kind == InstrKind::kAtomicBegin && !has_one_load(thread, Point(point)))
        return fmt::format("does not support atomic sections with accesses besides one load (line {})",
                           instruction.pos.line);
      // An open guess holds stores back, as a branch does.
      if (instruction.kind == InstrKind::kAssume && !instruction.branches)
        return fmt::format("does not support assumptions that are not branches (line {})",
                           instruction.pos.line);
      if (is_sync(instruction)) return fmt::format("does not support `sync` (line {})", instruction.pos.line);
    }
    // Where nothing overtakes a load, or everything waits for branches, waiting for addresses as well is what
    // the model says.
    if (table.guesses_branches && table.overtakes_loads() && has_loaded_address(program, thread))
      return fmt::format("does not support addresses that depend on loads ({} has one)", thread.name);
  }
  if (queue::StampRules(program).too_large())
    return fmt::format("supports timestamps up to {} only", queue::StampRules::kLargest);
  return "";
}

}  // namespace fenceline::machine
