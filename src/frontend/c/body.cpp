// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/body.h"

#include <fmt/format.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <limits>

#include "env/errors.h"
#include "frontend/c11.h"

namespace fenceline::c {
namespace {

// Expressions of more nodes than that get a register if they are used more than once.
constexpr unsigned kCheap = 4, kLarge = 24;

unsigned width(const llvm::Type& type) { return type.isPointerTy() ? 64 : type.getIntegerBitWidth(); }

bool is_scalar(const llvm::Type& type) {
  return type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
}

}  // namespace

Body::Body(Lowering& lowering, ThreadBuilder& thread, RegisterPool& registers, const Call& call,
           std::optional<ExprId> argument)
    : lowering_(lowering),
      builder_(lowering.builder()),
      thread_(thread),
      registers_(registers),
      call_(call),
      function_(*call.function),
      argument_(argument),
      dominators_(*call.function),
      loops_(dominators_),
      current_(&call.function->getEntryBlock().front()),
      end_(thread.label()) {}

void Body::lower() {
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function_);
  for (const llvm::BasicBlock* block : order) {
    labels_.emplace(block, thread_.label());
    order_.emplace(block, order_.size());
  }
  for (const llvm::Function& function : *function_.getParent())
    says_retry_ |= library_call(function) == Library::kRetry;
  for (const llvm::Instruction& instruction : llvm::instructions(function_))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const llvm::Function* callee = call->getCalledFunction();
          callee != nullptr && callee->getName() == "__assert_fail")
        assertions_[call->getParent()] = lowering_.position(*call);
  // What comes from several places has a register before any of them is seen.
  for (const llvm::BasicBlock* block : order)
    for (const llvm::PHINode& phi : block->phis()) {
      if (!is_scalar(*phi.getType()))
        refuse(phi, fmt::format("{} (a value that depends on the way taken)", words_for(*phi.getType())));
      values_[&phi] = builder_.reg(registers_.take());
    }
  for (const llvm::BasicBlock* block : order) this->block(*block);
  thread_.place(end_);
  registers_.release();
}

void Body::block(const llvm::BasicBlock& block) {
  thread_.place(labels_.at(&block));
  checked_.clear();
  section_ = sections_[&block];
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    const SourcePos pos = lowering_.position(instruction);
    if (pos.known()) here_ = pos;
    current_ = &instruction;
    if (instruction.isTerminator())
      terminator(instruction);
    else
      this->instruction(instruction);
  }
}

// ---- Control ----

// Control goes there. The ways to a place agree on whether it is in an atomic section.
void Body::enter(const llvm::Instruction& from, const llvm::BasicBlock& to) {
  if (section_ != nullptr && order_.at(&to) <= order_.at(from.getParent()))
    refuse(from, "a loop inside of an atomic section");
  const auto [found, added] = sections_.emplace(&to, section_);
  if (!added && found->second != section_)
    refuse(section_ != nullptr ? *section_ : *found->second,
           "an atomic section that not all ways through it begin and end");
}

// A thread does not end inside of an atomic section; that one is over, too.
void Body::stop() {
  if (section_ != nullptr) thread_.atomic_end(here_);
  thread_.halt(here_);
}

void Body::outside_of_atomic(const llvm::Instruction& at, const char* what) {
  if (section_ != nullptr) refuse(at, fmt::format("{} inside of an atomic section", what));
}

// A further iteration, where that counts as a retry. A file that says fl_retry() somewhere says it for all of
// its operations: the loops of the others are not retries, they walk along a list, for instance. In a file
// that never says it, every further iteration counts.
bool Body::is_retry(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  return call_.no_retries && !says_retry_ && order_.at(&to) <= order_.at(&from);
}

bool Body::needs_edge_code(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  return !to.phis().empty() || is_retry(from, to);
}

