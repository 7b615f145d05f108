// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/points_to.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "env/errors.h"
#include "frontend/c/effects.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr size_t kMostTargets = 64;         // of one object in one set; more become a stride
constexpr uint64_t kListed = 32;            // elements of an array that are tracked one by one
constexpr int64_t kBaseAlign = 16;          // all objects lie at multiples of this, at least (memory.h)
constexpr unsigned kAddressBits = 48;       // what is above them is no part of an address
constexpr int64_t kEverywhere = 1;          // the stride of a pointer to any byte of its object
constexpr int64_t kFar = int64_t{1} << 40;  // more than any object has

// What moves through an object and may begin before it has no beginning: only its distance modulo the stride counts.
// So there is an end to how far such a beginning moves back.
Target normal(uint32_t object, int64_t offset, int64_t stride) {
  stride = std::abs(stride);
  if (stride > kFar) return normal(object, -1, kEverywhere);
  if (stride != 0 && offset < 0) offset = ((offset % stride) + stride) % stride - kFar / stride * stride;
  return {object, offset, stride};
}

// A pointer that moves from there in both directions.
Target both_ways(uint32_t object, int64_t offset, int64_t stride) {
  return normal(object, offset % stride - stride, stride);
}

// All that the one may be, the other may be too.
bool includes(const Target& more, const Target& less) {
  if (more == less) return true;
  return more.object == less.object && more.stride != 0 && less.stride % more.stride == 0 &&
         less.offset >= more.offset && (less.offset - more.offset) % more.stride == 0;
}

// How a pointer in memory and an access may lie to each other.
enum class Overlap : uint8_t { kNone, kPart, kWhole };

// A pointer at `a`, and so many bytes from `b` on.
Overlap overlap(int64_t a, int64_t a_stride, int64_t b, int64_t b_stride, uint64_t bytes) {
  constexpr int64_t kPointer = 8;
  const auto size = static_cast<int64_t>(bytes);
  const int64_t step = std::gcd(a_stride, b_stride), between = a - b;
  // If only one of them moves, it moves away from the other.
  const auto at = [&](int64_t d) {
    if ((a_stride == 0 && d > between) || (b_stride == 0 && d < between)) return Overlap::kNone;
    if (d >= size || d <= -static_cast<int64_t>(kAddressBits / 8)) return Overlap::kNone;
    return d >= 0 && d + kPointer <= size ? Overlap::kWhole : Overlap::kPart;
  };
  if (step == 0) return at(between);
  const int64_t distance = ((between % step) + step) % step;
  return std::max({at(between), at(distance), at(distance - step)});
}

// All targets in an object that has too many of them become one, with a stride.
void limit(Targets& targets, uint32_t object) {
  const auto first = targets.locations.lower_bound(Target{object, INT64_MIN, INT64_MIN});
  const auto last = targets.locations.upper_bound(Target{object, INT64_MAX, INT64_MAX});
  if (static_cast<size_t>(std::distance(first, last)) <= kMostTargets) return;
  int64_t stride = 0;
  bool moves = false;
  const int64_t offset = first->offset;  // the least
  for (auto i = first; i != last; ++i) {
    stride = std::gcd(std::gcd(stride, i->stride), i->offset - offset);
    moves |= i->stride != 0;
  }
  targets.locations.erase(first, last);
  // If it has got a stride before, its beginning moves back.
  targets.locations.insert(moves ? both_ways(object, offset, stride) : normal(object, offset, stride));
}

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
    : layout_(layout) {
  for (const llvm::Function* function : functions) find_objects(*function);
  do {
    changed_ = false;
    for (const llvm::Function* function : functions)
      for (const llvm::Instruction& instruction : llvm::instructions(*function))
        if (!is_settled(instruction)) visit(instruction);
  } while (changed_);
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) record(instruction);
}

// ---- Objects ----

uint64_t PointsTo::alignment(uint32_t object) const {
  const llvm::Value* origin = objects_[object].origin;
  uint64_t align = 1;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(origin))
    align = variable->getAlign().valueOrOne().value();
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(origin)) align = variable->getAlign().value();
  return std::max<uint64_t>(align, kBaseAlign);
}

uint32_t PointsTo::add_object(const llvm::Value& origin, uint64_t size) {
  const auto number = static_cast<uint32_t>(objects_.size());
  numbers_[&origin] = number;
  objects_.push_back({&origin, size});
  contents_.emplace_back();
  contents_changed_.push_back(0);
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
  if (const Targets targets = of(value); !targets.empty()) merge(contents_[object][{offset, 0}], targets);
}

