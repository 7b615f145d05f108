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
  t.bind(yes);
  t.store({x, zero}, b.reg(s), kPos);
  t.jump(out);
  t.bind(no);
  t.assign({s}, b.binary(ExprOp::kAdd, b.reg(r), zero), kPos);
  t.bind(out);
  t.atomic_end(kPos);
  t.fence(FenceKinds::full(), kPos);
  t.rmw(RmwOp::kCas, {s}, {x, zero}, b.constant(1), b.constant(2), kPos);
  t.havoc({s}, {0, 1}, kPos);
  b.property(
      {"p", PropertyKind::kNever, b.binary(ExprOp::kAnd, b.at(t.id(), cs), b.cell(x, b.constant(0))), kPos});
  return b.finish();
}

// The verifier's messages after `change`.
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

#define EXPECT_DEFECT(expected, change)                                                             \
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
  EXPECT_DEFECT("0 successors", code[0].next.clear());
  EXPECT_DEFECT("1 successors", code[3].next.pop_back());
  EXPECT_DEFECT("1 successors", code[10].next.push_back(Point(0)));
  EXPECT_DEFECT("a successor that does not exist", code[0].next[0] = Point(11));
  EXPECT_DEFECT("a successor that does not exist", code[0].next[0] = Point());
  EXPECT_DEFECT("has no entry", t.entry = Point(11));
  EXPECT_DEFECT("has no entry", t.entry = Point());
  EXPECT_DEFECT("label cs is defined twice", code[9].kind = InstrKind::kMark; code[9].dest = {};
                code[9].label = "cs");
  EXPECT_DEFECT("a label without a mark", code[0].label = "l");
}

TEST(Verify, Operands) {
  EXPECT_DEFECT("a register that does not exist", code[0].dest.reg = RegId(2));
  EXPECT_DEFECT("a register that does not exist", code[0].dest.count = 0);
  EXPECT_DEFECT("without an index", code[0].dest.count = 2);
  EXPECT_DEFECT("no destination", code[0].dest = {});
  EXPECT_DEFECT("never written", code[4].dest = code[0].dest);
  EXPECT_DEFECT("an object that does not exist", code[0].address.object = ObjectId(2));
  EXPECT_DEFECT("no offset", code[0].address.offset = ExprId());
  EXPECT_DEFECT("an address without", code[5].address = code[0].address);
  EXPECT_DEFECT("no first operand", code[4].a = ExprId(999));
  EXPECT_DEFECT("second operand that is not used", code[8].rmw = RmwOp::kXchg);
  EXPECT_DEFECT("no second operand", code[8].b = ExprId());
  EXPECT_DEFECT("only properties may see", code[4].a = p.properties[0].formula);
  EXPECT_DEFECT("reads a register that does not exist", p.exprs[code[4].a.index()].reg = RegId(2));
  EXPECT_DEFECT("empty range", code[9].havoc_range = Range::empty());
  EXPECT_DEFECT("fence bits", code[0].fence = FenceKinds::full());
  EXPECT_DEFECT("fence bits", code[0].fence = FenceKinds::sync());
  EXPECT_DEFECT("fence bits", code[7].fence = FenceKinds(FenceKinds::kProcessWideBit));
  EXPECT_DEFECT("fence bits", code[7].fence = FenceKinds(30));
  EXPECT_DEFECT("fence bits", code[7].fence = FenceKinds(32));
  EXPECT_EQ(after([](Program&, Thread&, Code& code) { code[7].fence = FenceKinds::sync(); }), "");
}

TEST(Verify, WrappedReadModifyWrites) {
  EXPECT_DEFECT("wraps what it does not compute", code[8].wrap = 8);
  EXPECT_DEFECT("wraps what it does not compute", code[0].wrap = 8);
  EXPECT_DEFECT("wraps to 65 bits", code[8].rmw = RmwOp::kFetchAdd; code[8].b = ExprId(); code[8].wrap = 65);
  EXPECT_DEFECT("wraps to -64 bits", code[8].rmw = RmwOp::kFetchAdd; code[8].b = ExprId();
                code[8].wrap = -64);
  EXPECT_EQ(after([](Program&, Thread&, Code& code) {
              code[8].rmw = RmwOp::kFetchAdd;
              code[8].b = ExprId();
              code[8].wrap = -32;
            }),
            "");
}

