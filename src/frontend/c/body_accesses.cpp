// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loads, stores, atomic operations and fences, with the fences that the compilation scheme puts around them; and
// the variables that are in memory.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "env/errors.h"
#include "frontend/c/asm_machine.h"
#include "frontend/c/body.h"
#include "frontend/c/source_steps.h"
#include "frontend/c/unknown_value.h"
#include "frontend/c11.h"

namespace fenceline::frontend::c {

uint64_t Body::access_size(const llvm::Type& type, const llvm::Instruction& user) {
  if (type.isStructTy() || type.isArrayTy()) reject(user, "an access to a whole structure");
  if (!is_scalar(type) && !is_wide(type)) reject(user, words_for(type));
  if (type.isIntegerTy() && type.getIntegerBitWidth() % 8 != 0 && type.getIntegerBitWidth() != 1)
    reject(user, "an integer whose size is not a multiple of 8 bits");
  return lowering_.unit().layout().getTypeStoreSize(const_cast<llvm::Type*>(&type));
}

MemoryOrder Body::order_of(llvm::AtomicOrdering ordering) const {
  switch (ordering) {
    case llvm::AtomicOrdering::NotAtomic:
      return MemoryOrder::kPlain;
    case llvm::AtomicOrdering::Unordered:
    case llvm::AtomicOrdering::Monotonic:
      return MemoryOrder::kRelaxed;
    case llvm::AtomicOrdering::Acquire:
      return assembly_order(MemoryOrder::kAcquire);
    case llvm::AtomicOrdering::Release:
      return assembly_order(MemoryOrder::kRelease);
    case llvm::AtomicOrdering::AcquireRelease:
      return assembly_order(MemoryOrder::kAcqRel);
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return MemoryOrder::kSeqCst;
  }
  throw Bug("an ordering that LLVM does not have");
}

// Instructions that acquire or release may be more than that on some models.
MemoryOrder Body::assembly_order(MemoryOrder order) const {
  const llvm::MDNode* note = current_->getMetadata(kOrderNote);
  if (note == nullptr) return order;
  const llvm::StringRef where = llvm::cast<llvm::MDString>(note->getOperand(0))->getString();
  const CompilationScheme mapping = lowering_.mapping();
  const bool strong = mapping == CompilationScheme::kLanguage ||
                      (where == kStrongOnArm && mapping == CompilationScheme::kAcquireRelease) ||
                      (where == kStrongOnRiscV && mapping == CompilationScheme::kLoadFences);
  return strong ? MemoryOrder::kSeqCst : order;
}

void Body::emit_fence(FenceKinds kinds, SourcePos pos) {
  if (kinds.none()) return;
  const bool is_access = !llvm::isa<llvm::CallBase>(*current_) && !llvm::isa<llvm::FenceInst>(*current_);
  outside_of_atomic(*current_, is_access ? "an access with a memory order" : "a fence");
  const StepRole before = thread_.role(StepRole::kInternal);  // readers see the order of the access
  thread_.fence(kinds, pos);
  thread_.role(before);
}

// Behind a branch.
void Body::emit_isync() {
  outside_of_atomic(*current_, "an access with a memory order");
  const StepRole before = thread_.role(StepRole::kInternal);
  thread_.fence({}, here_, "isync");
  tag({{kIsync}, {}});
  thread_.role(before);
}

// A locked instruction of x86 is a full fence. In C11, and where all stores have one order, that is what
// sequentially consistent means.
bool Body::is_locked() const {
  const llvm::MDNode* note = current_->getMetadata(kRmwNote);
  return note != nullptr && llvm::cast<llvm::MDString>(note->getOperand(0))->getString() == kRmwLocked &&
         lowering_.mapping() != CompilationScheme::kLanguage &&
         lowering_.mapping() != CompilationScheme::kFences;
}

FencesAround Body::rmw_fences(MemoryOrder order) const {
  if (is_locked()) return {FenceKinds::full(), FenceKinds::full()};
  return around_rmw(order, lowering_.mapping());
}

// Assembly says which instruction it is.
AccessTags Body::rmw_tags(MemoryOrder order, bool pair) const {
  const llvm::MDNode* note = current_->getMetadata(kRmwNote);
  if (note == nullptr) return tags_of_rmw(order, lowering_.mapping(), pair);
  const llvm::StringRef kind = llvm::cast<llvm::MDString>(note->getOperand(0))->getString();
  const RmwInstruction which = kind == kRmwPair       ? RmwInstruction::kPair
                               : kind == kRmwNoResult ? RmwInstruction::kNoResult
                                                      : RmwInstruction::kSingle;
  return tags_of_rmw(order, lowering_.mapping(), which);
}

void Body::emit_load(RegId dest, ExprId address, uint64_t bytes, MemoryOrder order, SourcePos pos) {
  const FencesAround fences = around_load(order, lowering_.mapping());
  check_cells(address, bytes);
  emit_fence(fences.before, pos);
  thread_.load({dest}, lowering_.at(address, bytes), pos, order);
  tag(tags_of_load(order, lowering_.mapping()));
  require_not_freed(builder_.reg(dest), pos);
  emit_fence(fences.after, pos);
}

void Body::emit_store(ExprId address, uint64_t bytes, ExprId value, MemoryOrder order, SourcePos pos) {
  const FencesAround fences = around_store(order, lowering_.mapping());
  check_cells(address, bytes);
  emit_fence(fences.before, pos);
  if (lowering_.frees().looked_at || may_be_gone()) {
    // A store does not depend on the old value, so that is checked separately.
    const RegId before = thread_.temp();
    const MemoryOrder weakest = order == MemoryOrder::kPlain ? order : MemoryOrder::kRelaxed;
    thread_.load({before}, lowering_.at(address, bytes), pos, weakest);
    tag(tags_of_load(weakest, lowering_.mapping()));
    require_not_freed(builder_.reg(before), pos);
  }
  thread_.store(lowering_.at(address, bytes), value, pos, order);
  tag(tags_of_store(order, lowering_.mapping()));
  emit_fence(fences.after, pos);
}

ExprId Body::emit_rmw(RmwOp op, RegId dest, ExprId address, uint64_t bytes, ExprId a, ExprId b,
                      MemoryOrder order, SourcePos pos) {
  const bool pair = op == RmwOp::kCasValue || bytes < 4;
  return emit_rmw(op, dest, address, bytes, a, b, order, rmw_tags(order, pair), rmw_fences(order), pos);
}

ExprId Body::emit_rmw(RmwOp op, RegId dest, ExprId address, uint64_t bytes, ExprId a, ExprId b,
                      MemoryOrder order, const AccessTags& tags, FencesAround fences, SourcePos pos) {
  check_cells(address, bytes);
  emit_fence(fences.before, pos);
  thread_.rmw(op, {dest}, lowering_.at(address, bytes), a, b, pos, order);
  // C defines atomic arithmetic to wrap, also of signed types. Bits of both operands stay in the type.
  if (op == RmwOp::kFetchAdd) thread_.wrap_fetched(static_cast<int>(8 * bytes));
  tag(tags);
  require_set(builder_.reg(dest), pos);
  require_not_freed(builder_.reg(dest), pos);
  emit_fence(fences.after, pos);
  return builder_.reg(dest);
}

void Body::load(const llvm::LoadInst& instruction) {
  const uint64_t bytes = access_size(*instruction.getType(), instruction);
  // A constant of the program: it is never written.
  if (const auto* global =
          llvm::dyn_cast<llvm::GlobalVariable>(instruction.getPointerOperand()->stripPointerCasts()))
    if (global->isConstant() && global->hasInitializer() && global->getValueType() == instruction.getType()) {
      values_[&instruction] = number(lowering_.constant(*global->getInitializer(), instruction));
      return;
    }
  const ExprId address = used(*instruction.getPointerOperand());
  check_bounds(*instruction.getPointerOperand(), bytes);
  check_alignment(*instruction.getPointerOperand(), instruction.getAlign().value());
  require_aligned(instruction, *instruction.getPointerOperand());
  const std::vector<Leaf> pieces = lowering_.cells().pieces(instruction);
  if (pieces.size() > 1) return load_parts(instruction, pieces);
  emit_load(result_register(instruction), address, bytes, order_of(instruction.getOrdering()), here_);
}

// Padding is not set any more, where something looks at it.
void Body::unset(const llvm::StoreInst& instruction) {
  const llvm::Value& pointer = *instruction.getPointerOperand();
  const uint64_t bytes = access_size(*instruction.getValueOperand()->getType(), instruction);
  const auto base = known(pointer);
  const auto cells = base ? cells_at(*base, static_cast<Value>(bytes), "padding", instruction)
                          : cells_behind(pointer, bytes, lowering_.unit(), lowering_.memory(),
                                         lowering_.points_to(), lowering_.cells())
                                .value_or(std::vector<Leaf>());
  for (const Leaf& cell : cells)
    emit_store(part_address(used(pointer), cell.offset), cell.bytes, number(kUndefined), MemoryOrder::kPlain,
               here_);
}

void Body::store(const llvm::StoreInst& instruction) {
  if (instruction.getMetadata(kPaddingNote) != nullptr) return unset(instruction);
  const llvm::Value& stored = *instruction.getValueOperand();
  const uint64_t bytes = access_size(*stored.getType(), instruction);
  const ExprId address = used(*instruction.getPointerOperand());
  check_bounds(*instruction.getPointerOperand(), bytes);
  check_writable(*instruction.getPointerOperand());
  check_alignment(*instruction.getPointerOperand(), instruction.getAlign().value());
  require_aligned(instruction, *instruction.getPointerOperand());
  const std::vector<Leaf> pieces = lowering_.cells().pieces(instruction);
  if (pieces.size() > 1) return store_parts(instruction, pieces);
  const auto found = parts_.find(&stored);
  emit_store(address, bytes, found == parts_.end() ? copied(stored) : gathered(found->second, 0, bytes),
             order_of(instruction.getOrdering()), here_);
}

void Body::exchange(const llvm::AtomicRMWInst& instruction) {
  const uint64_t bytes = access_size(*instruction.getType(), instruction);
  const ExprId address = used(*instruction.getPointerOperand());
  check_bounds(*instruction.getPointerOperand(), bytes);
  check_writable(*instruction.getPointerOperand());
  check_alignment(*instruction.getPointerOperand(), bytes);
  const std::vector<Leaf> pieces = lowering_.cells().pieces(instruction);
  if (pieces.size() > 1) return exchange_parts(instruction, pieces);
  ExprId operand = used(*instruction.getValOperand());
  RmwOp operation;
  switch (instruction.getOperation()) {
    case llvm::AtomicRMWInst::Xchg:
      operation = RmwOp::kXchg;
      break;
    case llvm::AtomicRMWInst::Sub:
      operand = bytes == 8 ? op(ExprOp::kSub64, number(0), operand) : builder_.unary(ExprOp::kNeg, operand);
      [[fallthrough]];
    case llvm::AtomicRMWInst::Add:
      operation = RmwOp::kFetchAdd;
      break;
    case llvm::AtomicRMWInst::And:
      operation = RmwOp::kFetchAnd;
      break;
    case llvm::AtomicRMWInst::Or:
      operation = RmwOp::kFetchOr;
      break;
    case llvm::AtomicRMWInst::Xor:
      operation = RmwOp::kFetchXor;
      break;
    default:
      return fetch_by_exchange(instruction, address, bytes, operand);
  }
  emit_rmw(operation, result_register(instruction), address, bytes, operand, ExprId(),
           order_of(instruction.getOrdering()), here_);
}

// Registers are used again, so the number of failures is set to 0 where the function begins.
void Body::begin_to_count_failures() {
  if (!lowering_.most_spurious_failures() || lowering_.is_determined()) return;
  for (const llvm::Instruction& instruction : llvm::instructions(function_))
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
        exchange != nullptr && leaves_failures_behind(*exchange, loops_)) {
      spurious_failures_ = registers_.take();
      const StepRole role = thread_.role(StepRole::kInternal);
      thread_.assign({*spurious_failures_}, number(0), here_);
      thread_.role(role);
      return;
    }
}