void PointsTo::add_global(const llvm::GlobalVariable& variable) {
  if (numbers_.contains(&variable) || is_never_set(variable)) return;
  const uint32_t object = add_object(variable, layout_.getTypeAllocSize(variable.getValueType()));
  if (variable.hasInitializer())
    add_initial(object, 0, *variable.getInitializer());
  else
    contents_[object][{0, kEverywhere}].unknown = true;
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

// ---- Sets ----

// True if there was something to add.
bool PointsTo::merge(Targets& into, const Targets& from) {
  bool added = from.unknown && !into.unknown;
  into.unknown |= from.unknown;
  for (const llvm::Function* function : from.functions) added |= into.functions.insert(function).second;
  std::set<uint32_t> grown;
  for (const Target& target : from.locations) {
    // What a stride includes adds nothing.
    bool included = into.locations.contains(target);
    for (auto i = into.locations.lower_bound(Target{target.object, INT64_MIN, INT64_MIN});
         !included && i != into.locations.end() && i->object == target.object; ++i)
      included = includes(*i, target);
    if (included) continue;
    into.locations.insert(target);
    grown.insert(target.object);
  }
  for (const uint32_t object : grown) limit(into, object);
  added |= !grown.empty();
  if (added) ++changes_;
  changed_ |= added;
  return added;
}

void PointsTo::flow(const llvm::Value& into, const Targets& from) {
  if (!from.empty() && merge(values_[&into], from)) value_changed_[&into] = changes_;
}

// Nothing that the instruction depends on has changed since it was visited.
bool PointsTo::is_settled(const llvm::Instruction& instruction) {
  const auto [found, first] = visited_.try_emplace(&instruction, changes_);
  const uint64_t since = std::exchange(found->second, changes_);
  since_ = 0;
  if (first || llvm::isa<llvm::CallBase>(instruction)) return false;
  const auto same = [&](const llvm::Value& value) {
    const auto change = value_changed_.find(&value);
    return change == value_changed_.end() || change->second <= since;
  };
  if (!llvm::all_of(instruction.operands(), [&](const llvm::Use& use) { return same(*use); })) return false;
  if (!instruction.mayReadFromMemory()) return true;
  // Of loads, that is; atomic operations compute with what they have read, and are always visited.
  const llvm::Value* pointer = llvm::getPointerOperand(&instruction);
  if (pointer == nullptr) return false;
  since_ = since;
  if (anywhere_changed_ > since) return false;
  const Targets targets = of(*pointer);
  return llvm::all_of(targets.locations,
                      [&](const Target& target) { return contents_changed_[target.object] <= since; });
}

Targets PointsTo::of(const llvm::Value& value) const {
  if (const auto found = numbers_.find(&value);
      found != numbers_.end() && llvm::isa<llvm::GlobalVariable>(value))
    return {{Target{found->second, 0, 0}}, false};
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&value)) return {{}, false, {function}};
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(&value)) {
    if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(constant)) return element(*gep);
    if (constant->isCast()) return of(*constant->getOperand(0));
    if (constant->getNumOperands() == 2)
      return arithmetic(constant->getOpcode(), *constant->getOperand(0), *constant->getOperand(1));
    return {{}, true};
  }
  const auto found = values_.find(&value);
  return found == values_.end() ? Targets{} : found->second;
}

const std::vector<PointsTo::Access>& PointsTo::accesses(const llvm::Value& origin) const {
  static const std::vector<Access> kNone;
  const auto found = accesses_.find(&origin);
  return found == accesses_.end() ? kNone : found->second;
}

bool PointsTo::is_stored(const llvm::Value& origin) const {
  const uint32_t object = numbers_.at(&origin);
  const auto holds = [&](const Targets& targets) {
    return std::any_of(targets.locations.begin(), targets.locations.end(),
                       [&](const Target& target) { return target.object == object; });
  };
  if (holds(anywhere_)) return true;
  for (const Content& content : contents_)
    for (const auto& [position, targets] : content)
      if (holds(targets)) return true;
  return false;
}

// ---- Memory ----

