// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "unit/frontend/fl_testing.h"

namespace fenceline::frontend {
namespace {

using testing::expect_complaint;
using testing::parse;

const char* const kProgram =
    "const int N = 1; shared int x, a[2], m[2][2];\n"
    "thread P[i in 0..1] { int r, q[2]; cs: x = 1; { int inner; inner = 1; in_block: skip; } }\n"
    "thread Q { int s; end_of_q: s = x; }\n"
    "procedure f() { hidden: skip; }\n";

Program with(const std::string& formula) { return parse(kProgram + ("property p: " + formula + ";\n")); }

void rejected(const std::string& formula, uint32_t column, const std::string& message,
              const std::string& hint = "") {
  const uint32_t before = static_cast<uint32_t>(std::string_view("property p: ").size());
  expect_complaint(kProgram + ("property p: " + formula + ";\n"), 5, before + column, message, hint);
}

TEST(FlProperties, Kinds) {
  const Program p = parse(std::string(kProgram) +
                          "property a: never (x == 2);\nproperty b: always (x < 2);\n"
                          "property c: finally (x == 1);\nproperty d: no deadlock;");
  ASSERT_EQ(p.properties.size(), 4u);
  EXPECT_EQ(p.properties[0].kind, PropertyKind::kNever);
  EXPECT_EQ(p.properties[1].kind, PropertyKind::kAlways);
  EXPECT_EQ(p.properties[2].kind, PropertyKind::kFinally);
  EXPECT_EQ(p.properties[3].kind, PropertyKind::kNoDeadlock);
  EXPECT_EQ(p.properties[3].name, "d");
  EXPECT_EQ(p.properties[3].pos, (SourcePos{8, 10}));
  EXPECT_FALSE(p.properties[3].formula.valid());
}

TEST(FlProperties, ThreadsAndTheirLabels) {
  const Program p = with("never (P[1]@cs && Q@end_of_q)");
  const Expr& both = p.expr(p.properties[0].formula);
  ASSERT_EQ(both.op, ExprOp::kAnd);
  const Expr& at = p.expr(both.a);
  ASSERT_EQ(at.op, ExprOp::kAt);
  EXPECT_EQ(at.thread, ThreadId(1));
  EXPECT_EQ(p.thread(at.thread).at(at.point).label, "cs");
  EXPECT_EQ(p.expr(both.b).thread, ThreadId(2));
  with("never (P[N - 1]@in_block)");
}

TEST(FlProperties, ALabelThatIsNeverReached) {
  const Program p = parse("shared int x; thread P { halt; l: skip; } property p: never (P@l);");
  const Expr& formula = p.expr(p.properties[0].formula);
  EXPECT_EQ(formula.op, ExprOp::kConst);
  EXPECT_EQ(formula.imm, 0);
}

TEST(FlProperties, Registers) {
  const Program p = with("never (P[0].r == P[1].q[x])");
  const Expr& equal = p.expr(p.properties[0].formula);
  EXPECT_EQ(p.expr(equal.a).op, ExprOp::kThreadReg);
  EXPECT_EQ(p.expr(equal.a).reg, RegId(0));
  const Expr& element = p.expr(equal.b);
  EXPECT_EQ(element.op, ExprOp::kThreadRegAt);
  EXPECT_EQ(element.thread, ThreadId(1));
  EXPECT_EQ(element.reg, RegId(1));
  EXPECT_EQ(element.count, 2u);
}

TEST(FlProperties, Memory) {
  const Program p = with("always (a[x] + m[1][N] == 0)");
  const Expr& sum = p.expr(p.expr(p.properties[0].formula).a);
  EXPECT_EQ(p.expr(sum.a).op, ExprOp::kCell);
  EXPECT_EQ(p.expr(p.expr(sum.a).a).op, ExprOp::kCell);
  EXPECT_EQ(p.expr(p.expr(sum.b).a).imm, 3);
}

TEST(FlProperties, Mistakes) {
  rejected("never (P@cs)", 8, "'P' denotes several threads; 1 number is needed", "write P[0]");
  rejected("never (P[0][1]@cs)", 8, "'P' denotes several threads");
  rejected("never (Q[0]@end_of_q)", 8, "only one thread 'Q'");
  rejected("never (P[2]@cs)", 8, "there is no thread P[2]", "the first is P[0], the last is P[1]");
  rejected("never (P[x]@cs)", 10, "'x' is a shared variable; a constant is needed");
  rejected("never (R@cs)", 8, "unknown thread 'R'");
  rejected("never (P[0]@sc)", 13, "thread 'P' has no label 'sc'", "did you mean 'cs'?");
  rejected("never (P[0]@hidden)", 13, "thread 'P' has no label 'hidden'");
  rejected("never (P[0].inner)", 13, "thread 'P' has no local variable 'inner'", "top level");
  rejected("never (P[0].i)", 13, "thread 'P' has no local variable 'i'");
  rejected("never (P[0].q)", 13, "'q' has 1 dimension, but 0 indices are given");
  rejected("never (P[0].q[2])", 15, "index 2 is outside 'q'");
  rejected("never (P[0].r[0])", 15, "'r' is not an array");
  rejected("never (r == 1)", 8, "'r' is a local variable: say of which thread", "write P[0].r");
  rejected("never (P)", 8, "'P' is a thread, not a variable");
  rejected("never (xx)", 8, "unknown name 'xx'");
  rejected("never (x = 1)", 10, "'=' in a condition", "'=='");
  rejected("never (f())", 8, "cannot call a procedure");
  rejected("never (cas(x, 0, 1))", 8, "cannot change memory");
  rejected("never (x / 0)", 10, "division by zero");
  rejected("never x == 1", 7, "expected '('");
  rejected("no deadlocks", 4, "expected 'deadlock'");
  rejected("opacity", 1, "there are no transactions in this file");
  rejected("strict serializability", 1, "there are no transactions in this file");
  rejected("strict", 7, "expected 'serializability' after 'strict'");
  rejected("eventually (x)", 1,
           "expected 'never', 'always', 'finally', 'no deadlock', 'liveness', 'opacity' or 'strict "
           "serializability'");
  expect_complaint("thread T { } property a: no deadlock; property a: no deadlock;", 1, 48,
                   "two properties are called 'a'");
  expect_complaint("thread T { } property errors: no deadlock;", 1, 23, "'errors' is the name");
}

}  // namespace
}  // namespace fenceline::frontend
