// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is said about fences, and that no more is claimed than is known.
#include "report/advice.h"

#include <gtest/gtest.h>

namespace fenceline {
namespace {

const AdvisedFence kFirst{{4, 5}, {"P[0]", "P[1]"}, "flag[i] = 1;", "fence", 3};
const AdvisedFence kSecond{{5, 5}, {"P[0]", "P[1]"}, "turn = 1 - i;", "sfence", 1};

Advice found(std::vector<AdvisedPlacement> placements, bool exact) {
  Advice advice;
  advice.file = "test.fl";
  advice.model = "pso";
  advice.method = "lazy";
  advice.engine = "coherence";
  advice.verdict = Verdict::kVerified;
  advice.placements = std::move(placements);
  advice.exact = exact;
  advice.abstraction = "fd2";
  advice.questions = 1;
  return advice;
}

TEST(Advice, NoFences) {
  EXPECT_EQ(text_advice(found({{}}, true), {}),
            "test.fl: no fences are needed on pso (lazy: 1 question, 0.00 s)\n");
}

TEST(Advice, Needed) {
  EXPECT_EQ(text_advice(found({{kFirst, kSecond}}, true), {}),
            "test.fl: 2 fences needed on pso (lazy: 1 question, 0.00 s)\n"
            "  line 4: fence; after flag[i] = 1;  (in P[0] and P[1])\n"
            "  line 5: sfence; after turn = 1 - i;  (in P[0] and P[1])\n"
            "  Fewer are not enough: with each smaller choice of places, a run of the machine goes wrong.\n");
}

TEST(Advice, EnoughButPerhapsNotNeeded) {
  const std::string text = text_advice(found({{kFirst}}, false), {});
  EXPECT_NE(text.find("1 fence is enough on pso"), std::string::npos);
  EXPECT_EQ(text.find("needed"), std::string::npos);
  EXPECT_NE(text.find("could not be proved"), std::string::npos);
  EXPECT_NE(text.find("fd2"), std::string::npos);
}

// Whole-graph inference has not looked for runs that fewer fences leave.
TEST(Advice, TheOtherMethodClaimsNothingAboutRuns) {
  Advice advice = found({{kFirst}}, false);
  advice.method = "avoid";
  const std::string text = text_advice(advice, {});
  EXPECT_NE(text.find("1 fence is enough on pso"), std::string::npos);
  EXPECT_NE(text.find("Fewer may be enough"), std::string::npos);
  EXPECT_EQ(text.find("goes wrong"), std::string::npos);
}

// Nobody has looked for fewer places, on no machine and on no abstraction.
TEST(Advice, AMethodThatDoesNotLookForTheFewest) {
  Advice advice = found({{kFirst, kSecond}}, false);
  advice.fewest = false;
  const std::string text = text_advice(advice, {});
  EXPECT_NE(text.find("2 fences are enough on pso"), std::string::npos);
  EXPECT_NE(text.find("Fewer may be enough"), std::string::npos);
  EXPECT_EQ(text.find("needed"), std::string::npos);
  EXPECT_EQ(text.find("abstract"), std::string::npos);
}

TEST(Advice, SeveralChoices) {
  Advice advice = found({{kFirst}, {kSecond}}, true);
  advice.all_asked = true;
  EXPECT_NE(text_advice(advice, {}).find("choice 2 of 2:\n  line 5"), std::string::npos);
  EXPECT_NE(text_advice(advice, {}).find("there may be more"), std::string::npos);
  advice.all_listed = true;
  EXPECT_EQ(text_advice(advice, {}).find("there may be more"), std::string::npos);
}

TEST(Advice, UnknownWithWhatIsEnough) {
  Advice advice = found({{kFirst, kSecond}}, false);
  advice.verdict = Verdict::kUnknown;
  advice.reason = "the time limit of 1 s was reached";
  EXPECT_NE(text_advice(advice, {}).find("These are enough; fewer may do:"), std::string::npos);
  advice.written_down = false;
  EXPECT_NE(text_advice(advice, {}).find("These were enough as long as they were not"), std::string::npos);
  advice.written_down = true;
  advice.candidates = 2;
  const std::string text = text_advice(advice, {});
  EXPECT_NE(text.find("fences unknown on pso"), std::string::npos);
  EXPECT_NE(text.find("the time limit of 1 s was reached"), std::string::npos);
  EXPECT_NE(text.find("These are enough, but"), std::string::npos);
  EXPECT_EQ(text.find("not enough:"), std::string::npos);
}

// A search among all sets of places does not speak of store buffers, and lists sets of different sizes.
TEST(Advice, OfASearchAmongAllSets) {
  Advice advice = found({{kFirst}, {kFirst, kSecond}}, false);
  advice.all_asked = advice.all_listed = true;
  for (const char* method : {"prop", "bfs", "dfs"}) {
    advice.method = method;
    const std::string text = text_advice(advice, {});
    EXPECT_NE(text.find("not all have as few as the first"), std::string::npos);
    EXPECT_NE(text.find("Fewer may be enough, but could not be proved to be.\n"), std::string::npos);
    EXPECT_EQ(text.find("store buffers"), std::string::npos);
  }
  advice.placements.pop_back();
  EXPECT_EQ(text_advice(advice, {}).find("not all have"), std::string::npos);
  advice.method = "descent";
  advice.fewest = false;
  EXPECT_NE(text_advice(advice, {}).find("Another choice of places may have fewer"), std::string::npos);
}

TEST(Advice, Quiet) {
  TextStyle quiet;
  quiet.quiet = true;
  EXPECT_EQ(text_advice(found({{kFirst, kSecond}}, true), quiet),
            "test.fl: pso: 2 fences needed: fence after line 4, sfence after line 5\n");
  EXPECT_EQ(text_advice(found({{}}, true), quiet), "test.fl: pso: no fences are needed\n");
}

TEST(Advice, TheChangeIsShown) {
  Advice advice = found({{kFirst}}, true);
  advice.change = "@@ line 4 @@\n flag[i] = 1;\n+fence;\n";
  EXPECT_TRUE(text_advice(advice, {}).ends_with("\n\n@@ line 4 @@\n flag[i] = 1;\n+fence;\n"));
  TextStyle colour;
  colour.colour = true;
  EXPECT_NE(text_advice(advice, colour).find("\033[32m+fence;\033[0m"), std::string::npos);
}

}  // namespace
}  // namespace fenceline