// From the end of one block to the beginning of the other: what the phis of the other one become, all at
// once.
void Body::go(const llvm::BasicBlock& from, const llvm::BasicBlock& to, SourcePos pos) {
  if (is_retry(from, to)) {
    thread_.assume(number(0), pos);
    stop();
    return;
  }
  std::vector<std::pair<RegId, ExprId>> moves;
  std::set<const llvm::Value*> targets;
  for (const llvm::PHINode& phi : to.phis()) targets.insert(&phi);
  for (const llvm::PHINode& phi : to.phis()) {
    const llvm::Value& incoming = *phi.getIncomingValueForBlock(&from);
    if (&incoming == &phi) continue;
    moves.emplace_back(builder_.expr(values_.at(&phi)).reg, value(incoming));
  }
  // With several of them, none may overwrite what another one still reads: all are read first.
  if (moves.size() > 1) {
    std::vector<std::pair<RegId, ExprId>> last;
    for (auto& [reg, source] : moves) {
      if (builder_.constant_value(source)) {
        last.emplace_back(reg, source);
        continue;
      }
      const RegId copy = thread_.temp();
      thread_.assign({copy}, source, pos);
      last.emplace_back(reg, builder_.reg(copy));
    }
    moves = std::move(last);
  }
  for (const auto& [reg, source] : moves) thread_.assign({reg}, source, pos);
  thread_.jump(labels_.at(&to));
}

// The assertion that a branch is about: one that leads to its failure, or that stands where it stands, as all
// parts of `a && b` do when a macro has them.
SourcePos Body::decided(SourcePos branch, const llvm::BasicBlock& yes, const llvm::BasicBlock* no) const {
  for (const llvm::BasicBlock* to : {&yes, no})
    if (const auto found = assertions_.find(to); found != assertions_.end()) return found->second;
  const bool stands_there =
      branch.known() && std::any_of(assertions_.begin(), assertions_.end(),
                                    [&](const auto& one) { return one.second == branch; });
  return stands_there ? branch : SourcePos();
}

void Body::terminator(const llvm::Instruction& instruction) {
  const llvm::BasicBlock& from = *instruction.getParent();
  if (llvm::isa<llvm::ReturnInst>(instruction)) {
    if (section_ != nullptr)
      refuse(*section_, "an atomic section that does not end (fl_atomic_begin without fl_atomic_end)");
    return thread_.jump(end_);
  }
  if (llvm::isa<llvm::UnreachableInst>(instruction)) {
    // Behind a call that does not return there is nothing; elsewhere the program promises that nobody comes
    // here.
    const llvm::Instruction* before = instruction.getPrevNonDebugInstruction();
    const auto* last = before == nullptr ? nullptr : llvm::dyn_cast<llvm::CallBase>(before);
    if (last == nullptr || !last->doesNotReturn())
      thread_.check(number(0), here_, "a place is reached that the program says is never reached");
    return stop();
  }
  for (unsigned i = 0; i < instruction.getNumSuccessors(); ++i)
    enter(instruction, *instruction.getSuccessor(i));
  // One way or the other; ways with something to do on them get a place of their own.
  const auto branch = [&](ExprId condition, const llvm::BasicBlock& yes, const llvm::BasicBlock* no,
                          Label otherwise) {
    const SourcePos pos = here_;
    const bool edge_yes = needs_edge_code(from, yes), edge_no = no != nullptr && needs_edge_code(from, *no);
    const Label to_yes = edge_yes ? thread_.label() : labels_.at(&yes);
    const Label to_no = no == nullptr ? otherwise : edge_no ? thread_.label() : labels_.at(no);
    thread_.branch(condition, to_yes, to_no, pos);
    if (const SourcePos assertion = decided(pos, yes, no); assertion.known()) thread_.decides(assertion);
    if (edge_yes) {
      thread_.place(to_yes);
      go(from, yes, pos);
    }
    if (edge_no) {
      thread_.place(to_no);
      go(from, *no, pos);
    }
  };
  if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    if (jump->isUnconditional()) return go(from, *jump->getSuccessor(0), here_);
    const ExprId condition = used(*jump->getCondition());
    if (const auto known = builder_.constant_value(condition))
      return go(from, *jump->getSuccessor(*known != 0 ? 0 : 1), here_);
    return branch(condition, *jump->getSuccessor(0), jump->getSuccessor(1), end_);
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    const ExprId selector = used(*choice->getCondition());
    if (const auto known = builder_.constant_value(selector)) {
      for (const auto& one : choice->cases())
        if (one.getCaseValue()->getSExtValue() == *known) return go(from, *one.getCaseSuccessor(), here_);
      return go(from, *choice->getDefaultDest(), here_);
    }
    for (const auto& one : choice->cases()) {
      const ExprId hit = op(ExprOp::kEq, selector, number(one.getCaseValue()->getSExtValue()));
      const Label next = thread_.label();
      branch(hit, *one.getCaseSuccessor(), nullptr, next);
      thread_.place(next);
    }
    return go(from, *choice->getDefaultDest(), here_);
  }
  if (llvm::isa<llvm::IndirectBrInst>(instruction)) refuse(instruction, "a computed goto");
  if (llvm::isa<llvm::CallBrInst>(instruction)) refuse(instruction, "asm goto");
  refuse(instruction, fmt::format("the instruction '{}'", instruction.getOpcodeName()));
}

