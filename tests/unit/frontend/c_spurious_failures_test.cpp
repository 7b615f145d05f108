// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which spurious failures of weak compare-exchanges are counted. What that means for verdicts is in
// corpus/c/treiber_weak.c.
#include "frontend/c/spurious_failures.h"

#include <gtest/gtest.h>

#include "c_testing.h"
#include "env/errors.h"

namespace fenceline::testing {
namespace {

using frontend::c::most_spurious_failures;

std::string left_out(const std::string& body, CompilationScheme mapping) {
  const std::string text =
      "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x; int y;\n"
      "static void* code(void* p) {\n  int old = 0;\n  " +
      body +
      "\n  return p;\n}\n"
      "int main(void) { pthread_t t; pthread_create(&t, 0, code, 0); code(0); pthread_join(t, 0); }\n";
  return lower_c(text, "test.c", mapping).not_covered;
}

constexpr const char* kGoesOn = "while (!atomic_compare_exchange_weak(&x, &old, old + 1)) continue;";
constexpr const char* kStores = "do { old = 0; y = 1; } while (!atomic_compare_exchange_weak(&x, &old, 1));";

TEST(SpuriousFailures, AreCountedWhereALoopGoesOnWithThem) {
  const std::string once =
      "weak compare-exchanges of a thread that fail spuriously more than once (-D FL_SPURIOUS_FAILURES=N)";
  for (const auto mapping : {CompilationScheme::kAcquireRelease, CompilationScheme::kLoadFences,
                             CompilationScheme::kLeadingFences}) {
    EXPECT_EQ(left_out(kGoesOn, mapping), once);
    EXPECT_EQ(left_out(kStores, mapping), once);
  }
}

TEST(SpuriousFailures, AreNotCountedOnModelsWithoutDependencies) {
  for (const auto mapping : {CompilationScheme::kFences, CompilationScheme::kLanguage}) {
    EXPECT_EQ(left_out(kGoesOn, mapping), "");
    EXPECT_EQ(left_out(kStores, mapping), "");
  }
}

TEST(SpuriousFailures, AreNotCountedWhereTheyLeaveNothingBehind) {
  for (const std::string body : {"do old = 0; while (!atomic_compare_exchange_weak(&x, &old, 1));",  // a lock
                                 "atomic_compare_exchange_weak(&x, &old, 1); y = old;",  // no loop
                                 "while (!atomic_compare_exchange_strong(&x, &old, old + 1)) continue;"})
    EXPECT_EQ(left_out(body, CompilationScheme::kAcquireRelease), "") << body;
}

TEST(SpuriousFailures, Limit) {
  EXPECT_EQ(most_spurious_failures({}, CompilationScheme::kAcquireRelease), 1);
  EXPECT_EQ(most_spurious_failures({}, CompilationScheme::kLanguage), std::nullopt);
  for (const auto mapping : {CompilationScheme::kAcquireRelease, CompilationScheme::kLanguage}) {
    EXPECT_EQ(most_spurious_failures({"X=3", "FL_SPURIOUS_FAILURES=2"}, mapping), 2);
    EXPECT_EQ(most_spurious_failures({"FL_SPURIOUS_FAILURES=0"}, mapping), 0);
    EXPECT_EQ(most_spurious_failures({"FL_SPURIOUS_FAILURES=any"}, mapping), std::nullopt);
    for (const std::string wrong : {"", "-1", "2x", "99999999999"})
      EXPECT_THROW(most_spurious_failures({"FL_SPURIOUS_FAILURES=" + wrong}, mapping), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace fenceline::testing
