// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numeric engine on small programs, most of which count for ever: what it proves, with which means, what
// it refuses, and where it must not prove anything. That it never contradicts the explicit engine is for
// tests/fuzz/fuzz_numeric.cpp.
#include "engine/numeric/numeric_engine.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/numeric/analysis.h"
#include "env/errors.h"
#include "unit/engine/question.h"
#include "unit/peterson.h"

namespace fenceline {
namespace {

class Question : public EngineQuestion {
 public:
  explicit Question(const std::string& text) : EngineQuestion(text) { options.certify = "always"; }

  Result ask(const std::string& model) {
    Limits limits(60);
    return ask(model, limits);
  }
  Result ask(const std::string& model, Limits& limits) {
    return EngineQuestion::ask(*make_numeric_engine(), model, limits);
  }
  std::string refusal(const std::string& model) {
    const Property property = properties_to_check(program(), options).front();
    return make_numeric_engine()->cannot({program(), fences, memory_model(model), property});
  }
};

void expect_proved(const Result& result) {
  ASSERT_EQ(result.verdict, Verdict::kVerified) << result.reason;
  ASSERT_TRUE(result.certificate.has_value()) << result.reason;
  EXPECT_TRUE(result.certificate->checked);
}

void expect_replayed(const Result& result) {
  ASSERT_EQ(result.verdict, Verdict::kViolated) << result.reason;
  ASSERT_TRUE(result.trace && result.replay);
  EXPECT_TRUE(result.replay->ok) << result.replay->why_not;
}

// ---- What waits

// A load that has to wait for a marked store may still be answered by another store of its own that waits:
// memory need not have it yet.
TEST(NumericEngine, AForwardedLoadWaitsForMarkedStoresOnly) {
  Question question(R"(
shared int x, z;
thread P { int r; z = 1; fence(store-load); x = 1; r = x; done: skip; }
thread Q { int s; s = x; s = z; }
property p: never (P@done && x == 0);
)");
  expect_proved(question.ask("sc"));
  expect_replayed(question.ask("tso"));
  expect_replayed(question.ask("pso"));
}

}  // namespace
}  // namespace fenceline
