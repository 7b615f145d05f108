// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "unit/report/cases.h"

namespace fenceline::testing {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(JsonReport, AViolation) {
  const ReportCase mp(R"(shared int x, y;
thread P { x = 1; y = 1; }
thread Q { int r = 7, s = 7;
  r = xchg(y, 3);
  s = x;
  s = y; }
property p: never (Q.r == 1 && Q.s == 3);)",
                      "pso", "P P P~y Q Q Q");
  const Json json = Json::parse(report::json_report({mp.answer()}, "1.2.3"));
  EXPECT_EQ(keys(json), (std::vector<std::string>{"schema", "tool", "version", "results"}));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["tool"], "fenceline");
  EXPECT_EQ(json["version"], "1.2.3");
  ASSERT_EQ(json["results"].size(), 1u);
  const Json& result = json["results"][0];
  EXPECT_EQ(keys(result),
            (std::vector<std::string>{
                "file",      "model",       "property",       "engine",         "why_engine",  "engines",
                "verdict",   "bounded",     "unknown_reason", "not_covered",    "vacuous",     "reason",
                "states",    "transitions", "seconds",        "engine_seconds", "peak_rss_kb", "trace",
                "execution", "shortest",    "statistics",     "fences",         "certificate", "buffers"}));
  EXPECT_EQ(result["verdict"], "violated");
  EXPECT_EQ(result["states"], 1234567);
  EXPECT_TRUE(result["bounded"].is_null());
  EXPECT_TRUE(result["shortest"]);
  EXPECT_EQ(result["statistics"].dump(), R"({"levels":12,"bytes_per_state":24.5})");
  EXPECT_EQ(result["fences"].dump(), "[]");
  ASSERT_EQ(result["trace"].size(), 6u);
  EXPECT_EQ(
      result["trace"][1].dump(),
      R"({"step":2,"thread":"P","kind":"execute","line":2,"column":19,"text":"y = 1","address":"y","value":1,)"
      R"("written":null,"reads_from":null,"from_own_buffer":false,"buffer":[{"address":"x","value":1},)"
      R"({"address":"y","value":1}],"error":null})");
  EXPECT_EQ(
      result["trace"][2].dump(),
      R"({"step":3,"thread":"P","kind":"flush","line":2,"column":19,"text":"y = 1 reaches memory","address":"y",)"
      R"("value":1,"written":null,"reads_from":null,"from_own_buffer":false,)"
      R"("buffer":[{"address":"x","value":1}],"error":null})");
  EXPECT_EQ(result["trace"][3]["written"], 3);
  EXPECT_EQ(result["trace"][3]["reads_from"], 2);
  EXPECT_EQ(result["trace"][4]["reads_from"], "initial");
  EXPECT_EQ(result["trace"][5]["reads_from"], 4);
}

TEST(JsonReport, AnErrorAndABound) {
  const ReportCase failing("shared int x; thread P { int r = x; assert(r == 1); }", "sc", "P P");
  report::Answer unknown = failing.answer();
  unknown.result = unknown_result(UnknownReason::kBound, "buffers may grow");
  std::get<Unknown>(unknown.result.conclusion).bound = Bound{"waiting stores per thread", 8};
  const Json json = Json::parse(report::json_report({failing.answer(), unknown}, "1"));
  EXPECT_EQ(json["results"][0]["trace"][1]["error"], "the assertion fails");
  EXPECT_TRUE(json["results"][0]["trace"][1]["address"].is_null());
  EXPECT_EQ(json["results"][1]["verdict"], "unknown");
  EXPECT_EQ(json["results"][1]["bounded"].dump(), R"({"what":"waiting stores per thread","limit":8})");
  EXPECT_EQ(json["results"][1]["trace"].dump(), "[]");
  EXPECT_EQ(json["results"][1]["statistics"].dump(), "{}");
}

TEST(JsonReport, WhatIsInBuffers) {
  const ReportCase failing("shared int x; thread P { assert(0); }", "sc", "P");
  report::Answer answer = failing.answer();
  EXPECT_EQ(Json::parse(report::json_report({answer}, "1"))["results"][0]["buffers"].dump(), "[]");
  std::string endless;
  while (endless.size() < 10'000) endless += "((x,1)(x,0))*|ε";
  answer.result.buffers = {{ThreadId(0), 12, "((x,1)(x,0))*"}, {ThreadId(0), 0, endless}};
  const Json buffers = Json::parse(report::json_report({answer}, "1"))["results"][0]["buffers"];
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(buffers[0].dump(), R"({"thread":"P","line":12,"language":"((x,1)(x,0))*"})");
  EXPECT_EQ(buffers[1]["line"], 0);
  const std::string cut = buffers[1]["language"];
  EXPECT_LE(cut.size(), 5000u);
  EXPECT_TRUE(cut.ends_with("…"));
}

TEST(JsonReport, BytesThatAreNoTextDoNotThrow) {
  const ReportCase failing("shared int x; thread P { assert(0); }", "sc", "P");
  report::Answer answer = failing.answer();
  answer.file = "bad\xff.fl";
  answer.result.reason = "\xc3";
  answer.result.statistics.figures = {{"odd\xfe", std::numeric_limits<double>::infinity()}};
  const Json json = Json::parse(report::json_report({answer}, "1"));
  EXPECT_EQ(json["results"][0]["file"], "bad\uFFFD.fl");
  EXPECT_TRUE(json["results"][0]["statistics"].begin()->is_null());
}

TEST(JsonReport, NoAnswersIsStillAResult) {
  EXPECT_EQ(Json::parse(report::json_report({}, "1"))["results"].dump(), "[]");
}

}  // namespace
}  // namespace fenceline::testing