TEST(Verify, CellsAndFiles) {
  EXPECT_DEFECT("does not say of each of its cells", p.objects[1].cell_bytes = {4});
  EXPECT_DEFECT("an address without", code[5].address.bytes = 4);
  EXPECT_DEFECT("its file does not exist", code[5].pos.file = 1);
  EXPECT_DEFECT("its file does not exist", p.objects[0].pos.file = 1);
  EXPECT_DEFECT("its file does not exist", p.properties[0].pos.file = 1);
  EXPECT_EQ(after([](Program& p, Thread&, Code& code) {
              p.objects[1].cell_bytes = {4, 0};
              p.included.push_back({"a.h", ""});
              code[5].pos.file = 1;
            }),
            "");
}

TEST(Verify, Expressions) {
  EXPECT_DEFECT("wraps to 65 bits", p.exprs[code[5].a.index()].b = ExprId();
                p.exprs[code[5].a.index()].op = ExprOp::kWrap; p.exprs[code[5].a.index()].imm = 65);
  EXPECT_DEFECT("does not precede it", p.exprs[code[5].a.index()].a = code[5].a);
  EXPECT_DEFECT("does not precede it", p.exprs[code[5].a.index()].b = ExprId());
  EXPECT_DEFECT("too many operands", p.exprs[code[5].a.index()].c = ExprId(0));
  EXPECT_DEFECT("unknown operator", p.exprs[0].op = static_cast<ExprOp>(200));
  EXPECT_DEFECT("a point that thread P does not have",
                p.exprs[p.expr(p.properties[0].formula).a.index()].point = Point(11));
  EXPECT_DEFECT("a thread that does not exist",
                p.exprs[p.expr(p.properties[0].formula).a.index()].thread = ThreadId(1));
  EXPECT_DEFECT("an object that does not exist",
                p.exprs[p.expr(p.properties[0].formula).b.index()].object = ObjectId());
  EXPECT_DEFECT("without saying whose", p.properties[0].formula = code[4].a);
  EXPECT_DEFECT("has no formula", p.properties[0].formula = ExprId());
  EXPECT_DEFECT("no use for a formula", p.properties[0].kind = PropertyKind::kNoDeadlock);
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
  EXPECT_DEFECT("x starts as 4, outside its range 0..3", p.objects[0].init[0] = 4);
  EXPECT_DEFECT("P.r starts as -1", t.registers[0].init = -1);
  EXPECT_DEFECT("has no cells", p.objects[0].init.clear());
  EXPECT_DEFECT("is no array", p.objects[1].is_array = false);
  EXPECT_DEFECT("do not follow", p.objects[1].first_cell = CellId(0));
  EXPECT_DEFECT("counts 4 cells", p.cell_count = 4);
}

TEST(Verify, AtomicSections) {
  EXPECT_DEFECT("a fence inside", code[5].kind = InstrKind::kFence; code[5].dest = {}; code[5].a = ExprId());
  EXPECT_DEFECT("a section inside", code[5].kind = InstrKind::kAtomicBegin; code[5].dest = {};
                code[5].a = ExprId());
  EXPECT_DEFECT("a label inside", code[5].kind = InstrKind::kMark; code[5].label = "l"; code[5].dest = {};
                code[5].a = ExprId());
  EXPECT_DEFECT("the thread's end inside", code[4].next[0] = Point(10));
  EXPECT_DEFECT("a loop inside", code[5].next[0] = Point(3));
  EXPECT_DEFECT("crosses the border", code[0].next[0] = Point(5));
  EXPECT_DEFECT("starts inside", t.entry = Point(4));
  EXPECT_DEFECT("that never began", code[2].kind = InstrKind::kMark);
  // A nameless mark is a step that does nothing: fine anywhere.
  EXPECT_EQ(after([](Program&, Thread&, Code& code) {
              code[5].kind = InstrKind::kMark;
              code[5].dest = {};
              code[5].a = ExprId();
            }),
            "");
}

TEST(Verify, BadConstantIndexIsARunTimeError) {
  EXPECT_EQ(after([](Program& p, Thread&, Code& code) { p.exprs[code[0].address.offset.index()].imm = 7; }),
            "");
}

}  // namespace
}  // namespace fenceline
