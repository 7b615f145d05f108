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

#include "frontend/c/effects.h"
#include "frontend/c/library.h"

namespace fenceline::frontend::c {
namespace {

bool is_number(const llvm::Constant& value) {
  return llvm::isa<llvm::ConstantInt>(value) || llvm::isa<llvm::ConstantPointerNull>(value);
}

class PrivateMemory {
 public:
  PrivateMemory(llvm::Function& function, const PointsTo& points_to, const Lifetimes& lifetimes,
                const llvm::DataLayout& layout)
      : points_to_(points_to), lifetimes_(lifetimes), layout_(layout) {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
    std::map<const llvm::BasicBlock*, State> states;
    std::set<const llvm::BasicBlock*> todo{&function.getEntryBlock()};
    states[&function.getEntryBlock()];
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
          if (llvm::Constant* value = known(state, *load)) loads_.emplace_back(load, value);
        step(state, instruction);
      }
    }
  }

  std::vector<std::pair<llvm::LoadInst*, llvm::Constant*>> take_loads() { return std::move(loads_); }

 private:
  struct Scalar {
    int64_t bytes;
    llvm::Constant* value;

    friend bool operator==(const Scalar&, const Scalar&) = default;
  };
  struct Object {
    std::map<int64_t, Scalar> content;  // by offset, what is known
    bool held = false;                  // a pointer to it may be in private memory

    friend bool operator==(const Object&, const Object&) = default;
  };
  using State = std::map<const llvm::Value*, Object>;  // the private objects, by what allocates them
  struct Place {
    const llvm::Value* root;
    int64_t offset;
  };

  std::optional<Place> place_of(const llvm::Value& pointer) const {
    llvm::APInt offset(64, 0);
    const llvm::Value* root = pointer.stripAndAccumulateConstantOffsets(layout_, offset, true);
    if (!llvm::isa<llvm::Instruction>(root)) return std::nullopt;
    return Place{root, offset.getSExtValue()};
  }

  // What is known in both; true if that is less than what was known in the first.
  static bool meet(State& into, const State& from) {
    const State before = into;
    std::erase_if(into, [&](const auto& entry) { return !from.contains(entry.first); });
    for (auto& [root, object] : into) {
      const Object& other = from.at(root);
      object.held |= other.held;
      std::erase_if(object.content, [&](const auto& entry) {
        const auto same = other.content.find(entry.first);
        return same == other.content.end() || !(same->second == entry.second);
      });
    }
    return !(into == before);
  }

  // Calls `visit` for the private objects that the value may point to.
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
    for_each_target(state, value, [&](const llvm::Value* root, Object&) { published.insert(root); });
    if (published.empty()) return;
    publish_held(state);
    for (const llvm::Value* root : published) state.erase(root);
  }

  static void publish_held(State& state) {
    std::erase_if(state, [](const auto& entry) { return entry.second.held; });
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

  void store(State& state, const llvm::Instruction& instruction, const llvm::Value& pointer,
             const llvm::Value& value) const {
    const auto place = place_of(pointer);
    const bool is_private = place && state.contains(place->root);
    if (is_private)
      for_each_target(state, value, [](const llvm::Value*, Object& object) { object.held = true; });
    else
      publish(state, value);
    const uint64_t bytes = accessed_bytes(instruction, layout_);
    write(state, pointer, bytes);
    if (!is_private || !llvm::isa<llvm::StoreInst>(instruction)) return;
    auto* constant = llvm::dyn_cast<llvm::Constant>(const_cast<llvm::Value*>(&value));
    if (constant == nullptr || !is_number(*constant)) return;
    state.at(place->root).content[place->offset] = {static_cast<int64_t>(bytes), constant};
  }

  void step(State& state, const llvm::Instruction& instruction) const {
    if (llvm::isa<llvm::AllocaInst>(instruction) ||
        (instruction.getType()->isPointerTy() && allocated_size(instruction))) {
      state[&instruction] = {};
      return;
    }
    if (const auto* i = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return store(state, *i, *i->getPointerOperand(), *i->getValueOperand());
    if (const auto* i = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return store(state, *i, *i->getPointerOperand(), *i->getValOperand());
    if (const auto* i = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      return store(state, *i, *i->getPointerOperand(), *i->getNewValOperand());
    const Effects effects = effects_of(instruction, layout_);
    if (effects.writes_anywhere) return state.clear();
    for (const Effects::Write& one : effects.writes) write(state, *one.pointer, one.bytes);
    if (llvm::isa<llvm::MemTransferInst>(instruction)) return publish_held(state);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return;
    if (effects.writes.empty() && !effects.starts_thread && call->getType()->isVoidTy()) return;
    for (const llvm::Value* argument : call->args()) publish(state, *argument);
  }

  llvm::Constant* known(const State& state, const llvm::LoadInst& load) const {
    const auto place = place_of(*load.getPointerOperand());
    if (!place || llvm::isStrongerThanMonotonic(load.getOrdering())) return nullptr;
    const auto object = state.find(place->root);
    if (object == state.end()) return nullptr;
    const auto found = object->second.content.find(place->offset);
    const auto bytes = static_cast<int64_t>(accessed_bytes(load, layout_));
    if (found == object->second.content.end() || found->second.bytes != bytes) return nullptr;
    // An access that is an error stays.
    if (static_cast<int64_t>(load.getAlign().value()) < bytes || place->offset % bytes != 0 ||
        lifetimes_.may_come_too_late(load))
      return nullptr;
    // An atomic pointer is loaded as a number.
    llvm::Constant* value =
        found->second.value->getType() == load.getType()
            ? found->second.value
            : llvm::ConstantFoldLoadFromConst(found->second.value, load.getType(), layout_);
    return value != nullptr && is_number(*value) ? value : nullptr;
  }

  const PointsTo& points_to_;
  const Lifetimes& lifetimes_;
  const llvm::DataLayout& layout_;
  std::vector<std::pair<llvm::LoadInst*, llvm::Constant*>> loads_;
};

}  // namespace

std::vector<std::pair<llvm::LoadInst*, llvm::Constant*>> private_loads(llvm::Function& function,
                                                                       const PointsTo& points_to,
                                                                       const Lifetimes& lifetimes,
                                                                       const llvm::DataLayout& layout) {
  if (has_partial_fence(function)) return {};
  return PrivateMemory(function, points_to, lifetimes, layout).take_loads();
}

}  // namespace fenceline::frontend::c
