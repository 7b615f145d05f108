// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts that are made to be too much: too deep, too long, too many. Each must be rejected, and soon.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "unit/frontend/fl_testing.h"

namespace fenceline::frontend {
namespace {

using testing::complaints;
using testing::expect_complaint_in_body;
using testing::parse;
using testing::parse_body;

std::string repeat(const std::string& part, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += part;
  return text;
}

bool rejected_with(const std::string& text, const std::string& message) {
  const auto found = complaints(text);
  for (const Diagnostic& diagnostic : found)
    if (diagnostic.message.find(message) != std::string::npos) return true;
  return false;
}

TEST(FlLimits, ExpressionsNestTwoHundredDeep) {
  parse_body("x = " + repeat("(", 199) + "1" + repeat(")", 199) + ";");
  parse_body("x = " + repeat("- ", 198) + "y;");
  parse_body("x = 1" + repeat(" + y", 198) + ";");
  for (const char* part : {"(", "- ", "!", "a[", "f(", "1 ? 1 : ", "1 ? ", "cas(x, ", "1 + (", "T.r["})
    for (const size_t times : {300, 100'000})
      EXPECT_TRUE(rejected_with("thread T { x = " + repeat(part, times), "nested more than 200 deep"))
          << part;
  for (const char* part : {" + 1", " && x", " || y", " - 1", " * x"})
    EXPECT_TRUE(
        rejected_with("thread T { x = 1" + repeat(part, 100'000) + "; }", "nested more than 200 deep"));
}

TEST(FlLimits, StatementsNestTwoHundredDeep) {
  parse_body(repeat("{ ", 199) + "x = 1;" + repeat(" }", 199));
  for (const char* part : {"{ ", "if (x) ", "while (x) ", "do ", "l: ", "atomic { ", "choose { ",
                           "if (x) ; else ", "choose { } or { "})
    EXPECT_TRUE(rejected_with("thread T { " + repeat(part, 100'000), "nested more than 200 deep")) << part;
}

TEST(FlLimits, NestedToTheLimitEverywhereAtOnce) {
  parse_body(repeat("{ ", 199) + "x = " + repeat("a[", 198) + "y" + repeat("]", 198) + ";" +
             repeat(" }", 199));
}

TEST(FlLimits, ChainsOfCalls) {
  const auto chain = [](int length) {
    std::string text = "shared int x; procedure p0() { x = 1; }\n";
    for (int i = 1; i < length; ++i) text += fmt::format("procedure p{}() {{ p{}(); }}\n", i, i - 1);
    return text + fmt::format("thread T {{ p{}(); assert(true); }}", length - 1);
  };
  parse(chain(100));
  EXPECT_TRUE(rejected_with(chain(20'000), "nest more than 600 deep"));
}

TEST(FlLimits, ExplodingProcedures) {
  for (const char* leaf : {"", "x = 1;", "int q[100];", "l: goto l;"}) {
    std::string text = fmt::format("shared int x; procedure p0() {{ {} }}\n", leaf);
    for (int i = 1; i < 60; ++i) text += fmt::format("procedure p{0}() {{ p{1}(); p{1}(); }}\n", i, i - 1);
    EXPECT_TRUE(rejected_with(text + "thread T { p59(); }", "too large")) << leaf;
    parse(text + "thread T { p1(); assert(true); }");  // the others are never called
  }
  // The complaint about the innermost one is not looked for a million times.
  std::string text = "procedure p0() { nobody(); }\n";
  for (int i = 1; i < 20; ++i) text += fmt::format("procedure p{0}() {{ p{1}(); p{1}(); }}\n", i, i - 1);
  EXPECT_TRUE(rejected_with(text + "thread T { p19(); }", "unknown procedure"));
  // Few visits, many instructions: the array is set at every call.
  EXPECT_TRUE(rejected_with("procedure p() { int q[60000]; } thread T { " + repeat("p(); ", 50) + "}",
                            "more than 65536 local variables"));
  EXPECT_TRUE(rejected_with("shared int x; thread T[i in 0..63] { " + repeat("x = 1; ", 20'000) + "}",
                            "more than 1000000 instructions"));
}

TEST(FlLimits, Numbers) {
  EXPECT_TRUE(rejected_with("thread P[i in 0..64] { }", "more than 64 threads"));
  EXPECT_TRUE(rejected_with("thread P[i in 0..31] { } thread Q[i in 0..32] { }", "more than 64 threads"));
  EXPECT_TRUE(
      rejected_with("thread P[i in -9223372036854775807..9223372036854775807] { }", "more than 64 threads"));
  EXPECT_EQ(parse("thread P[i in 0..7][j in 0..7] { } property d: no deadlock;").threads.size(), 64u);
  EXPECT_TRUE(rejected_with("shared int a[65537]; thread P { }", "at most 65536 cells"));
  EXPECT_TRUE(rejected_with("shared int a[65536][65536][65536]; thread P { }", "at most 65536 cells"));
  EXPECT_TRUE(rejected_with("shared int a[65536], b; thread P { }", "more than 65536 cells"));
  EXPECT_TRUE(rejected_with("shared int a[9223372036854775807]; thread P { }", "at most 65536 cells"));
  EXPECT_EQ(parse("shared int a[256][256]; thread P { } property d: no deadlock;").cell_count, 65536u);
}

TEST(FlLimits, NestedIndicesOfSeveralDimensions) {
  const auto nested = [](size_t depth) {
    return "int r, q[2][2]; r = " + repeat("q[", depth) + "r" + repeat("][r]", depth) + ";";
  };
  parse_body(nested(6));
  EXPECT_TRUE(rejected_with("thread T { " + nested(100) + " }", "more than 10000 parts"));
}

TEST(FlLimits, JunkEndsSoon) {
  Rng rng(1);
  std::string bytes, letters;
  for (size_t i = 0; i < 10'000'000; ++i) bytes += static_cast<char>(rng.next());
  for (size_t i = 0; i < 10'000'000; ++i) letters += static_cast<char>(rng.between(32, 126));
  EXPECT_FALSE(complaints(bytes).empty());
  EXPECT_FALSE(complaints(letters).empty());
  EXPECT_FALSE(complaints(std::string(10'000'000, '\0')).empty());
  EXPECT_FALSE(complaints(std::string(10'000'000, 'x')).empty());
  EXPECT_FALSE(complaints(std::string(10'000'000, '7')).empty());
  EXPECT_FALSE(complaints(std::string(10'000'000, '{')).empty());
  EXPECT_FALSE(complaints(std::string(10'000'000, '(')).empty());
  EXPECT_FALSE(complaints("/*" + std::string(10'000'000, '*')).empty());
  EXPECT_FALSE(complaints(std::string(10'000'000, '\n')).empty());
  EXPECT_FALSE(complaints("thread P { " + std::string(10'000'000, ';')).empty());
  EXPECT_FALSE(complaints("thread P { " + repeat("x=1;", 2'000'000)).empty());
}

}  // namespace
}  // namespace fenceline::frontend
