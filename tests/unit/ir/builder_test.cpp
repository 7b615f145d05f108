// SPDX-License-Identifier: GPL-3.0-or-later
//
// The builder's promises: labels work forwards and backwards, jumps leave no trace, unreachable code is gone,
// loops without instructions survive as a node, and constants fold only where no error can get lost.
#include "ir/builder.h"

#include <gtest/gtest.h>

#include <limits>

#include "env/errors.h"
#include "ir/verify/verify.h"

namespace fenceline {
namespace {

constexpr SourcePos kPos{1, 1};

std::vector<InstrKind> kinds(const Thread& thread) {
  std::vector<InstrKind> result;
  for (const Instruction& instruction : thread.code) result.push_back(instruction.kind);
  return result;
}

TEST(Builder, StraightLineEndsInHalt) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, kPos);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r");
  t.load({r}, {x, b.constant(0)}, kPos);
  t.store({x, b.constant(0)}, b.binary(ExprOp::kAdd, b.reg(r), b.constant(1)), kPos);
  const Program p = b.finish();
  using enum InstrKind;
  EXPECT_EQ(kinds(p.threads[0]), (std::vector{kLoad, kStore, kHalt}));
  EXPECT_EQ(p.threads[0].at(Point(0)).next, std::vector{Point(1)});
  EXPECT_EQ(p.threads[0].at(Point(1)).next, std::vector{Point(2)});
  EXPECT_EQ(p.cell_count, 1u);
}

TEST(Builder, EmptyThreadIsJustHalt) {
  ProgramBuilder b({"t.fl", ""});
  b.thread("P", kPos);
  const Program p = b.finish();
  EXPECT_EQ(kinds(p.threads[0]), std::vector{InstrKind::kHalt});
}

TEST(Builder, EndlessEmptyLoopBecomesOneNode) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const auto loop = t.label();
  t.bind(loop);
  t.jump(loop);
  const Program p = b.finish();
  ASSERT_EQ(kinds(p.threads[0]), std::vector{InstrKind::kMark});
  EXPECT_EQ(p.threads[0].at(Point(0)).next, std::vector{Point(0)});
  EXPECT_EQ(p.threads[0].at(Point(0)).label, "");
}

TEST(Builder, CircleOfJumpsThroughSeveralLabels) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const auto one = t.label(), two = t.label(), three = t.label();
  t.fence(FenceKinds::full(), kPos);
  t.bind(one);
  t.jump(two);
  t.bind(three);
  t.jump(one);
  t.bind(two);
  t.jump(three);
  t.jump(one);  // dead, and harmless
  const Program p = b.finish();
  using enum InstrKind;
  ASSERT_EQ(kinds(p.threads[0]), (std::vector{kFence, kMark}));
  EXPECT_EQ(p.threads[0].at(Point(0)).next, std::vector{Point(1)});
  EXPECT_EQ(p.threads[0].at(Point(1)).next, std::vector{Point(1)});
}

TEST(Builder, JumpChainsAreThreaded) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r");
  const auto yes = t.label(), no = t.label(), middle = t.label(), out = t.label();
  t.branch(b.reg(r), yes, no, kPos);
  t.bind(yes);
  t.jump(middle);
  t.assign({r}, b.constant(7), kPos);  // dead
  t.bind(no);
  t.bind(middle);
  t.jump(out);
  t.fence(FenceKinds::full(), kPos);  // dead
  t.bind(out);
  const Program p = b.finish();
  using enum InstrKind;
  ASSERT_EQ(kinds(p.threads[0]), (std::vector{kBranch, kHalt}));
  EXPECT_EQ(p.threads[0].at(Point(0)).next, (std::vector{Point(1), Point(1)}));
}

TEST(Builder, EntryMayBeAJump) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const auto start = t.label(), back = t.label();
  t.jump(start);
  t.bind(back);
  t.fence(FenceKinds::store_store(), kPos);
  t.bind(start);
  t.fence(FenceKinds::full(), kPos);
  t.jump(back);
  const Program p = b.finish();
  EXPECT_EQ(p.threads[0].entry, Point(1));
  EXPECT_EQ(p.threads[0].at(Point(1)).next, std::vector{Point(0)});
  EXPECT_EQ(p.threads[0].code.size(), 2u);
}

TEST(Builder, DroppedMarksBecomeFalse) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  t.fence(FenceKinds::full(), kPos);
  const auto seen = t.mark("cs", kPos);
  t.halt(kPos);
  t.fence(FenceKinds::full(), kPos);
  const auto dead = t.mark("dead", kPos);
  const auto dead_spin = t.label();
  t.bind(dead_spin);
  t.jump(dead_spin);
  const ExprId at_seen = b.at(t.id(), seen), at_dead = b.at(t.id(), dead), at_spin = b.at(t.id(), dead_spin);
  const Program p = b.finish();
  EXPECT_EQ(p.expr(at_seen).op, ExprOp::kAt);
  EXPECT_EQ(p.threads[0].at(p.expr(at_seen).point).label, "cs");
  for (const ExprId gone : {at_dead, at_spin}) {
    EXPECT_EQ(p.expr(gone).op, ExprOp::kConst);
    EXPECT_EQ(p.expr(gone).imm, 0);
  }
  EXPECT_EQ(p.threads[0].code.size(), 3u);
}

