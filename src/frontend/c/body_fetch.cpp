// SPDX-License-Identifier: GPL-3.0-or-later
//
// Atomic minimum, maximum and nand. Programs of the IR have no such operation; compilers for most processors emit a
// loop of compare-and-exchange for them, and so it is here, but for its iterations that fail, which have no effect:
//
//   v = load; old = cas(v, f(v)); assume old == v
//
// The load has no order and comes right before the exchange, behind the fence that may be in front of it. It reads
// what the exchange reads, so it takes no execution away: whatever orders it also orders the exchange.
#include <fmt/format.h>

#include "env/errors.h"
#include "frontend/c/body.h"

namespace fenceline::frontend::c {

ExprId Body::fetched(const llvm::AtomicRMWInst& instruction, ExprId old, ExprId operand) {
  const auto choose = [&](ExprOp less, bool smaller) {
    const ExprId condition = op(less, old, operand);
    return smaller ? builder_.select(condition, old, operand) : builder_.select(condition, operand, old);
  };
  switch (instruction.getOperation()) {
    case llvm::AtomicRMWInst::Max:
      return choose(ExprOp::kLt, false);
    case llvm::AtomicRMWInst::Min:
      return choose(ExprOp::kLt, true);
    case llvm::AtomicRMWInst::UMax:
      return choose(ExprOp::kUlt, false);
    case llvm::AtomicRMWInst::UMin:
      return choose(ExprOp::kUlt, true);
    case llvm::AtomicRMWInst::Nand:
      return op(ExprOp::kBitXor, op(ExprOp::kBitAnd, old, operand), number(-1));
    default:
      reject(instruction,
             fmt::format("the atomic operation '{}'",
                         llvm::AtomicRMWInst::getOperationName(instruction.getOperation()).str()));
  }
}

void Body::fetch_by_exchange(const llvm::AtomicRMWInst& instruction, ExprId address, uint64_t bytes,
                             ExprId operand) {
  const RegId seen = thread_.temp();
  const MemoryOrder order = order_of(instruction.getOrdering());
  const FencesAround fences = around_rmw(order, lowering_.mapping());
  const ExprId desired = fetched(instruction, builder_.reg(seen), operand);
  emit_fence(fences.before, here_);
  emit_load(seen, address, bytes, MemoryOrder::kRelaxed, here_);
  require_set(builder_.reg(seen), here_);
  const ExprId old =
      emit_rmw(RmwOp::kCasValue, result_register(instruction), address, bytes, builder_.reg(seen), desired,
               order, rmw_tags(order, true), {{}, fences.after}, here_);
  thread_.guess(op(ExprOp::kEq, old, builder_.reg(seen)), here_);
}

}  // namespace fenceline::frontend::c
