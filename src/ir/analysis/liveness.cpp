// SPDX-License-Identifier: GPL-3.0-or-later
//
// The textbook backward analysis, on single instructions: live before = read here, or live after and not
// overwritten here. Local arrays are runs of registers; an access with a constant index is an access to one
// of them, any other index may read each and surely overwrites none. For `Reads::kUsed` an assignment to what is not
// live behind it reads nothing, unless it can fail.
#include "ir/analysis/liveness.h"

#include <optional>

#include "ir/analysis/ranges.h"

namespace fenceline {
namespace {

std::optional<size_t> constant_index(const Program& program, ExprId index, uint32_t count) {
  const Expr& e = program.expr(index);
  if (e.op != ExprOp::kConst || e.imm < 0 || e.imm >= static_cast<Value>(count)) return std::nullopt;
  return static_cast<size_t>(e.imm);
}

// Adds the registers that `id` reads: those of the executing thread, or, given a thread, those that the
// expression names as belonging to it.
void add_reads(const Program& program, ExprId id, std::optional<ThreadId> named, BitSet& found) {
  const Expr& e = program.expr(id);
  const bool single = e.op == (named ? ExprOp::kThreadReg : ExprOp::kReg);
  const bool element = e.op == (named ? ExprOp::kThreadRegAt : ExprOp::kRegAt);
  if ((single || element) && (!named || e.thread == *named)) {
    const auto index = element ? constant_index(program, e.a, e.count) : 0;
    if (index)
      found.add(e.reg.index() + *index);
    else
      for (size_t i = 0; i < e.count; ++i) found.add(e.reg.index() + i);
  }
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid()) add_reads(program, operand, named, found);
}

// From what is live after the instruction to what is live before it.
void step_back(const Program& program, const Instruction& instruction, BitSet& live) {
  const Dest& dest = instruction.dest;
  if (dest.valid()) {
    const auto index = dest.is_element() ? constant_index(program, dest.index, dest.count) : 0;
    if (index) live.remove(dest.reg.index() + *index);
  }
  for (const ExprId operand : {instruction.a, instruction.b, instruction.address.offset, dest.index})
    if (operand.valid()) add_reads(program, operand, std::nullopt, live);
}

// Does it only compute what is not live behind it? (Where values are passed on: or only decide.)
bool is_faint(const Instruction& instruction, const BitSet& live, Reads reads) {
  if (instruction.kind != InstrKind::kAssign)
    return reads == Reads::kPassedOn && !instruction.dest.valid() && !instruction.is_memory_access();
  const Dest& dest = instruction.dest;
  for (uint32_t i = 0; i < dest.count; ++i)
    if (live.has(dest.reg.index() + i)) return false;
  return true;
}

std::vector<ThreadReg> registers_in(const Program& program, const std::vector<ExprId>& observed) {
  std::vector<ThreadReg> found;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    BitSet read;
    for (const ExprId id : observed) add_reads(program, id, ThreadId(t), read);
    read.for_each([&](size_t r) { found.push_back({ThreadId(t), RegId(r)}); });
  }
  return found;
}

std::vector<ExprId> formulas_of(const Program& program) {
  std::vector<ExprId> formulas;
  for (const Property& property : program.properties)
    if (property.formula.valid()) formulas.push_back(property.formula);
  return formulas;
}

}  // namespace

Liveness::Liveness(const Program& program) : Liveness(program, formulas_of(program)) {}

Liveness::Liveness(const Program& program, const std::vector<ExprId>& observed)
    : Liveness(program, Reads::kAll, observed) {}

Liveness::Liveness(const Program& program, Reads reads, const std::vector<ExprId>& observed)
    : Liveness(program, registers_in(program, observed), {}, reads) {}

Liveness::Liveness(const Program& program, const std::vector<ThreadReg>& observed,
                   const std::vector<ThreadReg>& at_end, Reads reads) {
  std::optional<Ranges> ranges;
  if (reads == Reads::kUsed) ranges = analyze_ranges(program);
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const Thread& thread = program.threads[t];
    std::vector<BitSet>& live = live_.emplace_back(thread.code.size());

    BitSet always, ended;
    for (const ThreadReg& r : observed)
      if (r.thread.index() == t) always.add(r.reg.index());
    for (const ThreadReg& r : at_end)
      if (r.thread.index() == t) ended.add(r.reg.index());

    std::vector<std::vector<size_t>> before(thread.code.size());
    for (size_t i = 0; i < thread.code.size(); ++i)
      for (const Point next : thread.code[i].next) before[next.index()].push_back(i);

    // Last in, first out, pushed in program order: later code first, as information flows backwards.
    std::vector<size_t> todo(thread.code.size());
    for (size_t i = 0; i < todo.size(); ++i) todo[i] = i;
    std::vector<bool> queued(thread.code.size(), true);
    while (!todo.empty()) {
      const size_t point = todo.back();
      todo.pop_back();
      queued[point] = false;
      const Instruction& instruction = thread.code[point];
      BitSet before_it;
      for (const Point next : instruction.next) before_it |= live[next.index()];
      if (instruction.kind == InstrKind::kHalt) before_it = ended;
      // What `always` has is live behind every instruction, also behind one that leads back to itself.
      before_it |= always;
      const bool faint = reads != Reads::kAll && is_faint(instruction, before_it, reads) &&
                         !(ranges && may_fail(program, *ranges, ThreadId(t), instruction));
      if (!faint) step_back(program, instruction, before_it);
      before_it |= always;
      if (before_it.subset_of(live[point])) continue;
      live[point] |= before_it;
      for (const size_t previous : before[point])
        if (!queued[previous]) {
          queued[previous] = true;
          todo.push_back(previous);
        }
    }
  }
}

}  // namespace fenceline