TEST(Builder, MisuseIsABug) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const auto label = t.label();
  t.bind(label);
  EXPECT_THROW(t.bind(label), Bug);
  t.jump(t.label());
  EXPECT_THROW(b.finish(), Bug);  // never bound
}

TEST(Builder, LabelsNeverBoundMatterOnlyWhenReached) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  t.halt(kPos);
  t.branch(b.constant(1), t.label(), t.label(), kPos);
  EXPECT_EQ(b.finish().threads[0].code.size(), 1u);
}

TEST(Builder, FoldsConstantsButNoErrors) {
  ProgramBuilder b({"t.fl", ""});
  constexpr Value kMin = std::numeric_limits<Value>::min(), kMax = std::numeric_limits<Value>::max();
  const auto fold = [&](ExprOp op, Value x, Value y) {
    return b.constant_value(b.binary(op, b.constant(x), b.constant(y)));
  };
  EXPECT_EQ(fold(ExprOp::kAdd, 2, 3), 5);
  EXPECT_EQ(fold(ExprOp::kDiv, -7, 2), -3);
  EXPECT_EQ(fold(ExprOp::kDiv, 1, 0), std::nullopt);
  EXPECT_EQ(fold(ExprOp::kMod, 1, 0), std::nullopt);
  EXPECT_EQ(fold(ExprOp::kAdd, kMax, 1), std::nullopt);
  EXPECT_EQ(fold(ExprOp::kShl, 1, -1), std::nullopt);
  EXPECT_EQ(b.constant_value(b.unary(ExprOp::kNeg, b.constant(kMin))), std::nullopt);
  EXPECT_EQ(b.constant_value(b.unary(ExprOp::kNot, b.constant(4))), 0);

  const ExprId bad = b.binary(ExprOp::kDiv, b.constant(1), b.constant(0));
  EXPECT_EQ(b.constant_value(b.binary(ExprOp::kAnd, b.constant(0), bad)), 0);
  EXPECT_EQ(b.constant_value(b.binary(ExprOp::kOr, b.constant(3), bad)), 1);
  EXPECT_EQ(b.constant_value(b.binary(ExprOp::kAnd, bad, b.constant(0))), std::nullopt);
  EXPECT_EQ(b.constant_value(b.select(b.constant(0), bad, b.constant(9))), 9);
}

TEST(Builder, CellsAndRegistersAreNumbered) {
  ProgramBuilder b({"t.fl", ""});
  b.object("a", {1, 2, 3}, Range{0, 5}, kPos, true);
  b.object("x", {4}, std::nullopt, kPos);
  ThreadBuilder& t = b.thread("P", kPos);
  EXPECT_EQ(t.reg_array("l", {0, 0}), RegId(0));
  EXPECT_EQ(t.temp(), RegId(2));
  const Program p = b.finish();
  EXPECT_EQ(p.cell_count, 4u);
  EXPECT_EQ(p.objects[1].first_cell, CellId(3));
  EXPECT_EQ(p.cell_name(CellId(1)), "a[1]");
  EXPECT_EQ(p.cell_name(CellId(3)), "x");
  EXPECT_EQ(p.object_of(CellId(2)), ObjectId(0));
  EXPECT_THROW(p.object_of(CellId(4)), Bug);
  EXPECT_EQ(p.initial_memory(), (std::vector<Value>{1, 2, 3, 4}));
  EXPECT_EQ(p.threads[0].registers[1].name, "l[1]");
  EXPECT_EQ(p.threads[0].registers[2].name, "%0");
  EXPECT_TRUE(p.threads[0].registers[2].temporary);
}

TEST(Builder, WrapFoldsWhatChangesNothing) {
  ProgramBuilder b({"t", ""});
  const ExprId r = b.reg(RegId(0)), byte = b.wrap(r, 8);
  EXPECT_EQ(b.constant_value(b.wrap(b.constant(300), 8)), 44);
  EXPECT_EQ(b.constant_value(b.wrap(b.constant(-1), -4)), 15);
  EXPECT_EQ(b.wrap(r, 64), r);
  EXPECT_EQ(b.wrap(byte, 8), byte);
  EXPECT_NE(b.wrap(byte, -8), byte);
  EXPECT_THROW(b.wrap(r, 0), Bug);
  EXPECT_THROW(b.wrap(r, -64), Bug);
}

}  // namespace
}  // namespace fenceline
