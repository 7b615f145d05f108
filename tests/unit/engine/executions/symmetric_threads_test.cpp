// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which threads are explored in one order only. That no execution is lost is for tests/fuzz/fuzz_symmetry.cpp.
#include "engine/executions/symmetric_threads.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "frontend/fl/fl.h"

namespace fenceline::executions {
namespace {

Program parsed(const std::string& text) { return frontend::parse_fl({"test.fl", text}); }

size_t alike(const Program& program, bool shipped_model = true) {
  const FenceSet no_fences;
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  return SymmetricThreads(Overlay(program, no_fences), errors, shipped_model).size();
}
size_t alike(const std::string& text) { return alike(parsed(text + "property p: never (x == 99);\n")); }

TEST(SymmetricThreads, TheSameCode) {
  EXPECT_EQ(alike("shared int x; thread P[i in 0..3] { int r; r = fetch_add(x, 1); }\n"), 4U);
  EXPECT_EQ(alike("shared int x; thread P { x = 1; } thread Q { x = 1; } thread R { x = 2; }\n"), 2U);
}

TEST(SymmetricThreads, OtherCode) {
  EXPECT_EQ(alike("shared int x; thread P { x = 1; } thread Q { x = 2; }\n"), 0U);
  EXPECT_EQ(alike("shared int x; thread P { int r; r = x; } thread Q { int r = 1; r = x; }\n"), 0U);
  Program program =
      parsed("shared int x; thread P { x = 1; } thread Q { x = 1; } property p: never (x == 2);");
  for (Instruction& i : program.threads[1].code)
    if (i.kind == InstrKind::kStore) i.tags = {"REL"};
  EXPECT_EQ(alike(program), 0U);
}

// A formula about a register of one of them distinguishes them.
TEST(SymmetricThreads, Properties) {
  const std::string threads = "shared int x; thread P { int r; r = x; } thread Q { int r; r = x; }\n";
  const FenceSet no_fences;
  for (const auto& [formula, size] : {std::pair("x == 0", 2U), {"P.r == 0", 0U}}) {
    const Program program = parsed(threads + "property p: finally (" + formula + ");\n");
    EXPECT_EQ(SymmetricThreads(Overlay(program, no_fences), program.properties.front(), true).size(), size)
        << formula;
  }
}

// Each has cells of its own, and M starts and joins them.
class Started {
 public:
  std::string before_start, between_starts, between_joins, behind_joins;
  std::string last = "d[1] = 1;";

