// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each rule of the verifier, broken once: a good program with one thing changed by hand.
#include "ir/verify/verify.h"

#include <gtest/gtest.h>

#include "env/errors.h"
#include "ir/builder.h"
#include "unit/ir/random_program.h"

namespace fenceline {
namespace {

constexpr SourcePos kPos{1, 1};

// Points: 0 load, 1 mark, 2 atomic begin, 3 branch, 4 store, 5 assign, 6 atomic end, 7 fence, 8 cas, 9 havoc,
// 10 halt.
Program sample() {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId x = b.object("x", {0}, Range{0, 3}, kPos);
  b.object("a", {0, 0}, std::nullopt, kPos, true);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r", 0, Range{0, 9}), s = t.reg("s");
  const ExprId zero = b.constant(0);
  t.load({r}, {x, zero}, kPos);
  const auto cs = t.mark("cs", kPos);
  t.atomic_begin(kPos);
  const auto yes = t.label(), no = t.label(), out = t.label();
  t.branch(b.reg(r), yes, no, kPos);
  t.place(yes);
  t.store({x, zero}, b.reg(s), kPos);
  t.jump(out);
  t.place(no);
  t.assign({s}, b.binary(ExprOp::kAdd, b.reg(r), zero), kPos);
  t.place(out);
  t.atomic_end(kPos);
  t.fence(FenceKinds::full(), kPos);
  t.rmw(RmwOp::kCas, {s}, {x, zero}, b.constant(1), b.constant(2), kPos);
  t.havoc({s}, {0, 1}, kPos);
  b.property(
      {"p", PropertyKind::kNever, b.binary(ExprOp::kAnd, b.at(t.id(), cs), b.cell(x, b.constant(0))), kPos});
  return b.finish();
}

// What the verifier says after `change`.
template <class Change>
std::string after(Change change) {
  Program p = sample();
  EXPECT_TRUE(verify(p).empty());
  change(p, p.threads[0], p.threads[0].code);
  std::string all;
  for (const std::string& task : verify(p)) all += task + "\n";
  if (!all.empty()) {
    EXPECT_THROW(require_valid(p), Bug);
  }
  return all;
}

using Code = std::vector<Instruction>;

#define EXPECT_SAID(expected, change)                                                               \
  EXPECT_PRED_FORMAT2(testing::IsSubstring, expected, after([](Program& p, Thread& t, Code& code) { \
                        (void)p, (void)t, (void)code;                                               \
                        change;                                                                     \
                      }))

TEST(Verify, AcceptsWhatBuildersMake) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    EXPECT_TRUE(verify(random_program(rng)).empty());
  }
}

TEST(Verify, Graph) {
  EXPECT_SAID("0 successors", code[0].next.clear());
  EXPECT_SAID("1 successors", code[3].next.pop_back());
  EXPECT_SAID("1 successors", code[10].next.push_back(Point(0)));
  EXPECT_SAID("a successor that does not exist", code[0].next[0] = Point(11));
  EXPECT_SAID("a successor that does not exist", code[0].next[0] = Point());
  EXPECT_SAID("has no entry", t.entry = Point(11));
  EXPECT_SAID("has no entry", t.entry = Point());
  EXPECT_SAID("label cs stands there twice", code[9].kind = InstrKind::kMark; code[9].dest = {};
              code[9].label = "cs");
  EXPECT_SAID("a label without a mark", code[0].label = "l");
}

TEST(Verify, Operands) {
  EXPECT_SAID("a register that does not exist", code[0].dest.reg = RegId(2));
  EXPECT_SAID("a register that does not exist", code[0].dest.count = 0);
  EXPECT_SAID("without an index", code[0].dest.count = 2);
  EXPECT_SAID("no destination", code[0].dest = {});
  EXPECT_SAID("never written", code[4].dest = code[0].dest);
  EXPECT_SAID("an object that does not exist", code[0].address.object = ObjectId(2));
  EXPECT_SAID("no offset", code[0].address.offset = ExprId());
  EXPECT_SAID("an address without", code[5].address = code[0].address);
  EXPECT_SAID("no first operand", code[4].a = ExprId(999));
  EXPECT_SAID("second operand that is not used", code[8].rmw = RmwOp::kXchg);
  EXPECT_SAID("no second operand", code[8].b = ExprId());
  EXPECT_SAID("only properties may see", code[4].a = p.properties[0].formula);
  EXPECT_SAID("reads a register that does not exist", p.exprs[code[4].a.index()].reg = RegId(2));
  EXPECT_SAID("empty range", code[9].havoc_range = Range::empty());
  EXPECT_SAID("fence bits", code[0].fence = FenceKinds::full());
  EXPECT_SAID("fence bits", code[0].fence = FenceKinds::sync());
  EXPECT_SAID("fence bits", code[7].fence = FenceKinds(FenceKinds::kProcessWideBit));
  EXPECT_SAID("fence bits", code[7].fence = FenceKinds(30));
  EXPECT_SAID("fence bits", code[7].fence = FenceKinds(32));
  EXPECT_EQ(after([](Program&, Thread&, Code& code) { code[7].fence = FenceKinds::sync(); }), "");
}

