// SPDX-License-Identifier: GPL-3.0-or-later
//
// Result blocks, to the letter.
#include "report/litmus_report.h"

#include <gtest/gtest.h>

namespace fenceline::report {
namespace {

LitmusQuery store_buffering() {
  LitmusQuery query;
  query.test = "SB";
  query.condition = "(0:EAX=0 /\\ 1:EAX=0)";
  query.names = {"0:EAX", "1:EAX"};
  return query;
}

LitmusOutcomes four_states() {
  LitmusOutcomes outcomes;
  outcomes.states = {{{1, 1, 0}, 1}, {{0, 1, 0}, 1}, {{1, 0, 0}, 1}, {{0, 0, 1}, 1}};
  outcomes.complete = true;
  return outcomes;
}

TEST(LitmusReport, Exists) {
  EXPECT_EQ(litmus_block(store_buffering(), four_states(), 0.004),
            "Test SB Allowed\n"
            "States 4\n"
            "0:EAX=0; 1:EAX=0;\n"
            "0:EAX=0; 1:EAX=1;\n"
            "0:EAX=1; 1:EAX=0;\n"
            "0:EAX=1; 1:EAX=1;\n"
            "Ok\n"
            "Witnesses\n"
            "Positive: 1 Negative: 3\n"
            "Condition exists (0:EAX=0 /\\ 1:EAX=0)\n"
            "Observation SB Sometimes 1 3\n"
            "Time SB 0.00\n"
            "\n");
}

TEST(LitmusReport, NotExistsSwapsWitnesses) {
  LitmusQuery query = store_buffering();
  query.kind = LitmusKind::kForbidden;
  query.hash = "abc";
  LitmusOutcomes outcomes = four_states();
  outcomes.states.pop_back();
  const std::string block = litmus_block(query, outcomes, 1.239);
  EXPECT_NE(block.find("Test SB Forbidden\nStates 3\n"), std::string::npos);
  EXPECT_NE(block.find("\nOk\nWitnesses\nPositive: 3 Negative: 0\n"), std::string::npos);
  EXPECT_NE(block.find("Condition ~exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Never 0 3\n"),
            std::string::npos);
  EXPECT_NE(block.find("Time SB 1.24\nHash=abc\n\n"), std::string::npos);
}

TEST(LitmusReport, Forall) {
  LitmusQuery query = store_buffering();
  query.kind = LitmusKind::kRequired;
  EXPECT_NE(litmus_block(query, four_states(), 0).find("Required"), std::string::npos);
  EXPECT_FALSE(litmus_verdict(query, four_states()).ok);
  LitmusOutcomes always;
  always.states = {{{0, 0, 1}, 2}};
  EXPECT_TRUE(litmus_verdict(query, always).ok);
  EXPECT_EQ(litmus_verdict(query, always).observation, "Always");
  EXPECT_EQ(litmus_verdict(query, always).positive, 2U);
}

TEST(LitmusReport, AddressesAreNames) {
  LitmusQuery query;
  query.test = "T";
  query.condition = "(0:X1=x)";
  query.names = {"0:X1"};
  query.addresses = {{1000, "y"}, {2000, "x"}};
  LitmusOutcomes outcomes;
  outcomes.states = {{{1000, 0}, 1}, {{2000, 1}, 1}, {{5000, 0}, 1}, {{-1, 0}, 1}};
  outcomes.complete = true;
  const std::string block = litmus_block(query, outcomes, 0);
  EXPECT_NE(block.find("States 4\n0:X1=-1;\n0:X1=5000;\n0:X1=x;\n0:X1=y;\n"), std::string::npos) << block;
}

TEST(LitmusReport, FlagsAndWhatIsNotComplete) {
  LitmusOutcomes outcomes = four_states();
  outcomes.flags = {"race"};
  EXPECT_NE(litmus_block(store_buffering(), outcomes, 0).find("Negative: 3\nFlag race\nCondition"),
            std::string::npos);
  outcomes.flags = {"*undef*"};
  EXPECT_NE(litmus_block(store_buffering(), outcomes, 0).find("\nUndef\nWitnesses"), std::string::npos);
  outcomes.flags.clear();
  outcomes.complete = false;
  EXPECT_NE(litmus_block(store_buffering(), outcomes, 0).find("\nLoop Ok\n"), std::string::npos);
}

TEST(LitmusReport, NothingObserved) {
  LitmusQuery query;
  query.test = "T";
  query.kind = LitmusKind::kRequired;
  query.condition = "(true)";
  LitmusOutcomes outcomes;
  outcomes.states = {{{1}, 1}};
  outcomes.complete = true;
  EXPECT_NE(litmus_block(query, outcomes, 0).find("States 1\n\nOk\n"), std::string::npos);
}

TEST(LitmusReport, Json) {
  LitmusAnswer answer;
  answer.file = "SB.litmus";
  answer.query = store_buffering();
  answer.outcomes = four_states();
  const std::string json = litmus_json({answer}, {{"bad.litmus", 65, "bad.litmus:1:1: error"}}, "1.0");
  EXPECT_NE(json.find("\"observation\": \"Sometimes\""), std::string::npos);
  EXPECT_NE(json.find("\"0:EAX\": \"0\""), std::string::npos);
  EXPECT_NE(json.find("\"file\": \"bad.litmus\""), std::string::npos);
}

TEST(LitmusReport, WithoutAStateTheResultIsUnknown) {
  for (const LitmusKind kind : {LitmusKind::kAllowed, LitmusKind::kForbidden, LitmusKind::kRequired}) {
    LitmusQuery query = store_buffering();
    query.kind = kind;
    LitmusOutcomes outcomes;
    outcomes.reason = "no execution that the model allows terminates";
    EXPECT_FALSE(litmus_verdict(query, outcomes).ok);
    EXPECT_TRUE(litmus_verdict(query, outcomes).unknown);
    const std::string block = litmus_block(query, outcomes, 0);
    EXPECT_EQ(block.find("States"), std::string::npos);
    EXPECT_NE(block.find("\nUnknown\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace fenceline::report