// ---- Values ----

ExprId Body::value(const llvm::Value& value) {
  if (const auto found = values_.find(&value); found != values_.end()) return found->second;
  if (llvm::isa<llvm::UndefValue>(value)) return number(kUndefined);
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value))
    return number(lowering_.constant(*constant, *current_));
  if (llvm::isa<llvm::Argument>(value) && argument_) return *argument_;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) throw Bug("a C value that is neither constant nor computed");
  refuse(*instruction, "a value of this type");
}

std::optional<Value> Body::known(const llvm::Value& value) {
  return builder_.constant_value(this->value(value));
}

ExprId Body::used(const llvm::Value& value) {
  const ExprId result = this->value(value);
  if (may_be_undefined(value) && checked_.insert(&value).second) require_set(result, here_);
  return result;
}

bool Body::may_be_undefined(const llvm::Value& value) {
  if (const auto found = undefined_.find(&value); found != undefined_.end()) return found->second;
  std::set<const llvm::Value*> seen;
  return undefined_[&value] = may_be_undefined(value, seen);
}

// What comes out of memory, and what is a copy of that.
bool Body::may_be_undefined(const llvm::Value& value, std::set<const llvm::Value*>& seen) {
  if (!seen.insert(&value).second) return false;
  if (llvm::isa<llvm::UndefValue>(value) || is_never_set(value) || llvm::isa<llvm::LoadInst>(value))
    return true;
  if (llvm::isa<llvm::AtomicRMWInst>(value)) return false;  // looked at when it was read
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) {
    for (const llvm::Value* incoming : phi->incoming_values())
      if (may_be_undefined(*incoming, seen)) return true;
    return false;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value))
    return may_be_undefined(*select->getTrueValue(), seen) ||
           may_be_undefined(*select->getFalseValue(), seen);
  if (llvm::isa<llvm::PtrToIntInst>(value) || llvm::isa<llvm::IntToPtrInst>(value) ||
      llvm::isa<llvm::FreezeInst>(value) || llvm::isa<llvm::BitCastInst>(value))
    return may_be_undefined(*llvm::cast<llvm::Instruction>(value).getOperand(0), seen);
  return false;
}

// Cheap expressions stand wherever they are used; others are computed once.
void Body::define(const llvm::Instruction& instruction, ExprId value) {
  unsigned weight = 1;
  for (const llvm::Value* operand : instruction.operands())
    if (const auto found = weights_.find(operand); found != weights_.end()) weight += found->second;
  if (builder_.constant_value(value)) weight = 0;
  if (weight > kLarge || (weight > kCheap && !instruction.hasOneUse())) {
    const RegId reg = registers_.take();
    thread_.assign({reg}, value, here_);
    value = builder_.reg(reg);
    weight = 0;
  }
  weights_[&instruction] = weight;
  values_[&instruction] = value;
}

RegId Body::result_register(const llvm::Instruction& instruction) {
  const RegId reg = registers_.take();
  values_[&instruction] = builder_.reg(reg);
  return reg;
}

ExprId Body::wrapped(ExprId value, const llvm::Type& type) {
  const unsigned bits = width(type);
  if (bits >= 64) return value;
  return builder_.wrap(value, bits == 1 ? -1 : static_cast<int>(bits));
}

// ---- Instructions ----

