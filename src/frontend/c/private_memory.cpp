// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/private_memory.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <optional>
#include <set>

#include "frontend/c/address_constants.h"
#include "frontend/c/effects.h"
#include "frontend/c/library.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kLargestVariable = 512;  // bytes of a global variable whose initial value is looked at

// A number, or the address of a function or a global variable.
bool is_simple(const llvm::Constant& constant) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant))
    return !variable->isThreadLocal() && !is_never_set(*variable);
  return llvm::isa<llvm::ConstantInt>(constant) || llvm::isa<llvm::ConstantPointerNull>(constant) ||
         llvm::isa<llvm::Function>(constant);
}

class PrivateMemory {
 public:
  PrivateMemory(llvm::Function& function, const PointsTo& points_to, const Lifetimes& lifetimes,
                const llvm::DataLayout& layout, const OwnMemory* own,
                const std::set<const llvm::Instruction*>& demanded)
      : points_to_(points_to), lifetimes_(lifetimes), layout_(layout), own_(own) {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
    std::map<const llvm::BasicBlock*, State> states;
    std::set<const llvm::BasicBlock*> todo{&function.getEntryBlock()};
    states[&function.getEntryBlock()] = begin(function, demanded);
    while (!todo.empty())
      for (const llvm::BasicBlock* block : order) {
        if (todo.erase(block) == 0) continue;
        State state = states.at(block);
        for (const llvm::Instruction& instruction : *block) step(state, instruction);
        for (const llvm::BasicBlock* next : llvm::successors(block)) {
          const auto [known, added] = states.emplace(next, state);
          if (added || meet(known->second, state)) todo.insert(next);
        }
      }
    for (llvm::BasicBlock* block : order) {
      State state = states.at(block);
      for (llvm::Instruction& instruction : *block) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
          if (const auto scalar = known(state, *load))
            loads_.push_back({load, const_cast<llvm::Value*>(scalar->base), scalar->distance});
        step(state, instruction);
      }
    }
  }

  Unit::KnownLoads take_loads() { return std::move(loads_); }

 private:
  // A constant, or an address: so far behind what the function allocates.
  struct Scalar {
    int64_t bytes;
    const llvm::Value* base;
    int64_t distance;

    friend bool operator==(const Scalar&, const Scalar&) = default;
  };
  struct Object {
    std::map<int64_t, Scalar> content = {};  // by offset, what is known
    bool is_private = true;                  // if not, other threads may write it
    bool held = false;                       // a pointer to it may be in private memory

    friend bool operator==(const Object&, const Object&) = default;
  };
  // By what allocates them. An allocation in a loop stands for the last object that it has allocated.
  using State = std::map<const llvm::Value*, Object>;
  struct Place {
    const llvm::Value* root;
    int64_t offset;
  };

  std::optional<Place> place_of(const llvm::Value& pointer) const {
    llvm::APInt offset(64, 0);
    const llvm::Value* root = pointer.stripAndAccumulateConstantOffsets(layout_, offset, true);
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(root);
    if (!llvm::isa<llvm::Instruction>(root) && (variable == nullptr || variable->isThreadLocal()))
      return std::nullopt;
    return Place{root, offset.getSExtValue()};
  }

  // The global variables that are looked at, as they are when the function begins.
  State begin(llvm::Function& function, const std::set<const llvm::Instruction*>& demanded) const {
    State state;
    if (own_ == nullptr) return state;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !demanded.contains(load)) continue;
      const auto place = place_of(*load->getPointerOperand());
      const auto* variable = place ? llvm::dyn_cast<llvm::GlobalVariable>(place->root) : nullptr;
      if (variable == nullptr || state.contains(variable)) continue;
      Object& object = state[variable];
      object.is_private = false;
      if (variable->hasInitializer() && !variable->isExternallyInitialized() &&
          layout_.getTypeAllocSize(variable->getValueType()) <= kLargestVariable)
        set_initial(*variable, *variable->getValueType(), 0, object);
    }
    return state;
  }

  void set_initial(const llvm::GlobalVariable& variable, llvm::Type& type, int64_t at, Object& object) const {
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
      const llvm::StructLayout& offsets = *layout_.getStructLayout(structure);
      for (unsigned i = 0; i < structure->getNumElements(); ++i)
        set_initial(variable, *structure->getElementType(i),
                    at + static_cast<int64_t>(offsets.getElementOffset(i).getFixedValue()), object);
    } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
      const auto stride =
          static_cast<int64_t>(layout_.getTypeAllocSize(array->getElementType()).getFixedValue());
      for (uint64_t i = 0; i < array->getNumElements(); ++i)
        set_initial(variable, *array->getElementType(), at + static_cast<int64_t>(i) * stride, object);
    } else if (type.isIntegerTy() || type.isPointerTy()) {
      const auto bytes = static_cast<int64_t>(layout_.getTypeStoreSize(&type).getFixedValue());
      const auto span = span_of({&variable, at}, bytes);
      const llvm::Constant* value =
          llvm::ConstantFoldLoadFromConst(const_cast<llvm::Constant*>(variable.getInitializer()), &type,
                                          llvm::APInt(64, static_cast<uint64_t>(at)), layout_);
      if (span && !own_->earlier->overlaps(*span) && value != nullptr && is_simple(*value))
        object.content[at] = {bytes, value, 0};
    }
  }

  // The bytes of the object, as the points-to analysis numbers them.
  std::optional<ByteSpan> span_of(const Place& place, int64_t bytes) const {
    const Targets targets = points_to_.of(*place.root);
    if (targets.unknown || targets.locations.size() != 1) return std::nullopt;
    const Target& target = *targets.locations.begin();
    if (target.offset != 0 || target.stride != 0) return std::nullopt;
    return ByteSpan{target.object, place.offset, place.offset + bytes};
  }

  // What is known in both; true if that is less than what was known in the first.
  static bool meet(State& into, const State& from) {
    const State before = into;
    std::erase_if(into, [&](const auto& entry) { return !from.contains(entry.first); });
    for (auto& [root, object] : into) {
      const Object& other = from.at(root);
      object.held |= other.held;
      object.is_private &= other.is_private;
      std::erase_if(object.content, [&](const auto& entry) {
        const auto same = other.content.find(entry.first);
        return same == other.content.end() || !(same->second == entry.second);
      });
    }
    return !(into == before);
  }

  // Calls `visit` for the objects that the value may point to.
  template <class Visit>
  void for_each_target(State& state, const llvm::Value& value, const Visit& visit) const {
    const Targets targets = points_to_.of(value);
    std::set<const llvm::Value*> origins;
    for (const Target& target : targets.locations) origins.insert(points_to_.object(target.object).origin);
    for (auto& [root, object] : state)
      if (targets.unknown || origins.contains(root)) visit(root, object);
  }

  // The value gets to where others may find it, and with it all that private memory holds.
  void publish(State& state, const llvm::Value& value) const {
    std::set<const llvm::Value*> published;
    for_each_target(state, value, [&](const llvm::Value* root, const Object& object) {
      if (object.is_private) published.insert(root);
    });
    if (published.empty()) return;
    publish_held(state);
    for (const llvm::Value* root : published) publish_root(state, root);
  }

  void publish_held(State& state) const {
    std::set<const llvm::Value*> held;
    for (const auto& [root, object] : state)
      if (object.held) held.insert(root);
    for (const llvm::Value* root : held) publish_root(state, root);
  }

  void publish_root(State& state, const llvm::Value* root) const {
    if (own_ == nullptr)
      state.erase(root);
    else if (const auto found = state.find(root); found != state.end())
      found->second.is_private = false;
  }

  static void forget(Object& object, int64_t begin, int64_t end) {
    std::erase_if(object.content, [&](const auto& entry) {
      return entry.first < end && begin < entry.first + entry.second.bytes;
    });
  }

  void write(State& state, const llvm::Value& pointer, std::optional<uint64_t> bytes) const {
    if (const auto place = place_of(pointer); place && bytes) {
      if (const auto found = state.find(place->root); found != state.end())
        return forget(found->second, place->offset, place->offset + static_cast<int64_t>(*bytes));
    }
    for_each_target(state, pointer, [](const llvm::Value*, Object& object) { object.content.clear(); });
  }

  // A new object, so the address of an earlier one has no name any more.
  static void allocate(State& state, const llvm::Instruction& allocation) {
    for (auto& [root, object] : state)
      std::erase_if(object.content, [&](const auto& entry) { return entry.second.base == &allocation; });
    state[&allocation] = {};
  }

  // What a store leaves there, if that is known.
  std::optional<Scalar> scalar_of(const llvm::Value& value, uint64_t bytes) const {
    llvm::APInt distance(64, 0);
    const llvm::Value* base = value.getType()->isPointerTy()
                                  ? value.stripAndAccumulateConstantOffsets(layout_, distance, true)
                                  : &value;
    const auto* constant = llvm::dyn_cast<llvm::Constant>(base);
    if (constant == nullptr ? !is_allocation(*base) : !is_simple(*constant)) return std::nullopt;
    return Scalar{static_cast<int64_t>(bytes), base, distance.getSExtValue()};
  }

  void store(State& state, const llvm::Instruction& instruction, const llvm::Value& pointer,
             const llvm::Value& value) const {
    const auto place = place_of(pointer);
    const auto object = place ? state.find(place->root) : state.end();
    if (object != state.end() && object->second.is_private)
      for_each_target(state, value, [](const llvm::Value*, Object& target) { target.held = true; });
    else
      publish(state, value);
    const uint64_t bytes = accessed_bytes(instruction, layout_);
    write(state, pointer, bytes);
    if (!place || !state.contains(place->root) || !llvm::isa<llvm::StoreInst>(instruction)) return;
    if (const auto scalar = scalar_of(value, bytes)) state.at(place->root).content[place->offset] = *scalar;
  }

  // From one place to another one, if both are known.
  void copy(State& state, const llvm::MemTransferInst& copy) const {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    const auto from = place_of(*copy.getRawSource()), to = place_of(*copy.getRawDest());
    std::map<int64_t, Scalar> copied;
    if (length != nullptr && from && to && state.contains(from->root) && state.contains(to->root)) {
      const auto bytes = static_cast<int64_t>(length->getZExtValue());
      const auto span = span_of(*from, bytes);
      const Object& source = state.at(from->root);
      const bool is_own =
          source.is_private || (own_ != nullptr && span && !own_->concurrent->overlaps(*span));
      for (const auto& [at, scalar] : source.content)
        if (is_own && at >= from->offset && at + scalar.bytes <= from->offset + bytes)
          copied[to->offset + at - from->offset] = scalar;
    }
    const auto object = to ? state.find(to->root) : state.end();
    if (object == state.end() || !object->second.is_private) publish_held(state);
    write(state, *copy.getRawDest(),
          length == nullptr ? std::nullopt : std::optional(length->getZExtValue()));
    for (const auto& [at, scalar] : copied) state.at(to->root).content[at] = scalar;
  }

  void step(State& state, const llvm::Instruction& instruction) const {
    if (is_allocation(instruction)) return allocate(state, instruction);
    if (const auto* i = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return store(state, *i, *i->getPointerOperand(), *i->getValueOperand());
    if (const auto* i = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return store(state, *i, *i->getPointerOperand(), *i->getValOperand());
    if (const auto* i = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      return store(state, *i, *i->getPointerOperand(), *i->getNewValOperand());
    if (const auto* i = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) return copy(state, *i);
    const Effects effects = effects_of(instruction, layout_);
    if (effects.writes_anywhere) return state.clear();
    for (const Effects::Write& one : effects.writes) write(state, *one.pointer, one.bytes);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return;
    if (effects.writes.empty() && !effects.starts_thread && call->getType()->isVoidTy()) return;
    for (const llvm::Value* argument : call->args()) publish(state, *argument);
  }

  std::optional<Scalar> known(const State& state, const llvm::LoadInst& load) const {
    const auto place = place_of(*load.getPointerOperand());
    if (!place || llvm::isStrongerThanMonotonic(load.getOrdering())) return std::nullopt;
    const auto object = state.find(place->root);
    if (object == state.end()) return std::nullopt;
    const auto found = object->second.content.find(place->offset);
    const auto bytes = static_cast<int64_t>(accessed_bytes(load, layout_));
    if (found == object->second.content.end() || found->second.bytes != bytes) return std::nullopt;
    if (!object->second.is_private) {
      const auto span = span_of(*place, bytes);
      if (!span || own_->concurrent->overlaps(*span)) return std::nullopt;
    }
    // An access that is an error stays.
    if (static_cast<int64_t>(load.getAlign().value()) < bytes || place->offset % bytes != 0 ||
        lifetimes_.may_come_too_late(load))
      return std::nullopt;
    Scalar scalar = found->second;
    if (scalar.base->getType() == load.getType()) return scalar;
    // An atomic pointer is loaded as a number.
    auto* constant = llvm::dyn_cast<llvm::Constant>(const_cast<llvm::Value*>(scalar.base));
    if (constant == nullptr || scalar.distance != 0) return std::nullopt;
    scalar.base = llvm::ConstantFoldLoadFromConst(constant, load.getType(), layout_);
    if (scalar.base == nullptr || !is_simple(*llvm::cast<llvm::Constant>(scalar.base))) return std::nullopt;
    return scalar;
  }

  const PointsTo& points_to_;
  const Lifetimes& lifetimes_;
  const llvm::DataLayout& layout_;
  const OwnMemory* own_;
  Unit::KnownLoads loads_;
};

}  // namespace

Unit::KnownLoads private_loads(llvm::Function& function, const PointsTo& points_to,
                               const Lifetimes& lifetimes, const llvm::DataLayout& layout,
                               const OwnMemory* own, const std::set<const llvm::Instruction*>& demanded) {
  if (has_partial_fence(function)) return {};
  return PrivateMemory(function, points_to, lifetimes, layout, own, demanded).take_loads();
}

}  // namespace fenceline::frontend::c