TEST(Verify, WrappedReadModifyWrites) {
  EXPECT_SAID("wraps what it does not compute", code[8].wrap = 8);
  EXPECT_SAID("wraps what it does not compute", code[0].wrap = 8);
  EXPECT_SAID("wraps to 65 bits", code[8].rmw = RmwOp::kFetchAdd; code[8].b = ExprId(); code[8].wrap = 65);
  EXPECT_SAID("wraps to -64 bits", code[8].rmw = RmwOp::kFetchAdd; code[8].b = ExprId(); code[8].wrap = -64);
  EXPECT_EQ(after([](Program&, Thread&, Code& code) {
              code[8].rmw = RmwOp::kFetchAdd;
              code[8].b = ExprId();
              code[8].wrap = -32;
            }),
            "");
}

TEST(Verify, CellsAndFiles) {
  EXPECT_SAID("does not say of each of its cells", p.objects[1].cell_bytes = {4});
  EXPECT_SAID("an address without", code[5].address.bytes = 4);
  EXPECT_SAID("a file that is not there", code[5].pos.file = 1);
  EXPECT_SAID("a file that is not there", p.objects[0].pos.file = 1);
  EXPECT_SAID("a file that is not there", p.properties[0].pos.file = 1);
  EXPECT_EQ(after([](Program& p, Thread&, Code& code) {
              p.objects[1].cell_bytes = {4, 0};
              p.included.push_back({"a.h", ""});
              code[5].pos.file = 1;
            }),
            "");
}

TEST(Verify, Expressions) {
  EXPECT_SAID("wraps to 65 bits", p.exprs[code[5].a.index()].b = ExprId();
              p.exprs[code[5].a.index()].op = ExprOp::kWrap; p.exprs[code[5].a.index()].imm = 65);
  EXPECT_SAID("does not precede it", p.exprs[code[5].a.index()].a = code[5].a);
  EXPECT_SAID("does not precede it", p.exprs[code[5].a.index()].b = ExprId());
  EXPECT_SAID("too many operands", p.exprs[code[5].a.index()].c = ExprId(0));
  EXPECT_SAID("unknown operator", p.exprs[0].op = static_cast<ExprOp>(200));
  EXPECT_SAID("a point that thread P does not have",
              p.exprs[p.expr(p.properties[0].formula).a.index()].point = Point(11));
  EXPECT_SAID("a thread that does not exist",
              p.exprs[p.expr(p.properties[0].formula).a.index()].thread = ThreadId(1));
  EXPECT_SAID("an object that does not exist",
              p.exprs[p.expr(p.properties[0].formula).b.index()].object = ObjectId());
  EXPECT_SAID("without saying whose", p.properties[0].formula = code[4].a);
  EXPECT_SAID("has no formula", p.properties[0].formula = ExprId());
  EXPECT_SAID("no use for a formula", p.properties[0].kind = PropertyKind::kNoDeadlock);
}

TEST(Verify, ExpressionsMustBeWalkable) {
  const auto deep = [](Program& p, size_t count, bool both) {
    for (size_t i = 0; i < count; ++i) {
      Expr e;
      e.op = both ? ExprOp::kAdd : ExprOp::kNot;
      e.a = ExprId(p.exprs.size() - 1);
      if (both) e.b = e.a;
      p.exprs.push_back(e);
    }
  };
  Program chain = sample(), shared = sample();
  deep(chain, kMaxExprDepth + 50, false);
  EXPECT_EQ(verify(chain).size(), 1u);
  deep(shared, 100, true);  // 2^100 nodes as a tree
  EXPECT_FALSE(verify(shared).empty());
}

TEST(Verify, Data) {
  EXPECT_SAID("x starts as 4, outside its range 0..3", p.objects[0].init[0] = 4);
  EXPECT_SAID("P.r starts as -1", t.registers[0].init = -1);
  EXPECT_SAID("has no cells", p.objects[0].init.clear());
  EXPECT_SAID("is no array", p.objects[1].is_array = false);
  EXPECT_SAID("do not follow", p.objects[1].first_cell = CellId(0));
  EXPECT_SAID("counts 4 cells", p.cell_count = 4);
}

TEST(Verify, AtomicSections) {
  EXPECT_SAID("a fence inside", code[5].kind = InstrKind::kFence; code[5].dest = {}; code[5].a = ExprId());
  EXPECT_SAID("a section inside", code[5].kind = InstrKind::kAtomicBegin; code[5].dest = {};
              code[5].a = ExprId());
  EXPECT_SAID("a label inside", code[5].kind = InstrKind::kMark; code[5].label = "l"; code[5].dest = {};
              code[5].a = ExprId());
  EXPECT_SAID("the thread's end inside", code[4].next[0] = Point(10));
  EXPECT_SAID("a loop inside", code[5].next[0] = Point(3));
  EXPECT_SAID("crosses the border", code[0].next[0] = Point(5));
  EXPECT_SAID("starts inside", t.entry = Point(4));
  EXPECT_SAID("that never began", code[2].kind = InstrKind::kMark);
  // A nameless mark is a step that does nothing: fine anywhere.
  EXPECT_EQ(after([](Program&, Thread&, Code& code) {
              code[5].kind = InstrKind::kMark;
              code[5].dest = {};
              code[5].a = ExprId();
            }),
            "");
}

TEST(Verify, BadConstantIndexIsForTheRun) {
  EXPECT_EQ(after([](Program& p, Thread&, Code& code) { p.exprs[code[0].address.offset.index()].imm = 7; }),
            "");
}

}  // namespace
}  // namespace fenceline
