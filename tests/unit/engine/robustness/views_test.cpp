// SPDX-License-Identifier: GPL-3.0-or-later
//
// One small execution for each rule of views.h: what is known afterwards, and what is not. Then random executions: packing
// replaces numbers by ranks, which must change no answer.
#include "engine/robustness/views.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "frontend/fl/fl.h"
#include "machine/transition_system.h"

namespace fenceline::robustness {
namespace {

constexpr ReadStrength kRelaxedRead{}, kAcquire{true, false}, kSequentialRead{true, true};
constexpr WriteStrength kRelaxedWrite{}, kRelease{true, false}, kSequentialWrite{true, true};
constexpr FenceStrength kAcquireFence{true, false, false}, kReleaseFence{false, true, false},
    kFullFence{true, true, true};
constexpr size_t kX = 0, kY = 1, kD = 2;

// Three threads that do everything to x and y, with fences and seq_cst accesses; d is not atomic.
Program program() {
  std::string text = "shared int x, y, d;\n";
  for (const char* name : {"P", "Q", "R"})
    text += "thread " + std::string(name) + " { int r; r = x; x = 1; fence; r = y; y = 1; r = d; d = 1; }\n";
  Program program = frontend::parse_fl({"test.fl", text + "property p: finally (true);\n"});
  for (Thread& thread : program.threads) {
    size_t n = 0;
    for (Instruction& i : thread.code)
      if (i.is_memory_access()) i.tags = {n++ < 4 ? "SC" : "NA"};
    // Not a program whose atomic accesses are all seq_cst.
    thread.code.front().tags = {"RLX"};
  }
  return program;
}

class ViewsTest : public testing::Test {
 protected:
  void write(size_t thread, size_t cell, const WriteStrength& strength = kRelaxedWrite,
             Replaces replaces = Replaces::kAny) {
    views.write(thread, cell, true, strength, replaces);
  }
  void read(size_t thread, size_t cell, const ReadStrength& strength = kRelaxedRead) {
    views.read(thread, cell, true, strength);
  }
  bool older(size_t thread, size_t cell, bool sequential = false) const {
    return views.may_read_older(thread, cell, sequential);
  }