bool Body::is_counted(const llvm::AtomicCmpXchgInst& exchange) const {
  return spurious_failures_ && leaves_failures_behind(exchange, loops_);
}

// An exchange has failed: spuriously if what it has read is what it expected.
void Body::count_spurious_failure(ExprId equal) {
  lowering_.leave_out_spurious_failures();
  const StepRole role = thread_.role(StepRole::kInternal);
  const ExprId count = builder_.reg(*spurious_failures_);
  thread_.assign({*spurious_failures_}, op(ExprOp::kAdd, count, equal), here_);
  thread_.guess(op(ExprOp::kLe, count, number(*lowering_.most_spurious_failures())), here_);
  thread_.role(role);
}

// If it fails it is a load, with an order of its own. A weak one may fail spuriously: C allows it on all
// machines, and those with pairs of instructions for it do.
void Body::compare_exchange(const llvm::AtomicCmpXchgInst& instruction) {
  const uint64_t bytes = access_size(*instruction.getCompareOperand()->getType(), instruction);
  check_bounds(*instruction.getPointerOperand(), bytes);
  check_writable(*instruction.getPointerOperand());
  check_alignment(*instruction.getPointerOperand(), bytes);
  if (const std::vector<Leaf> pieces = lowering_.cells().pieces(instruction); pieces.size() > 1)
    return compare_exchange_parts(instruction, pieces);
  Exchange exchange{.instruction = instruction,
                    .bytes = bytes,
                    .address = used(*instruction.getPointerOperand()),
                    .expected = used(*instruction.getCompareOperand()),
                    .desired = value(*instruction.getNewValOperand()),
                    .success = order_of(instruction.getSuccessOrdering()),
                    .failure = order_of(instruction.getFailureOrdering()),
                    .old = result_register(instruction),
                    .succeeded = {},
                    .weak = instruction.isWeak() && !lowering_.is_determined()};
  if (exchange.weak) {
    exchange.succeeded = registers_.take();
    succeeded_[&instruction] = builder_.reg(exchange.succeeded);
  }
  if (lowering_.mapping() == CompilationScheme::kLanguage)
    exchange_by_names(exchange);
  else
    exchange_with_fences(exchange);
}

