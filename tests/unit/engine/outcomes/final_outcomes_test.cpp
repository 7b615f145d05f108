// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engines that list final states find the same ones: the exploration, the solver, and the enumeration.
#include "engine/outcomes/final_outcomes.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/sat/options.h"
#include "env/silent_env.h"
#include "frontend/fl/fl.h"

namespace fenceline::engine {
namespace {

LitmusOutcomes outcomes(const std::string& text, const std::string& model, OutcomeEngine engine) {
  Program program = frontend::parse_fl({"test.fl", text});
  std::vector<ExprId> observed;
  for (const Property& property : program.properties) observed.push_back(property.formula);
  for (Thread& thread : program.threads)
    for (Instruction& instruction : thread.code)
      if (model == "rc11" && instruction.is_memory_access()) instruction.tags = {"NA"};
  Options options;
  options.of<sat::SatOptions>().bound = 4;
  Limits limits;
  SilentEnv env(options, limits);
  return final_outcomes(program, memory_model(model), observed, env, engine);
}

using Counts = std::map<std::vector<Value>, uint64_t>;

Counts counts(const LitmusOutcomes& found) {
  EXPECT_TRUE(found.complete) << found.reason;
  Counts counts;
  for (const LitmusState& state : found.states) counts[state.values] = state.executions;
  return counts;
}

const char* const kStoreBuffering =
    "shared int x, y;\nthread P { int r; x = 1; r = y; }\nthread Q { int r; y = 1; r = x; }\n"
    "property p: finally (P.r * 2 + Q.r);\n";

TEST(FinalOutcomes, AllEnginesCountAlike) {
  for (const OutcomeEngine engine :
       {OutcomeEngine::kAuto, OutcomeEngine::kExecutions, OutcomeEngine::kSat, OutcomeEngine::kEnumeration}) {
    EXPECT_EQ(counts(outcomes(kStoreBuffering, "sc", engine)), (Counts{{{1}, 1}, {{2}, 1}, {{3}, 1}}));
    EXPECT_EQ(counts(outcomes(kStoreBuffering, "armv8", engine)),
              (Counts{{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}}));
  }
}

TEST(FinalOutcomes, FlagsOfExploredExecutions) {
  for (const OutcomeEngine engine : {OutcomeEngine::kAuto, OutcomeEngine::kSat, OutcomeEngine::kEnumeration})
    EXPECT_FALSE(outcomes(kStoreBuffering, "rc11", engine).flags.empty());
  const char* alone = "shared int x;\nthread P { x = 1; }\nproperty p: finally (x);\n";
  EXPECT_TRUE(outcomes(alone, "rc11", OutcomeEngine::kAuto).flags.empty());
}

// A wait has as many executions as it has ways to end.
TEST(FinalOutcomes, LoopsThatWaitNeedNoBound) {
  const char* text =
      "shared int f, x;\nthread P { x = 1; f = 1; }\nthread Q { int r; while (f == 0) { } r = x; }\n"
      "property p: finally (Q.r);\n";
  for (const OutcomeEngine engine : {OutcomeEngine::kAuto, OutcomeEngine::kSat}) {
    EXPECT_EQ(counts(outcomes(text, "tso", engine)), (Counts{{{1}, 1}}));
    EXPECT_EQ(counts(outcomes(text, "pso", engine)), (Counts{{{0}, 1}, {{1}, 1}}));
  }
  EXPECT_EQ(outcomes(text, "tso", OutcomeEngine::kAuto).engine, "executions");
  EXPECT_FALSE(outcomes(text, "tso", OutcomeEngine::kEnumeration).complete);
}

// Executions with a cycle of program order and rf are not explored.
TEST(FinalOutcomes, LoadBufferingIsSolved) {
  const char* text =
      "shared int x, y;\nthread P { int r; r = x; y = 1; }\nthread Q { int r; r = y; x = 1; }\n"
      "property p: finally (P.r * 2 + Q.r);\n";
  for (const OutcomeEngine engine : {OutcomeEngine::kAuto, OutcomeEngine::kExecutions}) {
    const LitmusOutcomes found = outcomes(text, "armv8", engine);
    EXPECT_EQ(counts(found), (Counts{{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}}));
    EXPECT_EQ(found.engine, "sat");
    EXPECT_EQ(outcomes(text, "tso", engine).engine, "executions");
  }
}

TEST(FinalOutcomes, WhatCannotBeExplored) {
  const char* endless = "shared int x;\nthread P { while (1) { x = x + 1; } }\nproperty p: finally (x);\n";
  const LitmusOutcomes explored = outcomes(endless, "sc", OutcomeEngine::kExecutions);
  EXPECT_FALSE(explored.complete);
  EXPECT_NE(explored.reason, "");
  EXPECT_EQ(outcomes(endless, "sc", OutcomeEngine::kAuto).engine, "sat");
  EXPECT_EQ(outcomes(kStoreBuffering, "serial", OutcomeEngine::kAuto).engine, "sat");
  EXPECT_FALSE(outcomes(kStoreBuffering, "serial", OutcomeEngine::kExecutions).complete);
}

}  // namespace
}  // namespace fenceline::engine