Targets PointsTo::load(const Targets& from, uint64_t bytes) const {
  Targets result;
  if (since_ == 0 || anywhere_changed_ > since_) result = anywhere_;
  result.unknown |= from.unknown;
  for (const Target& target : from.locations)
    for (const auto& [position, content] : contents_[target.object]) {
      if (since_ != 0 && content.changed <= since_) continue;
      switch (overlap(position.first, position.second, target.offset, target.stride, bytes)) {
        case Overlap::kNone:
          break;
        case Overlap::kPart:  // what is made of parts of pointers is not tracked
          result.unknown |= !content.empty();
          break;
        case Overlap::kWhole:
          result.locations.insert(content.locations.begin(), content.locations.end());
          result.unknown |= content.unknown;
          result.functions.insert(content.functions.begin(), content.functions.end());
      }
    }
  return result;
}

// Of several words, each may hold what the value holds.
void PointsTo::store(const Targets& to, const Targets& value, uint64_t bytes) {
  if (value.empty()) return;
  for (const Target& target : to.locations)
    for (int64_t at = 0; at == 0 || at + 8 <= static_cast<int64_t>(bytes); at += 8) {
      const int64_t offset = normal(target.object, target.offset + at, target.stride).offset;
      if (Cell& cell = contents_[target.object][{offset, target.stride}]; merge(cell, value))
        cell.changed = contents_changed_[target.object] = changes_;
    }
  if (to.unknown && merge(anywhere_, value)) anywhere_changed_ = changes_;
}

void PointsTo::copy(const llvm::CallBase& call) {
  const Targets to = of(*call.getArgOperand(0)), from = of(*call.getArgOperand(1));
  const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  if (from.unknown) {
    Targets anywhere{{}, to.unknown};
    for (const Target& target : to.locations)
      anywhere.locations.insert(both_ways(target.object, 0, kEverywhere));
    return store(anywhere, {{}, true}, 8);
  }
  for (const Target& source : from.locations) {
    const Content content = contents_[source.object];  // it may be that of the target, too
    for (const auto& [position, value] : content) {
      const int64_t step = std::gcd(source.stride, position.second);
      int64_t distance = position.first - source.offset;
      if (step == 0 && (distance < 0 || (size != nullptr && distance >= size->getSExtValue()))) continue;
      if (source.stride != 0 || (step != 0 && distance < 0)) distance = ((distance % step) + step) % step;
      Targets moved{{}, to.unknown};
      for (const Target& target : to.locations)
        moved.locations.insert(
            normal(target.object, target.offset + distance, std::gcd(step, target.stride)));
      store(moved, value, 8);
    }
  }
}

// ---- Values ----

Targets PointsTo::element(const llvm::GEPOperator& gep) const {
  Targets result = of(*gep.getPointerOperand());
  const auto move = [&](int64_t by) {
    Targets moved{{}, result.unknown, result.functions};
    for (const Target& t : result.locations)
      moved.locations.insert(normal(t.object, t.offset + by, t.stride));
    result = std::move(moved);
  };
  llvm::Type *container = nullptr, *next = nullptr;  // what the index is about
  for (auto i = llvm::gep_type_begin(gep); i != llvm::gep_type_end(gep); ++i) {
    container = std::exchange(next, i.getIndexedType());
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand());
    if (llvm::StructType* structure = i.getStructTypeOrNull()) {
      move(static_cast<int64_t>(layout_.getStructLayout(structure)
                                    ->getElementOffset(static_cast<unsigned>(index->getZExtValue()))
                                    .getFixedValue()));
      continue;
    }
    const auto scale = static_cast<int64_t>(i.getSequentialElementStride(layout_).getFixedValue());
    if (index != nullptr) {
      move(index->getSExtValue() * scale);
      continue;
    }
    if (scale == 0) continue;
    // The last array of a structure may be longer than it says: what is not checked has no end.
    const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(container);
    const uint64_t bound =
        array == nullptr || !is_checked_index(*i.getOperand(), gep) ? 0 : array->getNumElements();
    const bool forwards = is_not_negative(*i.getOperand(), gep);
    // What may overflow is a multiple of powers of two only.
    const int64_t factor = scaled_index(*i.getOperand()).factor, step = forwards ? factor : factor & -factor;
    Targets moved{{}, result.unknown, result.functions};
    for (const Target& t : result.locations)
      if (bound != 0 && bound <= kListed && result.locations.size() * bound <= kMostTargets)
        for (uint64_t k = 0; k < bound; ++k)
          moved.locations.insert(normal(t.object, t.offset + static_cast<int64_t>(k) * scale, t.stride));
      else if (const int64_t stride = std::gcd(t.stride, scale * step); forwards)
        moved.locations.insert(normal(t.object, t.offset, stride));
      else
        moved.locations.insert(both_ways(t.object, t.offset, stride));
    result = std::move(moved);
  }
  return result;
}

