// SPDX-License-Identifier: GPL-3.0-or-later
//
// Models that no person would write, because the engine promises to be right about those of users, too. Where
// requirements.h accepts one, the exploration must find all its executions; where load_buffering.h excludes cycles of
// program order and rf, there must be none. The enumeration, which needs nothing of a model, counts them.
#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/enumeration/enumerate.h"
#include "engine/enumeration/possible_values.h"
#include "engine/executions/exploration.h"
#include "engine/executions/load_buffering.h"
#include "engine/executions/requirements.h"
#include "engine/sat/preserved_order.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/cat/cat.h"

namespace fenceline::executions {
namespace {

class RandomModel {
 public:
  explicit RandomModel(uint64_t seed) : rng_(seed) {}

  std::string text() {
    std::string result;
    std::string more;
    if (rng_.chance(20)) {
      result += "let rec v = " + relation(2) + " | (v; " + relation(1) + ")\n";
      more = " | v";
    }
    if (rng_.chance(70)) result += "acyclic rf | co | fr | " + ordered() + more + " as order\n";
    if (rng_.chance(70)) return result;
    const char* kinds[] = {"acyclic ", "irreflexive ", "empty "};
    result += kinds[rng_.below(3)] + relation(3) + more + " as other\n";
    return result;
  }

 private:
  // Some of program order.
  std::string ordered() {
    switch (rng_.below(7)) {
      case 0:
        return "(po \\ " + relation(2) + ")";
      case 1:
        return "(po & " + relation(2) + ")";
      case 2:
        return "([" + set(2) + "]; po; [" + set(2) + "])";
      case 3:
        return "((" + relation(1) + ")?; po-loc; (" + relation(1) + ")?)";
      case 4:
        return "(addr | data | ([" + set(1) + "]; po; [" + set(1) + "]))";
      case 5:
        return "((" + relation(1) + " | data); (" + relation(1) + " | [W])) | ctrl";
      default:
        return "(atomic?; (" + relation(1) + " \\ atomic); atomic?)";
    }
  }
  std::string relation(int depth) {
    const char* bases[] = {"po",  "rf",  "co",     "fr",   "rmw",  "atomic", "loc",
                           "int", "ext", "po-loc", "addr", "data", "ctrl",   "id"};
    if (depth == 0 || rng_.chance(15)) return bases[rng_.below(std::size(bases))];
    const auto r = [&] { return relation(depth - 1); };
    const auto s = [&] { return set(depth - 1); };
    switch (rng_.below(12)) {
      case 0:
        return "(" + r() + " | " + r() + ")";
      case 1:
        return "(" + r() + " & " + r() + ")";
      case 2:
      case 3:
        return "(" + r() + " \\ " + r() + ")";
      case 4:
      case 5:
        return "(" + r() + "; " + r() + ")";
      case 6:
        return r() + "^-1";
      case 7:
        return "(" + r() + ")" + std::string(1, "+*?"[rng_.below(3)]);
      case 8:
        return "(" + s() + " * " + s() + ")";
      case 9:
        return "([" + s() + "]; " + r() + ")";
      case 10:
        return "(" + r() + "; [" + s() + "])";
      default:
        return rng_.chance(50) ? "~" + r() : r();
    }
  }
  std::string set(int depth) {
    const char* bases[] = {"R", "W", "M", "F", "IW", "RMW", "ATOMIC", "SECTION", "SL", "_", "ACQ"};
    if (depth <= 0 || rng_.chance(40)) return bases[rng_.below(std::size(bases))];
    switch (rng_.below(5)) {
      case 0:
        return "(" + set(depth - 1) + " | " + set(depth - 1) + ")";
      case 1:
        return "(" + set(depth - 1) + " \\ " + set(depth - 1) + ")";
      case 2:
        return "domain(" + relation(depth - 1) + ")";
      case 3:
        return "range(" + relation(depth - 1) + ")";
      default:
        return "(~" + set(depth - 1) + ")";
    }
  }

