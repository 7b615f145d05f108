// SPDX-License-Identifier: GPL-3.0-or-later
//
// States that represent those in which the threads are called differently: as many as all states, where
// threads are alike, and none where they are not. --check-reduction makes the engine compare; it throws if a
// state is missing.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/options.h"
#include "engine/queue/options.h"
#include "unit/engine/verification_task.h"

namespace fenceline::engine {
namespace {

double statistic(const Result& result, const std::string& name) {
  const auto found = std::find_if(result.statistics.figures.begin(), result.statistics.figures.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  EXPECT_NE(found, result.statistics.figures.end()) << name;
  return found == result.statistics.figures.end() ? 0 : found->second;
}

// One lock for all, which holds its owner, and an element of its own for each thread.
std::string memory(const std::string& threads, const std::string& in_lock = "") {
  const std::string lock = "if (has == 0) { l = cas(owner, 0, self); if (l == 0) abort(); has = 1; " +
                           std::string("busy[self - 1] = 1; ") + in_lock + " }";
  return "const threads = " + threads +
         "; const variables = 1; transaction M { shared int owner, busy[threads], x; transactional int "
         "g[variables];"
         "  local int l, has, mine, wrote;"
         "  read(v) { " +
         lock + " l = g[v]; rfin; } write(v) { " + lock +
         "    if (wrote == 0) g[v] = 1; wrote = 1; }"
         "  end { if (has == 1) { has = 0; wrote = 0; busy[self - 1] = 0; owner = 0; } commit; }"
         "  abort { abort; } } property p: opacity;";
}

struct Answers {
  Result with, without;
};

Answers verify(const std::string& text, const std::string& model) {
  VerificationTask task(text);
  task.options.of<StateSpaceOptions>().check_reduction = true;
  Limits limits;
  Answers answers;
  answers.with = task.verify_by("queue", model, limits);
  task.options.of<QueueOptions>().symmetry = task.options.of<StateSpaceOptions>().check_reduction = false;
  answers.without = task.verify_by("queue", model, limits);
  return answers;
}

TEST(ThreadSymmetry, RepresentativesRepresentAllStates) {
  for (const std::string model : {"sc", "tso", "pso", "rmo-ctrl"}) {
    SCOPED_TRACE(model);
    const auto [with, without] = verify(memory("2"), model);
    EXPECT_EQ(with.verdict(), without.verdict());
    EXPECT_EQ(statistic(with, "names_of_threads"), 2);
    EXPECT_EQ(statistic(without, "names_of_threads"), 1);
    if (with.verdict() != Verdict::kVerified) continue;
    EXPECT_EQ(statistic(with, "states_without_symmetry"), static_cast<double>(without.statistics.states));
    EXPECT_LT(with.statistics.states, without.statistics.states);
    EXPECT_GE(2 * with.statistics.states, without.statistics.states);
  }
}

TEST(ThreadSymmetry, ThreeThreads) {
  const auto [with, without] = verify(memory("3"), "sc");
  EXPECT_EQ(with.verdict(), Verdict::kVerified);
  EXPECT_EQ(statistic(with, "names_of_threads"), 6);
  EXPECT_LT(4 * with.statistics.states, without.statistics.states);
}

// A trace is one of the threads as they are, or the replay would reject it.
TEST(ThreadSymmetry, CounterexamplesAreFeasible) {
  for (const std::string threads : {"2", "3"}) {
    std::string text = memory(threads);
    text.replace(text.find("if (l == 0) abort();"), 20, "");  // who does not get the lock goes on
    const auto [with, without] = verify(text, "sc");
    EXPECT_EQ(with.verdict(), Verdict::kViolated);
    ASSERT_TRUE(with.replay() && without.replay());
    EXPECT_TRUE(with.replay()->ok);
    EXPECT_EQ(with.trace()->steps.size(), without.trace()->steps.size());
  }
}

// A loop over the other threads: what threads do by themselves differs, though no other thread can observe
// it.
TEST(ThreadSymmetry, LoopsOverTheOtherThreads) {
  std::string text = memory("2", "w = 0; while (w < threads) { if (w != self - 1) l = busy[w]; w = w + 1; }");
  text.replace(text.find("local int"), 9, "index w; local int");
  for (const std::string removed : {"", "if (l == 0) abort();"}) {
    if (!removed.empty()) text.replace(text.find(removed), removed.size(), "");
    const auto [with, without] = verify(text, "sc");
    EXPECT_EQ(with.verdict(), removed.empty() ? Verdict::kVerified : Verdict::kViolated);
    EXPECT_EQ(with.verdict(), without.verdict());
    EXPECT_EQ(statistic(with, "names_of_threads"), 2);
  }
}

// The code of the threads is the same, and what they do is not.
TEST(ThreadSymmetry, ThreadsThatAreNotAlike) {
  for (const std::string own : {"mine = self; if (mine == 1) x = 1;", "mine = self; x = mine + 1;"}) {
    const auto [with, without] = verify(memory("2", own), "sc");
    EXPECT_EQ(with.verdict(), Verdict::kVerified);
    EXPECT_EQ(statistic(with, "names_of_threads"), 1);
    EXPECT_EQ(with.statistics.states, without.statistics.states);
  }
}

}  // namespace
}  // namespace fenceline::engine