void Body::set_succeeded(const Exchange& exchange, ExprId value) {
  if (exchange.weak) thread_.assign({exchange.succeeded}, value, here_);
}

// The order that an access has by its name is known before it is read what there is; so which of the two it
// is has to be guessed.
void Body::exchange_by_names(const Exchange& exchange) {
  const auto as_expected = [&](ExprOp how) { return op(how, builder_.reg(exchange.old), exchange.expected); };
  if (exchange.success == exchange.failure && !exchange.weak) {
    emit_rmw(RmwOp::kCasValue, exchange.old, exchange.address, exchange.bytes, exchange.expected,
             exchange.desired, exchange.success, here_);
    return;
  }
  const Label succeeds = thread_.label(), fails = thread_.label(), done = thread_.label();
  const StepRole role = thread_.role(StepRole::kInternal);
  thread_.choose({succeeds, fails}, here_);
  thread_.role(role);
  thread_.bind(succeeds);
  emit_rmw(RmwOp::kCasValue, exchange.old, exchange.address, exchange.bytes, exchange.expected,
           exchange.desired, exchange.success, here_);
  thread_.guess(as_expected(ExprOp::kEq), here_);
  set_succeeded(exchange, number(1));
  thread_.jump(done);
  thread_.bind(fails);
  emit_load(exchange.old, exchange.address, exchange.bytes, exchange.failure, here_);
  require_set(builder_.reg(exchange.old), here_);
  if (!exchange.weak)
    thread_.guess(as_expected(ExprOp::kNe), here_);
  else if (is_counted(exchange.instruction))
    count_spurious_failure(as_expected(ExprOp::kEq));
  set_succeeded(exchange, number(0));
  thread_.bind(done);
}

