// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/points_to.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "env/errors.h"
#include "frontend/c/effects.h"
#include "frontend/c/index_checks.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kListed = 32;  // elements of an array that are tracked one by one

bool may_hold_pointer(const llvm::Type& type) {
  return type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() >= kAddressBits) ||
         type.isAggregateType();
}

// Are only those bits of the number set that are no part of an address?
bool is_counter(const llvm::Value& number) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&number);
  const auto* by =
      operation == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
  if (by == nullptr || by->getBitWidth() != 64) return false;
  if (operation->getOpcode() == llvm::Instruction::Shl) return by->getValue().uge(kAddressBits);
  return operation->getOpcode() == llvm::Instruction::And && by->getValue().countr_zero() >= kAddressBits;
}

// Is the number surely the address of a variable or of what was allocated, perhaps moved by constants?
bool is_address(const llvm::Value& number) {
  const llvm::Value* from = &number;
  while (true) {
    if (llvm::isa<llvm::AllocaInst>(from) || llvm::isa<llvm::GlobalVariable>(from)) return true;
    const auto* step = llvm::dyn_cast<llvm::Operator>(from);
    if (step == nullptr) return false;
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(from);
        instruction && allocated_size(*instruction))
      return true;
    switch (step->getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr:
      case llvm::Instruction::GetElementPtr:
        break;
      default:
        return false;
    }
    for (unsigned i = 1; i < step->getNumOperands(); ++i)
      if (!llvm::isa<llvm::ConstantInt>(step->getOperand(i))) return false;
    from = step->getOperand(0);
  }
}

// The length of the array that the index is checked against beside the address; none if it is not.
std::optional<uint64_t> checked_length(const llvm::Value& index, const llvm::Value& address) {
  if (!is_checked_index(index, address)) return std::nullopt;
  std::optional<uint64_t> most;  // of all checks; one of them is the one
  for (const llvm::User* user : index.users())
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        call != nullptr && call->getCalledFunction() != nullptr &&
        call->getCalledFunction()->getName() == kIndexCheck)
      if (const auto* length = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1)))
        most = std::max(most.value_or(0), length->getZExtValue());
  return most;
}

// What an operation makes of the targets of one of its operands.
struct Effect {
  bool nothing = false;
  std::vector<AddressStep> steps = {};
};

const Effect kMixed{false, {{AddressStep::Kind::kMix}}};
const Effect kNothing{true, {}};

// A mask that takes marks or counters away: what is left of an address is a multiple of its lowest bit.
Effect effect_of_mask(const llvm::Value& self, int64_t mask) {
  constexpr int64_t kAddress = (int64_t{1} << kAddressBits) - 1;
  if ((mask & kAddress) == 0) return kNothing;  // the counter of a pointer with a counter
  // The low bits of an address say nothing about the object: all lie at multiples of the same number.
  if (mask > 0 && mask < kObjectAlignment) return is_address(self) ? kNothing : kMixed;
  const int64_t low = mask & -mask;
  if (low == 1) return ((mask & kAddress) == kAddress) ? Effect{} : kMixed;
  if (((mask | (low - 1)) & kAddress) != kAddress) return kMixed;
  const Effect rounded{false, {{AddressStep::Kind::kMask, low}}};
  // Perhaps it is no address but a number that was made of one, and other bits of that number are taken away.
  return low <= kObjectAlignment || is_address(self) ? rounded : kMixed;
}

// A power of two that the number is a multiple of.
int64_t power_in(const llvm::Value& number) {
  const int64_t factor = scaled_index(const_cast<llvm::Value&>(number)).factor;
  return factor & -factor;
}

// Numbers that are made of pointers: marks, counters, differences. `right`: it is the second operand.
Effect effect_on(unsigned opcode, const llvm::Value& self, const llvm::Value& other, bool right) {
  using llvm::Instruction;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&other);
  const bool known = constant != nullptr && constant->getBitWidth() <= 64;
  const int64_t number = known ? constant->getSExtValue() : 0;
  const auto moves = [&](int64_t by, bool upwards) {
    const AddressStep step = known ? AddressStep{AddressStep::Kind::kMove, by}
                                   : AddressStep{AddressStep::Kind::kIndex, power_in(other), 0, upwards};
    return Effect{false, {step}};
  };
  switch (opcode) {
    case Instruction::Add:
      return moves(number, is_not_negative(other, other));
    case Instruction::Sub:
      return right ? kMixed : moves(static_cast<int64_t>(-static_cast<uint64_t>(number)), false);
    case Instruction::And:
      return known ? effect_of_mask(self, number) : kMixed;
    case Instruction::Or:
    case Instruction::Xor:
      // A mark in the low bits; what is above all addresses are counters.
      if (known && number >= 0 && number < kObjectAlignment)
        return {false, {{AddressStep::Kind::kMark, number}}};
      if ((known && (number & ((int64_t{1} << kAddressBits) - 1)) == 0) || is_counter(other)) return Effect{};
      return kMixed;
    case Instruction::LShr:
      return known && number >= static_cast<int64_t>(kAddressBits) ? kNothing : kMixed;
    case Instruction::URem:
      return !right && known && number > 0 && number <= kObjectAlignment && (number & (number - 1)) == 0 &&
                     is_address(self)
                 ? kNothing
                 : kMixed;
    default:
      return kMixed;
  }
}

}  // namespace

