// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/stamps.h"

#include <algorithm>
#include <limits>

#include "env/errors.h"

namespace fenceline::machine::queue {
namespace {

bool reads_stamp(const Program& program, const Thread& thread, ExprId id) {
  const Expr& e = program.expr(id);
  if ((e.op == ExprOp::kReg || e.op == ExprOp::kRegAt) && thread.registers[e.reg.index()].stamp) return true;
  return (e.a.valid() && reads_stamp(program, thread, e.a)) ||
         (e.b.valid() && reads_stamp(program, thread, e.b)) ||
         (e.c.valid() && reads_stamp(program, thread, e.c));
}

// Does the expression compare two timestamps by size?
bool compares_stamps(const Program& program, const Thread& thread, ExprId id) {
  const Expr& e = program.expr(id);
  const bool compares =
      e.op == ExprOp::kLt || e.op == ExprOp::kLe || e.op == ExprOp::kGt || e.op == ExprOp::kGe;
  if (compares && reads_stamp(program, thread, id)) return true;
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid() && compares_stamps(program, thread, operand)) return true;
  return false;
}

void collect_constants(const Program& program, ExprId id, std::vector<Value>& constants) {
  const Expr& e = program.expr(id);
  if (e.op == ExprOp::kConst) constants.push_back(e.imm);
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid()) collect_constants(program, operand, constants);
}

bool is_stamp(const Program& program, const Thread& thread, ExprId id) {
  const Expr& e = program.expr(id);
  if (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt) return thread.registers[e.reg.index()].stamp;
  return e.op == ExprOp::kAdd && (is_stamp(program, thread, e.a) || is_stamp(program, thread, e.b));
}

}  // namespace

Value added_to_stamps(const Program& program, const Thread& thread, ExprId id) {
  if (!id.valid()) return 0;
  const Expr& e = program.expr(id);
  if (e.op == ExprOp::kAdd && is_stamp(program, thread, id)) {
    const bool left = is_stamp(program, thread, e.a);
    const Expr& constant = program.expr(left ? e.b : e.a);
    require(constant.op == ExprOp::kConst && constant.imm >= 0, "a timestamp is not increased by a constant");
    const Value before = added_to_stamps(program, thread, left ? e.a : e.b);
    constexpr Value kMost = std::numeric_limits<Value>::max();
    return before > kMost - constant.imm ? kMost : before + constant.imm;
  }
  Value most = 0;
  for (const ExprId operand : {e.a, e.b, e.c})
    most = std::max(most, added_to_stamps(program, thread, operand));
  return most;
}

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
        if (expr.valid() && (into_stamp || reads_stamp(program, thread, expr))) {
          collect_constants(program, expr, constants_);
          constants_.push_back(added_to_stamps(program, thread, expr));
          ordered_ = ordered_ || compares_stamps(program, thread, expr);
        }
    }
  std::sort(constants_.begin(), constants_.end());
  constants_.erase(std::unique(constants_.begin(), constants_.end()), constants_.end());
  for (const Value constant : constants_) constant_stamps_.push_back({constant, false, 0});
  far_ = std::min(constants_.back(), kLargest) + 1;
  find_growing(program);
}

bool StampRules::too_large() const { return constants_.back() > kLargest || constants_.front() < -kLargest; }

// What is incremented, and from where its values come.
void StampRules::find_growing(const Program& program) {
  growing_cells_.assign(program.cell_count, false);
  bool again = true;
  const auto grow_object = [&](const Object& object) {
    for (uint32_t i = 0; i < object.size(); ++i) {
      const size_t cell = object.first_cell.index() + i;
      again = again || !growing_cells_[cell];
      growing_cells_[cell] = true;
    }
  };
  for (const Thread& thread : program.threads)
    growing_registers_.emplace_back(thread.registers.size(), false);
  const auto grow_registers = [&](size_t t, const auto& self, ExprId id) -> void {
    if (!id.valid()) return;
    const Expr& e = program.expr(id);
    if (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt)
      for (uint32_t i = 0; i < e.count; ++i) {
        again = again || !growing_registers_[t][e.reg.index() + i];
        growing_registers_[t][e.reg.index() + i] = true;
      }
    for (const ExprId operand : {e.a, e.b, e.c}) self(t, self, operand);
  };
  const auto grow_sums = [&](size_t t, const auto& self, ExprId id) -> void {
    if (!id.valid()) return;
    const Expr& e = program.expr(id);
    if (e.op == ExprOp::kAdd || e.op == ExprOp::kSub) grow_registers(t, grow_registers, id);
    for (const ExprId operand : {e.a, e.b, e.c}) self(t, self, operand);
  };
  // Set to a constant and incremented in one step: what lies above the constant must be known before.
  const auto grow_constant = [&](ExprId id) {
    const Expr& e = program.expr(id);
    if (e.op != ExprOp::kConst) return;
    for (Stamp& constant : constant_stamps_) constant.grows = constant.grows || constant.value == e.imm;
  };
  while (again) {
    again = false;
    for (size_t t = 0; t < program.threads.size(); ++t)
      for (const Instruction& instruction : program.threads[t].code) {
        grow_sums(t, grow_sums, instruction.a);
        grow_sums(t, grow_sums, instruction.b);
        bool dest_grows = false;
        if (instruction.dest.valid())
          for (uint32_t i = 0; i < instruction.dest.count; ++i)
            dest_grows = dest_grows || growing_registers_[t][instruction.dest.reg.index() + i];
        if (instruction.kind == InstrKind::kAssign && dest_grows) {
          grow_registers(t, grow_registers, instruction.a);
          grow_constant(instruction.a);
        }
        if (!instruction.is_memory_access()) continue;
        const Object& object = program.object(instruction.address.object);
        const bool counts = instruction.kind == InstrKind::kRmw && is_fetch(instruction.rmw);
        if (object.stamp && (counts || (instruction.reads_memory() && dest_grows))) grow_object(object);
        if (!growing_cells_[object.first_cell.index()]) continue;
        if (instruction.kind == InstrKind::kStore || instruction.rmw == RmwOp::kXchg) {
          grow_registers(t, grow_registers, instruction.a);
          grow_constant(instruction.a);
        }
        if (instruction.kind == InstrKind::kRmw && is_cas(instruction.rmw)) {
          grow_registers(t, grow_registers, instruction.b);
          grow_constant(instruction.b);
        }
      }
  }
}

