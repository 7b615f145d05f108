// SPDX-License-Identifier: GPL-3.0-or-later
#include "semantics/queue/stamps.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::queue {
namespace {

void sort_unique(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool reads_stamp(const Program& program, const Thread& thread, ExprId id) {
  const Expr& e = program.expr(id);
  if ((e.op == ExprOp::kReg || e.op == ExprOp::kRegAt) && thread.registers[e.reg.index()].stamp) return true;
  return (e.a.valid() && reads_stamp(program, thread, e.a)) ||
         (e.b.valid() && reads_stamp(program, thread, e.b)) ||
         (e.c.valid() && reads_stamp(program, thread, e.c));
}

void collect_constants(const Program& program, ExprId id, std::vector<Value>& constants) {
  const Expr& e = program.expr(id);
  if (e.op == ExprOp::kConst) constants.push_back(e.imm);
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid()) collect_constants(program, operand, constants);
}

}  // namespace

StampRules::StampRules(const Program& program) : cells_(program.cell_count, false) {
  constants_.push_back(0);
  for (const Object& object : program.objects) {
    if (!object.stamp) continue;
    any_ = true;
    for (uint32_t i = 0; i < object.size(); ++i) cells_[object.first_cell.index() + i] = true;
    constants_.insert(constants_.end(), object.init.begin(), object.init.end());
  }
  for (const Thread& thread : program.threads)
    for (const Register& reg : thread.registers) {
      if (!reg.stamp) continue;
      any_ = true;
      constants_.push_back(reg.init);
    }
  if (!any_) return;
  for (const Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code) {
      const bool into_stamp =
          (instruction.dest.valid() && thread.registers[instruction.dest.reg.index()].stamp) ||
          (instruction.is_memory_access() && program.object(instruction.address.object).stamp);
      for (const ExprId expr : {instruction.a, instruction.b})
        if (expr.valid() && (into_stamp || reads_stamp(program, thread, expr)))
          collect_constants(program, expr, constants_);
    }
  sort_unique(constants_);
  far_ = constants_.back() + 1;
}

Value StampRules::Renaming::operator()(Value value) const {
  const auto found = std::lower_bound(from.begin(), from.end(), value);
  require(found != from.end() && *found == value, "a timestamp was not counted");
  return to[static_cast<size_t>(found - from.begin())];
}

std::optional<StampRules::Renaming> StampRules::renaming(std::vector<Value> now,
                                                         std::vector<Value> before) const {
  now.insert(now.end(), constants_.begin(), constants_.end());
  before.insert(before.end(), constants_.begin(), constants_.end());
  sort_unique(now);
  sort_unique(before);
  for (const Value value : now) {
    const auto above = std::lower_bound(before.begin(), before.end(), value);
    if (above == before.end() || *above == value || above == before.begin()) continue;
    if (*above - *(above - 1) >= far_) return std::nullopt;
  }
  Renaming renaming;
  renaming.from = std::move(now);
  for (size_t i = 0; i < renaming.from.size(); ++i) {
    const Value value = renaming.from[i];
    renaming.to.push_back(i == 0 ? value : renaming.to.back() + std::min(far_, value - renaming.from[i - 1]));
  }
  return renaming;
}

}  // namespace fenceline::queue
