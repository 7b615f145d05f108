// SPDX-License-Identifier: GPL-3.0-or-later
//
// The explanation of a violation: the state, and the stores that were flushed late.
#include "report/explain.h"

#include <gtest/gtest.h>

#include "report/display.h"
#include "unit/report/cases.h"

namespace fenceline::testing {
namespace {

// On one line, with ordinary blanks.
std::string plain(const std::string& text) { return report::wrap(text, 10'000, 0).front(); }
std::string state(const ReportCase& c) { return plain(report::violated_state(c.answer())); }
std::string why(const ReportCase& c) { return plain(report::late_stores(c.answer())); }

constexpr const char* kTwoStoresEach = R"(shared int x, y;
thread P { x = 1; y = 2; }
thread Q { y = 1; x = 2; }
property p: finally (!(x == 1 && y == 1));)";

// A program that includes a file, and an assertion in it that has words for its failure.
report::Answer included(const Scene& scene) {
  report::Answer answer;
  answer.file = "main.c";
  answer.model = "sc";
  answer.program = &scene.program;
  answer.property = &scene.program.properties[0];
  answer.engine = "explicit";
  const Trace trace = scene.trace("P P");
  answer.result.conclusion =
      TraceCounterexample{.trace = trace, .replay = check::replay(scene.task(), trace)};
  return answer;
}

TEST(OtherFiles, LinesAreNamedWithTheirFile) {
  SceneBuilder b("main.c");
  const uint16_t header = b.builder.include({"lib/queue.h", "first\nsecond\n"});
  const ObjectId x = b.shared("x");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r");
  p.load({r}, b.at(x), {1, 1, header});
  p.check(b.is(r, 5), {2, 1, header}, "null pointer dereferenced");
  b.property(PropertyKind::kObservations, b.number(1));
  const Scene scene = std::move(b.finish()).on("sc");
  const report::Answer answer = included(scene);
  ASSERT_TRUE(answer.result.replay()->ok) << answer.result.replay()->why_not;
  EXPECT_EQ(plain(report::violated_state(answer)),
            "P fails at queue.h:2: null pointer dereferenced with r = 0");
  const std::string text = report::text_report(answer, {});
  EXPECT_NE(text.find("step      line │ P"), std::string::npos) << text;
  EXPECT_NE(text.find("   1 queue.h:1 │ r = x reads 0 (initial)"), std::string::npos) << text;
  EXPECT_NE(text.find("   2 queue.h:2 │ error: null pointer dereferenced"), std::string::npos) << text;
  EXPECT_EQ(text.find("assert"), std::string::npos) << text;
  EXPECT_NE(report::json_report({answer}, "1").find("\"file\": \"lib/queue.h\""), std::string::npos)
      << report::json_report({answer}, "1");
}

TEST(LateStores, AStoreInABuffer) {
  const ReportCase mp(R"(shared int x, y;
thread P { x = 1; y = 1; }
thread Q { int r, s; r = y; s = x; }
property p: finally (Q.r == 0 || Q.s == 1);)",
                      "pso", "P P P~y Q Q P~x");
  EXPECT_EQ(why(mp), "Q read x as 0 (step 5) while P's x = 1 (step 1) was still in its buffer.");
  EXPECT_EQ(state(mp), "all threads have ended with Q.r = 1 and Q.s = 0");
}

TEST(LateStores, AnOlderStoreThatCameLate) {
  const ReportCase both(kTwoStoresEach, "pso", "P P P~y Q Q Q~x P~x Q~y");
  EXPECT_EQ(why(both),
            "x is 1 in memory since P's x = 1 (step 1) reached memory after Q's later x = 2 (step 5).");
  EXPECT_EQ(state(both), "all threads have ended with x = 1 and y = 1");
}

TEST(LateStores, AnOwnStoreThatHidesANewerOne) {
  const ReportCase own(R"(shared int x;
thread P { int r; x = 1; r = x; }
thread Q { x = 2; }
property p: never (P.r == 1 && x == 2);)",
                       "tso", "P Q Q~x P");
  EXPECT_EQ(why(own),
            "P read x as 1 (step 4) from its own buffer although Q's x = 2 (step 2) was in memory.");
}

TEST(LateStores, APropertyThatLooksAtMemory) {
  const ReportCase late("shared int x, y; thread P { x = 1; y = 1; } property p: always (x == y);", "pso",
                        "P P P~y");
  EXPECT_EQ(why(late), "x is 0 in memory while P's x = 1 (step 1) is still in its buffer.");
  EXPECT_EQ(state(late), "x = 0 and y = 1");
}

TEST(LateStores, ReadsOfASpinLoopDoNotCount) {
  constexpr const char* kProgram = R"(shared int x, y;
thread P { x = 1; y = 1; }
thread Q { int r, s; while (r == 0) { r = y; } s = x; out: skip; }
property p: never (Q@out && Q.s == 0);
property q: never (Q@out && Q.s == 1);)";
  const ReportCase mp(kProgram, "pso", "P P Q Q Q P~y Q Q Q");
  EXPECT_EQ(why(mp), "Q read x as 0 (step 9) while P's x = 1 (step 1) was still in its buffer.");
  // Unless there is nothing else to report: the trace as it is needs buffers.
  const ReportCase fine(kProgram, "pso", "P P Q Q Q P~y P~x Q Q Q", 1);
  EXPECT_EQ(why(fine), "Q read y as 0 (step 4) while P's y = 1 (step 2) was still in its buffer.");
}