  Program program() const {
    Program program = parsed(
        "shared int x; shared int s[2]; shared int d[2]; shared int own[2];\n"
        "thread M { int a, b; " +
        before_start + " s[0] = 1; " + between_starts + " s[1] = 1; x = 1; a = d[0]; assume (a == 1); " +
        between_joins + " b = d[1]; assume (b == 1); " + behind_joins +
        " }\n"
        "thread P { int a; a = s[0]; assume (a == 1); own[0] = 5; x = 2; a = own[0]; d[0] = 1; }\n"
        "thread Q { int a; a = s[1]; assume (a == 1); own[1] = 5; x = 2; a = own[1]; " +
        last +
        " }\n"
        "property p: never (x == 99);\n");
    for (Thread& thread : program.threads)
      for (Instruction& i : thread.code) i.blocking = i.kind == InstrKind::kAssume;
    return program;
  }
};

TEST(SymmetricThreads, StartedAndJoined) {
  Started started;
  EXPECT_EQ(alike(started.program()), 2U);
  EXPECT_EQ(alike(started.program(), false), 0U) << "under a user's model";
  started.before_start = "a = x; x = 3;";
  started.behind_joins = "a = x; assert (a == 2);";
  EXPECT_EQ(alike(started.program()), 2U);
  started.between_starts = "a = 1;";
  EXPECT_EQ(alike(started.program()), 2U);
}

TEST(SymmetricThreads, WhatTheStarterMustNotDo) {
  const auto with = [](const auto& change) {
    Started started;
    change(started);
    return alike(started.program());
  };
  EXPECT_EQ(with([](Started& s) { s.between_starts = "x = 3;"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.between_starts = "a = x;"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.between_starts = "fence;"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.between_joins = "a = x;"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.between_joins = "assert (b == 7);"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.behind_joins = "a = own[1];"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.behind_joins = "s[0] = 2;"; }), 0U);
  EXPECT_EQ(with([](Started& s) { s.last = "d[1] = 2;"; }), 0U);
}

// As the C front end emits them for processors; each fence is missing once.
TEST(SymmetricThreads, Fences) {
  const auto alike_without = [](int missing) {
    int fences = 0;
    const auto fence = [&] { return fences++ == missing ? std::string() : std::string(" fence; "); };
    std::string text =
        "shared int x; shared int s[2]; shared int d[2]; shared int g[2];\nthread M { int a, b; x = 3; ";
    for (const char* t : {"0", "1"}) text += fmt::format("g[{0}] = 4; {1} s[{0}] = 1; ", t, fence());
    for (const char* t : {"0", "1"}) text += fmt::format("a = d[{0}]; assume (a == 1); {1}", t, fence());
    text += "b = x; }\n";
    const std::string start = fence(), end = fence();
    for (const char* t : {"0", "1"})
      text += fmt::format(
          "thread P{0} {{ int a, b; a = s[{0}]; assume (a == 1); {1} b = g[{0}]; x = b; {2} d[{0}] = 1; }}\n",
          t, start, end);
    Program program = parsed(text + "property p: never (x == 99);\n");
    for (Thread& thread : program.threads)
      for (Instruction& i : thread.code) i.blocking = i.kind == InstrKind::kAssume;
    return alike(program);
  };
  EXPECT_EQ(alike_without(-1), 2U);
  EXPECT_EQ(alike_without(0), 0U);  // before the first start
  EXPECT_EQ(alike_without(1), 0U);  // before the second one
  EXPECT_EQ(alike_without(2), 2U);  // all that follows is behind the fence of the other join
  EXPECT_EQ(alike_without(3), 0U);  // behind the last join
  EXPECT_EQ(alike_without(4), 0U);  // before arguments are read
  EXPECT_EQ(alike_without(5), 2U);  // at the end of both threads
}

// Whether the starter was faster would be known after the threads have been compared.
TEST(SymmetricThreads, StartsAreReadFirst) {
  const auto text = [](const std::string& first, const std::string& then) {
    return "shared int x; shared int s[2]; thread M { s[0] = 1; s[1] = 1; }\n"
           "thread P { int a, b; " +
           fmt::format(fmt::runtime(first), 0) + fmt::format(fmt::runtime(then), 0) +
           "}\nthread Q { int a, b; " + fmt::format(fmt::runtime(first), 1) +
           fmt::format(fmt::runtime(then), 1) + "}\n";
  };
  EXPECT_EQ(alike(text("a = s[{}]; ", "b = fetch_add(x, 1);")), 2U);
  EXPECT_EQ(alike(text("b = fetch_add(x, 1); ", "a = s[{}];")), 0U);
  EXPECT_EQ(alike(text("a = s[{}]; ", "s[{}] = 2;")), 0U);
}

TEST(SymmetricThreads, CellsCorrespond) {
  const std::string threads =
      "thread P { int a; x = 1; a = own[0]; own[0] = 3; } thread Q { int a; x = 1; a = own[1]; own[1] = 3; "
      "}\n";
  EXPECT_EQ(alike("shared int x, own[2]; " + threads), 2U);
  EXPECT_EQ(alike("shared int x, own[2] = {0, 5}; " + threads), 0U);
  EXPECT_EQ(alike("shared int x, own[4]; thread P { own[0] = 1; own[0] = 2; } thread Q { own[1] = 1; own[2] "
                  "= 2; }\n"),
            0U);
}

// Each thread has a node, and gets its index.
class WithNodes {
 public:
  std::string memory = "shared int tail, next[3], flag[3];";
  std::string argument = "g[1] = 2;";
  std::string body, outside;

