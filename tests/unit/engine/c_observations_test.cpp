// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the operations of a data type return one after the other, found by two methods that share no code: by
// executing them (property/observations.h), and by a solver with the model `serial` (CheckFence,
// section 2.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/outcomes/final_outcomes.h"
#include "env/silent_env.h"
#include "frontend/c/c_program.h"
#include "frontend/c/process.h"
#include "ir/expr.h"
#include "model/memory_model.h"
#include "property/observations.h"

namespace fenceline::engine {
namespace {

struct Case {
  std::string file, test;
  bool reference;  // that of the reference implementation
};

class SerialObservationsTest : public ::testing::TestWithParam<Case> {};

TEST_P(SerialObservationsTest, AgreeWithTheSolver) {
  const auto& [file, name, reference] = GetParam();
  frontend::CTests tests(read_source_file(std::string(FENCELINE_CORPUS_DIR) + "/c/" + file + ".tests"), {});
  const frontend::c::SuiteTest* test = nullptr;
  for (const frontend::c::SuiteTest& one : tests.suite().tests)
    if (one.name == name) test = &one;
  ASSERT_NE(test, nullptr);
  frontend::CProgram lowered =
      reference ? tests.lower_reference(*test) : tests.lower(*test, CompilationScheme::kFences);
  std::vector<ThreadReg> registers;
  std::vector<ExprId> expressions;
  for (const frontend::CObserved& one : lowered.observed) {
    registers.push_back({one.thread, one.reg});
    Expr expr;
    expr.op = ExprOp::kThreadReg;
    expr.thread = one.thread;
    expr.reg = one.reg;
    expressions.push_back(ExprId(lowered.program.exprs.size()));
    lowered.program.exprs.push_back(expr);
  }
  Options options;
  Limits limits;
  SilentEnv env(options, limits);
  const property::SerialObservations mined = property::serial_observations(lowered.program, registers, env);
  ASSERT_EQ(mined.error, "");
  ASSERT_EQ(mined.unfinished, "");
  EXPECT_GT(mined.found.size(), 1U);
  // No counting of executions is needed here.
  const LitmusOutcomes outcomes =
      solved_outcomes(lowered.program, memory_model("serial"), expressions, env, 0);
  ASSERT_TRUE(outcomes.complete) << outcomes.reason;
  std::set<property::Observation> found;
  for (const LitmusState& state : outcomes.states) found.insert(state.values);
  EXPECT_EQ(found, mined.found);
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, SerialObservationsTest,
    ::testing::Values(Case{"msn", "T0", true}, Case{"msn", "T0", false}, Case{"msn", "Ti2", true},
                      Case{"msn", "T1", true}, Case{"ms2", "T0", false}, Case{"lazylist", "Sac", true},
                      Case{"lazylist", "Sar", true}, Case{"lazylist", "Sac", false},
                      Case{"snark", "D0", true}, Case{"snark", "D0", false}, Case{"treiber", "T0", false},
                      Case{"mpmc", "Tgap", true}, Case{"mpmc", "Twrap", false}, Case{"spsc", "Tpc2", true},
                      Case{"msn", "Tpc3", true}, Case{"msn", "Ti2", false}, Case{"snark", "Da", true},
                      Case{"lazylist", "Saacr", true}, Case{"harris", "Sac", false},
                      Case{"treiber_cpp", "Tpo", false}, Case{"waiting", "T0", false}),
    [](const auto& one) {
      return one.param.file + one.param.test + (one.param.reference ? "Reference" : "");
    });

// What an implementation returns when its operations are called one after the other is what its reference
// returns. Otherwise an operation has fewer results than it should, and a test with it proves little: primed
// operations leave out executions, and must not leave out serial ones.
class SequentialTest : public ::testing::TestWithParam<std::string> {};

std::set<property::Observation> serial(frontend::CProgram program) {
  std::stable_sort(
      program.observed.begin(), program.observed.end(),
      [](const frontend::CObserved& x, const frontend::CObserved& y) { return x.name < y.name; });
  std::vector<ThreadReg> registers;
  for (const frontend::CObserved& one : program.observed) registers.push_back({one.thread, one.reg});
  Options options;
  Limits limits;
  SilentEnv env(options, limits);
  const property::SerialObservations mined = property::serial_observations(program.program, registers, env);
  EXPECT_EQ(mined.error, "");
  EXPECT_EQ(mined.unfinished, "");
  return mined.found;
}

TEST_P(SequentialTest, ImplementationsAgreeWithTheirReference) {
  constexpr size_t kMostCalls = 8;
  frontend::CTests tests(read_source_file(std::string(FENCELINE_CORPUS_DIR) + "/c/" + GetParam() + ".tests"),
                         {});
  ASSERT_TRUE(tests.has_reference());
  for (const frontend::c::SuiteTest& test : tests.suite().tests) {
    size_t calls = test.first.size();
    for (const auto& steps : test.threads) calls += steps.size();
    if (calls > kMostCalls) continue;
    const std::set<property::Observation> own = serial(tests.lower(test, CompilationScheme::kFences));
    EXPECT_FALSE(own.empty()) << test.name;
    EXPECT_EQ(own, serial(tests.lower_reference(test))) << test.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, SequentialTest,
                         ::testing::Values("ms2", "msn", "lazylist", "harris", "snark", "mpmc", "spsc"));

// A file that calls fl_retry() marks the retries of all its operations.
TEST(PrimedOperations, LeaveLoopsAloneThatAreNoRetries) {
  const char* text = R"(#include <fenceline.h>
int list[3];
int sum(void) { int all = 0; for (int i = 0; list[i] != 0; ++i) all += list[i]; return all; }
void set(void) {
  for (int i = 0; i < 2; ++i) {
    list[i] = 1;
    RETRY;
  }
}
)";
  frontend::c::TemporaryFolder folder;
  const std::string suite =
      "implementation \"primed.c\"\noperation g = int sum();\noperation s = set();\n"
      "test Unprimed = s ( g )\ntest Primed = s ( g' )\n";
  folder.write("primed.c", text);
  folder.write("primed.tests", suite);
  const auto observed = [&](const std::string& retry, size_t number) {
    frontend::COptions options;
    options.defines = {"RETRY=" + retry};
    frontend::CTests tests(read_source_file(folder.path() + "/primed.tests"), options);
    return serial(tests.lower(tests.suite().tests.at(number), CompilationScheme::kFences));
  };
  for (const char* retry : {"", "fl_retry()"})
    EXPECT_EQ(observed(retry, 0), std::set<property::Observation>{{2}});
  EXPECT_EQ(observed("fl_retry()", 1), std::set<property::Observation>{{2}});
  EXPECT_TRUE(observed("", 1).empty());
}

}  // namespace
}  // namespace fenceline::engine