  Rng rng_;
};

// Every other read is an acquire.
std::vector<Program> programs_of(const std::vector<const char*>& texts) {
  std::vector<Program> result;
  for (const std::string threads : texts) {
    Program program = frontend::parse_fl(
        {"test.fl", "shared int x, y, z[2]; " + threads + " property p: finally (x == x);"});
    size_t n = 0;
    for (Thread& thread : program.threads)
      for (Instruction& i : thread.code)
        if (i.reads_memory() && n++ % 2 == 0) i.tags = {"ACQ"};
    result.push_back(std::move(program));
  }
  return result;
}

std::vector<Program> programs() {
  return programs_of({
      "thread P { int r; x = 1; r = y; } thread Q { int s; y = 1; s = fetch_add(x, 1); }",
      "thread P { int r; r = x; if (r == 1) y = 1; } thread Q { int s; x = 1; fence; s = y; }",
      "thread P { int r, s; havoc r in 0..1; s = x; if (r == 0) y = 1; else x = 1; } thread Q { x = 2; "
      "}",
      "thread P { int r; atomic { r = x; x = r + 1; } r = y; } thread Q { y = 1; fence; x = 5; }",
      "thread P { int r; r = cas(x, 0, 1); y = r; } thread Q { int r; r = xchg(x, 2); r = y; }",
      "thread P { x = 1; x = 2; } thread Q { int r, s; r = x; s = x; } thread R { x = 3; }",
      "thread P { atomic { x = 1; } y = 1; } thread Q { int r; r = y; atomic { r = x; } }",
      "thread P { int r; atomic { r = xchg(x, 1); } y = 1; } thread Q { int r; r = fetch_add(x, 1); r = y; }",
      "thread P { int r; r = fetch_add(x, 1); } thread Q { int r; r = x; x = r + 5; } thread R { int r; "
      "r = fetch_add(x, 1); }",
  });
}

// Nothing if the engine does not support something.
std::optional<uint64_t> explored(const Program& program, const CatModel& model) {
  try {
    const FenceSet no_fences;
    const Overlay overlay(program, no_fences);
    const ModelPlan plan(model, overlay);
    const ThreadCode code(overlay, plan.uses_dependencies(), {});
    return explore(code, plan, {}, [](const Leaf&) { return true; }).executions;
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

TEST(ExecutionsRandomModels, AcceptedModelsLoseNoExecution) {
  constexpr uint64_t kModels = 5'000;
  const std::vector<Program> all = programs();
  size_t accepted = 0;
  std::set<uint64_t> counts;
  for (uint64_t seed = 1; seed <= kModels; ++seed) {
    // Cycles of program order and rf are not for the exploration.
    const std::string text = "acyclic po | rmw | rf as base\n" + RandomModel(seed).text();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    CatModel model;
    try {
      model = load_cat({"test.cat", text});
    } catch (const InputError&) {  // a `let rec` that is not monotone
      continue;
    }
    if (!unsuitable_constraint(model).empty()) continue;
    ++accepted;
    for (size_t p = 0; p < all.size(); ++p) {
      const std::optional<uint64_t> found = explored(all[p], model);
      if (!found) continue;
      counts.insert(*found);
      ASSERT_EQ(*found, engine::enumerate_executions(all[p], model, {}, {}).executions) << "program " << p;
    }
  }
  // Many are accepted, many are not, and they do not all allow the same.
  EXPECT_GT(accepted, kModels / 5);
  EXPECT_LT(accepted, kModels * 4 / 5);
  EXPECT_GT(counts.size(), 10u);
}

// ---- Load buffering

std::vector<Program> programs_with_cycles() {
  return programs_of({
      "thread P { int r; r = x; y = 1; } thread Q { int r; r = y; x = 1; }",
      "thread P { int r; r = x; y = r - r + 1; } thread Q { int r; r = y; x = r - r + 1; }",
      "thread P { int r; r = x; if (r == 1) { r = 2; } y = 1; } thread Q { int r; r = y; fence; x = 1; "
      "}",
      "thread P { int r; r = x; y = 1; } thread Q { int r; r = fetch_add(y, 0); x = r - r + 1; }",
      "thread P { int r; r = x; x = 1; y = 1; } thread Q { int r; r = y; y = 2; x = 2; }",
      "thread P { int r; r = x; y = 1; r = y; z[0] = r; } thread Q { int r; r = z[0]; x = r; }",
      "thread P { int r, s; r = x; s = z[r - r]; y = 1; } thread Q { int r; r = y; x = 1 + r - r; }",
      "thread P { int r; r = xchg(x, 5); y = 1; } thread Q { int r; r = y; if (r == 1) { x = 1; } }",
      "thread P { int r; r = x; atomic { y = 1; } } thread Q { int r; atomic { r = y; } x = 1; }",
      "thread P { int r; atomic { r = xchg(x, 5); } y = r; } thread Q { int r; r = xchg(y, 1); x = r; }",
  });
}

uint64_t enumerated(const Program& program, const CatModel& model) {
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  const auto values = engine::possible_values(overlay);
  EXPECT_TRUE(values.has_value());
  return engine::enumerate_executions(overlay, model, {}, {.values = &*values, .limits = {}},
                                      [](const engine::EnumeratedExecution&) { return true; })
      .executions;
}

TEST(ExecutionsRandomModels, ExcludedCyclesDoNotExist) {
  const std::vector<Program> all = programs_with_cycles();
  size_t excluded = 0, exist = 0, not_excluded = 0;
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    std::string text = RandomModel(seed).text();
    if (seed % 4 != 0) text = "acyclic po-loc | rmw | rf | co | fr as coherence\n" + text;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    CatModel model, acyclic;
    try {
      model = load_cat({"test.cat", text});
      acyclic = load_cat({"test.cat", text + "acyclic po | rmw | rf as base\n"});
    } catch (const InputError&) {
      continue;
    }
    const bool forbidden = sat::forbids_load_buffering(model);
    for (size_t p = 0; p < all.size(); ++p) {
      const FenceSet no_fences;
      const bool may = !forbidden && may_buffer_loads(Overlay(all[p], no_fences), model);
      const bool exists = enumerated(all[p], model) != enumerated(all[p], acyclic);
      ++(exists ? exist : may ? not_excluded : excluded);
      ASSERT_TRUE(may || !exists) << "program " << p;
    }
  }
  EXPECT_GT(excluded, 1'000u);
  EXPECT_GT(exist, 1'000u);
  EXPECT_GT(not_excluded, 0u);
}

}  // namespace
}  // namespace fenceline::executions