// A multiple of `multiple`, a power of two, at or before the target: without its marks, or at the beginning of a cache
// line. Where a multiple of more than the alignment of the object lies depends on where that will lie.
void PointsTo::round_down(const Target& t, int64_t multiple, bool is_address, Targets& result) const {
  const auto align = static_cast<int64_t>(alignment(t.object));
  if (multiple <= align) {
    const bool exact = t.stride % multiple == 0;
    result.locations.insert(exact ? normal(t.object, t.offset & -multiple, t.stride)
                                  : both_ways(t.object, 0, multiple));
    return;
  }
  // Perhaps it is no address but a number that was made of one, and other bits of that number are taken away.
  if (!is_address) result.locations.insert(t);
  if (t.stride % multiple == 0 && multiple / align <= static_cast<int64_t>(kListed))
    for (int64_t base = 0; base < multiple; base += align)
      result.locations.insert(normal(t.object, ((base + t.offset) & -multiple) - base, t.stride));
  else if (multiple <= kFar)
    result.locations.insert(both_ways(t.object, 0, align));
}

// Numbers that are made of pointers: marks, counters, differences.
Targets PointsTo::arithmetic(unsigned opcode, const llvm::Value& left, const llvm::Value& right) const {
  if (llvm::isa<llvm::ConstantInt>(left) && !llvm::isa<llvm::ConstantInt>(right) &&
      llvm::Instruction::isCommutative(opcode))
    return arithmetic(opcode, right, left);
  const Targets a = of(left), b = of(right);
  if (a.empty() && b.empty()) return {};
  if (opcode == llvm::Instruction::Sub && !b.empty()) return {{}, true};
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&right);
  const bool known = constant != nullptr && constant->getBitWidth() <= 64;
  const int64_t by = known ? constant->getSExtValue() : 0;
  Targets result{{}, a.unknown || b.unknown, a.functions};
  result.functions.insert(b.functions.begin(), b.functions.end());
  for (const Targets* side : {&a, &b})
    for (const Target& t : side->locations) {
      switch (opcode) {
        case llvm::Instruction::Add:
          result.locations.insert(known ? normal(t.object, t.offset + by, t.stride)
                                        : both_ways(t.object, 0, kEverywhere));
          break;
        case llvm::Instruction::Sub:
          result.locations.insert(known ? normal(t.object, t.offset - by, t.stride)
                                        : both_ways(t.object, 0, kEverywhere));
          break;
        case llvm::Instruction::And:
          if (const int64_t low = known && by != 0 ? (by & -by) : 1; low == 1)
            result.locations.insert(t);
          else if (low < 0 || low >= int64_t{1} << kAddressBits)
            break;  // the counter of a pointer with a counter
          else
            round_down(t, low, is_address(left), result);
          break;
        case llvm::Instruction::Or:
        case llvm::Instruction::Xor:
          // A mark in the low bits; what is above them are counters.
          result.locations.insert(t);
          if ((known && by >= kBaseAlign) || is_counter(left) || is_counter(right)) break;
          if (known && by >= 0 && t.stride == 0) {
            result.locations.insert(normal(t.object, t.offset | by, 0));
            result.locations.insert(normal(t.object, t.offset & ~by, 0));
          } else {
            result.locations.insert(both_ways(t.object, 0, kEverywhere));
          }
          break;
        case llvm::Instruction::LShr:
          if (!known || by < kAddressBits) result.locations.insert(t);
          break;
        default:
          result.locations.insert(t);
      }
    }
  return result;
}

// ---- Instructions ----

