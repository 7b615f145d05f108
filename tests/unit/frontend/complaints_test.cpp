// SPDX-License-Identifier: GPL-3.0-or-later
//
// Errors in a text, with positions: one example for each kind of error.
#include <gtest/gtest.h>

#include "unit/frontend/fl_testing.h"

namespace fenceline::frontend {
namespace {

using testing::complaints;
using testing::expect_complaint;
using testing::expect_complaint_in_body;

TEST(FlComplaints, Syntax) {
  expect_complaint_in_body("x = 1", 6, "expected ';' after the assignment, found '}'");
  expect_complaint_in_body("x = ;", 5, "expected an expression, found ';'");
  expect_complaint_in_body("x = (1;", 7, "expected ')', found ';'");
  expect_complaint_in_body("a[1 = 2;", 5, "expected ']' after the index, found '='");
  expect_complaint_in_body("x 1;", 3, "expected '=', found '1'");
  expect_complaint_in_body("1 = x;", 1, "the left side of '='");
  expect_complaint_in_body("x + 1;", 1, "an expression is not a statement");
  expect_complaint_in_body("if x == 1) y = 1;", 4, "expected '(' after 'if', found 'x'");
  expect_complaint_in_body("while (x { }", 10, "expected ')' after the condition, found '{'");
  expect_complaint_in_body("do x = 1; until (y);", 11, "expected 'while' after the body of 'do'");
  expect_complaint_in_body("else x = 1;", 1, "'else' without 'if'");
  expect_complaint_in_body("choose { x = 1; }", 19, "expected 'or'");
  expect_complaint_in_body("or { x = 1; }", 1, "'or' without 'choose'");
  expect_complaint_in_body("fence(store-bad);", 7, "expected a kind of fence", "store-load");
  expect_complaint_in_body("fence();", 7, "expected a kind of fence");
  expect_complaint_in_body("fence(sync);", 7, "expected a kind of fence");
  expect_complaint_in_body("sync x = 1;", 6, "expected ';' or '=', found 'x'");
  expect_complaint_in_body("sync }", 6, "expected ';' or '=', found '}'");
  expect_complaint_in_body("cas(x, 1);", 9, "expected ','", "cas(variable, old, new)");
  expect_complaint_in_body("xchg(1, 2);", 6, "expected a variable or array element, found '1'");
  expect_complaint_in_body("l: }", 4, "a label is followed by a statement", "write 'l: skip;'");
  expect_complaint_in_body("l: int r;", 4, "a label is followed by a statement");
  expect_complaint_in_body("if (x) int r;", 8, "a declaration is not allowed here");
  expect_complaint_in_body("shared int w;", 1, "shared variables are declared outside");
  expect_complaint_in_body("havoc x;", 8, "expected 'in'");
  expect_complaint_in_body("x = true ? 1;", 13, "expected ':'");
  expect_complaint_in_body("x = 1.5;", 6, "unexpected '.'", "integers");
  expect_complaint_in_body("x = while;", 5, "found the reserved word 'while'");
  expect_complaint_in_body("x = y = 1;", 7, "an assignment has no value");
  expect_complaint("thread P { x = 1;", 1, 10, "this '{' is never closed");
  expect_complaint("thread P { } }", 1, 14, "unexpected '}'");
  expect_complaint("thread P { };", 1, 13, "unexpected ';'");
  expect_complaint("thread P(i) { }", 1, 9, "a thread has no parameters like these", "P[i in 0..1]");
  expect_complaint("thread P[2] { }", 1, 10, "expected a name for the thread's number");
  expect_complaint("shared x;", 1, 8, "expected 'int' after 'shared', found 'x'");
  expect_complaint("shared int a[];", 1, 14, "the array's size is missing");
  expect_complaint("shared int m[2][2] = {{1, 2}, {3, 4}};", 1, 23, "unexpected '{' inside initial values");
  expect_complaint("shared int *p;", 1, 12, "there are no pointers");
  expect_complaint("shered int x;", 1, 1, "expected 'shared'", "did you mean 'shared'?");
  expect_complaint("property p never (1);", 1, 12, "expected ':' after the property's name");
  expect_complaint("property never (1);", 1, 10, "expected the property's name");
}

TEST(FlComplaints, SyntaxOfC) {
  expect_complaint_in_body("for (x = 0; x < 3; x = x + 1) { y = 1; }", 1, "unexpected 'for'",
                           "while (i < n)");
  expect_complaint_in_body("switch (x) { }", 1, "unexpected 'switch'");
  expect_complaint_in_body("x++;", 2, "found '++'", "x = x + 1");
  expect_complaint_in_body("x--;", 2, "found '--'", "x = x - 1");
  expect_complaint_in_body("++x;", 1, "found '++'", "x = x + 1");
  expect_complaint_in_body("x += 2;", 3, "found '+='", "x = x + e");
  expect_complaint_in_body("x <<= 2;", 3, "found '<<='", "x = x << e");
  expect_complaint_in_body("x := 2;", 3, "found ':='", "'='");
  expect_complaint_in_body("x = y++;", 6, "unexpected '++'", "x = x + 1");
  expect_complaint_in_body("if (x = 1) y = 1;", 7, "'=' in a condition", "use '=='");
  expect_complaint_in_body("x == 1;", 3, "a comparison is not a statement", "'='");
  expect_complaint_in_body("mfence;", 1, "unexpected 'mfence'", "'fence;'");
  expect_complaint_in_body("cas(&x, 0, 1);", 5, "there are no addresses");
  expect_complaint_in_body("x = *y;", 5, "there are no pointers");
  expect_complaint_in_body("const int N = 2;", 1, "constants are declared outside");
  expect_complaint_in_body("int f(int u) { }", 6, "this is a variable's declaration", "procedure name");
  expect_complaint_in_body("whlie (x == 1) { }", 16, "expected ';' after the call", "did you mean 'while'?");
  expect_complaint_in_body("synch;", 1, "expected a statement, found 'synch'", "did you mean 'sync'?");
  expect_complaint_in_body("fense;", 1, "expected a statement, found 'fense'", "did you mean 'fence'?");
  expect_complaint_in_body("atmic { x = 1; }", 1, "expected a statement, found 'atmic'",
                           "did you mean 'atomic'?");
  expect_complaint("int x;", 1, 1, "found 'int'", "shared int x;");
  expect_complaint("void f() { }", 1, 1, "found 'void'", "procedure name");
  expect_complaint(
      "x = 1;", 1, 1,
      "expected 'shared', 'const', 'thread', 'transaction', 'procedure' or 'property', found 'x'");
  expect_complaint("while (1) { }", 1, 1, "expected 'shared'", "inside a thread");
}

TEST(FlComplaints, ReservedWords) {
  expect_complaint_in_body("int while;", 5, "'while' is a reserved word and cannot be a name");
  expect_complaint_in_body("int read;", 5, "'read' is reserved for transactions");
  expect_complaint_in_body("commit;", 1, "'commit' belongs to transactions and is not allowed here");
  expect_complaint_in_body("x = read(y);", 5, "'read' belongs to transactions and is not allowed here");
  expect_complaint("abort { }", 1, 1, "'abort' belongs to transactions and is not allowed here");
  expect_complaint("shared int in;", 1, 12, "'in' is a reserved word");
  expect_complaint("thread or { }", 1, 8, "'or' is a reserved word");
}

TEST(FlComplaints, Names) {
  expect_complaint_in_body("w = 1;", 1, "unknown name 'w'");
  expect_complaint_in_body("int count; cuont = 1;", 12, "unknown name 'cuont'", "did you mean 'count'?");
  expect_complaint_in_body("int Count; count = 1;", 12, "unknown name 'count'", "did you mean 'Count'?");
  expect_complaint_in_body("{ int r; } r = 1;", 12, "unknown name 'r'");
  expect_complaint_in_body("int r = r;", 9, "unknown name 'r'");
  expect_complaint_in_body("int r; int r;", 12, "'r' is already declared", "see line 2");
  expect_complaint_in_body("int x;", 5, "would hide the shared variable");
  expect_complaint_in_body("{ int a[2]; }", 7, "would hide the shared variable");
  expect_complaint_in_body("l: skip; l: skip;", 10, "label 'l' is defined here for the second time");
  expect_complaint_in_body("start: skip; goto strat;", 19, "unknown label 'strat'", "did you mean 'start'?");
  expect_complaint_in_body("x = T@l;", 5, "only properties can look at the state of a thread");
  expect_complaint_in_body("x = T.r;", 5, "only properties can look at the state of a thread");
  expect_complaint("shared int x, x;", 1, 15, "'x' is already declared", "shared variable of line 1");
  expect_complaint("shared int x;\nthread x { }", 2, 8, "'x' is already declared");
  expect_complaint("thread P { }\nthread P { }", 2, 8, "'P' is already declared", "the thread of line 1");
  expect_complaint("procedure p() { } procedure p() { }", 1, 29, "'p' is already declared");
  expect_complaint("shared int i; thread P[i in 0..1] { }", 1, 24, "would hide the shared variable");
  expect_complaint("thread P[i in 0..1][i in 0..1] { }", 1, 21, "two parameters are called 'i'");
  expect_complaint("thread P[i in 0..1] { int i; }", 1, 27, "'i' is already declared");
}

TEST(FlComplaints, Positions) {
  expect_complaint_in_body("a = 1;", 1, "'a' is an array: an index is missing");
  expect_complaint_in_body("y = a;", 5, "'a' is an array: an index is missing");
  expect_complaint_in_body("x[1] = 1;", 3, "'x' is not an array");
  expect_complaint_in_body("m[1] = 1;", 1, "'m' has 2 dimensions, but 1 index is given");
  expect_complaint_in_body("y = m[1][1][1];", 5, "'m' has 2 dimensions, but 3 indices are given");
  expect_complaint_in_body("a[3] = 1;", 3, "index 3 is outside 'a', which goes from 0 to 2");
  expect_complaint_in_body("y = a[0-1];", 7, "index -1 is outside 'a'");
  expect_complaint_in_body("y = m[1][3];", 10, "index 3 is outside 'm', which goes from 0 to 2");
  expect_complaint_in_body("int q[2]; q[2] = 1;", 13, "index 2 is outside 'q'");
  expect_complaint_in_body("int r; cas(r, 0, 1);", 12, "'r' is a local variable");
  expect_complaint("const int N = 1; thread P { N = 2; assert(1); }", 1, 29,
                   "'N' is a constant and cannot change");
  expect_complaint("const int N = 1; thread P { assert(N[0]); }", 1, 38, "'N' is a constant, not an array");
  expect_complaint("thread P[i in 0..1] { i = 2; }", 1, 23, "'i' is the thread's number and cannot change");
  expect_complaint("thread P[i in 0..1] { havoc i in 0..1; }", 1, 29, "'i' is the thread's number");
}

TEST(FlComplaints, Values) {
  expect_complaint_in_body("x = 1 / 0;", 7, "division by zero");
  expect_complaint_in_body("x = y % 0;", 7, "division by zero");
  expect_complaint_in_body("x = 1 << (0 - 1);", 7, "shift by a negative number");
  expect_complaint_in_body("x = 9223372036854775807 + 1;", 25, "does not fit into 64 bits");
  expect_complaint_in_body("x = -(-9223372036854775807 - 1);", 5, "does not fit into 64 bits");
  expect_complaint_in_body("int 0..3 r = 4;", 14, "range overflow: 4 is outside the range 0..3 of 'r'");
  expect_complaint_in_body("int 0..3 r; r = 7;", 17, "range overflow: 7 is outside the range 0..3 of 'r'");
  expect_complaint_in_body("int 3..0 r;", 5, "the range 3..0 is empty");
  expect_complaint_in_body("havoc x in 1..0;", 12, "the range 1..0 is empty");
  expect_complaint_in_body("havoc x in 0..y;", 15, "'y' is a shared variable; a constant is needed here");
  expect_complaint_in_body("int n; int q[n];", 14, "'n' is a local variable; a constant is needed here");
  expect_complaint_in_body("int q[0];", 7, "an array of size 0");
  expect_complaint_in_body("int q[2] = {1, 2, 3};", 19, "3 initial values for 'q', which has 2 cells");
  expect_complaint_in_body("int q[2] = 1;", 12, "'q' is an array: its values are written between { }");
  expect_complaint_in_body("int r = {1};", 9, "'r' is not an array");
  expect_complaint("shared int 0..3 x = 5; thread P { }", 1, 21,
                   "range overflow: 5 is outside the range 0..3 of 'x'");
  expect_complaint("shared int 0..3 x; thread P { x = 4; }", 1, 35, "range overflow: 4 is outside");
  expect_complaint("shared int 0..3 x; thread P { xchg(x, 4); }", 1, 39, "range overflow: 4 is outside");
  expect_complaint("shared int 1..0 x; thread P { }", 1, 12, "the range 1..0 is empty");
  expect_complaint("shared int x = y, y; thread P { }", 1, 16, "unknown name 'y'");
  expect_complaint("shared int y, x = y; thread P { }", 1, 19,
                   "'y' is a shared variable; a constant is needed");
  expect_complaint("const int N = 1 / 0; thread P { }", 1, 17, "division by zero");
  expect_complaint("const int N = M; const int M = 1; thread P { }", 1, 15, "used before it is declared");
  expect_complaint("shared int a[2]; const int N = a[0]; thread P { }", 1, 32,
                   "an array element is not a constant");
  expect_complaint("thread P[i in 1..0] { }", 1, 15, "the range 1..0 is empty");
  expect_complaint("thread P[i in 0..1][j in 1..i] { }", 1, 26, "the range 1..0 is empty");
}

TEST(FlComplaints, ControlFlow) {
  expect_complaint_in_body("break;", 1, "'break' outside a loop");
  expect_complaint_in_body("continue;", 1, "'continue' outside a loop");
  expect_complaint_in_body("return;", 1, "'return' outside a procedure", "halt");
  expect_complaint_in_body("goto nowhere;", 6, "unknown label 'nowhere'");
}

TEST(FlComplaints, Atomic) {
  expect_complaint_in_body("atomic { while (x) { } }", 10, "a loop inside an atomic section");
  expect_complaint_in_body("atomic { do { } while (x); }", 10, "a loop inside an atomic section");
  expect_complaint_in_body("atomic { l: skip; }", 10, "a label inside an atomic section");
  expect_complaint_in_body("l: atomic { goto l; }", 13, "'goto' inside an atomic section");
  expect_complaint_in_body("goto l; atomic { l: skip; }", 18, "a label inside an atomic section");
  expect_complaint_in_body("atomic { fence; }", 10, "a fence inside an atomic section");
  expect_complaint_in_body("atomic { sync; }", 10, "'sync' inside an atomic section");
  expect_complaint_in_body("atomic { atomic { } }", 10, "'atomic' inside an atomic section");
  expect_complaint_in_body("atomic { await(x); }", 10, "'await' inside an atomic section", "assume");
  expect_complaint_in_body("atomic { halt; }", 10, "'halt' inside an atomic section");
  expect_complaint_in_body("while (x) atomic { break; }", 20, "'break' inside an atomic section");
  expect_complaint_in_body("while (x) atomic { continue; }", 20, "'continue' inside an atomic section");
}

TEST(FlComplaints, WholeFiles) {
  expect_complaint("", 1, 1, "the file has no thread");
  expect_complaint("shared int x;\n", 2, 1, "the file has no thread");
  expect_complaint("shared int x; thread P { x = 1; }", 1, 22, "nothing to check");
}

TEST(FlComplaints, AnythingThatCanFailIsSomethingToCheck) {
  for (const char* body : {"assert(x);", "int 0..1 r; r = x;", "a[x] = 1;", "y = a[x];", "x = 1 / y;",
                           "x = 1 % y;", "x = 1 << y;", "int r, q[2]; r = q[r];"})
    EXPECT_NO_THROW(parse_fl({"test.fl", std::string("shared int x, y, a[2]; thread P { ") + body + " }"}))
        << body;
  EXPECT_NO_THROW(parse_fl({"test.fl", "shared int 0..1 x; thread P { x = 1; }"}));
}

TEST(FlComplaints, SeveralAtOnce) {
  const auto found = complaints(
      "shared int x\n"
      "thread P {\n"
      "  x = ;\n"
      "  if (x = 1) { x = 2; }\n"
      "  x = 1;\n"
      "  while x { y = ; }\n"
      "  x++;\n"
      "}\n"
      "void f() { }\n"
      "thread Q { x = 1 }\n"
      "property p: sometimes (x);\n"
      "property q: never (x = 1);\n");
  std::vector<uint32_t> lines;
  for (const Diagnostic& diagnostic : found) lines.push_back(diagnostic.pos.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{1, 3, 4, 6, 7, 9, 10, 11, 12}));
}

TEST(FlComplaints, SeveralNamesAtOnceAndEachOnce) {
  const auto found = complaints(
      "shared int x;\n"
      "thread P[i in 0..7] {\n"
      "  y = 1;\n"
      "  x = z + w;\n"
      "  goto l;\n"
      "}\n"
      "property p: never (P[8]@l);\n");
  std::vector<SourcePos> positions;
  for (const Diagnostic& diagnostic : found) positions.push_back(diagnostic.pos);
  EXPECT_EQ(positions, (std::vector<SourcePos>{{3, 3}, {4, 7}, {4, 11}, {5, 8}, {7, 20}}));
}

TEST(FlComplaints, AtMostTwenty) {
  std::string text = "thread P {\n";
  for (int i = 0; i < 100; ++i) text += "  x = ;\n";
  EXPECT_EQ(complaints(text + "}").size(), 20u);
  text = "thread P {\n";
  for (int i = 0; i < 100; ++i) text += "  x = 1;\n";
  EXPECT_EQ(complaints(text + "}").size(), 20u);
}

TEST(FlComplaints, LineEnds) {
  expect_complaint("shared int x;\r\nthread P {\r\n\ty = 1;\r\n}\r\n", 3, 2, "unknown name 'y'");
  expect_complaint("shared int x; // no line end", 1, 29, "the file has no thread");
}

}  // namespace
}  // namespace fenceline::frontend
