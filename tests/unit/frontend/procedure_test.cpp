// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "unit/frontend/fl_testing.h"

namespace fenceline::frontend {
namespace {

using testing::expect_complaint;
using testing::instruction;
using testing::parse;
using testing::steps;

std::string with(const std::string& procedures, const std::string& body) {
  return "shared int x, y, z, a[3];\n" + procedures + "\nthread T { " + body +
         " }\nproperty p: never (x == 77);\n";
}

std::string calls(const std::string& procedures, const std::string& body) {
  std::string text = steps(parse(with(procedures, body)));
  const std::string halt = "; halt";
  if (text.ends_with(halt)) text.resize(text.size() - halt.size());
  return text;
}

TEST(FlProcedures, ParametersAreAssignedLeftToRight) {
  EXPECT_EQ(calls("procedure p(u, v) { a[u] = v; }", "int r; p(r, x);"), "assign p.u; load p.v x; store a");
  EXPECT_EQ(calls("procedure p(u, v) { a[u] = v; }", "p(x + y, cas(z, 0, 1));"),
            "load % x; load % y; assign p.u; cas p.v z; store a");
}

TEST(FlProcedures, ReturnJumpsToTheEndOfTheCopy) {
  const Program p = parse(with("procedure f(u) { while (true) { if (u == 1) return x; u = u - 1; } }",
                               "int r; r = f(3) + 1; y = r;"));
  ASSERT_EQ(steps(p), "assign f.u; branch; load % x; assign f.u; assign r; store y; halt");
  EXPECT_EQ(instruction(p, 2).next[0], Point(4));
  EXPECT_EQ(instruction(p, 3).next[0], Point(1));
}

TEST(FlProcedures, TheValueIsZeroWithoutReturn) {
  EXPECT_EQ(calls("procedure p() { x = 1; }", "y = p();"), "store x; store y");
  EXPECT_EQ(calls("procedure f(u) { if (u) return 1; }", "y = f(z);"),
            "load f.u z; branch; assign %; assign %; store y");
  EXPECT_EQ(calls("procedure f(u) { if (u) return; return 1; }", "y = f(z);"),
            "load f.u z; branch; assign %; assign %; store y");
}

TEST(FlProcedures, AnUnusedValueIsNotKept) {
  EXPECT_EQ(calls("procedure f() { return x; }", "f();"), "load % x");
  EXPECT_EQ(calls("procedure f() { return 1; }", "f(); y = 1;"), "store y");
}

TEST(FlProcedures, EachCallIsACopy) {
  const Program p =
      parse(with("procedure p(u) { int v = u; l: goto l; x = v; }", "choose { p(1); } or { p(2); }"));
  EXPECT_EQ(steps(p), "choose 2; assign p.u; assign p.v; mark p.l; assign p.u'2; assign p.v'2; mark p.l'2");
}

TEST(FlProcedures, OperandsBeforeACallKeepTheirValue) {
  // The procedure's own r is another register.
  const Program p = parse(with("procedure f(r) { r = r + 1; return r; }", "int r = 5; x = r + f(r) + r;"));
  ASSERT_EQ(steps(p), "assign f.r; assign f.r; assign %; store x; halt");
  const Expr& sum = p.expr(instruction(p, 3).a);
  EXPECT_EQ(p.expr(sum.b).reg, RegId(0));
  EXPECT_EQ(p.expr(p.expr(sum.a).a).reg, RegId(0));
}

TEST(FlProcedures, IndicesOnTheLeftComeFirst) {
  EXPECT_EQ(calls("procedure f() { x = 1; return y; }", "a[z] = f();"),
            "load % z; store x; load % y; store a");
}

TEST(FlProcedures, CallsInsideLazyPartsAreGuarded) {
  EXPECT_EQ(calls("procedure f() { x = 1; return 1; }", "int r; if (r && f()) y = 1;"),
            "branch; store x; assign %; branch; store y");
}

TEST(FlProcedures, MayBeDeclaredAfterTheirUse) {
  EXPECT_EQ(
      steps(parse(
          "shared int x; thread T { p(); assert(true); } procedure p() { q(); } procedure q() { x = 1; }")),
      "store x; assert; halt");
}

TEST(FlProcedures, InsideAtomic) {
  EXPECT_EQ(calls("procedure f(u) { if (u) return 1; x = 2; return 3; }", "int r; atomic { r = f(r); }"),
            "begin; assign f.u; branch; assign %; store x; assign %; assign r; end");
  expect_complaint(with("procedure f() { while (x) { } }", "atomic { f(); }"), 2, 17,
                   "a loop inside an atomic", "called in line 3");
  expect_complaint(with("procedure f() { atomic { return; } }", "f();"), 2, 26, "'return' inside an atomic");
}

TEST(FlProcedures, InvalidUses) {
  expect_complaint(with("procedure f(u) { }", "f();"), 3, 12, "'f' takes 1 argument, but 0 are given");
  expect_complaint(with("procedure f() { }", "x = f(1, 2);"), 3, 16,
                   "'f' takes 0 arguments, but 2 are given");
  expect_complaint(with("procedure lock() { }", "lokc();"), 3, 12, "unknown procedure 'lokc'",
                   "did you mean 'lock'?");
  expect_complaint(with("", "x(1);"), 3, 12, "'x' is a variable, not a procedure");
  expect_complaint(with("procedure f() { }", "x = f;"), 3, 16, "'f' is a procedure, not a variable");
  expect_complaint(with("procedure f(u, u) { }", "f(1, 2);"), 2, 16, "two parameters are called 'u'");
  expect_complaint(with("procedure f(x) { }", "f(1);"), 2, 13, "would hide the shared variable");
  expect_complaint(with("procedure f(u) { int u; }", "f(1);"), 2, 22, "'u' is already declared");
  expect_complaint(with("procedure f(int u) { }", "f(1);"), 2, 13, "parameters have no type");
  expect_complaint(with("procedure f() { r = 1; }", "int r; f();"), 2, 17, "unknown name 'r'");
  expect_complaint(with("procedure f() { l: skip; }", "f(); goto l;"), 3, 22, "unknown label 'l'");
}

TEST(FlProcedures, ThoseThatAreNotCalledAreCheckedToo) {
  expect_complaint(with("procedure f() { foo = 1; }", "x = 1;"), 2, 17, "unknown name 'foo'");
  expect_complaint(with("procedure g() { foo = 1; } procedure f() { g(); }", "x = 1;"), 2, 17,
                   "unknown name 'foo'");
}

TEST(FlProcedures, RecursionIsRejected) {
  expect_complaint(with("procedure f() { f(); }", "f();"), 2, 17, "recursion: f -> f");
  expect_complaint(
      with("procedure f() { g(); }\nprocedure g() { x = h() + 1; } procedure h() { if (f()) skip; }", "f();"),
      3, 52, "recursion: f -> g -> h -> f");
  expect_complaint("procedure f() { f(); } thread T { assert(1); }", 1, 17, "recursion: f -> f");
}

}  // namespace
}  // namespace fenceline::frontend