uint64_t accessed_bytes(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  const auto size = [&](llvm::Type* type) { return layout.getTypeStoreSize(type).getFixedValue(); };
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return size(load->getType());
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return size(store->getValueOperand()->getType());
  if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return size(rmw->getType());
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return size(exchange->getCompareOperand()->getType());
  return 0;
}

const llvm::Value& accessed_pointer(const llvm::Instruction& instruction) {
  if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return *rmw->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return *exchange->getPointerOperand();
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  require(pointer != nullptr, "an access without an address");
  return *pointer;
}

PointsTo::PointsTo(const std::vector<const llvm::Function*>& functions, const llvm::DataLayout& layout)
    : layout_(layout), returned_(constraints_.add_node()), unknown_(constraints_.add_node()) {
  constraints_.unknown.push_back(unknown_);
  for (const llvm::Function* function : functions) find_objects(*function);
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) visit(instruction);
  solution_ = solve(constraints_);
  is_stored_.resize(objects_.size());
  const auto add_stored = [&](const PointsToSolution::Set& set) {
    for (const Target& target : set.targets) is_stored_[target.object] = true;
  };
  add_stored(solution_.nodes[PointsToConstraints::kAnywhere]);
  for (const auto& [at, set] : solution_.memory) add_stored(set);
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) record(instruction);
}

// ---- Objects ----

uint64_t PointsTo::alignment(uint32_t object) const {
  return std::max<uint64_t>(declared_alignment(object), kObjectAlignment);
}

uint64_t PointsTo::declared_alignment(uint32_t object) const {
  const llvm::Value* origin = objects_[object].origin;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(origin))
    return variable->getAlign().valueOrOne().value();
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(origin)) return variable->getAlign().value();
  return kObjectAlignment;  // what is allocated
}

uint32_t PointsTo::add_object(const llvm::Value& origin, uint64_t size) {
  const uint32_t number = constraints_.add_object(size);
  numbers_[&origin] = number;
  objects_.push_back({&origin, size});
  return number;
}

void PointsTo::add_initial(uint32_t object, int64_t offset, const llvm::Constant& value) {
  if (llvm::isa<llvm::ConstantAggregateZero>(value) || llvm::isa<llvm::ConstantDataSequential>(value)) return;
  if (value.getType()->isStructTy() || value.getType()->isArrayTy()) {
    for (unsigned i = 0; const llvm::Constant* part = value.getAggregateElement(i); ++i) {
      auto* structure = llvm::dyn_cast<llvm::StructType>(value.getType());
      const uint64_t at = structure != nullptr
                              ? layout_.getStructLayout(structure)->getElementOffset(i).getFixedValue()
                              : i * layout_.getTypeAllocSize(part->getType()).getFixedValue();
      add_initial(object, offset + static_cast<int64_t>(at), *part);
    }
    return;
  }
  add_globals_of(value);
  if (const Targets targets = of_constant(value); !targets.empty())
    constraints_.held.push_back({{object, offset, 0}, node_of(targets)});
}

void PointsTo::add_global(const llvm::GlobalVariable& variable) {
  if (numbers_.contains(&variable) || is_never_set(variable)) return;
  const uint32_t object = add_object(variable, layout_.getTypeAllocSize(variable.getValueType()));
  // One that is defined somewhere else is rejected if something looks into it.
  if (variable.hasInitializer()) add_initial(object, 0, *variable.getInitializer());
}

void PointsTo::add_globals_of(const llvm::Constant& constant) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) return add_global(*variable);
  if (llvm::isa<llvm::GlobalValue>(constant)) return;
  for (const llvm::Use& use : constant.operands())
    if (const auto* part = llvm::dyn_cast<llvm::Constant>(use)) add_globals_of(*part);
}