void PointsTo::visit(const llvm::Instruction& instruction) {
  using namespace llvm;
  if (const auto* i = dyn_cast<CallBase>(&instruction)) return visit_call(*i);
  if (const auto* i = dyn_cast<StoreInst>(&instruction))
    return store(of(*i->getPointerOperand()), of(*i->getValueOperand()), accessed_bytes(*i, layout_));
  if (const auto* i = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    flow(*i, load(of(*i->getPointerOperand()), accessed_bytes(*i, layout_)));
    return store(of(*i->getPointerOperand()), of(*i->getNewValOperand()), accessed_bytes(*i, layout_));
  }
  if (const auto* i = dyn_cast<AtomicRMWInst>(&instruction)) {
    const Targets pointers = of(*i->getPointerOperand());
    flow(*i, load(pointers, accessed_bytes(*i, layout_)));
    if (i->getOperation() == AtomicRMWInst::Xchg)
      return store(pointers, of(*i->getValOperand()), accessed_bytes(*i, layout_));
    // What is left in memory is made of both; so is what the operation on values would be.
    const unsigned opcode = i->getOperation() == AtomicRMWInst::Sub   ? Instruction::Sub
                            : i->getOperation() == AtomicRMWInst::And ? Instruction::And
                            : i->getOperation() == AtomicRMWInst::Add ? Instruction::Add
                                                                      : Instruction::Or;
    return store(pointers, arithmetic(opcode, *i, *i->getValOperand()), 8);
  }
  if (const auto* i = dyn_cast<ReturnInst>(&instruction); i != nullptr && i->getReturnValue() != nullptr)
    merge(returned_, of(*i->getReturnValue()));
  if (const auto* i = dyn_cast<AllocaInst>(&instruction))
    return flow(*i, {{Target{numbers_.at(i), 0, 0}}, false});
  if (instruction.getType()->isVoidTy() || isa<CmpInst>(instruction)) return;
  if (const auto* i = dyn_cast<LoadInst>(&instruction)) {
    const Targets there = load(of(*i->getPointerOperand()), accessed_bytes(*i, layout_));
    if (there.empty()) return;
    return flow(*i, may_hold_pointer(*i->getType()) ? there : Targets{{}, true});  // a part of a pointer
  }
  if (const auto* i = dyn_cast<GEPOperator>(&instruction)) return flow(instruction, element(*i));
  if (const auto* i = dyn_cast<PHINode>(&instruction)) {
    for (const Value* incoming : i->incoming_values()) flow(*i, of(*incoming));
    return;
  }
  if (const auto* i = dyn_cast<SelectInst>(&instruction)) {
    flow(*i, of(*i->getTrueValue()));
    return flow(*i, of(*i->getFalseValue()));
  }
  if (const auto* i = dyn_cast<llvm::BinaryOperator>(&instruction))
    return flow(*i, arithmetic(i->getOpcode(), *i->getOperand(0), *i->getOperand(1)));
  if (const auto* i = dyn_cast<CastInst>(&instruction)) {
    const Targets from = of(*i->getOperand(0));
    if (from.empty()) return;
    return flow(
        *i, may_hold_pointer(*i->getSrcTy()) && may_hold_pointer(*i->getDestTy()) ? from : Targets{{}, true});
  }
  for (const Use& use : instruction.operands()) flow(instruction, of(*use));
}

void PointsTo::visit_call(const llvm::CallBase& call) {
  if (const auto found = numbers_.find(&call); found != numbers_.end()) {
    const Targets fresh{{Target{found->second, 0, 0}}, false};
    if (call.getType()->isPointerTy()) return flow(call, fresh);
    return store(of(*call.getArgOperand(0)), fresh, 8);  // posix_memalign
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    // What a call through a pointer may reach is expanded until nothing is left of it (call_targets.h).
    if (call.isInlineAsm()) flow(call, {{}, true});
    return;
  }
  const auto what = callee->isIntrinsic() ? std::nullopt : library_call(*callee);
  if (const llvm::Function* code = started_by(call)) {
    const auto* argument = call.arg_end() - 1;
    if (code->arg_size() == 1) flow(*code->getArg(0), of(**argument));
    return;
  }
  if (what == Library::kThreadEnd && call.arg_size() > 0) merge(returned_, of(*call.getArgOperand(0)));
  if (const llvm::Value* result = result_of_join(call)) store(of(*result), returned_, 8);
  if (what == Library::kStream) return flow(call, of(*call.getArgOperand(0)));
  if (what && call.getType()->isPointerTy()) return flow(call, {{}, true});
  if (what) return;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::memcpy:
      case llvm::Intrinsic::memmove:
        return copy(call);
      case llvm::Intrinsic::threadlocal_address:  // of one of the copies: they are one object here
      case llvm::Intrinsic::expect:
      case llvm::Intrinsic::smin:
      case llvm::Intrinsic::smax:
      case llvm::Intrinsic::umin:
      case llvm::Intrinsic::umax:
        for (const llvm::Value* argument : call.args()) flow(call, of(*argument));
        return;
      default:
        break;
    }
  }
  if (!call.getType()->isVoidTy() && may_hold_pointer(*call.getType())) flow(call, {{}, true});
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
