// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/orders.h"

#include "frontend/c11.h"

namespace fenceline::frontend {
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

// The access itself has the order.
bool needs_no_fences(CompilationScheme mapping) {
  return mapping == CompilationScheme::kLanguage || mapping == CompilationScheme::kAcquireRelease;
}

}  // namespace

bool has_isync(MemoryOrder order, CompilationScheme mapping) {
  return mapping == CompilationScheme::kLeadingFences && acquires(order);
}

FencesAround around_load(MemoryOrder order, CompilationScheme mapping) {
  if (needs_no_fences(mapping)) return {};
  FencesAround fences;
  if (acquires(order) && !has_isync(order, mapping)) fences.after = kAcquire;
  if (order == MemoryOrder::kSeqCst && mapping != CompilationScheme::kFences)
    fences.before = FenceKinds::full();
  return fences;
}

FencesAround around_store(MemoryOrder order, CompilationScheme mapping) {
  if (needs_no_fences(mapping)) return {};
  FencesAround fences;
  if (releases(order)) fences.before = kRelease;
  if (order == MemoryOrder::kSeqCst) {
    // Between a seq_cst store and a later seq_cst load there is a fence, on one side of the pair.
    if (mapping == CompilationScheme::kLeadingFences) fences.before = FenceKinds::full();
    if (mapping == CompilationScheme::kFences) fences.after = FenceKinds::store_load();
  }
  return fences;
}

FencesAround around_rmw(MemoryOrder order, CompilationScheme mapping) {
  if (mapping == CompilationScheme::kLoadFences) return {};
  const FencesAround store = around_store(order, mapping), load = around_load(order, mapping);
  return {store.before | load.before, store.after | load.after};
}

FencesAround around_failure(MemoryOrder order, CompilationScheme mapping) {
  return mapping == CompilationScheme::kLoadFences ? FencesAround() : around_load(order, mapping);
}

AccessTags tags_of_load(MemoryOrder order, CompilationScheme mapping) {
  if (mapping == CompilationScheme::kLanguage) return {{c11_tag(order)}, {}};
  if (has_isync(order, mapping)) return {{kIsync}, {}};
  if (mapping != CompilationScheme::kAcquireRelease || !acquires(order)) return {};
  // LDAPR is enough to acquire. LDAR is not overtaken by an earlier STLR either.
  return {{order == MemoryOrder::kSeqCst ? "A" : "Q"}, {}};
}

AccessTags tags_of_store(MemoryOrder order, CompilationScheme mapping) {
  if (mapping == CompilationScheme::kLanguage) return {{c11_tag(order)}, {}};
  if (mapping != CompilationScheme::kAcquireRelease || !releases(order)) return {};
  return {{"L"}, {}};
}

AccessTags tags_of_rmw(MemoryOrder order, CompilationScheme mapping, bool pair) {
  if (mapping == CompilationScheme::kLanguage) return {{c11_tag(order)}, {c11_tag(order)}};
  if (has_isync(order, mapping)) return {{kIsync}, {}};
  const bool acquire = acquires(order), release = releases(order);
  AccessTags exclusive{{"EX"}, {"EX"}};
  // On ARM: a loop of LDAXR and STLXR, which orders less than the single instructions that newer processors
  // have.
  if (mapping == CompilationScheme::kAcquireRelease) {
    if (acquire) exclusive.tags.emplace_back("A");
    if (release) exclusive.write_tags.emplace_back("L");
    return exclusive;
  }
  if (mapping != CompilationScheme::kLoadFences) return {};
  // LR.aq and SC.rl; LR.aqrl if it is seq_cst.
  if (pair) {
    if (acquire) exclusive.tags.emplace_back(order == MemoryOrder::kSeqCst ? "AcqRel" : "Acq");
    if (release) exclusive.write_tags.emplace_back("Rel");
    return exclusive;
  }
  std::vector<std::string> amo{"X", "AMO"};
  if (acquire || release) amo.emplace_back(!release ? "Acq" : !acquire ? "Rel" : "AcqRel");
  return {amo, amo};
}

AccessTags tags_of_rmw(MemoryOrder order, CompilationScheme mapping, RmwInstruction instruction) {
  if (mapping != CompilationScheme::kAcquireRelease || instruction == RmwInstruction::kPair)
    return tags_of_rmw(order, mapping, instruction == RmwInstruction::kPair);
  // LDADDAL and its like. One whose result is dropped does not acquire.
  AccessTags single;
  if (instruction == RmwInstruction::kNoResult)
    single.tags.emplace_back("NoRet");
  else if (acquires(order))
    single.tags.emplace_back("A");
  if (releases(order)) single.write_tags.emplace_back("L");
  return single;
}

std::optional<MemoryOrder> c11_fence_of(FenceKinds kinds) {
  if (kinds.includes(FenceKinds::full())) return MemoryOrder::kSeqCst;
  const bool acquires = kinds.includes(kAcquire), releases = kinds.includes(kRelease);
  if (acquires && releases) return MemoryOrder::kAcqRel;
  if (acquires) return MemoryOrder::kAcquire;
  if (releases) return MemoryOrder::kRelease;
  return std::nullopt;
}

}  // namespace fenceline::frontend