void PointsTo::find_objects(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::Use& use : instruction.operands())
      if (const auto* constant = llvm::dyn_cast<llvm::Constant>(use)) add_globals_of(*constant);
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      add_object(*variable, layout_.getTypeAllocSize(variable->getAllocatedType()));
    if (const auto size = allocated_size(instruction)) add_object(instruction, *size);
  }
}

// ---- Results ----

Targets PointsTo::as_targets(const PointsToSolution::Set& set) const {
  Targets targets{{set.targets.begin(), set.targets.end()}, set.unknown};
  for (const uint32_t function : set.functions) targets.functions.insert(functions_[function]);
  return targets;
}

Targets PointsTo::of(const llvm::Value& value) const {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return of_constant(*constant);
  const auto found = nodes_.find(&value);
  return found == nodes_.end() ? Targets{} : as_targets(solution_.nodes[found->second]);
}

Targets PointsTo::of_constant(const llvm::Constant& constant) const {
  if (const auto found = numbers_.find(&constant); found != numbers_.end())
    return {{Target{found->second, 0, 0}}, false};
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&constant)) return {{}, false, {function}};
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
  if (expression == nullptr) return {};
  const auto apply = [&](const llvm::Constant& from, const std::vector<AddressStep>& steps, Targets& into) {
    const Targets targets = of_constant(from);
    into.unknown |= targets.unknown;
    into.functions.insert(targets.functions.begin(), targets.functions.end());
    for (const Target& target : targets.locations)
      for (const Target& to : after(steps, target)) into.locations.insert(to);
  };
  Targets result;
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(expression)) {
    apply(*expression->getOperand(0), steps_of(*gep), result);
    return result;
  }
  if (expression->isCast()) {
    apply(*expression->getOperand(0),
          may_hold_pointer(*expression->getType()) ? std::vector<AddressStep>{} : kMixed.steps, result);
    return result;
  }
  if (expression->getNumOperands() != 2) return {{}, true};
  for (unsigned i = 0; i < 2; ++i) {
    const llvm::Constant& self = *expression->getOperand(i);
    const Effect effect = effect_on(expression->getOpcode(), self, *expression->getOperand(1 - i), i == 1);
    if (!effect.nothing) apply(self, effect.steps, result);
  }
  return result;
}

const std::vector<PointsTo::Access>& PointsTo::accesses(const llvm::Value& origin) const {
  static const std::vector<Access> kNone;
  const auto found = accesses_.find(&origin);
  return found == accesses_.end() ? kNone : found->second;
}

bool PointsTo::is_stored(const llvm::Value& origin) const { return is_stored_[numbers_.at(&origin)]; }

bool PointsTo::is_private(const llvm::Value& pointer, const llvm::Function& function) const {
  const Targets targets = of(pointer);
  if (targets.unknown || targets.locations.empty()) return false;
  return std::ranges::all_of(targets.locations, [&](const Target& target) {
    const llvm::Value& origin = *object(target.object).origin;
    return llvm::isa<llvm::AllocaInst>(origin) && !is_stored(origin) &&
           std::ranges::all_of(accesses(origin),
                               [&](const Access& access) { return access.by->getFunction() == &function; });
  });
}

// ---- Constraints ----

PointsTo::Node PointsTo::node_of(const Targets& targets) {
  const Node node = constraints_.add_node();
  for (const Target& target : targets.locations) constraints_.targets.emplace_back(node, target);
  for (const llvm::Function* function : targets.functions) {
    const auto [found, added] =
        function_numbers_.try_emplace(function, static_cast<uint32_t>(functions_.size()));
    if (added) functions_.push_back(function);
    constraints_.functions.emplace_back(node, found->second);
  }
  if (targets.unknown) constraints_.unknown.push_back(node);
  return node;
}

PointsTo::Node PointsTo::node(const llvm::Value& value) {
  if (const auto found = nodes_.find(&value); found != nodes_.end()) return found->second;
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
  const Node made = constant != nullptr ? node_of(of_constant(*constant)) : constraints_.add_node();
  nodes_[&value] = made;
  return made;
}

void PointsTo::flow(Node from, Node to, std::vector<AddressStep> steps) {
  constraints_.flows.push_back({from, to, std::move(steps)});
}

