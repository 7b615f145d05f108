// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/early_stores.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/sat/preserved_order.h"
#include "frontend/fl/fl.h"
#include "model/cat/cat.h"

namespace fenceline::sat {
namespace {

CatModel model(const std::string& text) { return load_cat({"test.cat", text}); }

TEST(SatEarlyStores, ShippedModelsKeepControlDependencies) {
  for (const std::string_view name : shipped_cat_names()) {
    EXPECT_EQ(keeps_control_dependencies(shipped_cat(name)), name != "relaxed") << name;
    if (name == "rmo" || name == "relaxed") {
      EXPECT_TRUE(keeps_load_store_fences(shipped_cat(name))) << name;
    }
  }
}

TEST(SatEarlyStores, OtherModels) {
  const std::string coherence = "acyclic po-loc | rf | co | fr\n";
  EXPECT_TRUE(keeps_control_dependencies(model(coherence + "acyclic (ctrl; [W]) | rfe | co")));
  EXPECT_TRUE(keeps_control_dependencies(model(coherence + "acyclic (po \\ (W * R)) | rfe | co | fr")));
  EXPECT_TRUE(
      keeps_control_dependencies(model(coherence + "let rec p = ctrl | (p; p)\nacyclic (p & (R * W)) | rf")));
  EXPECT_FALSE(keeps_control_dependencies(model(coherence + "acyclic data | rfe | co")));
  EXPECT_FALSE(keeps_control_dependencies(model(coherence + "acyclic (ctrl; [R]) | rfe | co")));
  EXPECT_FALSE(keeps_control_dependencies(model(coherence + "acyclic (ctrl & (R * W)) | co | fr")));  // no rf
  EXPECT_FALSE(keeps_control_dependencies(model(coherence + "acyclic (ctrl \\ (po; po)) | rf")));
  EXPECT_FALSE(keeps_control_dependencies(model(coherence + "acyclic (ctrl; [REL]) | rf")));
  EXPECT_FALSE(keeps_control_dependencies(model(coherence + "flag ~acyclic po | rf as f")));
  EXPECT_FALSE(keeps_control_dependencies(model("acyclic (ctrl; [W]) | rfe | co")));  // reads the future
}

bool affected(const std::string& text) {
  const Program program = frontend::parse_fl({"test.fl", text + "property p: finally (x >= 0);\n"});
  const FenceSet none;
  const Overlay overlay(program, none);
  return loop_with_early_stores(overlay, Liveness(program), shipped_cat("relaxed")).has_value();
}

TEST(SatEarlyStores, LoopsThatALoadDecides) {
  const std::string other = "thread Q { int s; s = y; if (s == 1) x = 5; }\n",
                    names = "shared int x = 0, y = 0;\n";
  EXPECT_TRUE(affected(names + "thread P { int r, n; r = x; while (n < r) n = n + 1; y = 1; }\n" + other));
  // By a number, however often.
  EXPECT_FALSE(affected(names + "thread P { int r, n; r = x; while (n < 3) n = n + 1; y = 1; }\n" + other));
  // By a register that a load has decided.
  EXPECT_TRUE(affected(
      names + "thread P { int r, m, n; r = x; if (r == 5) m = 5; while (n < m) n = n + 1; y = 1; }\n" +
      other));
  // However often, but only if the thread comes to it.
  EXPECT_TRUE(affected(
      names + "thread P { int r, n; r = x; assume (r == 5); while (n < 3) n = n + 1; y = 1; }\n" + other));
  EXPECT_TRUE(
      affected(names + "thread P { int n; while (x == 0) { } while (n < 3) n = n + 1; y = 1; }\n" + other));
  EXPECT_FALSE(affected(
      names + "thread P { int r, m, n; r = x; if (r == 0) m = 1; while (n < 3) n = n + 1; y = m; }\n" +
      other));
  // A loop that waits is idle; one without a store behind it causes nothing.
  EXPECT_FALSE(affected(names + "thread P { while (x == 0) { } y = 1; }\n" + other));
  EXPECT_FALSE(affected(names + "thread P { int r, n; y = 1; r = x; while (n < r) n = n + 1; }\n" + other));
  // Inside of a loop that a number decides, and with its store in the next iteration.
  EXPECT_TRUE(affected(
      names +
      "thread P { int r, n, i; while (i < 2) { y = 1; r = x; while (n < r) n = n + 1; i = i + 1; } }\n" +
      other));
}

TEST(SatEarlyStores, FencesInAllThreads) {
  const std::string names = "shared int x = 0, y = 0;\n";
  const std::string fenced =
      "thread P { int r, n; r = x; fence(load-store); while (n < r) n = n + 1; y = 1; }\n";
  EXPECT_TRUE(affected(names + fenced + "thread Q { int s; s = y; if (s == 1) x = 5; }\n"));
  EXPECT_FALSE(
      affected(names + fenced + "thread Q { int s; s = y; fence(load-store); if (s == 1) x = 5; }\n"));
  // A load and a later store of one location are in order without a fence.
  EXPECT_FALSE(affected(names + fenced + "thread Q { int s; s = x; x = s + 1; }\n"));
}

}  // namespace
}  // namespace fenceline::sat