void Body::instruction(const llvm::Instruction& instruction) {
  using namespace llvm;
  if (const auto* i = dyn_cast<CallBase>(&instruction)) return call(*i);
  if (const auto* i = dyn_cast<LoadInst>(&instruction)) return load(*i);
  if (const auto* i = dyn_cast<StoreInst>(&instruction)) return store(*i);
  if (const auto* i = dyn_cast<AtomicRMWInst>(&instruction)) return exchange(*i);
  if (const auto* i = dyn_cast<AtomicCmpXchgInst>(&instruction)) return compare_exchange(*i);
  if (const auto* i = dyn_cast<FenceInst>(&instruction)) return fence(*i);
  if (const auto* i = dyn_cast<AllocaInst>(&instruction)) return variable(*i);
  if (const auto* i = dyn_cast<InsertValueInst>(&instruction)) {
    if (!is_scalar(*i->getInsertedValueOperand()->getType()))
      refuse(instruction, "a structure inside of a value");
    return;  // looked at by those who take it apart
  }
  if (isa<VAArgInst>(instruction)) refuse(instruction, "variable arguments");
  if (const auto* i = dyn_cast<ExtractValueInst>(&instruction)) return define(instruction, part(*i));
  const llvm::Type& type = *instruction.getType();
  if (type.isFloatingPointTy() ||
      (instruction.getNumOperands() > 0 && instruction.getOperand(0)->getType()->isFloatingPointTy()))
    refuse(instruction, "floating-point arithmetic");
  if (type.isVectorTy()) refuse(instruction, "a vector type");
  if (type.isIntegerTy() && type.getIntegerBitWidth() > 64) refuse(instruction, words_for(type));
  if (const auto* i = dyn_cast<llvm::BinaryOperator>(&instruction)) return define(instruction, binary(*i));
  if (const auto* i = dyn_cast<ICmpInst>(&instruction)) return define(instruction, compare(*i));
  if (const auto* i = dyn_cast<CastInst>(&instruction)) return define(instruction, cast(*i));
  if (isa<GetElementPtrInst>(instruction)) return define(instruction, element_address(instruction));
  if (isa<FreezeInst>(instruction)) return define(instruction, value(*instruction.getOperand(0)));
  if (const auto* i = dyn_cast<SelectInst>(&instruction))
    return define(instruction, builder_.select(used(*i->getCondition()), value(*i->getTrueValue()),
                                               value(*i->getFalseValue())));
  refuse(instruction, fmt::format("the instruction '{}'", instruction.getOpcodeName()));
}

ExprId Body::binary(const llvm::BinaryOperator& instruction) {
  const ExprId a = used(*instruction.getOperand(0)), b = used(*instruction.getOperand(1));
  const llvm::Type& type = *instruction.getType();
  const unsigned bits = width(type);
  const auto wrap = [&](ExprOp operation) { return wrapped(op(operation, a, b), type); };
  // As an unsigned number. Of 64 bits there is none; those with the highest bit set are reported when they
  // come up.
  const auto unsigned_value = [&](ExprId x) {
    if (bits < 64) return builder_.wrap(x, -static_cast<int>(bits));
    if (const auto constant = builder_.constant_value(x); !constant || *constant < 0)
      thread_.limit(op(ExprOp::kGe, x, number(0)), here_,
                    "Fenceline cannot divide or shift unsigned numbers of 64 bits above 2^63");
    return x;
  };
  // What can fail fails here, whether or not the result is used.
  const auto check_divisor = [&](bool is_signed) {
    const auto divisor = builder_.constant_value(b), dividend = builder_.constant_value(a);
    if (!divisor || *divisor == 0) thread_.check(op(ExprOp::kNe, b, number(0)), here_, "a division by zero");
    if (!is_signed) return;
    const Value smallest = std::numeric_limits<Value>::min() >> (64 - bits);
    if ((divisor && *divisor != -1) || (dividend && *dividend != smallest)) return;
    thread_.check(op(ExprOp::kOr, op(ExprOp::kNe, b, number(-1)), op(ExprOp::kNe, a, number(smallest))),
                  here_, "the quotient of the smallest number and -1 does not fit");
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return wrap(ExprOp::kAdd);
    case llvm::Instruction::Sub:
      return wrap(ExprOp::kSub);
    case llvm::Instruction::Mul:
      return wrap(ExprOp::kMul);
    case llvm::Instruction::And:
      return op(ExprOp::kBitAnd, a, b);
    case llvm::Instruction::Or:
      return op(ExprOp::kBitOr, a, b);
    case llvm::Instruction::Xor:
      return op(ExprOp::kBitXor, a, b);
    case llvm::Instruction::SDiv:
      check_divisor(true);
      return wrap(ExprOp::kDiv);
    case llvm::Instruction::SRem:
      check_divisor(true);
      return wrap(ExprOp::kMod);
    case llvm::Instruction::UDiv:
      check_divisor(false);
      return wrapped(op(ExprOp::kDiv, unsigned_value(a), unsigned_value(b)), type);
    case llvm::Instruction::URem: {
      if (const auto by = builder_.constant_value(b); by && *by > 0 && (*by & (*by - 1)) == 0)
        return op(ExprOp::kBitAnd, a, number(*by - 1));
      check_divisor(false);
      return wrapped(op(ExprOp::kMod, unsigned_value(a), unsigned_value(b)), type);
    }
    case llvm::Instruction::Shl:
      thread_.check(builder_.binary(ExprOp::kUlt, b, number(bits)), here_,
                    "shifts by more bits than there are");
      // Numbers of 64 bits have no room for what is shifted out; so it is dropped before.
      if (const auto by = builder_.constant_value(b); bits == 64 && by && *by > 0 && *by < 63)
        return op(ExprOp::kShl, builder_.wrap(a, static_cast<int>(64 - *by)), b);
      return wrap(ExprOp::kShl);
    case llvm::Instruction::AShr:
      thread_.check(builder_.binary(ExprOp::kUlt, b, number(bits)), here_,
                    "shifts by more bits than there are");
      return op(ExprOp::kShr, a, b);
    case llvm::Instruction::LShr: {
      thread_.check(builder_.binary(ExprOp::kUlt, b, number(bits)), here_,
                    "shifts by more bits than there are");
      if (const auto by = builder_.constant_value(b); bits == 64 && by && *by > 0 && *by < 64)
        return op(ExprOp::kBitAnd, op(ExprOp::kShr, a, b), number(static_cast<Value>(~uint64_t{0} >> *by)));
      return wrapped(op(ExprOp::kShr, unsigned_value(a), b), type);
    }
    default:
      refuse(instruction, fmt::format("the operation '{}'", instruction.getOpcodeName()));
  }
}

