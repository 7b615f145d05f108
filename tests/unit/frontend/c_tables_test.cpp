// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables of the C front end: assembly, kinds of fences, memory orders.
#include <gtest/gtest.h>

#include "frontend/c/assembly.h"
#include "frontend/c/orders.h"

namespace fenceline::frontend {

void PrintTo(FenceKinds kinds, std::ostream* out) {
  *out << to_string(kinds) << " (" << int{kinds.bits()} << ")";
}

namespace c {
namespace {

constexpr FenceKinds kNone, kFull = FenceKinds::full(), kLoadLoad = FenceKinds::load_load(),
                            kLoadStore = FenceKinds::load_store(), kStoreLoad = FenceKinds::store_load(),
                            kStoreStore = FenceKinds::store_store();

TEST(CAssembly, Fences) {
  const std::vector<std::pair<const char*, FenceKinds>> known = {
      {"", kNone},
      {"  \n\t", kNone},
      {"# only a comment", kNone},
      {"pause", kNone},
      {"rep; nop", kNone},
      {"mfence", kFull},
      {" MFENCE\n", kFull},
      {"mfence;", kFull},
      {"lfence", kLoadLoad | kLoadStore},
      {"sfence", kStoreStore},
      {"lfence; sfence", kLoadLoad | kLoadStore | kStoreStore},
      {"lock; addl $$0,0(%rsp)", kFull},
      {"lock; addl $0, 0(%esp)", kFull},
      {"lock addq $$0,-8(%%rsp)", kFull},
      {"lock; orl $$0,(%rsp)", kFull},
      {"dmb ish", kFull},
      {"dmb sy", kFull},
      {"dmb ishst", kStoreStore},
      {"dmb ishld", kLoadLoad | kLoadStore},
      {"dsb  sy", kFull},
      {"sync", kFull},
      {"lwsync", kLoadLoad | kLoadStore | kStoreStore},
      {"eieio", kStoreStore},
      {"fence", kFull},
      {"fence rw,rw", kFull},
      {"fence r, rw", kLoadLoad | kLoadStore},
      {"fence rw,w", kLoadStore | kStoreStore},
      {"fence w,w", kStoreStore},
      {"fence r,r", kLoadLoad},
      {"membar #LoadLoad|#StoreStore", kLoadLoad | kStoreStore},
      {"membar #StoreLoad", kStoreLoad},
  };
  for (const auto& [text, kinds] : known) EXPECT_EQ(assembly_fence(text), kinds) << text;
}

TEST(CAssembly, WhatDoesMoreIsNotAFence) {
  for (const char* text :
       {"rdtsc", "movl $$1, %eax", "mfence; movl $$1, x", "mfence\nmovl $$1, x", "lock; cmpxchg %0, %1",
        "lock; addl $$1,0(%rsp)", "lock; addl $$0,x", "lock; addl $$0,0(%rsp); movl $$1, x",
        "lock; addl $$0,0(%rsp)\nmovl $$1, x", "lock; xaddl $$0,0(%rsp)", "lock; orl $$01,0(%rsp)", "lock",
        "lock;", "lock; add", "dmb what", "fence x,y", "membar #Sync", "isync", "isb"}) {
    EXPECT_EQ(assembly_fence(text), std::nullopt) << text;
  }
}

TEST(CAssembly, KindsOfFences) {
  EXPECT_EQ(fence_kinds_of("load-load"), kLoadLoad);
  EXPECT_EQ(fence_kinds_of("load-store"), kLoadStore);
  EXPECT_EQ(fence_kinds_of("store-load"), kStoreLoad);
  EXPECT_EQ(fence_kinds_of("store-store"), kStoreStore);
  EXPECT_EQ(fence_kinds_of("store-store,load-store ,  load-load"), kStoreStore | kLoadStore | kLoadLoad);
  EXPECT_EQ(fence_kinds_of("full"), kFull);
  for (const char* text : {"", ",", "full,", "store", "store-all", "Full", "load-load store-store"})
    EXPECT_EQ(fence_kinds_of(text), std::nullopt) << text;
}

TEST(COrders, Table) {
  using enum MemoryOrder;
  constexpr FenceKinds kAcquires = kLoadLoad | kLoadStore, kReleases = kLoadStore | kStoreStore;
  struct Row {
    MemoryOrder order;
    FencesAround load, store, rmw;     // kFences
    FencesAround load2, store2, rmw2;  // kLeadingFences, and what acquires without its isync
  };
  const std::vector<Row> rows = {
      {kPlain, {}, {}, {}, {}, {}, {}},
      {kRelaxed, {}, {}, {}, {}, {}, {}},
      {kAcquire, {{}, kAcquires}, {}, {{}, kAcquires}, {}, {}, {}},
      {kConsume, {{}, kAcquires}, {}, {{}, kAcquires}, {}, {}, {}},
      {kRelease, {}, {kReleases, {}}, {kReleases, {}}, {}, {kReleases, {}}, {kReleases, {}}},
      {kAcqRel,
       {{}, kAcquires},
       {kReleases, {}},
       {kReleases, kAcquires},
       {},
       {kReleases, {}},
       {kReleases, {}}},
      {kSeqCst,
       {{}, kAcquires},
       {kReleases, kStoreLoad},
       {kReleases, kAcquires | kStoreLoad},
       {kFull, {}},
       {kFull, {}},
       {kFull, {}}},
  };
  const auto same = [](FencesAround got, FencesAround wanted, int order, const char* what) {
    EXPECT_EQ(got.before, wanted.before) << what << " " << order;
    EXPECT_EQ(got.after, wanted.after) << what << " " << order;
  };
  for (const Row& row : rows) {
    const int order = static_cast<int>(row.order);
    same(around_load(row.order, CompilationScheme::kFences), row.load, order, "load");
    same(around_store(row.order, CompilationScheme::kFences), row.store, order, "store");
    same(around_rmw(row.order, CompilationScheme::kFences), row.rmw, order, "rmw");
    same(around_load(row.order, CompilationScheme::kLeadingFences), row.load2, order, "load behind a fence");
    same(around_store(row.order, CompilationScheme::kLeadingFences), row.store2, order,
         "store behind a fence");
    same(around_rmw(row.order, CompilationScheme::kLeadingFences), row.rmw2, order, "rmw behind a fence");
    // The full fence is before loads only.
    same(around_load(row.order, CompilationScheme::kLoadFences), {row.load2.before, row.load.after}, order,
         "load of RISC-V");
    same(around_store(row.order, CompilationScheme::kLoadFences), {row.store.before, {}}, order,
         "store of RISC-V");
    same(around_rmw(row.order, CompilationScheme::kLoadFences), {}, order, "rmw of RISC-V");
    same(around_load(row.order, CompilationScheme::kAcquireRelease), {}, order, "load of ARM");
    same(around_store(row.order, CompilationScheme::kAcquireRelease), {}, order, "store of ARM");
    same(around_rmw(row.order, CompilationScheme::kAcquireRelease), {}, order, "rmw of ARM");
    for (const CompilationScheme mapping : {CompilationScheme::kFences, CompilationScheme::kLeadingFences})
      same(around_failure(row.order, mapping), around_load(row.order, mapping), order, "exchange that fails");
    same(around_failure(row.order, CompilationScheme::kLoadFences), {}, order, "lr of RISC-V");
    same(around_load(row.order, CompilationScheme::kLanguage), {}, order, "named load");
    same(around_store(row.order, CompilationScheme::kLanguage), {}, order, "named store");
    same(around_rmw(row.order, CompilationScheme::kLanguage), {}, order, "named rmw");
  }
}

TEST(COrders, Tags) {
  using enum MemoryOrder;
  using Tags = std::vector<std::string>;
  struct Row {
    MemoryOrder order;
    const char* name;
    Tags load, store, rmw_read, rmw_write;  // kAcquireRelease
    Tags single, pair_read, pair_write;     // kLoadFences
  };
  const Tags none, ex{"EX"}, amo{"X", "AMO"}, isync{"ISYNC"};
  const auto acquires = [&](const Row& row) { return row.load != none; };
  const auto with = [](Tags tags, const char* more) {
    tags.emplace_back(more);
    return tags;
  };
  const std::vector<Row> rows = {
      {kPlain, "NA", none, none, ex, ex, amo, ex, ex},
      {kRelaxed, "RLX", none, none, ex, ex, amo, ex, ex},
      {kConsume, "CON", {"Q"}, none, with(ex, "A"), ex, with(amo, "Acq"), with(ex, "Acq"), ex},
      {kAcquire, "ACQ", {"Q"}, none, with(ex, "A"), ex, with(amo, "Acq"), with(ex, "Acq"), ex},
      {kRelease, "REL", none, {"L"}, ex, with(ex, "L"), with(amo, "Rel"), ex, with(ex, "Rel")},
      {kAcqRel,
       "ACQ_REL",
       {"Q"},
       {"L"},
       with(ex, "A"),
       with(ex, "L"),
       with(amo, "AcqRel"),
       with(ex, "Acq"),
       with(ex, "Rel")},
      {kSeqCst,
       "SC",
       {"A"},
       {"L"},
       with(ex, "A"),
       with(ex, "L"),
       with(amo, "AcqRel"),
       with(ex, "AcqRel"),
       with(ex, "Rel")},
  };
  for (const Row& row : rows) {
    const auto same = [&](const AccessTags& got, const Tags& tags, const Tags& write_tags) {
      EXPECT_EQ(got.tags, tags) << row.name;
      EXPECT_EQ(got.write_tags, write_tags) << row.name;
    };
    same(tags_of_load(row.order, CompilationScheme::kAcquireRelease), row.load, none);
    same(tags_of_store(row.order, CompilationScheme::kAcquireRelease), row.store, none);
    same(tags_of_load(row.order, CompilationScheme::kLanguage), {row.name}, none);
    same(tags_of_store(row.order, CompilationScheme::kLanguage), {row.name}, none);
    for (const bool pair : {false, true}) {
      same(tags_of_rmw(row.order, CompilationScheme::kAcquireRelease, pair), row.rmw_read, row.rmw_write);
      same(tags_of_rmw(row.order, CompilationScheme::kLanguage, pair), {row.name}, {row.name});
      same(tags_of_rmw(row.order, CompilationScheme::kFences, pair), none, none);
      same(tags_of_rmw(row.order, CompilationScheme::kLeadingFences, pair), acquires(row) ? isync : none,
           none);
    }
    same(tags_of_rmw(row.order, CompilationScheme::kLoadFences, false), row.single, row.single);
    same(tags_of_rmw(row.order, CompilationScheme::kLoadFences, true), row.pair_read, row.pair_write);
    EXPECT_EQ(has_isync(row.order, CompilationScheme::kLeadingFences), acquires(row)) << row.name;
    EXPECT_FALSE(has_isync(row.order, CompilationScheme::kLoadFences)) << row.name;
    for (const CompilationScheme fences :
         {CompilationScheme::kFences, CompilationScheme::kLoadFences, CompilationScheme::kLeadingFences}) {
      const bool is_power = fences == CompilationScheme::kLeadingFences;
      same(tags_of_load(row.order, fences), is_power && acquires(row) ? isync : none, none);
      same(tags_of_store(row.order, fences), none, none);
    }
  }
}

}  // namespace
}  // namespace c
}  // namespace fenceline::frontend
