// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports about inferred fences claim no more than is known.
#include "report/synthesis_text.h"

#include <gtest/gtest.h>

#include "frontend/fl/fl.h"

namespace fenceline::report {
namespace {

constexpr PlacedFence kFirst{0, FenceKinds::full()}, kSecond{1, FenceKinds::store_store()};

// A synthesis of a program with two candidate positions. Does not move: the report points into it.
struct Case {
  Program program = frontend::parse_fl({"test.fl", R"(shared int flag[2], turn;

thread P[i in 0..1] {
    flag[i] = 1;
    turn = 1 - i;
}
property p: never (turn == 2);
)"});
  std::vector<CandidatePosition> candidates;
  Synthesis synthesis;
  SynthesisReport report;

  Case(std::vector<Placement> placements, bool minimal) {
    for (const StatementEnd& end : program.threads[0].ends) {
      const std::string_view line = program.source.line(end.begin.line);
      CandidatePosition candidate{end, end.begin, std::string(line.substr(end.begin.column - 1)), {}};
      for (size_t t = 0; t < 2; ++t) candidate.points.emplace_back(ThreadId(t), end.point);
      candidates.push_back(std::move(candidate));
    }
    synthesis.outcome = Synthesis::Outcome::kFound;
    synthesis.placements = std::move(placements);
    synthesis.minimality = minimal ? Minimality::kProved : Minimality::kRelative;
    synthesis.results.resize(1);
    synthesis.results.front().abstraction = "fd2";
    synthesis.statistics.queries = 1;
    report.file = "test.fl";
    report.model = "pso";
    report.method = "lazy";
    report.engine = "coherence";
    report.program = &program;
    report.candidates = &candidates;
    report.synthesis = &synthesis;
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  std::string text(const TextStyle& style = {}) const { return synthesis_text(report, style); }
  bool contains(std::string_view what) const { return text().find(what) != std::string::npos; }
};

TEST(SynthesisText, NoFences) {
  EXPECT_EQ(Case({{}}, true).text(), "test.fl: no fences are needed on pso (lazy: 1 query, 0.00 s)\n");
}

TEST(SynthesisText, Needed) {
  EXPECT_EQ(Case({{kFirst, kSecond}}, true).text(),
            "test.fl: 2 fences needed on pso (lazy: 1 query, 0.00 s)\n"
            "  line 4: fence; after flag[i] = 1;  (in P[0] and P[1])\n"
            "  line 5: sfence; after turn = 1 - i;  (in P[0] and P[1])\n"
            "  This is minimal: every smaller set of fences has a counterexample.\n"
            "\n"
            "@@ line 3 @@\n"
            " thread P[i in 0..1] {\n"
            "     flag[i] = 1;\n"
            "+    fence;\n"
            "     turn = 1 - i;\n"
            "+    sfence;\n"
            " }\n"
            " property p: never (turn == 2);\n");
}

TEST(SynthesisText, EnoughButPerhapsNotNeeded) {
  const Case one({{kFirst}}, false);
  EXPECT_TRUE(one.contains("1 fence is enough on pso"));
  EXPECT_FALSE(one.contains("needed"));
  EXPECT_TRUE(one.contains("Fewer may be enough, but no smaller set"));
  EXPECT_TRUE(one.contains("fd2"));
}

// Whole-graph inference does not look for counterexamples with fewer fences.
TEST(SynthesisText, TheOtherMethodClaimsNothingAboutCounterexamples) {
  Case one({{kFirst}}, false);
  one.report.method = "avoid";
  EXPECT_TRUE(one.contains("1 fence is enough on pso"));
  EXPECT_TRUE(one.contains("Fewer may be enough"));
  EXPECT_FALSE(one.contains("has a counterexample"));
}

TEST(SynthesisText, AMethodThatDoesNotLookForTheFewest) {
  Case two({{kFirst, kSecond}}, false);
  two.synthesis.minimality = Minimality::kNotClaimed;
  EXPECT_TRUE(two.contains("2 fences are enough on pso"));
  EXPECT_TRUE(two.contains("Fewer may be enough"));
  EXPECT_FALSE(two.contains("needed"));
  EXPECT_FALSE(two.contains("abstract"));
}

TEST(SynthesisText, SeveralChoices) {
  Case two({{kFirst}, {kSecond}}, true);
  two.report.all_requested = true;
  EXPECT_TRUE(two.contains("placement 2 of 2:\n  line 5"));
  EXPECT_TRUE(two.contains("there may be more"));
  two.synthesis.all_listed = true;
  EXPECT_FALSE(two.contains("there may be more"));
}

TEST(SynthesisText, UnknownWithWhatIsEnough) {
  Case one({{kFirst}}, false);
  one.synthesis.outcome = Synthesis::Outcome::kUnknown;
  one.synthesis.reason = "the time limit of 1 s was reached";
  EXPECT_TRUE(one.contains("These are sufficient; fewer may be enough:"));
  one.synthesis.patch_unverified = true;
  EXPECT_TRUE(one.contains("These were verified, but not the text"));
  one.synthesis.patch_unverified = false;
  one.synthesis.placements = {{kFirst, kSecond}};  // at all candidate positions
  EXPECT_TRUE(one.contains("fences unknown on pso"));
  EXPECT_TRUE(one.contains("the time limit of 1 s was reached"));
  EXPECT_TRUE(one.contains("These are sufficient, but"));
  EXPECT_FALSE(one.contains("minimal"));
}

// A search among all sets of positions does not speak of store buffers, and lists sets of different sizes.
TEST(SynthesisText, OfASearchAmongAllSets) {
  Case two({{kFirst}, {kFirst, kSecond}}, false);
  two.report.all_requested = two.synthesis.all_listed = true;
  for (const char* method : {"prop", "bfs", "dfs"}) {
    two.report.method = method;
    EXPECT_TRUE(two.contains("some have more fences than the first"));
    EXPECT_TRUE(two.contains("Fewer may be enough, but no smaller set could be proved sufficient.\n"));
    EXPECT_FALSE(two.contains("store buffers"));
  }
  two.synthesis.placements.pop_back();
  EXPECT_FALSE(two.contains("some have more"));
  two.report.method = "descent";
  two.synthesis.minimality = Minimality::kNotClaimed;
  EXPECT_TRUE(two.contains("another set of fences may be smaller"));
}

TEST(SynthesisText, LearnedClauses) {
  Case two({{kFirst, kSecond}}, true);
  const Point first = two.candidates[0].statement.point, second = two.candidates[1].statement.point;
  two.synthesis.learned = {
      {.positions = {0, 1}},
      {.positions = {1}, .spurious = true},
      {.kind = LearnedClause::Kind::kInsufficient, .positions = {}},
      {.kind = LearnedClause::Kind::kInsufficient, .positions = {0}, .spurious = true},
      {.kind = LearnedClause::Kind::kReordering,
       .positions = {0},
       .reordering = {ThreadId(0), second, first},
       .kinds = FenceKinds::store_store()},
  };
  TextStyle verbose;
  verbose.verbose = true;
  const std::string text = two.text(verbose);
  for (const char* line : {
           "  a counterexample passes lines 4, 5 with pending stores\n",
           "  a spurious counterexample passes line 5 with pending stores\n",
           "  insufficient: no fences\n",
           "  not proved sufficient: fences after line 4\n",
           "  last reordering of a counterexample: P[0] does line 5 before line 4; sfence after line 4\n",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(SynthesisText, Quiet) {
  TextStyle quiet;
  quiet.quiet = true;
  EXPECT_EQ(Case({{kFirst, kSecond}}, true).text(quiet),
            "test.fl: pso: 2 fences needed: fence after line 4, sfence after line 5\n");
  EXPECT_EQ(Case({{}}, true).text(quiet), "test.fl: pso: no fences are needed\n");
}

TEST(SynthesisText, NothingWasRead) {
  const Synthesis none;
  SynthesisReport report;
  report.file = "test.fl";
  report.model = "tso";
  report.method = "lazy";
  report.synthesis = &none;
  EXPECT_EQ(synthesis_text(report, {}), "test.fl: fences unknown on tso (lazy: 0 queries, 0.00 s)\n  \n");
}

TEST(SynthesisText, TheChangeIsShown) {
  const Case one({{kFirst}}, true);
  EXPECT_TRUE(
      one.text().ends_with("\n\n@@ line 3 @@\n thread P[i in 0..1] {\n     flag[i] = 1;\n"
                           "+    fence;\n     turn = 1 - i;\n }\n"))
      << one.text();
  TextStyle colour;
  colour.colour = true;
  EXPECT_NE(one.text(colour).find("\033[32m+    fence;\033[0m"), std::string::npos);
}

}  // namespace
}  // namespace fenceline::report