ExprId Body::compare(const llvm::ICmpInst& instruction) {
  if (!is_scalar(*instruction.getOperand(0)->getType())) refuse(instruction, "a comparison of this type");
  const ExprId a = used(*instruction.getOperand(0)), b = used(*instruction.getOperand(1));
  switch (instruction.getPredicate()) {
    case llvm::ICmpInst::ICMP_EQ:
      return op(ExprOp::kEq, a, b);
    case llvm::ICmpInst::ICMP_NE:
      return op(ExprOp::kNe, a, b);
    case llvm::ICmpInst::ICMP_SLT:
      return op(ExprOp::kLt, a, b);
    case llvm::ICmpInst::ICMP_SLE:
      return op(ExprOp::kLe, a, b);
    case llvm::ICmpInst::ICMP_SGT:
      return op(ExprOp::kGt, a, b);
    case llvm::ICmpInst::ICMP_SGE:
      return op(ExprOp::kGe, a, b);
    case llvm::ICmpInst::ICMP_ULT:
      return op(ExprOp::kUlt, a, b);
    case llvm::ICmpInst::ICMP_ULE:
      return op(ExprOp::kUle, a, b);
    case llvm::ICmpInst::ICMP_UGT:
      return op(ExprOp::kUlt, b, a);
    case llvm::ICmpInst::ICMP_UGE:
      return op(ExprOp::kUle, b, a);
    default:
      refuse(instruction, "this comparison");
  }
}

ExprId Body::cast(const llvm::CastInst& instruction) {
  const llvm::Value& operand = *instruction.getOperand(0);
  if (!is_scalar(*operand.getType()) || !is_scalar(*instruction.getType()))
    refuse(instruction, "a conversion of this type");
  const unsigned from = width(*operand.getType());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      if (width(*instruction.getType()) == 64 && from == 64) return value(operand);
      return wrapped(used(operand), *instruction.getType());
    case llvm::Instruction::BitCast:
      return value(operand);
    case llvm::Instruction::Trunc:
      return wrapped(used(operand), *instruction.getType());
    case llvm::Instruction::ZExt:
      return from == 1 ? used(operand) : builder_.wrap(used(operand), -static_cast<int>(from));
    case llvm::Instruction::SExt:
      return from == 1 ? builder_.unary(ExprOp::kNeg, used(operand)) : used(operand);
    default:
      refuse(instruction, fmt::format("the conversion '{}'", instruction.getOpcodeName()));
  }
}

