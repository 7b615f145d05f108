// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of docs/language.md, row by row.
#include <gtest/gtest.h>

#include "unit/frontend/fl_testing.h"

namespace fenceline::frontend {
namespace {

using testing::body_steps;
using testing::instruction;
using testing::parse;
using testing::parse_body;
using testing::steps;

TEST(FlLowering, AssignmentsToLocals) {
  EXPECT_EQ(body_steps("int r; r = 1;"), "assign r");
  EXPECT_EQ(body_steps("int r; r = x;"), "load r x");
  EXPECT_EQ(body_steps("int r; r = (x);"), "load r x");
  EXPECT_EQ(body_steps("int r; r = x + 0;"), "load % x; assign r");
  EXPECT_EQ(body_steps("int r; r = a[1];"), "load r a");
  EXPECT_EQ(body_steps("int r; r = a[y];"), "load % y; load r a");
  EXPECT_EQ(body_steps("int q[2]; q[1] = x;"), "load q[1] x");
  EXPECT_EQ(body_steps("int q[2], r; q[r] = x;"), "load q[0]... x");
  EXPECT_EQ(body_steps("int q[2]; q[y] = x;"), "load % y; load q[0]... x");
  EXPECT_EQ(body_steps("int q[2], r; r = q[r];"), "assign r");
}

TEST(FlLowering, Stores) {
  EXPECT_EQ(body_steps("x = 1;"), "store x");
  EXPECT_EQ(body_steps("x = y;"), "load % y; store x");
  EXPECT_EQ(body_steps("a[x] = y + z;"), "load % x; load % y; load % z; store a");
  EXPECT_EQ(body_steps("a[x] = a[y];"), "load % x; load % y; load % a; store a");
  EXPECT_EQ(body_steps("m[x][y] = z;"), "load % x; load % y; load % z; store m");
  EXPECT_EQ(body_steps("a[a[a[x]]] = 1;"), "load % x; load % a; load % a; store a");
}

TEST(FlLowering, StrictOperatorsGoLeftToRight) {
  EXPECT_EQ(body_steps("int r; r = (x - y) * z;"), "load % x; load % y; load % z; assign r");
  EXPECT_EQ(body_steps("int r; r = x - (y * z);"), "load % x; load % y; load % z; assign r");
  EXPECT_EQ(body_steps("int r; r = -x + ~y + !z;"), "load % x; load % y; load % z; assign r");
  EXPECT_EQ(body_steps("int r; r = a[x] + m[y][z];"),
            "load % x; load % a; load % y; load % z; load % m; assign r");
  EXPECT_EQ(body_steps("int r; r = x + fetch_add(y, z) + xchg(x, 1);"),
            "load % x; load % z; fetch_add % y; xchg % x; assign r");
}

TEST(FlLowering, Rmw) {
  EXPECT_EQ(body_steps("cas(x, 0, 1);"), "cas - x");
  EXPECT_EQ(body_steps("int r; r = cas(x, 0, 1);"), "cas r x");
  EXPECT_EQ(body_steps("int r; r = cas(a[x], y, z);"), "load % x; load % y; load % z; cas r a");
  EXPECT_EQ(body_steps("int r; r = xchg(x, y);"), "load % y; xchg r x");
  EXPECT_EQ(body_steps("int r; r = fetch_add(x, 1);"), "fetch_add r x");
  EXPECT_EQ(body_steps("x = cas(y, 0, 1);"), "cas % y; store x");
  EXPECT_EQ(body_steps("while (cas(x, 0, 1) == 0);"), "cas % x; branch");
  const Program p = parse_body("cas(a[2], 3, 4);");
  const Instruction& cas = instruction(p, 0);
  EXPECT_EQ(p.expr(cas.address.offset).imm, 2);
  EXPECT_EQ(p.expr(cas.a).imm, 3);
  EXPECT_EQ(p.expr(cas.b).imm, 4);
}

TEST(FlLowering, LazyOperatorsWithoutMemoryMakeNoBranch) {
  EXPECT_EQ(body_steps("int r, s; r = r && s;"), "assign r");
  EXPECT_EQ(body_steps("int r, s; r = r == 1 || s == 2 ? r : s;"), "assign r");
  EXPECT_EQ(body_steps("int r, s; r = x && s;"), "load % x; assign r");
  EXPECT_EQ(body_steps("int r, s; if (r && s) x = 1;"), "branch; store x");
  EXPECT_EQ(body_steps("int r, s; if (x && s) x = 1;"), "load % x; branch; store x");
}

TEST(FlLowering, LazyOperatorsWithMemoryAreControlFlow) {
  EXPECT_EQ(body_steps("int r; r = r && x;"), "branch; load % x; assign %; assign %; assign r");
  EXPECT_EQ(body_steps("int r; r = y ? x : z;"), "load % y; branch; load % x; load % z; assign r");
  EXPECT_EQ(body_steps("if (x == 1 && y == 1) z = 1;"), "load % x; branch; load % y; branch; store z");
  EXPECT_EQ(body_steps("if (x == 1 || y == 1) z = 1;"), "load % x; branch; load % y; branch; store z");
  EXPECT_EQ(body_steps("if (!(x && y)) z = 1;"), "load % x; branch; load % y; branch; store z");
  EXPECT_EQ(body_steps("int r; if (r ? x : y) z = 1;"),
            "branch; load % x; branch; load % y; branch; store z");
  EXPECT_EQ(body_steps("assert(x && y);"), "load % x; branch; load % y; assign %; assign %; assert");
}

TEST(FlLowering, ShortCircuitsLeadToTheRightLabels) {
  // if (x && (y || z)) a[0] = 1; else a[1] = 1;
  const Program p = parse_body("if (x && (y || z)) a[0] = 1; else a[1] = 1;");
  ASSERT_EQ(steps(p), "load % x; branch; load % y; branch; load % z; branch; store a; store a; halt");
  EXPECT_EQ(instruction(p, 1).next, (std::vector{Point(2), Point(7)}));
  EXPECT_EQ(instruction(p, 3).next, (std::vector{Point(6), Point(4)}));
  EXPECT_EQ(instruction(p, 5).next, (std::vector{Point(6), Point(7)}));
  EXPECT_EQ(instruction(p, 6).next, (std::vector{Point(8)}));
}

TEST(FlLowering, ConstantConditionsMakeNoBranch) {
  EXPECT_EQ(body_steps("if (1) x = 1; else y = 1;"), "store x");
  EXPECT_EQ(body_steps("if (2 < 1) x = 1; else y = 1;"), "store y");
  EXPECT_EQ(body_steps("if (false && x) y = 1;"), "halt");
  EXPECT_EQ(body_steps("if (true && x) y = 1;"), "load % x; branch; store y");
  EXPECT_EQ(body_steps("int r; r = false && x; r = true || x; r = 1 ? x : y;"),
            "assign r; assign r; load % x; assign r");
  EXPECT_EQ(body_steps("while (false) x = 1; y = 1;"), "store y");
  EXPECT_EQ(body_steps("do x = 1; while (false);"), "store x");
  EXPECT_EQ(body_steps("int r; while (true) { x = 1; if (r) break; }"), "store x; branch");
}

TEST(FlLowering, DeadCodeHasNoErrors) {
  EXPECT_EQ(body_steps("if (0) { a[7] = 1; int q[2]; q[5] = 1 / 0; }"), "halt");
  EXPECT_EQ(body_steps("int r; r = 0 ? a[7] : 1; r = 0 && a[9]; r = 1 || 1 / 0;"),
            "assign r; assign r; assign r");
  const Program p =
      parse("shared int a[2]; thread P[i in 0..1] { if (i > 0) a[i - 1] = 1; assert(i >= 0); }");
  EXPECT_EQ(steps(p, 0), "assert; halt");
  EXPECT_EQ(steps(p, 1), "store a; assert; halt");
  EXPECT_EQ(body_steps("int r; if (r == 1 && 1 > 2) a[7] = 1; else x = 1;"), "branch; store a; store x");
  EXPECT_EQ(body_steps("int r; if (!(r == 1 || 1 < 2)) a[7] = 1;"), "branch; store a");
  EXPECT_EQ(body_steps("int r; while (x && false) a[7] = 1;"), "load % x; branch; store a");
  EXPECT_EQ(body_steps("int r; r = (r && false) && a[7]; r = (r || true) || a[7] == 1;"),
            "branch; load % a; assign %; assign %; assign r; branch; load % a; assign %; assign %; assign r");
  EXPECT_EQ(
      body_steps(
          "int r, q[2]; r = (r && 0) ? q[7] : 1; r = (r || 1) ? 1 : a[7]; if ((r && 0) ? a[7] : r) x = 1;"),
      "assign r; branch; assign %; load % a; assign r; branch; load % a; branch; branch; store x");
  parse("const int N = 0; shared int x; thread P { x = 1; } property p: never (N != 0 && x / N == 1);");
  parse("const int N = 0; shared int x; thread P { x = 1; } property p: never (N == 0 ? x : x / N);");
}

TEST(FlLowering, DeadCodeWithALabelCanBeReached) {
  EXPECT_EQ(body_steps("goto l; if (0) { x = 1; l: y = 1; } z = 1;"), "mark l; store y; store z");
}

TEST(FlLowering, Loops) {
  EXPECT_EQ(body_steps("while (x == 1) y = 1;"), "load % x; branch; store y");
  EXPECT_EQ(body_steps("do y = 1; while (x == 1);"), "store y; load % x; branch");
  Program p = parse_body("while (true) { x = 1; }");
  ASSERT_EQ(steps(p), "store x");
  EXPECT_EQ(instruction(p, 0).next[0], Point(0));
  p = parse_body("while (true) { }");
  ASSERT_EQ(steps(p), "mark ");
  EXPECT_EQ(instruction(p, 0).next[0], Point(0));
  p = parse_body("while (x) { if (y) break; if (z) continue; a[0] = 1; } a[1] = 1;");
  ASSERT_EQ(steps(p), "load % x; branch; load % y; branch; load % z; branch; store a; store a; halt");
  EXPECT_EQ(instruction(p, 1).next, (std::vector{Point(2), Point(7)}));
  EXPECT_EQ(instruction(p, 3).next, (std::vector{Point(7), Point(4)}));
  EXPECT_EQ(instruction(p, 5).next, (std::vector{Point(0), Point(6)}));
  EXPECT_EQ(instruction(p, 6).next[0], Point(0));
  p = parse_body("do { if (y) continue; z = 1; } while (x);");
  ASSERT_EQ(steps(p), "load % y; branch; store z; load % x; branch; halt");
  EXPECT_EQ(instruction(p, 1).next, (std::vector{Point(3), Point(2)}));
  EXPECT_EQ(instruction(p, 4).next, (std::vector{Point(0), Point(5)}));
}

TEST(FlLowering, LabelsAndGoto) {
  const Program p = parse_body("again: x = 1; if (y) goto again; goto out; z = 1; out: skip;");
  ASSERT_EQ(steps(p), "mark again; store x; load % y; branch; mark out; halt");
  EXPECT_EQ(instruction(p, 3).next, (std::vector{Point(0), Point(4)}));
  EXPECT_EQ(body_steps("a: b: skip;"), "mark a; mark b");
  EXPECT_EQ(body_steps("l: goto l;"), "mark l");
}

TEST(FlLowering, StatementsWithoutSteps) {
  EXPECT_EQ(steps(parse_body("")), "halt");
  EXPECT_EQ(steps(parse_body("; skip; { } { ; } {{{}}}")), "halt");
  EXPECT_EQ(body_steps("x = 1; halt; y = 1;"), "store x");
}

TEST(FlLowering, Fences) {
  EXPECT_EQ(body_steps("fence; sfence; lfence; fence(store-load); fence(load-store, store-store);"),
            "fence; sfence; lfence; fence(store-load); fence(store-store, load-store)");
}

TEST(FlLowering, Sync) {
  EXPECT_EQ(body_steps("sync; l: sync; if (x) sync; else sync ;"),
            "sync; mark l; sync; load % x; branch; sync; sync");
  EXPECT_EQ(body_steps("do sync; while (x);"), "sync; load % x; branch");
}

// The word is a name wherever it is not alone.
TEST(FlLowering, SyncIsNoReservedWord) {
  EXPECT_EQ(body_steps("int sync = 1; sync = x; sync; x = sync; sync = sync + 1;"),
            "load sync x; sync; store x; assign sync");
  EXPECT_EQ(body_steps("int sync[2]; sync[0] = 1; sync;"), "assign sync[0]; sync");
  EXPECT_EQ(body_steps("sync: x = 1; if (y) goto sync;"), "mark sync; store x; load % y; branch");
  EXPECT_EQ(body_steps("sync: sync;"), "mark sync; sync");
  const Program p = parse(
      "shared int sync;\n"
      "procedure f() { return sync; }\n"
      "thread T { int r; sync = 1; sync; r = f(); }\n"
      "property p: never (sync == 2);\n");
  EXPECT_EQ(steps(p), "store sync; sync; load % sync; assign r; halt");
  EXPECT_EQ(steps(parse("shared int x; procedure sync() { x = 1; } thread T { sync(); sync; }"
                        " property p: never (x == 2);")),
            "store x; sync; halt");
}

TEST(FlLowering, AssumeAwaitAssertHavocChoose) {
  EXPECT_EQ(body_steps("assume(x == 1);"), "load % x; assume");
  EXPECT_EQ(body_steps("await(x == 1);"), "begin; load % x; assume; end");
  EXPECT_EQ(body_steps("assert(x == 1);"), "load % x; assert");
  EXPECT_EQ(body_steps("int r; havoc r in 0..3;"), "havoc r 0..3");
  EXPECT_EQ(body_steps("int q[3], r; havoc q[r] in -1..1;"), "havoc q[0]... -1..1");
  EXPECT_EQ(body_steps("havoc a[x] in 0..3;"), "load % x; havoc % 0..3; store a");
  EXPECT_EQ(body_steps("choose { x = 1; } or { y = 1; } or { }"), "choose 3; store x; store y");
}

TEST(FlLowering, Atomic) {
  EXPECT_EQ(body_steps("int r; atomic { r = x; if (r) x = r + 1; }"),
            "begin; load r x; branch; store x; end");
}

TEST(FlLowering, LocalDeclarations) {
  Program p = parse_body("int r = 2, s; local int q[3] = {1, 2}; int 3..5 t;");
  EXPECT_EQ(steps(p), "halt");
  const std::vector<Register>& registers = p.threads[0].registers;
  ASSERT_EQ(registers.size(), 6u);
  EXPECT_EQ(registers[0].init, 2);
  EXPECT_EQ(registers[1].init, 0);
  EXPECT_EQ(registers[3].name, "q[1]");
  EXPECT_EQ(registers[3].init, 2);
  EXPECT_EQ(registers[4].init, 0);
  EXPECT_EQ(registers[5].init, 3);
  EXPECT_EQ(registers[5].declared, (Range{3, 5}));

  EXPECT_EQ(body_steps("int r = x; int s = 3; int q[2] = {y, 4};"), "load r x; load q[0] y");
  EXPECT_EQ(body_steps("x = 1; int r = 2; int s; int q[2] = {5};"),
            "store x; assign r; assign s; assign q[0]; assign q[1]");
  EXPECT_EQ(body_steps("while (x) { int r = y; z = r; }"), "load % x; branch; load r y; store z");
}

TEST(FlLowering, InnerLocalsHideOuterOnes) {
  const Program p = parse_body("int r = 1; { int r = r + 1; x = r; } y = r;");
  EXPECT_EQ(steps(p), "assign r'2; store x; store y; halt");
  EXPECT_EQ(p.expr(instruction(p, 1).a).reg, RegId(1));
  EXPECT_EQ(p.expr(instruction(p, 2).a).reg, RegId(0));
}

TEST(FlLowering, ThreadNumbersAreConstants) {
  const Program p = parse(
      "const int N = 2; shared int a[N][N];\n"
      "thread P[i in 0..N-1][j in i..1] { a[i][j] = 10 * i + j; assert(true); }");
  ASSERT_EQ(p.threads.size(), 3u);
  EXPECT_EQ(p.threads[0].name, "P[0][0]");
  EXPECT_EQ(p.threads[1].name, "P[0][1]");
  EXPECT_EQ(p.threads[2].name, "P[1][1]");
  EXPECT_EQ(p.expr(instruction(p, 0, 1).address.offset).imm, 1);
  EXPECT_EQ(p.expr(instruction(p, 0, 2).address.offset).imm, 3);
  EXPECT_EQ(p.expr(instruction(p, 0, 2).a).imm, 11);
}

TEST(FlLowering, SharedDeclarations) {
  const Program p = parse(
      "const int N = 1 << 2; shared int x = -3, a[N] = {1, N}; shared int 1..N b, m[2][2] = {1, 2, 3};\n"
      "thread T { x = 1; }");
  ASSERT_EQ(p.objects.size(), 4u);
  EXPECT_EQ(p.objects[0].init, (std::vector<Value>{-3}));
  EXPECT_FALSE(p.objects[0].is_array);
  EXPECT_EQ(p.objects[1].init, (std::vector<Value>{1, 4, 0, 0}));
  EXPECT_TRUE(p.objects[1].is_array);
  EXPECT_EQ(p.objects[2].init, (std::vector<Value>{1}));
  EXPECT_EQ(p.objects[2].declared, (Range{1, 4}));
  EXPECT_EQ(p.objects[3].init, (std::vector<Value>{1, 2, 3, 1}));
}

TEST(FlLowering, PositionsAreThoseOfTheConstruct) {
  const Program p =
      parse("shared int x, y;\nthread T {\n  int r;\n  x = y +\n    x;\n  if (x == 1)\n    assert(r);\n}\n");
  ASSERT_EQ(steps(p), "load % y; load % x; store x; load % x; branch; assert; halt");
  EXPECT_EQ(instruction(p, 0).pos, (SourcePos{4, 7}));
  EXPECT_EQ(instruction(p, 1).pos, (SourcePos{5, 5}));
  EXPECT_EQ(instruction(p, 2).pos, (SourcePos{4, 3}));
  EXPECT_EQ(instruction(p, 3).pos, (SourcePos{6, 7}));
  EXPECT_EQ(instruction(p, 4).pos, (SourcePos{6, 7}));
  EXPECT_EQ(instruction(p, 5).pos, (SourcePos{7, 5}));
}

TEST(FlLowering, DynamicIndicesOfSeveralDimensionsAreCheckedEach) {
  const Program p = parse_body("int i, j; x = m[i][j];");
  const Expr& offset = p.expr(instruction(p, 0).address.offset);
  ASSERT_EQ(offset.op, ExprOp::kSelect);
  EXPECT_EQ(p.expr(offset.c).imm, -1);
  const Program one = parse_body("int i; x = a[i];");
  EXPECT_EQ(one.expr(instruction(one, 0).address.offset).op, ExprOp::kReg);
}

}  // namespace
}  // namespace fenceline::frontend
