// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/litmus/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fenceline::frontend::litmus {

// ------------------------------------------------------------------------------------------- ThreadCode

RegId ThreadCode::reg(const std::string& key) {
  const auto found = registers_.find(key);
  if (found != registers_.end()) return found->second;
  const RegId id = builder_.reg(key, test_.initial(number_, key));
  registers_.emplace(key, id);
  return id;
}

std::optional<RegId> ThreadCode::find_reg(const std::string& key) const {
  const auto found = registers_.find(key);
  if (found == registers_.end()) return std::nullopt;
  return found->second;
}

ExprId ThreadCode::value(const std::string& key) { return test_.program().reg(reg(key)); }

Op& ThreadCode::add(OpKind kind, SourcePos pos) {
  Op& op = ops_.emplace_back();
  op.kind = kind;
  op.pos = pos;
  return op;
}

Op& ThreadCode::access(OpKind kind, ExprId address, SourcePos pos, const Strength& strength) {
  Op& op = add(kind, pos);
  op.address = address;
  op.order = strength.order;
  op.tags = strength.tags;
  if (kind == OpKind::kRmw) op.write_tags = strength.write_tags;
  return op;
}

ExprId ThreadCode::in_memory(ExprId value, uint8_t bytes) {
  const int width = test_.memory_width(bytes);
  return width != 0 && value.valid() ? test_.program().wrap(value, width) : value;
}

void ThreadCode::load(RegId dest, ExprId address, uint8_t bytes, SourcePos pos, const Strength& strength) {
  Op& added = access(OpKind::kLoad, address, pos, strength);
  added.dest = dest;
  added.bytes = bytes;
}

void ThreadCode::store(ExprId address, ExprId value, uint8_t bytes, SourcePos pos, const Strength& strength) {
  Op& added = access(OpKind::kStore, address, pos, strength);
  added.a = in_memory(value, bytes);
  added.bytes = bytes;
}

void ThreadCode::rmw(RmwOp op, RegId dest, ExprId address, ExprId a, ExprId b, uint8_t bytes, SourcePos pos,
                     const Strength& strength) {
  Op& added = access(OpKind::kRmw, address, pos, strength);
  added.rmw = op;
  added.dest = dest;
  added.a = in_memory(a, bytes);
  added.b = in_memory(b, bytes);
  added.bytes = bytes;
}

void ThreadCode::fence(FenceKinds kinds, SourcePos pos, Tags tags) {
  Op& op = add(OpKind::kFence, pos);
  op.fence = kinds;
  op.tags = std::move(tags);
}

void ThreadCode::assign(RegId dest, ExprId value, SourcePos pos) {
  Op& op = add(OpKind::kAssign, pos);
  op.dest = dest;
  op.a = value;
}

void ThreadCode::assign_result(RegId dest, ExprId value, SourcePos pos) {
  const Expr expr = test_.program().expr(value);
  const bool fresh = expr.op == ExprOp::kReg && !ops_.empty() && ops_.back().dest == expr.reg &&
                     ops_.back().pos >= pos && !is_named(expr.reg);
  if (fresh)
    ops_.back().dest = dest;
  else
    assign(dest, value, pos);
}

bool ThreadCode::is_named(RegId reg) const {
  return std::any_of(registers_.begin(), registers_.end(),
                     [reg](const auto& entry) { return entry.second == reg; });
}

void ThreadCode::bind(LabelId label, SourcePos pos) { add(OpKind::kLabel, pos).label = label; }
void ThreadCode::jump(LabelId label, SourcePos pos) { add(OpKind::kJump, pos).label = label; }

void ThreadCode::branch(ExprId condition, LabelId label, SourcePos pos) {
  Op& op = add(OpKind::kBranch, pos);
  op.a = condition;
  op.label = label;
}

void ThreadCode::choose(LabelId label, SourcePos pos) { add(OpKind::kChoose, pos).label = label; }

void ThreadCode::guess(ExprId condition, SourcePos pos) { add(OpKind::kGuess, pos).a = condition; }