ExprId Body::element_address(const llvm::Instruction& instruction) {
  const auto& gep = llvm::cast<llvm::GEPOperator>(instruction);
  if (!gep.getType()->isPointerTy()) refuse(instruction, "a vector of pointers");
  const llvm::DataLayout& layout = lowering_.unit().layout();
  llvm::MapVector<llvm::Value*, llvm::APInt> scaled;
  llvm::APInt offset(64, 0);
  if (!gep.collectOffset(layout, 64, scaled, offset)) refuse(instruction, "an address of this kind");
  // An address inside of what a null or undefined pointer points to is no better than that pointer.
  ExprId address = used(*gep.getPointerOperand());
  for (const auto& [index, scale] : scaled)
    address = op(ExprOp::kAdd, address, op(ExprOp::kMul, used(*index), number(scale.getSExtValue())));
  if (offset.getSExtValue() != 0) address = op(ExprOp::kAdd, address, number(offset.getSExtValue()));
  return address;
}

// Structures in registers: what cmpxchg returns, and what was put together before.
ExprId Body::part(const llvm::ExtractValueInst& instruction) {
  if (instruction.getNumIndices() != 1) refuse(instruction, "a structure inside of a value");
  const unsigned index = instruction.getIndices()[0];
  const llvm::Value* from = instruction.getAggregateOperand();
  while (const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(from)) {
    if (insert->getNumIndices() == 1 && insert->getIndices()[0] == index)
      return value(*insert->getInsertedValueOperand());
    from = insert->getAggregateOperand();
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(from)) {
    const ExprId old = value(*exchange);
    if (index == 0) return old;
    if (const auto weak = succeeded_.find(exchange); weak != succeeded_.end()) return weak->second;
    return op(ExprOp::kEq, old, value(*exchange->getCompareOperand()));
  }
  refuse(instruction, "a structure as a value of its own");
}

// ---- Accesses ----

uint64_t Body::access_size(const llvm::Type& type, const llvm::Instruction& user) {
  if (type.isStructTy() || type.isArrayTy()) refuse(user, "an access to a whole structure");
  if (!is_scalar(type)) refuse(user, words_for(type));
  if (type.isIntegerTy() && type.getIntegerBitWidth() % 8 != 0 && type.getIntegerBitWidth() != 1)
    refuse(user, "bit fields");
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
      return MemoryOrder::kAcquire;
    case llvm::AtomicOrdering::Release:
      return MemoryOrder::kRelease;
    case llvm::AtomicOrdering::AcquireRelease:
      return MemoryOrder::kAcqRel;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return MemoryOrder::kSeqCst;
  }
  throw Bug("an ordering that LLVM does not have");
}

void Body::emit_fence(FenceKinds kinds, SourcePos pos) {
  if (kinds.none()) return;
  const bool is_access = !llvm::isa<llvm::CallBase>(*current_) && !llvm::isa<llvm::FenceInst>(*current_);
  outside_of_atomic(*current_, is_access ? "an access with a memory order" : "a fence");
  thread_.fence(kinds, pos);
}

void Body::emit_load(RegId dest, ExprId address, uint64_t bytes, MemoryOrder order, SourcePos pos) {
  const FencesAround fences = around_load(order, lowering_.mapping());
  check_place(address, bytes);
  emit_fence(fences.before, pos);
  thread_.load({dest}, lowering_.at(address, bytes), pos, order);
  tag(tags_of_load(order, lowering_.mapping()));
  require_not_freed(builder_.reg(dest), pos);
  emit_fence(fences.after, pos);
}

