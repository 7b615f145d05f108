// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/orders.h"

namespace fenceline {
namespace {

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::kConsume || order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel ||
         order == MemoryOrder::kSeqCst;
}

bool releases(MemoryOrder order) {
  return order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel || order == MemoryOrder::kSeqCst;
}

constexpr FenceKinds kAcquire = FenceKinds::load_load() | FenceKinds::load_store();
constexpr FenceKinds kRelease = FenceKinds::load_store() | FenceKinds::store_store();

}  // namespace

FencesAround around_load(MemoryOrder order, OrderMapping mapping) {
  if (mapping == OrderMapping::kNames) return {};
  FencesAround fences;
  if (acquires(order)) fences.after = kAcquire;
  if (order == MemoryOrder::kSeqCst && mapping == OrderMapping::kLeadingFences)
    fences.before = FenceKinds::full();
  return fences;
}

FencesAround around_store(MemoryOrder order, OrderMapping mapping) {
  if (mapping == OrderMapping::kNames) return {};
  FencesAround fences;
  if (releases(order)) fences.before = kRelease;
  if (order == MemoryOrder::kSeqCst) {
    // Between a seq_cst store and a later seq_cst load stands a fence, on one side of the pair.
    if (mapping == OrderMapping::kLeadingFences)
      fences.before = FenceKinds::full();
    else
      fences.after = FenceKinds::store_load();
  }
  return fences;
}

FencesAround around_rmw(MemoryOrder order, OrderMapping mapping) {
  if (mapping == OrderMapping::kNames) return {};
  const FencesAround store = around_store(order, mapping), load = around_load(order, mapping);
  return {store.before | load.before, store.after | load.after};
}

}  // namespace fenceline