TEST(LateStores, NothingToExplainUnderSc) {
  const ReportCase race("shared int x; thread P { x = 1; } property p: never (x == 1);", "sc", "P");
  EXPECT_EQ(why(race), "");
}

TEST(LateStores, AThreadThatWaitsReadsMemory) {
  const ReportCase lost(R"(shared int x;
thread P { x = 1; }
thread Q { x = 2; await (x == 2); }
property live: no deadlock;)",
                        "tso", "P Q Q~x P~x");
  EXPECT_EQ(why(lost),
            "x is 1 in memory since P's x = 1 (step 1) reached memory after Q's later x = 2 (step 2).");
  EXPECT_EQ(state(lost), "no step is possible, but Q waits in line 3 `thread Q { x = 2; await (x == 2); }`");
}

TEST(ViolatedState, OnlyWhatMattersIsExplained) {
  constexpr const char* kProgram = R"(shared int x, a[2] = {4, 5};
thread P { int r = 3; x = 1;
here: skip; }
property any: never (x == 9 || P@here && a[x] == 5 || a[0] == 4);
property all: always (P.r == 3 && (a[1] < P.r || !P@here));
property not: always (P@here);
property odd: never (x ? 1 : 0);
property nothing: never (1 + 1);)";
  EXPECT_EQ(state(ReportCase(kProgram, "sc", "P")), "P at here (line 3) and a[1] = 5");
  EXPECT_EQ(state(ReportCase(kProgram, "sc", "P", 1)), "a[1] = 5, P.r = 3 and P at here (line 3)");
  EXPECT_EQ(state(ReportCase(kProgram, "sc", "", 2)), "P not at here");
  EXPECT_EQ(state(ReportCase(kProgram, "sc", "P", 3)), "x = 1");
  EXPECT_EQ(state(ReportCase(kProgram, "sc", "P", 4)), "2 holds");
}

TEST(ViolatedState, Errors) {
  EXPECT_EQ(state(ReportCase("thread P { int r = 1, s = 0; assert(r == 0 || s == 2); }", "sc", "P")),
            "P fails in line 1: assert(r == 0 || s == 2) with r = 1 and s = 0");
  EXPECT_EQ(state(ReportCase("thread P { int r; assert(1 / r); }", "sc", "P")),
            "P fails in line 1: assert(1 / r): division by zero");
  EXPECT_EQ(state(ReportCase("shared int 0..1 x; thread P { int r = 2; x = r; }", "sc", "P")),
            "P fails in line 1: x = 2 is outside its range 0..1");
}

}  // namespace
}  // namespace fenceline::testing