void Body::emit_store(ExprId address, uint64_t bytes, ExprId value, MemoryOrder order, SourcePos pos) {
  const FencesAround fences = around_store(order, lowering_.mapping());
  check_place(address, bytes);
  emit_fence(fences.before, pos);
  if (lowering_.frees().looked_at || may_be_gone()) {
    // A store says nothing about what was there: so look.
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
  return emit_rmw(op, dest, address, bytes, a, b, order, around_rmw(order, lowering_.mapping()), pos);
}

ExprId Body::emit_rmw(RmwOp op, RegId dest, ExprId address, uint64_t bytes, ExprId a, ExprId b,
                      MemoryOrder order, FencesAround fences, SourcePos pos) {
  check_place(address, bytes);
  emit_fence(fences.before, pos);
  thread_.rmw(op, {dest}, lowering_.at(address, bytes), a, b, pos, order);
  // C defines atomic arithmetic to wrap, also of signed types. Bits of both operands stay in the type.
  if (op == RmwOp::kFetchAdd) thread_.wrap_fetched(static_cast<int>(8 * bytes));
  tag(tags_of_rmw(order, lowering_.mapping(), op == RmwOp::kCasValue || bytes < 4));
  require_set(builder_.reg(dest), pos);
  require_not_freed(builder_.reg(dest), pos);
  emit_fence(fences.after, pos);
  return builder_.reg(dest);
}

void Body::load(const llvm::LoadInst& instruction) {
  const uint64_t bytes = access_size(*instruction.getType(), instruction);
  if (instruction.getAlign().value() < bytes) refuse(instruction, "an access that is not aligned");
  // A constant of the program: nobody writes it.
  if (const auto* global =
          llvm::dyn_cast<llvm::GlobalVariable>(instruction.getPointerOperand()->stripPointerCasts()))
    if (global->isConstant() && global->hasInitializer() && global->getValueType() == instruction.getType()) {
      values_[&instruction] = number(lowering_.constant(*global->getInitializer(), instruction));
      return;
    }
  const ExprId address = used(*instruction.getPointerOperand());
  check_bounds(*instruction.getPointerOperand(), bytes);
  emit_load(result_register(instruction), address, bytes, order_of(instruction.getOrdering()), here_);
}

void Body::store(const llvm::StoreInst& instruction) {
  const llvm::Value& stored = *instruction.getValueOperand();
  const uint64_t bytes = access_size(*stored.getType(), instruction);
  if (instruction.getAlign().value() < bytes) refuse(instruction, "an access that is not aligned");
  const ExprId address = used(*instruction.getPointerOperand());
  check_bounds(*instruction.getPointerOperand(), bytes);
  check_writable(*instruction.getPointerOperand());
  emit_store(address, bytes, value(stored), order_of(instruction.getOrdering()), here_);
}

void Body::exchange(const llvm::AtomicRMWInst& instruction) {
  const uint64_t bytes = access_size(*instruction.getType(), instruction);
  const ExprId address = used(*instruction.getPointerOperand());
  check_bounds(*instruction.getPointerOperand(), bytes);
  check_writable(*instruction.getPointerOperand());
  ExprId operand = used(*instruction.getValOperand());
  RmwOp operation;
  switch (instruction.getOperation()) {
    case llvm::AtomicRMWInst::Xchg:
      operation = RmwOp::kXchg;
      break;
    case llvm::AtomicRMWInst::Sub:
      operand = builder_.unary(ExprOp::kNeg, operand);
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
      refuse(instruction,
             fmt::format("the atomic operation '{}'",
                         llvm::AtomicRMWInst::getOperationName(instruction.getOperation()).str()));
  }
  emit_rmw(operation, result_register(instruction), address, bytes, operand, ExprId(),
           order_of(instruction.getOrdering()), here_);
}

// If it fails it is a load, with an order of its own. A weak one may fail although it sees what it expects: C
// says so for all machines, and those with pairs of instructions for it do so.
void Body::compare_exchange(const llvm::AtomicCmpXchgInst& instruction) {
  Exchange exchange{.instruction = instruction,
                    .bytes = access_size(*instruction.getCompareOperand()->getType(), instruction),
                    .address = used(*instruction.getPointerOperand()),
                    .expected = used(*instruction.getCompareOperand()),
                    .desired = value(*instruction.getNewValOperand()),
                    .success = order_of(instruction.getSuccessOrdering()),
                    .failure = order_of(instruction.getFailureOrdering()),
                    .old = result_register(instruction),
                    .succeeded = {},
                    .weak = instruction.isWeak() && !lowering_.is_determined()};
  check_bounds(*instruction.getPointerOperand(), exchange.bytes);
  check_writable(*instruction.getPointerOperand());
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
  thread_.choose({succeeds, fails}, here_);
  thread_.place(succeeds);
  emit_rmw(RmwOp::kCasValue, exchange.old, exchange.address, exchange.bytes, exchange.expected,
           exchange.desired, exchange.success, here_);
  thread_.assume(as_expected(ExprOp::kEq), here_);
  set_succeeded(exchange, number(1));
  thread_.jump(done);
  thread_.place(fails);
  emit_load(exchange.old, exchange.address, exchange.bytes, exchange.failure, here_);
  require_set(builder_.reg(exchange.old), here_);
  if (!exchange.weak) thread_.assume(as_expected(ExprOp::kNe), here_);
  set_succeeded(exchange, number(0));
  thread_.place(done);
}

// On machines, what follows depends on what was read.
void Body::exchange_with_fences(const Exchange& exchange) {
  const MemoryOrder merged = order_of(exchange.instruction.getMergedOrdering());
  FencesAround fences = around_rmw(exchange.success, lowering_.mapping());
  const FenceKinds on_success = fences.after;
  const FenceKinds on_failure = around_load(exchange.failure, lowering_.mapping()).after;
  if (on_success != on_failure || exchange.weak) fences.after = {};
  const Label tries = thread_.label(), succeeds = thread_.label(), fails = thread_.label(),
              gives_up = thread_.label(), done = thread_.label();
  if (exchange.weak) {
    // Without a reason: the first of a pair of instructions, and not the second.
    emit_fence(fences.before, here_);
    fences.before = {};
    thread_.choose({tries, gives_up}, here_);
    thread_.place(gives_up);
    check_place(exchange.address, exchange.bytes);
    thread_.load({exchange.old}, lowering_.at(exchange.address, exchange.bytes), here_, merged);
    tag({tags_of_rmw(merged, lowering_.mapping(), true).tags, {}});
    require_set(builder_.reg(exchange.old), here_);
    require_not_freed(builder_.reg(exchange.old), here_);
    set_succeeded(exchange, number(0));
    thread_.jump(fails);
    thread_.place(tries);
  }
  const ExprId old = emit_rmw(RmwOp::kCasValue, exchange.old, exchange.address, exchange.bytes,
                              exchange.expected, exchange.desired, merged, fences, here_);
  const ExprId equal = op(ExprOp::kEq, old, exchange.expected);
  set_succeeded(exchange, equal);
  if (on_success == on_failure) {
    if (!exchange.weak) return;
    thread_.place(fails);
    return emit_fence(on_failure, here_);
  }
  thread_.branch(equal, succeeds, fails, here_);
  thread_.place(succeeds);
  emit_fence(on_success, here_);
  thread_.jump(done);
  thread_.place(fails);
  emit_fence(on_failure, here_);
  thread_.place(done);
}

void Body::fence(const llvm::FenceInst& instruction) {
  if (instruction.getSyncScopeID() == llvm::SyncScope::SingleThread) return;  // for compilers only
  const MemoryOrder order = order_of(instruction.getOrdering());
  outside_of_atomic(instruction, "a fence");
  thread_.fence(c11_fence_kinds(order), here_);
  if (lowering_.mapping() == CompilationScheme::kLanguage) thread_.tag({c11_tag(order)});
}

// A variable whose address somebody learns.
void Body::variable(const llvm::AllocaInst& instruction) {
  if (instruction.isArrayAllocation()) {
    const auto count = known(*instruction.getArraySize());
    if (!count || *count != 1) refuse(instruction, "an array whose size is not a constant (or alloca)");
  }
  std::vector<Leaf> leaves;
  llvm::Type& type = *instruction.getAllocatedType();
  const uint64_t size = lowering_.unit().layout().getTypeAllocSize(&type);
  std::string name = instruction.hasName() ? instruction.getName().str() : "local";
  name = name.substr(0, name.find('.'));
  if (!lowering_.memory().has_room(size)) refuse(instruction, fmt::format("'{}' is too large", name));
  if (!lowering_.memory().leaves(type, 0, "", leaves))
    refuse(instruction, fmt::format("'{}': {}", name, words_for(type)));
  leaves = shape_of_variable(instruction, size, std::move(leaves), lowering_.points_to());
  values_[&instruction] =
      number(lowering_.place(fmt::format("{}.{}", call_.name, name), size, instruction.getAlign().value(),
                             leaves, kUndefined, instruction));
}

}  // namespace fenceline::c