void StampRules::sort(std::vector<Stamp>& stamps) const {
  for (uint32_t i = 0; i < stamps.size(); ++i) stamps[i].rank = i;
  stamps.insert(stamps.end(), constant_stamps_.begin(), constant_stamps_.end());
  // There are a dozen, so they are inserted one by one.
  size_t kept = 0;
  for (size_t i = 0; i < stamps.size(); ++i) {
    const Stamp stamp = stamps[i];
    size_t position = kept;
    while (position > 0 && stamps[position - 1].value > stamp.value) --position;
    if (position > 0 && stamps[position - 1].value == stamp.value) {
      Stamp& same = stamps[position - 1];
      same.grows = same.grows || stamp.grows;
      same.rank = std::min(same.rank, stamp.rank);
      continue;
    }
    std::copy_backward(stamps.begin() + static_cast<ptrdiff_t>(position),
                       stamps.begin() + static_cast<ptrdiff_t>(kept),
                       stamps.begin() + static_cast<ptrdiff_t>(kept) + 1);
    stamps[position] = stamp;
    ++kept;
  }
  stamps.resize(kept);
}

// Where the order does not matter, that of the ranks will do. What is so close above something that may be
// incremented that it could be reached stays where it is.
void StampRules::sort_by_rank(std::vector<Stamp>& stamps) const {
  size_t begin = 0;
  while (begin < stamps.size()) {
    Value reach = constants_.back();  // what is not above it keeps its value
    if (begin > 0 && stamps[begin - 1].grows) reach = std::max(reach, stamps[begin - 1].value + far_ - 1);
    while (begin < stamps.size() && !stamps[begin].grows && stamps[begin].value <= reach) ++begin;
    size_t end = begin;
    while (end < stamps.size() && !stamps[end].grows) ++end;
    std::sort(stamps.begin() + static_cast<ptrdiff_t>(begin), stamps.begin() + static_cast<ptrdiff_t>(end),
              [](const Stamp& x, const Stamp& y) { return x.rank < y.rank; });
    begin = end + 1;
  }
}

Value StampRules::Renaming::operator()(Value value) const {
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i].value == value) return to[i];
  throw Bug("a timestamp was not counted");
}

bool StampRules::rename(const std::vector<Stamp>& now, const std::vector<Stamp>& before,
                        Renaming& renaming) const {
  size_t above = 0;
  for (const Stamp& stamp : now) {
    while (above < before.size() && before[above].value < stamp.value) ++above;
    if (above == 0 || above == before.size() || before[above].value == stamp.value) continue;
    if (!before[above - 1].grows || before[above].value - before[above - 1].value >= far_) return false;
  }
  std::vector<Stamp>& named = renaming.from;
  named = now;
  if (!ordered_) sort_by_rank(named);
  renaming.to.clear();
  renaming.identity = true;
  Value last_growing = 0, name_of_growing = 0;  // the last that may be incremented, and its name
  bool growing = false;
  for (size_t i = 0; i < named.size(); ++i) {
    const Value value = named[i].value;
    Value name = value;
    if (value > constants_.back()) {
      name = i == 0 ? value : renaming.to.back() + 1;
      if (i > 0 && named[i - 1].value <= constants_.back() && !named[i - 1].grows)
        name = constants_.back() + 1;
      if (growing) name = std::max(name, name_of_growing + std::min(far_, value - last_growing));
    }
    if (named[i].grows) {
      growing = true;
      last_growing = value;
      name_of_growing = name;
    }
    renaming.identity = renaming.identity && name == value;
    renaming.to.push_back(name);
  }
  return true;
}

}  // namespace fenceline::machine::queue