// On machines, what follows depends on what was read.
void Body::exchange_with_fences(const Exchange& exchange) {
  FencesAround fences = rmw_fences(exchange.success);
  const FencesAround of_failure =
      is_locked() ? fences : around_failure(exchange.failure, lowering_.mapping());
  const FenceKinds on_success = fences.after, on_failure = of_failure.after;
  fences.before = fences.before | of_failure.before;
  const MemoryOrder merged = order_of(exchange.instruction.getMergedOrdering());
  AccessTags tags = rmw_tags(merged, true);
  // On Power, isync may be behind one outcome only.
  const bool isync_on_success = has_isync(exchange.success, lowering_.mapping()),
             isync_on_failure = has_isync(exchange.failure, lowering_.mapping());
  if (isync_on_success && !isync_on_failure) tags = {{}, {kIsync}};
  if (isync_on_failure && !isync_on_success) tags = {};
  const bool same_behind = on_success == on_failure && (isync_on_success || !isync_on_failure);
  if (!same_behind || exchange.weak) fences.after = {};
  const Label tries = thread_.label(), succeeds = thread_.label(), fails = thread_.label(),
              gives_up = thread_.label(), done = thread_.label();
  if (exchange.weak) {
    // Spuriously: the first of a pair of instructions, and not the second.
    emit_fence(fences.before, here_);
    fences.before = {};
    const StepRole role = thread_.role(StepRole::kInternal);
    thread_.choose({tries, gives_up}, here_);
    thread_.role(role);
    thread_.bind(gives_up);
    check_cells(exchange.address, exchange.bytes);
    thread_.load({exchange.old}, lowering_.at(exchange.address, exchange.bytes), here_, merged);
    tag(isync_on_failure ? tags_of_load(exchange.failure, lowering_.mapping()) : AccessTags{tags.tags, {}});
    require_set(builder_.reg(exchange.old), here_);
    require_not_freed(builder_.reg(exchange.old), here_);
    if (is_counted(exchange.instruction))
      count_spurious_failure(op(ExprOp::kEq, builder_.reg(exchange.old), exchange.expected));
    set_succeeded(exchange, number(0));
    thread_.jump(fails);
    thread_.bind(tries);
  }
  const ExprId old = emit_rmw(RmwOp::kCasValue, exchange.old, exchange.address, exchange.bytes,
                              exchange.expected, exchange.desired, merged, tags, fences, here_);
  const ExprId equal = op(ExprOp::kEq, old, exchange.expected);
  set_succeeded(exchange, equal);
  if (same_behind) {
    if (!exchange.weak) return;
    thread_.bind(fails);
    return emit_fence(on_failure, here_);
  }
  thread_.branch(equal, succeeds, fails, here_);
  thread_.bind(succeeds);
  emit_fence(on_success, here_);
  thread_.jump(done);
  thread_.bind(fails);
  emit_fence(on_failure, here_);
  if (isync_on_failure && !isync_on_success) emit_isync();
  thread_.bind(done);
}

