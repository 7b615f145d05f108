// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a sync forbids that a fence instead of it allows, by all executions of Interpreter.
#include <gtest/gtest.h>

#include <string>

#include "frontend/fl/fl.h"
#include "unit/check/statespace/concrete_exploration.h"

namespace fenceline::testing {
namespace {

// Can all threads be at their label `l` together?
bool meet(const std::string& text, const char* model) {
  const Program program = frontend::parse_fl({"test.fl", text + " property p: finally (1);"});
  const FenceSet none;
  const Exploration reached =
      explore({program, none, memory_model(model), program.properties.front()}, 9, 20000);
  EXPECT_TRUE(reached.complete);
  for (const ConcreteState& state : reached.states) {
    bool all = true;
    for (size_t t = 0; t < program.threads.size(); ++t)
      all &= program.threads[t].at(state.locations[t]).label == "l";
    if (all) return true;
  }
  return false;
}

TEST(Sync, OneIsEnoughForStoreBuffering) {
  const auto program = [](const std::string& fence) {
    return "shared int x, y; thread P { x = 1; " + fence +
           " await(y == 0); l: skip; } thread Q { y = 1; await(x == 0); l: skip; }";
  };
  EXPECT_FALSE(meet(program(""), "sc"));
  for (const char* model : {"tso", "pso"}) {
    EXPECT_TRUE(meet(program("fence;"), model));
    EXPECT_FALSE(meet(program("sync;"), model));
  }
}

TEST(Sync, TheReaderCanWaitForTheWriter) {
  const auto program = [](const std::string& fence) {
    return "shared int x, y; thread P { x = 1; y = 1; l: skip; } thread Q { await(y == 1); " + fence +
           " await(x == 0); l: skip; }";
  };
  EXPECT_TRUE(meet(program("fence;"), "pso"));
  EXPECT_FALSE(meet(program("sync;"), "pso"));
}

TEST(Sync, OnePerThreadIsEnoughForPetersonOnPso) {
  const auto program = [](const std::string& fence) {
    return "shared int flag[2], turn; thread P[i in 0..1] { while (true) { flag[i] = 1; turn = 1 - i; " +
           fence + " while (flag[1-i] == 1 && turn == 1-i) { } l: skip; flag[i] = 0; } }";
  };
  EXPECT_FALSE(meet(program("fence;"), "tso"));
  EXPECT_TRUE(meet(program("fence;"), "pso"));
  for (const char* model : {"sc", "tso", "pso"}) EXPECT_FALSE(meet(program("sync;"), model));
}

}  // namespace
}  // namespace fenceline::testing