  Program program() const {
    const auto thread = [&](int t) {
      return fmt::format(
          "thread P{0} {{ int a, b, me, q; a = s[{0}]; assume (a == 1); me = g[{0}]; next[me] = 0; flag[me] "
          "= 1; "
          "q = xchg(tail, me); if (q != 0) {{ next[q] = me; a = flag[me]; }} {1} }}\n",
          t, body);
    };
    Program program = parsed("shared int x, s[2], g[2]; " + memory + "\nthread M { int a, b; " +
                             "g[0] = 1; s[0] = 1; " + argument + " s[1] = 1; " + outside + " }\n" +
                             thread(0) + thread(1) + "property p: never (x == 99);\n");
    for (Thread& each : program.threads)
      for (Instruction& i : each.code) i.blocking = i.kind == InstrKind::kAssume;
    return program;
  }
};

TEST(SymmetricThreads, Nodes) {
  WithNodes nodes;
  const Program program = nodes.program();
  EXPECT_EQ(alike(program), 2U);
  const FenceSet no_fences;
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const SymmetricThreads threads(Overlay(program, no_fences), errors, true);
  const auto cell = [&](const std::string& name, size_t offset) {
    const auto object = std::find_if(program.objects.begin(), program.objects.end(),
                                     [&](const Object& each) { return each.name == name; });
    return CellId(object->first_cell.index() + offset);
  };
  EXPECT_TRUE(threads.is_in_node(ThreadId(1), cell("flag", 1)));
  EXPECT_FALSE(threads.is_in_node(ThreadId(1), cell("flag", 2)));
  EXPECT_FALSE(threads.is_own(ThreadId(1), cell("flag", 1)));
  EXPECT_EQ(threads.representative(cell("next", 2)), cell("next", 1));
  EXPECT_EQ(threads.representative(cell("next", 0)), cell("next", 0));
  EXPECT_EQ(threads.exchanged(ThreadId(1), ThreadId(2), cell("tail", 0), 1), 2);
  EXPECT_EQ(threads.exchanged(ThreadId(1), ThreadId(2), cell("tail", 0), 0), 0);
  EXPECT_EQ(threads.exchanged(ThreadId(1), ThreadId(2), cell("flag", 1), 1), 1);
  nodes.body = "if (q == me) { x = x + 1; } b = cas(tail, me, 0); if (b == 1) { x = 2; }";
  nodes.outside = "b = tail; a = flag[b];";
  EXPECT_EQ(alike(nodes.program()), 2U);
}

TEST(SymmetricThreads, WhatNodesMustNotBeUsedFor) {
  for (const char* body : {"x = me + 0;", "x = me; x = x + 1;", "if (q < me) { x = 1; }",
                           "a = fetch_add(tail, 1);", "flag[2] = 0;", "tail = 2;", "if (q == 2) { x = 1; }",
                           "a = flag[me - 1];", "x = 2; flag[x] = 1;", "havoc q in 0..2;"}) {
    WithNodes nodes;
    nodes.body = body;
    EXPECT_EQ(alike(nodes.program()), 0U) << body;
  }
  for (const char* memory :
       {"shared int tail = 1, next[3], flag[3];", "shared int tail, next[3] = {0, 2, 1}, flag[3];",
        "shared int tail, next[3], flag[3] = {0, 1, 0};",
        "shared int 0..2 tail; shared int next[3], flag[3];"}) {
    WithNodes nodes;
    nodes.memory = memory;
    EXPECT_EQ(alike(nodes.program()), 0U) << memory;
  }
  for (const char* outside : {"a = flag[1];", "a = tail; x = a + 1;", "tail = 1;"}) {
    WithNodes nodes;
    nodes.outside = outside;
    EXPECT_EQ(alike(nodes.program()), 0U) << outside;
  }
  WithNodes nodes;
  nodes.argument = "g[1] = 0;";
  EXPECT_EQ(alike(nodes.program()), 0U);
}

// They would do different things anyway.
TEST(SymmetricThreads, DifferentArguments) {
  Program program = Started().program();
  EXPECT_EQ(alike(program), 2U);
  Started other;
  other.between_starts = "own[0] = 7; own[1] = 8;";
  EXPECT_EQ(alike(other.program()), 0U);
}

// What main reads there, and does not wait for, would tell it which of them was faster.
TEST(SymmetricThreads, AJoinWaits) {
  Program program = Started().program();
  for (Instruction& i : program.threads[0].code) i.blocking = false;
  EXPECT_EQ(alike(program), 0U);
}

}  // namespace
}  // namespace fenceline::executions