void Body::fence(const llvm::FenceInst& instruction) {
  if (instruction.getSyncScopeID() == llvm::SyncScope::SingleThread) return;  // for compilers only
  const MemoryOrder order = order_of(instruction.getOrdering());
  outside_of_atomic(instruction, "a fence");
  thread_.fence(c11_fence_kinds(order), here_, fence_text(order));
  if (lowering_.mapping() == CompilationScheme::kLanguage) thread_.tag({c11_tag(order)});
}

// A variable whose address escapes.
void Body::variable(const llvm::AllocaInst& instruction) {
  if (instruction.isArrayAllocation()) {
    const auto count = known(*instruction.getArraySize());
    if (!count)
      reject(instruction,
             fmt::format("an array whose size is not a constant (or alloca): it depends on {}",
                         what_is_unknown(*instruction.getArraySize(), lowering_.unit())),
             kConstantHint);
    if (*count != 1)
      reject(instruction, fmt::format("an array of {} elements, or alloca() in a loop", *count));
  }
  std::vector<Leaf> leaves;
  llvm::Type& type = *instruction.getAllocatedType();
  const uint64_t size = lowering_.unit().layout().getTypeAllocSize(&type);
  const std::string name = variable_name(instruction);
  if (!lowering_.memory().has_room(size)) reject(instruction, fmt::format("'{}' is too large", name));
  if (!lowering_.memory().leaves(type, 0, leaves))
    reject(instruction, fmt::format("'{}': {}", name, words_for(type)));
  leaves = lowering_.cells().fitted(instruction, size, leaves);
  name_cells(lowering_.unit().object_types().type_of(instruction), size, leaves);
  const Value base = lowering_.allocate(fmt::format("{}.{}", call_.name, name), size,
                                        instruction.getAlign().value(), leaves, kUndefined, instruction);
  values_[&instruction] = number(base);
}

}  // namespace fenceline::frontend::c