  const Program tested = program();
  const FenceSet no_fences = {};
  const Overlay overlay{tested, no_fences};
  const SharedCells cells{overlay};
  Views views{cells};
};

TEST_F(ViewsTest, StoreBuffering) {
  write(0, kX);
  read(0, kY);
  EXPECT_FALSE(older(1, kX));  // on SC, too: it may come first
  write(1, kY);
  EXPECT_TRUE(older(1, kX));
  read(1, kX);
  EXPECT_FALSE(older(1, kX));  // coherence
}

TEST_F(ViewsTest, StoreBufferingBySequentialAccesses) {
  write(0, kX, kSequentialWrite);
  read(0, kY, kSequentialRead);
  write(1, kY, kSequentialWrite);
  EXPECT_FALSE(older(1, kX, true));
  EXPECT_TRUE(older(1, kX, false));
}

TEST_F(ViewsTest, OneSequentialThreadIsNotEnough) {
  write(0, kX, kRelease);
  read(0, kY, kSequentialRead);
  write(1, kY, kSequentialWrite);
  EXPECT_TRUE(older(1, kX, true));
}

TEST_F(ViewsTest, StoreBufferingByFences) {
  write(0, kX);
  views.fence(0, kFullFence);
  read(0, kY);
  write(1, kY);
  EXPECT_TRUE(older(1, kX));  // a fence in one thread is not enough
  views.fence(1, kReleaseFence);
  EXPECT_TRUE(older(1, kX));
  views.fence(1, kFullFence);
  EXPECT_FALSE(older(1, kX));
}

TEST_F(ViewsTest, WeakerFencesAreInNoOrder) {
  write(0, kX);
  views.fence(0, {true, true, false});
  read(0, kY);
  write(1, kY);
  views.fence(1, kFullFence);
  EXPECT_TRUE(older(1, kX));
}

TEST_F(ViewsTest, AFenceIsOfNoUseToTheSequentialAccessesOfOthers) {
  write(0, kX);
  views.fence(0, kFullFence);
  read(0, kY);
  write(1, kY, kSequentialWrite);
  EXPECT_TRUE(older(1, kX, true));
}

TEST_F(ViewsTest, MessagePassing) {
  write(0, kX);
  write(0, kY, kRelease);
  read(1, kY, kAcquire);
  EXPECT_FALSE(older(1, kX));
  read(2, kY);
  EXPECT_TRUE(older(2, kX));
  views.fence(2, kReleaseFence);
  EXPECT_TRUE(older(2, kX));
  views.fence(2, kAcquireFence);
  EXPECT_FALSE(older(2, kX));
}

TEST_F(ViewsTest, ARelaxedWriteReleasesWhatWasKnownAtTheFence) {
  views.fence(0, kReleaseFence);
  write(0, kX);
  write(0, kY);
  read(1, kY, kAcquire);
  EXPECT_TRUE(older(1, kX));  // the fence came too early
  views.fence(0, kReleaseFence);
  write(0, kY);
  read(1, kY, kAcquire);
  EXPECT_FALSE(older(1, kX));
}

TEST_F(ViewsTest, AnAcquireFenceDoesNotRelease) {
  write(0, kX);
  views.fence(0, kAcquireFence);
  write(0, kY);
  read(1, kY, kAcquire);
  EXPECT_TRUE(older(1, kX));
}

TEST_F(ViewsTest, ReleaseSequences) {
  for (const Replaces replaces : {Replaces::kInSequence, Replaces::kAtomically, Replaces::kAny}) {
    views.reset();
    write(0, kX);
    write(0, kY, kRelease);
    read(1, kY);
    write(1, kY, kRelaxedWrite, replaces);
    read(2, kY, kAcquire);
    EXPECT_EQ(older(2, kX), replaces != Replaces::kInSequence);
  }
}

TEST_F(ViewsTest, AccessesThatAreNotAtomicDoNotSynchronise) {
  write(0, kX);
  views.write(0, kY, false, kRelease, Replaces::kAny);
  read(1, kY, kAcquire);
  EXPECT_TRUE(older(1, kX));
  views.reset();
  write(0, kX);
  write(0, kY, kRelease);
  views.read(1, kY, false, kAcquire);
  EXPECT_TRUE(older(1, kX));
}

TEST_F(ViewsTest, WritesMayBeEarlierButNotInsideOfAReadModifyWrite) {
  for (const Replaces replaces : {Replaces::kAny, Replaces::kAtomically, Replaces::kInSequence}) {
    views.reset();
    write(0, kX, kRelaxedWrite, replaces);
    write(0, kY);
    write(1, kY);
    EXPECT_EQ(views.may_write_earlier(1, kX, false), replaces == Replaces::kAny);
    EXPECT_TRUE(older(1, kX));
  }
}

TEST_F(ViewsTest, ASequentialReadOfAnotherWriteIsBehindNothing) {
  write(0, kX, kSequentialWrite);
  write(0, kY, kSequentialWrite);
  write(1, kY);  // not seq_cst
  read(2, kY, kSequentialRead);
  EXPECT_TRUE(older(2, kX, true));
  write(1, kY, kSequentialWrite);
  read(2, kY, kSequentialRead);
  EXPECT_FALSE(older(2, kX, true));
}

TEST_F(ViewsTest, WhatWasReadIsBeforeItIsOverwritten) {
  write(0, kX);
  read(1, kX);
  read(1, kY);
  write(2, kY);  // behind the read by fr
  EXPECT_TRUE(older(2, kX));
}

TEST_F(ViewsTest, Races) {
  EXPECT_FALSE(views.races(1, kD, AccessKind::kPlainWrite));
  views.write(0, kD, false, kRelaxedWrite, Replaces::kAny);
  views.tick(0, kD, AccessKind::kPlainWrite);
  EXPECT_FALSE(views.races(0, kD, AccessKind::kPlainWrite));  // its own
  EXPECT_TRUE(views.races(1, kD, AccessKind::kPlainRead));
  write(0, kY, kRelease);
  read(1, kY, kAcquire);
  EXPECT_FALSE(views.races(1, kD, AccessKind::kPlainRead));
  EXPECT_TRUE(views.races(2, kD, AccessKind::kPlainRead));
  views.tick(1, kD, AccessKind::kPlainRead);
  EXPECT_TRUE(views.races(0, kD, AccessKind::kPlainWrite));
  EXPECT_FALSE(views.races(0, kD, AccessKind::kPlainRead));  // two reads
  EXPECT_TRUE(views.races(2, kD, AccessKind::kPlainRead));   // the write is still there
}

TEST_F(ViewsTest, WhoKnowsAnAccessDoesNotKnowTheNext) {
  views.tick(0, kD, AccessKind::kPlainWrite);
  write(0, kY, kRelease);
  read(1, kY, kAcquire);
  EXPECT_FALSE(views.races(1, kD, AccessKind::kPlainRead));
  views.tick(0, kD, AccessKind::kPlainWrite);
  EXPECT_TRUE(views.races(1, kD, AccessKind::kPlainRead));
  read(1, kY, kAcquire);  // the old message
  EXPECT_TRUE(views.races(1, kD, AccessKind::kPlainRead));
}

// What a thread may do, as bits.
uint64_t answers(const Views& views) {
  uint64_t all = 0;
  for (size_t t = 0; t < 3; ++t) {
    for (const size_t cell : {kX, kY})
      for (const bool sequential : {false, true}) {
        all = all * 2 + (views.may_read_older(t, cell, sequential) ? 1 : 0);
        all = all * 2 + (views.may_write_earlier(t, cell, sequential) ? 1 : 0);
      }
    for (const AccessKind kind : {AccessKind::kPlainRead, AccessKind::kPlainWrite})
      all = all * 2 + (views.races(t, kD, kind) ? 1 : 0);
  }
  return all;
}

void random_step(Rng& rng, Views& views) {
  const size_t thread = rng.below(3), cell = rng.below(2);
  const bool sequential = rng.chance(30);
  const ReadStrength read{rng.chance(50) || sequential, sequential};
  const WriteStrength write{rng.chance(50) || sequential, sequential};
  switch (rng.below(8)) {
    case 0:
    case 1:
      return views.read(thread, cell, true, read);
    case 2:
    case 3:
      return views.write(thread, cell, true, write, Replaces::kAny);
    case 4:
    case 5:
      views.read(thread, cell, true, read);
      return views.write(thread, cell, true, write, Replaces::kInSequence);
    case 6: {
      const bool full = rng.chance(50);
      return views.fence(thread, {rng.chance(50) || full, rng.chance(50) || full, full});
    }
    default:
      return views.tick(thread, kD, rng.chance(50) ? AccessKind::kPlainRead : AccessKind::kPlainWrite);
  }
}

TEST_F(ViewsTest, PackingChangesNoAnswer) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Views packed(cells);
    views.reset();
    machine::KeptState kept;
    BitWriter writer;
    Rng one(seed), same(seed), when(seed + 1);
    for (int step = 0; step < 60; ++step) {
      random_step(one, views);
      random_step(same, packed);
      ASSERT_EQ(answers(views), answers(packed)) << "seed " << seed << ", step " << step;
      if (!when.chance(60)) continue;
      writer.reset();
      packed.pack(writer);
      machine::KeptState next(writer.finish());
      packed.unpack(next.packed().data());
      kept = std::move(next);  // what was unpacked lies there
      ASSERT_EQ(answers(views), answers(packed)) << "seed " << seed << ", packed in step " << step;
    }
  }
}

TEST_F(ViewsTest, RestoringUndoesWhatHappened) {
  write(0, kX);
  write(0, kY);
  write(1, kY);
  BitWriter writer;
  views.pack(writer);
  const machine::KeptState kept(writer.finish());
  views.unpack(kept.packed().data());
  const uint64_t before = answers(views);
  read(1, kX);
  write(2, kX, kRelease);
  views.tick(2, kD, AccessKind::kPlainWrite);
  EXPECT_NE(answers(views), before);
  views.restore();
  EXPECT_EQ(answers(views), before);
}

}  // namespace
}  // namespace fenceline::robustness