std::vector<AddressStep> PointsTo::steps_of(const llvm::GEPOperator& gep) const {
  std::vector<AddressStep> steps;
  const auto move = [&](int64_t by) {
    if (!steps.empty() && steps.back().kind == AddressStep::Kind::kMove)
      steps.back().number += by;
    else if (by != 0)
      steps.push_back({AddressStep::Kind::kMove, by});
  };
  for (auto i = llvm::gep_type_begin(gep); i != llvm::gep_type_end(gep); ++i) {
    const llvm::Value& operand = *i.getOperand();
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(&operand);
    if (llvm::StructType* structure = i.getStructTypeOrNull()) {
      move(static_cast<int64_t>(layout_.getStructLayout(structure)
                                    ->getElementOffset(static_cast<unsigned>(index->getZExtValue()))
                                    .getFixedValue()));
      continue;
    }
    const auto scale = static_cast<int64_t>(i.getSequentialElementStride(layout_).getFixedValue());
    if (index != nullptr) {
      move(index->getSExtValue() * scale);
    } else if (const auto length = checked_length(operand, gep); length && *length <= kListed) {
      steps.push_back({AddressStep::Kind::kIndex, scale, *length, true});
    } else if (const auto [number, factor] = scaled_index(const_cast<llvm::Value&>(operand));
               largest(*number).value_or(kListed) < kListed) {
      steps.push_back({AddressStep::Kind::kIndex, scale * factor, *largest(*number) + 1, true});
    } else {
      // What may overflow is a multiple of powers of two only.
      const bool upwards = is_not_negative(operand, gep);
      steps.push_back({AddressStep::Kind::kIndex, scale * (upwards ? factor : factor & -factor), 0, upwards});
    }
  }
  return steps;
}

void PointsTo::arithmetic(unsigned opcode, const llvm::Value& left, const llvm::Value& right, Node into) {
  for (const bool is_right : {false, true}) {
    const llvm::Value &self = is_right ? right : left, &other = is_right ? left : right;
    const Effect effect = effect_on(opcode, self, other, is_right);
    if (!effect.nothing) flow(node(self), into, effect.steps);
  }
}

void PointsTo::load(const llvm::Instruction& instruction, Node pointer, uint64_t alignment, bool parts) {
  constraints_.loads.push_back(
      {pointer, node(instruction), accessed_bytes(instruction, layout_), alignment, parts});
}

void PointsTo::store(Node pointer, Node value, uint64_t bytes, uint64_t alignment) {
  constraints_.stores.push_back({pointer, value, bytes, alignment});
}

// ---- Instructions ----

void PointsTo::visit(const llvm::Instruction& instruction) {
  using namespace llvm;
  if (const auto* i = dyn_cast<CallBase>(&instruction)) return visit_call(*i);
  if (accessed_bytes(instruction, layout_) != 0) return visit_memory(instruction);
  if (const auto* i = dyn_cast<ReturnInst>(&instruction); i != nullptr && i->getReturnValue() != nullptr)
    return flow(node(*i->getReturnValue()), returned_);
  if (const auto* i = dyn_cast<AllocaInst>(&instruction)) {
    constraints_.targets.emplace_back(node(*i), Target{numbers_.at(i), 0, 0});
    return;
  }
  if (!instruction.getType()->isVoidTy() && !isa<CmpInst>(instruction)) visit_value(instruction);
}

