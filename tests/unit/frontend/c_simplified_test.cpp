// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is left of a program when its branches that decide nothing are gone, and what has to stay.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/c/dead_code.h"
#include "frontend/c/jump_threading.h"
#include "ir/verify/verify.h"
#include "unit/frontend/c_testing.h"
#include "unit/frontend/fl_testing.h"

namespace fenceline::testing {
namespace {

// Of the instructions that a thread can come to.
size_t branches(const Program& program, size_t thread = 0) {
  const Thread& code = program.threads[thread];
  std::vector<bool> seen(code.code.size());
  std::vector<Point> todo{code.entry};
  seen[code.entry.index()] = true;
  size_t result = 0;
  while (!todo.empty()) {
    const Instruction& i = code.at(todo.back());
    todo.pop_back();
    if (i.kind == InstrKind::kBranch) ++result;
    for (const Point next : i.next) {
      if (seen[next.index()]) continue;
      seen[next.index()] = true;
      todo.push_back(next);
    }
  }
  return result;
}

size_t needed_branches(const std::string& body) {
  Program program = parse_body("local int r, i, n; " + body);
  frontend::c::remove_dead_code(program, {});
  EXPECT_TRUE(verify(program).empty()) << body;
  return branches(program);
}

TEST(CSimplified, CountersThatDecideNothing) {
  EXPECT_EQ(needed_branches("i = 0; while (i < 5) { i = i + 1; } x = 1;"), 0U);
  EXPECT_EQ(needed_branches("i = 5; while (i > 0) { i = i - 1; } x = 1;"), 0U);
  EXPECT_EQ(needed_branches("i = 0; while (i != 5) { i = i + 1; } x = 1;"), 0U);
  EXPECT_EQ(needed_branches("n = 1; if (n < 8) { n = n * 2; } else { n = 3; } x = 1;"), 0U);
}

// One branch is left of a loop that waits: that on what it loads.
TEST(CSimplified, ExponentialBackOff) {
  EXPECT_EQ(needed_branches("n = 1; r = x; while (r == 0) { i = 0; while (i < n) { i = i + 1; } "
                            "if (n < 64) { n = n * 2; } r = x; } y = 1;"),
            1U);
}

TEST(CSimplified, WhatIsLookedAtStays) {
  EXPECT_EQ(needed_branches("i = 0; while (i < 5) { i = i + 1; } x = i;"), 1U);
  EXPECT_EQ(needed_branches("i = 0; while (i < 5) { i = i + 1; x = 1; }"), 1U);
  EXPECT_EQ(needed_branches("n = 1; if (n < 8) { n = 2; } assert(n == 2);"), 1U);
  Program program = parse(
      "shared int x; thread T { local int n = 1; if (n < 8) { n = 2; } x = 1; } "
      "property two: finally (T.n == 2);");
  frontend::c::remove_dead_code(program, {});
  EXPECT_EQ(branches(program), 1U);
}

// A branch on what was loaded orders later stores behind the load.
TEST(CSimplified, ControlDependenciesStay) {
  EXPECT_EQ(needed_branches("r = x; if (r == 1) { n = 1; } y = 1;"), 1U);
  EXPECT_EQ(needed_branches("r = x; i = r + 1; if (i == 1) { n = 1; } y = 1;"), 1U);
}

TEST(CSimplified, LoopsThatMightNotEndStay) {
  EXPECT_EQ(needed_branches("i = 0; while (i < 5) { i = i - 1; } x = 1;"), 1U);
  EXPECT_EQ(needed_branches("i = 0; while (i != 5) { i = i + 2; } x = 1;"), 1U);
  EXPECT_EQ(needed_branches("i = 0; n = 5; while (i < n) { i = i + 1; n = n + 1; } x = 1;"), 1U);
  EXPECT_EQ(needed_branches("i = 0; while (i < 5) { n = 2; } x = 1;"), 1U);
}

size_t undecided_branches(const std::string& body) {
  Program program = parse_body("local int r, i, n; " + body);
  frontend::c::thread_jumps(program);
  EXPECT_TRUE(verify(program).empty()) << body;
  return branches(program);
}

TEST(CSimplified, BranchesThatConstantsDecide) {
  EXPECT_EQ(undecided_branches("n = 1; if (n == 1) { x = 1; } else { y = 1; }"), 0U);
  // The first branch is left; each of its ways goes on where the second one leads.
  EXPECT_EQ(undecided_branches("r = x; if (r == 0) { n = 1; } else { n = 2; } if (n == 1) { y = 1; } z = 1;"),
            1U);
  // The ways meet before the second branch, in an assignment that then exists twice.
  EXPECT_EQ(undecided_branches(
                "r = x; if (r == 0) { n = 1; } else { n = 2; } i = r; if (n == 1) { y = 1; } z = i;"),
            1U);
  EXPECT_EQ(undecided_branches("r = x; if (r == 0) { n = 1; } if (n == 1) { y = 1; } z = 1;"), 2U);
  EXPECT_EQ(undecided_branches("n = 1; r = x; if (n == 1) { y = 1; }"), 1U);
}

// Which thread is joined is known although its number is in memory.
TEST(CSimplified, HandlesOfThreads) {
  const Program program = lower_c(R"(
    #include <pthread.h>
    struct worker { pthread_t thread; int n; } workers[2];
    int x, y;
    void* first(void* p) { *(int*)p = 1; return 0; }
    int main() {
      struct worker w[2];
      pthread_create(&w[0].thread, 0, first, &x);
      pthread_create(&w[1].thread, 0, first, &y);
      for (int i = 0; i < 2; i++) pthread_join(w[i].thread, 0);
    })")
                              .program;
  size_t joins = 0;
  for (const Thread& thread : program.threads)
    for (const Instruction& i : thread.code) {
      if (i.kind != InstrKind::kLoad) continue;
      const bool is_constant = program.expr(i.address.offset).op == ExprOp::kConst;
      joins += i.role == StepRole::kJoin ? 1 : 0;
      EXPECT_TRUE(is_constant || i.role == StepRole::kJoin);
    }
  EXPECT_EQ(joins, 2U);
  EXPECT_EQ(run_c(program).at("y"), 1);
}

}  // namespace
}  // namespace fenceline::testing
