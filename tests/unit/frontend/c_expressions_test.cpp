// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arithmetic of all sizes: what the lowered program computes at run time is what Clang computes for the same
// expression of constants.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

struct Kind {
  const char* type;
  std::vector<const char*> values;
  bool is_signed;  // after promotion: shifts of negative numbers to the left are undefined
};

// Signed sums and products stay in their range: C leaves the others undefined.
const std::vector<Kind> kKinds = {
    {"signed char", {"0", "1", "7", "-1", "127", "-128"}, true},
    {"unsigned char", {"0", "1", "7", "128", "255"}, false},
    {"short", {"0", "3", "-1", "32767", "-32768"}, true},
    {"unsigned short", {"0", "3", "32768", "65535"}, false},
    {"int", {"0", "5", "-3", "46340", "-46340"}, true},
    {"unsigned", {"0u", "5u", "2147483647u", "2147483648u", "4294967295u"}, false},
    {"long", {"0l", "9l", "-9l", "2147483648l", "-2147483649l"}, true},
    {"unsigned long", {"0ul", "9ul", "4294967296ul"}, false},
    {"_Bool", {"0", "1"}, false},
};

const std::vector<const char*> kExpressions = {
    "{a} + {b}",
    "{a} - {b}",
    "{a} & {b}",
    "{a} | {b}",
    "{a} ^ {b}",
    "{a} < {b}",
    "{a} <= {b}",
    "{a} > {b}",
    "{a} >= {b}",
    "{a} == {b}",
    "{a} != {b}",
    "{a} && {b}",
    "{a} || !{b}",
    "~{a}",
    "-{a}",
    "{a} >> ({b} & 7)",
    "{a} / ({b} | 1)",
    "{a} % ({b} | 1)",
    "{a} / 3",
    "{a} % 8",
    "{a} > {b} ? {a} : {b}",
    "(signed char){a}",
    "(unsigned char){a}",
    "(short)({a} - {b})",
    "(unsigned short)({a} + {b})",
    "(int){a}",
    "(unsigned){a} + 1u",
    "(long){a}",
    "(_Bool){a}",
    "(signed char)({a} ^ 0x5a)",
    "(unsigned){a} * 3u",
    "(unsigned short){a} * 7",
    "(unsigned){a} >> 1",
    "(unsigned char){a} << 3",
    "(unsigned){a} << 5",
    "(signed char){a} >> 2",
};
const std::vector<const char*> kUnsignedOnly = {"{a} << ({b} & 3)"};

TEST(CExpressions, RunTimeAgreesWithConstants) {
  std::vector<std::string> texts, variables;
  for (const Kind& kind : kKinds) {
    std::vector<const char*> expressions = kExpressions;
    if (!kind.is_signed) expressions.insert(expressions.end(), kUnsignedOnly.begin(), kUnsignedOnly.end());
    for (const char* a : kind.values)
      for (const char* b : kind.values)
        for (const char* expression : expressions) {
          const size_t n = texts.size();
          const std::string constant =
              fmt::format(fmt::runtime(expression), fmt::arg("a", fmt::format("(({})({}))", kind.type, a)),
                          fmt::arg("b", fmt::format("(({})({}))", kind.type, b)));
          const std::string computed =
              fmt::format(fmt::runtime(expression), fmt::arg("a", "a"), fmt::arg("b", "b"));
          texts.push_back(constant);
          // At compile time and at run time;.
          variables.push_back(
              fmt::format("long c{0} = (long)({1}), r{0} = -77777; {2} a{0} = {3}, b{0} = {4};\n", n,
                          constant, kind.type, a, b));
          variables.back() +=
              fmt::format("static void f{0}(void) {{ {1} a = a{0}, b = b{0}; r{0} = (long)({2}); }}\n", n,
                          kind.type, computed);
        }
  }
  // Several programs: each function has its limits.
  constexpr size_t kAtOnce = 900;
  for (size_t begin = 0; begin < texts.size(); begin += kAtOnce) {
    const size_t end = std::min(begin + kAtOnce, texts.size());
    std::string before = "long keep;\n", main = "int main(void) {\n";
    for (size_t n = begin; n < end; ++n) {
      before += variables[n];
      main += fmt::format("  f{0}(); keep = c{0};\n", n);
    }
    const CRun run = run_c(before + main + "  return 0;\n}\n");
    ASSERT_EQ(run.error, "");
    ASSERT_TRUE(run.all_ended);
    for (size_t n = begin; n < end; ++n)
      EXPECT_EQ(run.at(fmt::format("r{}", n)), run.at(fmt::format("c{}", n))) << texts[n];
  }
}

TEST(CExpressions, WhatHasNoValueIsAnError) {
  const auto error = [](const std::string& expression) {
    return run_c(
               "int zero, r = 1, m = -2147483647 - 1, many = 32; unsigned long big = ~0ul;\n"
               "int main(void) { r = (int)(" +
               expression + "); return 0; }")
        .error;
  };
  EXPECT_NE(error("r / zero"), "");
  EXPECT_NE(error("r % zero"), "");
  EXPECT_NE(error("r << many"), "");
  EXPECT_NE(error("r >> (zero - 1)"), "");
  EXPECT_NE(error("big / (big + 1)"), "");
  EXPECT_EQ(error("r + zero"), "");
}

TEST(CExpressions, Fields) {
  const CRun run = run_c(
      "struct flags { unsigned ready : 1; unsigned count : 7; signed small : 3; } flags;\n"
      "int ready, count, small;\n"
      "int main(void) {\n"
      "  flags.ready = 1; flags.count = 100; flags.small = -3;\n"
      "  flags.count += 30;\n"
      "  ready = flags.ready; count = flags.count; small = flags.small;\n"
      "  return 0;\n}\n");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("ready"), 1);
  EXPECT_EQ(run.at("count"), 2);  // of 7 bits
  EXPECT_EQ(run.at("small"), -3);
}

// What is shifted out of 64 bits is gone, by however many bits; half of such a number comes back.
TEST(CExpressions, ShiftsOutOf64Bits) {
  const CRun run = run_c(
      "unsigned long x = 0x90000001ul, y, z; unsigned half;\n"
      "int main(void) { y = x << 32; z = x << 62; half = (unsigned)(y >> 32); return 0; }\n");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("y"), static_cast<Value>(0x9000000100000000U));
  EXPECT_EQ(run.at("z"), Value{1} << 62);
  EXPECT_EQ(run.at("half"), static_cast<int32_t>(0x90000001U));
}

}  // namespace
}  // namespace fenceline::testing
