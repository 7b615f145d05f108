// SPDX-License-Identifier: GPL-3.0-or-later
//
// What main() does before it starts a thread is what the program begins with.
#include "frontend/c/set_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ir/verify/verify.h"
#include "unit/frontend/c_testing.h"
#include "unit/frontend/fl_testing.h"

namespace fenceline::testing {
namespace {

// main() with these statements before the thread is started, and those behind.
Program program_of(const std::string& before, const std::string& behind = "") {
  const std::string text =
      "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
      "struct node { struct node* next; int item; };\n"
      "struct node* _Atomic top; atomic_int x; int sum;\nint __VERIFIER_nondet_int(void);\n"
      "static void check(int n) {\n  assert(n < 9);\n}\n"
      "static void* code(void* p) { atomic_fetch_add(&x, 1); return p; }\n"
      "int main(void) {\n  " +
      before + "\n  pthread_t t;\n  pthread_create(&t, 0, code, 0);\n  " + behind +
      "\n  pthread_join(t, 0);\n}\n";
  Program program = lower_c(text).program;
  EXPECT_TRUE(verify(program).empty()) << before;
  return program;
}

Value initial(const Program& program, const std::string& cell) {
  const std::vector<Value> memory = program.initial_memory();
  for (size_t c = 0; c < memory.size(); ++c)
    if (program.cell_name(CellId(c)) == cell) return memory[c];
  ADD_FAILURE() << "no cell " << cell;
  return 0;
}

size_t count(const Program& program, InstrKind kind) {
  return static_cast<size_t>(std::count_if(program.threads[0].code.begin(), program.threads[0].code.end(),
                                           [&](const Instruction& i) { return i.kind == kind; }));
}

TEST(CSetUp, IsTheInitialMemory) {
  const Program program = program_of(
      "for (int i = 1; i <= 3; ++i) { struct node* n = malloc(sizeof *n); n->next = top; n->item = i;\n"
      "    top = n; sum += i; }\n  x = 7;");
  EXPECT_EQ(initial(program, "sum"), 6);
  EXPECT_EQ(initial(program, "x"), 7);
  EXPECT_NE(initial(program, "top"), 0);
  EXPECT_EQ(count(program, InstrKind::kStore), 1U);  // it starts the thread
  const CRun run = run_c(program);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.all_ended);
  EXPECT_EQ(run.at("x"), 8);
}

TEST(CSetUp, RegistersHaveTheirValues) {
  const Program program = program_of("int n = x + 2; n += n;", "sum = n;");
  EXPECT_EQ(initial(program, "sum"), 0);
  EXPECT_EQ(run_c(program).at("sum"), 4);
}

TEST(CSetUp, WhatFailsOrChoosesIsKept) {
  EXPECT_EQ(initial(program_of("x = 7; assert(x == 8);"), "x"), 0);
  EXPECT_NE(run_c(program_of("x = 7; assert(x == 8);")).error, "");
  EXPECT_EQ(initial(program_of("x = 7; sum = __VERIFIER_nondet_int();"), "x"), 0);
  EXPECT_EQ(initial(program_of("x = 7; while (x == 7) continue;"), "x"), 0);
}

TEST(CSetUp, EndsOutsideOfLoopsAndSections) {
  Program program = parse(
      "shared int go, x; "
      "thread T { local int i = 0; x = 1; i = 0; while (i < 3) { i = i + 1; if (i == 2) { go = 1; } } } "
      "thread U { await (go == 1); } property p: never (x == 9);");
  const CellId go = program.objects[0].first_cell;
  frontend::c::execute_set_up(program, ThreadId(0), {go});
  EXPECT_TRUE(verify(program).empty());
  EXPECT_EQ(program.objects[1].init[0], 1);
  EXPECT_EQ(program.threads[0].registers[0].init, 0);
  Program atomic = parse(
      "shared int go, x; thread T { x = 1; atomic { x = 2; go = 1; } } thread U { await (go == 1); } "
      "property p: never (x == 9);");
  frontend::c::execute_set_up(atomic, ThreadId(0), {atomic.objects[0].first_cell});
  EXPECT_EQ(atomic.objects[1].init[0], 1);
  EXPECT_EQ(atomic.threads[0].at(atomic.threads[0].entry).kind, InstrKind::kAtomicBegin);
}

// A function that main() calls before and behind: its assertion was decided.
TEST(CSetUp, DecidedAssertionsNeedNotBeReachedAgain) {
  const auto assertions = [](const Program& program) {
    return std::count_if(program.threads[0].code.begin(), program.threads[0].code.end(),
                         [](const Instruction& i) { return i.assertion.known(); });
  };
  EXPECT_GT(assertions(program_of("", "if (x == 5) check(x);")), 0);
  EXPECT_EQ(assertions(program_of("x = 3; check(x);", "if (x == 5) check(x);")), 0);
}

}  // namespace
}  // namespace fenceline::testing