void PointsTo::visit_memory(const llvm::Instruction& instruction) {
  using namespace llvm;
  const uint64_t bytes = accessed_bytes(instruction, layout_);
  const Node pointer = node(accessed_pointer(instruction));
  if (const auto* i = dyn_cast<StoreInst>(&instruction))
    return store(pointer, node(*i->getValueOperand()), bytes, i->getAlign().value());
  if (const auto* i = dyn_cast<LoadInst>(&instruction))
    return load(*i, pointer, i->getAlign().value(), !may_hold_pointer(*i->getType()));
  load(instruction, pointer, bytes, false);
  if (const auto* i = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return store(pointer, node(*i->getNewValOperand()), bytes, bytes);
  const auto& i = cast<AtomicRMWInst>(instruction);
  if (i.getOperation() == AtomicRMWInst::Xchg) return store(pointer, node(*i.getValOperand()), bytes, bytes);
  // What is left in memory is made of both; so is what the operation on values would be.
  const unsigned opcode = i.getOperation() == AtomicRMWInst::Sub   ? Instruction::Sub
                          : i.getOperation() == AtomicRMWInst::And ? Instruction::And
                          : i.getOperation() == AtomicRMWInst::Add ? Instruction::Add
                                                                   : Instruction::Or;
  const Node result = constraints_.add_node();
  arithmetic(opcode, i, *i.getValOperand(), result);
  store(pointer, result, bytes, bytes);
}

void PointsTo::visit_value(const llvm::Instruction& instruction) {
  using namespace llvm;
  const Node into = node(instruction);
  if (const auto* i = dyn_cast<GEPOperator>(&instruction))
    return flow(node(*i->getPointerOperand()), into, steps_of(*i));
  if (const auto* i = dyn_cast<BinaryOperator>(&instruction))
    return arithmetic(i->getOpcode(), *i->getOperand(0), *i->getOperand(1), into);
  if (const auto* i = dyn_cast<CastInst>(&instruction))
    return flow(node(*i->getOperand(0)), into,
                may_hold_pointer(*i->getSrcTy()) && may_hold_pointer(*i->getDestTy())
                    ? std::vector<AddressStep>{}
                    : kMixed.steps);
  if (const auto* i = dyn_cast<SelectInst>(&instruction)) {
    flow(node(*i->getTrueValue()), into);
    return flow(node(*i->getFalseValue()), into);
  }
  // Whether an exchange has been made is no part of what was there.
  if (const auto* i = dyn_cast<ExtractValueInst>(&instruction);
      i != nullptr && isa<AtomicCmpXchgInst>(i->getAggregateOperand()) && i->getIndices().front() == 1)
    return;
  for (const Use& use : instruction.operands())
    if (!isa<BasicBlock>(use)) flow(node(*use), into);
}

void PointsTo::visit_call(const llvm::CallBase& call) {
  const auto anything = [&] { flow(unknown_, node(call)); };
  if (const auto found = numbers_.find(&call); found != numbers_.end()) {
    const Target fresh{found->second, 0, 0};
    if (call.getType()->isPointerTy()) {
      constraints_.targets.emplace_back(node(call), fresh);
      return;
    }
    return store(node(*call.getArgOperand(0)), node_of({{fresh}, false}), 8, 8);  // posix_memalign
  }
  const llvm::Function* callee = call.getCalledFunction();
  // What a call through a pointer may reach is expanded until nothing is left of it (call_targets.h).
  if (callee == nullptr) return call.isInlineAsm() && !call.getType()->isVoidTy() ? anything() : void();
  const auto what = callee->isIntrinsic() ? std::nullopt : library_call(*callee);
  if (const llvm::Function* code = started_by(call)) {
    const auto* argument = call.arg_end() - 1;
    if (code->arg_size() == 1) flow(node(**argument), node(*code->getArg(0)));
    return;
  }
  if (what == Library::kThreadEnd && call.arg_size() > 0) flow(node(*call.getArgOperand(0)), returned_);
  if (const llvm::Value* result = result_of_join(call)) store(node(*result), returned_, 8, 8);
  if (what == Library::kStream) return flow(node(*call.getArgOperand(0)), node(call));
  if (what && call.getType()->isPointerTy()) return anything();
  if (what) return;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::memcpy:
      case llvm::Intrinsic::memmove: {
        const auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
        constraints_.copies.push_back(
            {node(*call.getArgOperand(0)), node(*call.getArgOperand(1)),
             length == nullptr ? std::nullopt : std::optional(length->getSExtValue())});
        return;
      }
      case llvm::Intrinsic::threadlocal_address:  // of one of the copies: they are one object here
      case llvm::Intrinsic::expect:
      case llvm::Intrinsic::smin:
      case llvm::Intrinsic::smax:
      case llvm::Intrinsic::umin:
      case llvm::Intrinsic::umax:
        for (const llvm::Value* argument : call.args()) flow(node(*argument), node(call));
        return;
      default:
        break;
    }
  }
  if (!call.getType()->isVoidTy() && may_hold_pointer(*call.getType())) anything();
}

void PointsTo::record(const llvm::Instruction& instruction) {
  const auto at = [&](const llvm::Value& pointer, uint64_t bytes) {
    const Targets targets = of(pointer);
    unknown_accesses_ |= targets.unknown;
    for (const Target& target : targets.locations)
      accesses_[objects_[target.object].origin].push_back(
          {target.offset, target.stride, bytes, &instruction});
  };
  if (const uint64_t bytes = accessed_bytes(instruction, layout_); bytes != 0)
    at(accessed_pointer(instruction), bytes);
  if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    at(*copy->getRawDest(), 0);
    if (const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy)) at(*transfer->getRawSource(), 0);
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    if (const uint64_t bytes = bytes_behind_first_argument(*call); bytes != 0)
      at(*call->getArgOperand(0), bytes);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    if (const llvm::Value* result = result_of_join(*call)) at(*result, bytes_of_result(*call));
}

}  // namespace fenceline::frontend::c
