// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/copied_constants.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <set>

#include "frontend/c/cells.h"
#include "frontend/c/effects.h"
#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kMostBits = 64;

// Stores of one copy, each behind the one before it: in memory, and in the program.
struct Run {
  std::vector<llvm::StoreInst*> stores;
  const llvm::Value* base = nullptr;
  int64_t end = 0;  // the distance from the base
  uint64_t bits = 0;
};

struct Place {
  const llvm::Value* base;
  int64_t offset;
};

Place place_of(const llvm::StoreInst& store) {
  const llvm::DataLayout& layout = store.getModule()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* base =
      store.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue()};
}

// A store of a number that a copy may have been made of; null if it is none.
llvm::StoreInst* constant_store(llvm::Instruction& instruction) {
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  if (store == nullptr || store->isAtomic() || Opaque::origin(instruction) == 0) return nullptr;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
  return number != nullptr && number->getBitWidth() % 8 == 0 ? store : nullptr;
}

bool continues(const Run& run, const llvm::StoreInst& store) {
  const Place place = place_of(store);
  return !run.stores.empty() && place.base == run.base && place.offset == run.end &&
         Opaque::origin(store) == Opaque::origin(*run.stores.front());
}

std::vector<Run> runs_of(llvm::Function& function) {
  std::vector<Run> runs;
  for (llvm::BasicBlock& block : function) {
    Run run;
    const auto end_run = [&] {
      const bool is_number = run.bits <= kMostBits && llvm::isPowerOf2_64(run.bits);
      if (run.stores.size() > 1 && is_number && !follows_start(*run.stores.front())) runs.push_back(run);
      run = {};
    };
    for (llvm::Instruction& instruction : block) {
      if (!instruction.mayReadOrWriteMemory()) continue;
      llvm::StoreInst* store = constant_store(instruction);
      if (store == nullptr || !continues(run, *store)) end_run();
      if (store == nullptr) continue;
      const unsigned bits = store->getValueOperand()->getType()->getIntegerBitWidth();
      const Place place = place_of(*store);
      run.stores.push_back(store);
      run.base = place.base;
      run.end = place.offset + bits / 8;
      run.bits += bits;
    }
    end_run();
  }
  return runs;
}

void join(const Run& run) {
  llvm::StoreInst& first = *run.stores.front();
  llvm::APInt whole(static_cast<unsigned>(run.bits), 0);
  unsigned at = 0;
  for (const llvm::StoreInst* store : run.stores) {
    const llvm::APInt& part = llvm::cast<llvm::ConstantInt>(store->getValueOperand())->getValue();
    whole.insertBits(part, at);
    at += part.getBitWidth();
  }
  auto* joined = llvm::cast<llvm::StoreInst>(first.clone());
  joined->setOperand(0, llvm::ConstantInt::get(first.getContext(), whole));
  joined->insertBefore(first.getIterator());
  for (llvm::StoreInst* store : run.stores) store->eraseFromParent();
}

}  // namespace

bool join_copied_constants(const std::vector<llvm::Function*>& before,
                           const std::vector<const llvm::Function*>& functions, const PointsTo& points_to) {
  std::vector<Run> runs;
  for (llvm::Function* function : before) {
    std::vector<Run> more = runs_of(*function);
    std::move(more.begin(), more.end(), std::back_inserter(runs));
    // What a constructor starts runs beside all that comes next.
    if (std::ranges::any_of(llvm::instructions(*function), [](const llvm::Instruction& instruction) {
          return effects_of(instruction, instruction.getModule()->getDataLayout()).starts_thread;
        }))
      break;
  }
  if (runs.empty()) return false;
  std::set<const llvm::Instruction*> stores;
  for (const Run& run : runs) stores.insert(run.stores.begin(), run.stores.end());
  const Cells cells(functions, points_to, functions.front()->getParent()->getDataLayout(), false, stores);
  bool joined = false;
  for (const Run& run : runs) {
    if (!cells.is_one_cell(points_to.of(*run.stores.front()->getPointerOperand()), run.bits / 8)) continue;
    join(run);
    joined = true;
  }
  return joined;
}

}  // namespace fenceline::frontend::c
