// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is checked beside an access: that the value was set and the object is still there, that the address
// stays inside of its object, that it is no constant that is written, and that there are cells for it.
#include <fmt/format.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

#include "frontend/c/body.h"
#include "ir/cell_bytes.h"

namespace fenceline::frontend::c {

void Body::require_set(ExprId value, SourcePos pos) {
  thread_.check(op(ExprOp::kNe, value, number(kUndefined)), pos, "a value that was never set is used");
}

void Body::require_whole(ExprId value) {
  thread_.limit(is_whole(value), here_, "Fenceline does not support a value of which a part was never set");
}

// What was computed is no mark by chance.
void Body::require_no_mark(ExprId value) {
  for (const Value mark : {kUndefined, kFreed, kEnded})
    thread_.limit(
        op(ExprOp::kNe, value, number(mark)), here_,
        fmt::format("Fenceline does not support the number {} in memory, which represents what was never set "
                    "or is freed",
                    mark));
}

void Body::require_not_freed(ExprId value, SourcePos pos) {
  if (lowering_.frees().looked_at)
    thread_.check(op(ExprOp::kNe, value, number(kFreed)), pos, "memory is used after it was freed");
  if (may_be_gone())
    thread_.check(op(ExprOp::kNe, value, number(kEnded)), pos,
                  "a variable is used after its block, function or thread has ended");
}

bool Body::may_be_gone() const { return lowering_.lifetimes().may_come_too_late(*current_); }

// Folding constants through memory takes for granted that an access is to what its pointer may point to. A pointer that
// was put together from what is no part of an address points to nothing there: one bit after the other in branches, or by
// the elements of a table.
void Body::check_tracked(const llvm::Value& pointer) {
  const Targets targets = lowering_.points_to().of(pointer);
  if (targets.unknown || !targets.locations.empty()) return;
  const ExprId address = value(pointer);
  thread_.limit(op(ExprOp::kOr, op(ExprOp::kLt, address, number(kFirstObject)),
                   op(ExprOp::kGe, address, number(kMostBytes))),
                here_,
                "Fenceline does not support a pointer that is computed without arithmetic on an address");
}

// An address that was computed with an index from a pointer to the beginning or to a known offset in an object
// stays inside of that object. Without this an index far outside would be one into another object.
void Body::check_bounds(const llvm::Value& pointer, uint64_t bytes) {
  check_tracked(pointer);
  const llvm::Value* root = &pointer;
  bool moves = false;
  while (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(root)) {
    moves |= !element->hasAllConstantIndices();
    root = element->getPointerOperand();
  }
  if (!moves) return;
  const Targets targets = lowering_.points_to().of(*root);
  if (targets.unknown || targets.locations.empty()) return;
  Value below = 0, above = 0;  // how many bytes there are on either side of the pointer, at most
  for (const Target& target : targets.locations) {
    const uint64_t size = lowering_.points_to().object(target.object).size;
    if (target.stride != 0 || size == 0) return;
    below = std::max<Value>(below, target.offset);
    above = std::max<Value>(above, static_cast<Value>(size) - target.offset);
  }
  const ExprId distance = op(ExprOp::kSub, value(pointer), value(*root));
  thread_.check(op(ExprOp::kAnd, op(ExprOp::kLe, number(-below), distance),
                   op(ExprOp::kLe, distance, number(above - static_cast<Value>(bytes)))),
                here_, "an address is outside of the object that it was computed from");
}

// Where a target may lie at another address than its type demands.
void Body::check_alignment(const llvm::Value& pointer, uint64_t alignment) {
  const auto step = static_cast<int64_t>(std::min(alignment, Memory::kAlignment));
  const Targets targets = lowering_.points_to().of(pointer);
  if (std::ranges::all_of(targets.locations, [&](const Target& target) {
        return target.offset % step == 0 && target.stride % step == 0;
      }))
    return;
  thread_.check(is_multiple(pointer, static_cast<uint64_t>(step)), here_,
                fmt::format("an address is not a multiple of {}, as its type demands", step));
}

// An access that is not aligned has cells only where it is known to be.
void Body::require_aligned(const llvm::Instruction& access, const llvm::Value& pointer) {
  const auto alignment = lowering_.cells().unproved_alignment(access);
  if (!alignment) return;
  const bool may_be_torn = lowering_.mapping() != CompilationScheme::kLanguage && section_ == nullptr &&
                           !executes_alone() && !lowering_.points_to().is_private(pointer, function_);
  thread_.limit(
      may_be_torn && !alignment->is_declared ? number(0) : is_multiple(pointer, alignment->bytes), here_,
      fmt::format("Fenceline does not support an access that may not be aligned to {} bytes, through a "
                  "pointer that was not tracked",
                  alignment->bytes));
}

ExprId Body::is_multiple(const llvm::Value& pointer, uint64_t of) {
  return op(ExprOp::kEq, op(ExprOp::kBitAnd, value(pointer), number(static_cast<Value>(of) - 1)), number(0));
}

void Body::check_writable(const llvm::Value& pointer) {
  std::set<uint32_t> seen;
  for (const Target& target : lowering_.points_to().of(pointer).locations) {
    const PointsTo::Object& object = lowering_.points_to().object(target.object);
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object.origin);
    if (variable == nullptr || !variable->isConstant() || !seen.insert(target.object).second) continue;
    const Value base = lowering_.constant(*variable, *current_);
    const ExprId address = value(pointer);
    thread_.check(op(ExprOp::kOr, op(ExprOp::kLt, address, number(base)),
                     op(ExprOp::kGe, address, number(base + static_cast<Value>(object.size)))),
                  here_, fmt::format("a write to the constant '{}'", variable->getName().str()));
  }
}

// An access that is known here to fit no cell is no error of the program: C allows access to a part of an
// object, or to two at once. (An address outside of all objects is an error when it executes.)
void Body::check_cells(ExprId address, uint64_t bytes) {
  const auto offset = builder_.constant_value(address);
  const Memory& memory = lowering_.memory();
  if (!offset || memory.block(*offset, bytes) == nullptr) return;
  if (const uint8_t width = memory.bytes()[static_cast<size_t>(*offset)]; width != bytes)
    reject(*current_, fmt::format("an access of {} bytes to {}, which is of another size", bytes,
                                  width == kNoCellHere ? "a part of a variable"
                                                       : fmt::format("a variable of {}", width)));
}

// The cells in so many bytes of an object, by their distance from its address.
std::vector<Leaf> Body::cells_at(Value address, Value size, const char* what, const llvm::Instruction& user) {
  const Memory& memory = lowering_.memory();
  if (size < 0 || memory.block(address, static_cast<uint64_t>(size)) == nullptr)
    reject(user, fmt::format("{} of {} bytes where no object has so many", what, size));
  std::vector<Leaf> leaves;
  if (size == 0) return leaves;
  const Memory::Block& block = *memory.block(address, static_cast<uint64_t>(size));
  for (Value at = block.base; at < address + size; ++at) {
    const Value width = memory.bytes()[static_cast<size_t>(at)];
    if (width == 0 || width == kNoCellHere) continue;
    const Value end = at + width;
    if ((at < address && end > address) || (at >= address && end > address + size))
      reject(user, fmt::format("{} that ends or begins in a part of a variable", what));
    if (at >= address)
      leaves.push_back({static_cast<uint64_t>(at - address), static_cast<uint8_t>(width), ""});
  }
  return leaves;
}

}  // namespace fenceline::frontend::c