void ThreadCode::fetch(ExprOp op, RegId dest, ExprId address, ExprId operand, uint8_t bytes, SourcePos pos,
                       const Strength& strength) {
  for (const RmwOp rmw_op : {RmwOp::kFetchAdd, RmwOp::kFetchAnd, RmwOp::kFetchOr, RmwOp::kFetchXor})
    if (operator_of(rmw_op) == op) return rmw(rmw_op, dest, address, operand, ExprId(), bytes, pos, strength);
  throw Bug("a read-modify-write that the IR does not have");
}

void ThreadCode::compare_and_swap(RegId old, RegId success, ExprId address, ExprId expected, ExprId desired,
                                  uint8_t bytes, SourcePos pos, const Swap& swap) {
  ProgramBuilder& program = test_.program();
  const ExprId wanted = in_memory(expected, bytes);
  const ExprId equal = program.binary(ExprOp::kEq, program.reg(old), wanted);
  if (!swap.around && !swap.weak && swap.success.tags == swap.failure.tags) {
    rmw(RmwOp::kCasValue, old, address, wanted, desired, bytes, pos, swap.success);
    if (success.valid()) assign(success, equal, pos);
    return;
  }
  if (!success.valid()) success = temp();
  const LabelId fails = label(), end = label();
  choose(fails, pos);
  if (swap.around) swap.around();
  rmw(RmwOp::kCas, success, address, wanted, desired, bytes, pos, swap.success);
  guess(program.reg(success), pos);
  if (swap.around) swap.around();
  // It is what was expected, but what comes of it depends on what was read.
  const ExprId nothing = program.binary(ExprOp::kSub, program.reg(success), program.constant(1));
  assign(old, program.binary(ExprOp::kAdd, wanted, nothing), pos);
  jump(end, pos);
  bind(fails, pos);
  load(old, address, bytes, pos, {swap.failure.order, swap.failure.tags, {}});
  if (swap.weak) {
    const ExprId zero = program.binary(ExprOp::kAnd, equal, program.constant(0));
    assign(success, zero, pos);
  } else {
    guess(program.unary(ExprOp::kNot, equal), pos);
    assign(success, equal, pos);  // 0, and it depends on what was read
  }
  bind(end, pos);
}

// --------------------------------------------------------------------------------------------- TestCode

void TestCode::set_size(LocationId id, uint8_t bytes, SourcePos pos) {
  Location& location = at(id);
  if (bytes == 0) return;
  if (location.bytes == 0) location.bytes = bytes;
  if (location.bytes != bytes)
    fail(pos, fmt::format("location {} has {} bytes, and here {}", location.name, location.bytes, bytes),
         "all accesses to a location must be of the size of its type; mixed sizes are not supported");
}

LocationId TestCode::location(std::string_view name, SourcePos pos) {
  if (const auto found = find_location(name)) return *found;
  const LocationId id(locations_.size());
  locations_.push_back({std::string(name), 0, pos, 0, false});
  by_name_.emplace(name, id);
  return id;
}

std::optional<LocationId> TestCode::find_location(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void TestCode::set_initial(uint32_t thread, const std::string& key, Value value, SourcePos pos) {
  if (!initial_.try_emplace({thread, key}, Initial{value, pos}).second)
    fail(pos, fmt::format("{}:{} has two initial values", thread, key));
}

Value TestCode::initial(uint32_t thread, const std::string& key) const {
  if (const auto found = initial_.find({thread, key}); found != initial_.end()) return found->second.value;
  const auto found = everywhere_.find(key);
  return found == everywhere_.end() ? 0 : found->second;
}

ThreadCode& TestCode::add_thread(uint32_t number, SourcePos pos) {
  return threads_.emplace_back(*this, number, program_.thread(fmt::format("P{}", number), pos), pos);
}

void TestCode::finish_registers() {
  for (const auto& [where, initial] : initial_) {
    const auto& [thread, key] = where;
    if (thread >= threads_.size()) fail(initial.pos, fmt::format("there is no thread P{}", thread));
    threads_[thread].reg(key);
  }
}

}  // namespace fenceline::frontend::litmus
