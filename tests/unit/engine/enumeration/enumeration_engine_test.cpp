// SPDX-License-Identifier: GPL-3.0-or-later
//
// The enumeration engine: verdicts, errors beside threads that have not ended, what makes it answer `unknown`,
// and what it rejects. That it never contradicts the others is for tests/fuzz/fuzz_enumeration.cpp.
#include "engine/enumeration/enumeration_engine.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "engine/enumeration/possible_values.h"
#include "engine/portfolio/portfolio.h"
#include "model/cat/cat.h"
#include "unit/engine/verification_task.h"

namespace fenceline::engine {
namespace {

class EnumerationTask : public VerificationTask {
 public:
  using VerificationTask::VerificationTask;

  Result verify(const std::string& model) {
    Limits limits;
    return verify_by("enumeration", model, limits);
  }
  std::string unsupported(const std::string& model) const {
    const Property property = property::properties_to_check(program(), options).front();
    return make_enumeration_engine()->unsupported_reason({program(), fences, memory_model(model), property});
  }
};

std::string verdict_and_reason(const Result& result) {
  std::string text(to_string(result.verdict()));
  if (result.unknown() != nullptr) text += " " + std::string(to_string(result.unknown()->reason));
  return text;
}

// What it says about errors, or about the property if there is one.
std::string verdict(const std::string& threads, const std::string& model) {
  return verdict_and_reason(EnumerationTask("shared int x, y; " + threads).verify(model));
}

const char* const kMachines[] = {"sc", "tso", "pso"};
const char* const kModels[] = {"sc", "tso", "pso", "rmo", "relaxed", "x86tso", "armv8", "power", "riscv"};

TEST(EnumerationEngine, StoreBuffering) {
  const auto sb = [](const std::string& between) {
    return "thread P { int r; x = 1; " + between + " r = y; } thread Q { int r; y = 1; " + between +
           " r = x; } property p: finally (P.r == 1 || Q.r == 1);";
  };
  EXPECT_EQ(verdict(sb(""), "sc"), "verified");
  EXPECT_EQ(verdict(sb(""), "serial"), "verified");
  for (const char* model : {"tso", "pso", "rmo", "relaxed"}) {
    const Result result = EnumerationTask("shared int x, y; " + sb("")).verify(model);
    EXPECT_EQ(verdict_and_reason(result), "violated") << model;
    ASSERT_NE(result.execution_counterexample(), nullptr);
    EXPECT_TRUE(result.execution_counterexample()->check.ok);
  }
  for (const char* model : {"sc", "tso", "pso", "rmo", "relaxed", "serial"})
    EXPECT_EQ(verdict(sb("fence;"), model), "verified") << model;
}

TEST(EnumerationEngine, AddedFencesCount) {
  EnumerationTask task(
      "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int r; y = 1; r = x; } "
      "property p: finally (P.r == 1 || Q.r == 1);");
  for (size_t thread = 0; thread < 2; ++thread) {
    const auto& code = task.program().threads[thread].code;
    for (size_t point = 0; point < code.size(); ++point)
      if (code[point].kind == InstrKind::kStore)
        task.fences.add(ThreadId(thread), Point(point), FenceKinds::full());
  }
  EXPECT_EQ(verdict_and_reason(task.verify("tso")), "verified");
}

TEST(EnumerationEngine, Errors) {
  const auto mp = [](const std::string& between) {
    return "thread P { x = 1; " + between + " y = 1; } thread Q { int r, s; r = y; " + between +
           " s = x; if (r == 1) { assert(s == 1); } }";
  };
  EXPECT_EQ(verdict(mp(""), "sc"), "verified");
  EXPECT_EQ(verdict(mp(""), "tso"), "verified");
  EXPECT_EQ(verdict(mp(""), "pso"), "violated");
  EXPECT_EQ(verdict(mp(""), "armv8"), "violated");
  // A thread can fail if one looks at it alone, but in no execution.
  for (const char* model : {"sc", "tso", "pso", "rmo", "relaxed"})
    EXPECT_EQ(verdict(mp("fence;"), model), "verified") << model;
}

// The error is the end of an execution in which another thread does not get to its end.
TEST(EnumerationEngine, ErrorsBesideThreadsThatHaveNotEnded) {
  const std::string fails = " thread Q { int r; r = x; assert(r == 0); }";
  for (const char* model : kModels) {
    EXPECT_EQ(verdict("thread P { x = 1; assume(y == 1); }" + fails, model), "violated") << model;
    EXPECT_EQ(verdict("thread P { x = 1; await(y == 1); }" + fails, model), "violated") << model;
    EXPECT_EQ(verdict("thread P { x = 1; while (1) { } }" + fails, model), "violated") << model;
    EXPECT_EQ(verdict("thread P { x = 1; assert(y == 1); }" + fails, model), "violated") << model;
  }
  // Nothing that a thread does inside of a section is seen before the section has ended.
  for (const char* model : kMachines) {
    EXPECT_EQ(verdict("thread P { atomic { x = 1; assume(y == 1); } }" + fails, model), "verified");
    EXPECT_EQ(verdict("thread P { atomic { x = 1; x = 0; } }" + fails, model), "verified");
    EXPECT_EQ(verdict("thread P { atomic { x = 1; assert(y == 1); } }", model), "violated");
  }
}

TEST(EnumerationEngine, KindsOfErrors) {
  for (const char* model : {"sc", "rmo"}) {
    EXPECT_EQ(verdict("thread P { int r; r = x; r = 1 / r; }", model), "violated");
    EXPECT_EQ(
        verdict_and_reason(
            EnumerationTask(
                "shared int 0..1 x; thread P { int r; r = x; x = r + 1; } thread Q { fetch_add(x, 1); }")
                .verify(model)),
        "violated");
    EXPECT_EQ(
        verdict_and_reason(
            EnumerationTask("shared int a[2], i; thread P { i = 2; } thread Q { int r; r = i; r = a[r]; }")
                .verify(model)),
        "violated");
    EXPECT_EQ(
        verdict_and_reason(
            EnumerationTask("shared int a[2], i; thread P { i = 1; } thread Q { int r; r = i; r = a[r]; }")
                .verify(model)),
        "verified");
    EXPECT_EQ(verdict("thread P { int 0..1 r; x = 2; r = x; }", model), "violated");
  }
}

// A flag of the model is an error, and for other properties a reason for no verdict.
TEST(EnumerationEngine, Flags) {
  const CatModel flags = load_cat(
      {"flag.cat", "acyclic po | rf | co | fr as order\nflag ~empty (rf & ext) \\ (IW * _) as seen\n"});
  MemoryModel model = memory_model("rmo");
  model.cat = &flags;
  const auto verify_flags = [&](const std::string& threads) {
    const Program program = frontend::parse_fl({"test.fl", "shared int x, y; " + threads});
    const Options options;
    const Property property = property::properties_to_check(program, options).front();
    const FenceSet no_fences;
    Limits limits;
    return engine::verify_by("enumeration", {program, no_fences, model, property}, options, limits);
  };
  // The second thread does not end.
  const std::string seen = "thread P { x = 1; } thread Q { int r; r = x; await(y == 1); assert(r < 2); }";
  const Result result = verify_flags(seen);
  EXPECT_EQ(verdict_and_reason(result), "violated");
  ASSERT_NE(result.execution_counterexample(), nullptr);
  EXPECT_FALSE(result.execution_counterexample()->check.flags.empty());
  EXPECT_EQ(verdict_and_reason(verify_flags(seen + " property p: finally (x == 1);")), "unknown model");
  EXPECT_EQ(verdict_and_reason(verify_flags("thread P { int r; x = 1; r = x; assert(r == 1); }")),
            "verified");
}

TEST(EnumerationEngine, Unknown) {
  EXPECT_EQ(
      verdict("thread P { x = 1; } thread Q { while (x == 0) { } } property p: finally (x == 1);", "sc"),
      "unknown bound");
  EXPECT_EQ(
      verdict("thread P { int r; r = x; r = r + 9223372036854775807; assert(r != 0); } thread Q { x = 1; }",
              "sc"),
      "unknown overflow");
  EXPECT_EQ(verdict("thread P { x = 0; } property p: finally (1 / x == 1);", "sc"), "unknown undefined");
  // Loads may return any number on models in which stores overtake them.
  const std::string counts =
      "thread P { int i; while (i < 2) { x = x + 1; i = i + 1; } } property p: finally (x == 2);";
  EXPECT_EQ(verdict(counts, "sc"), "verified");
  EXPECT_EQ(verdict(counts, "rmo"), "unknown unsupported");
}

TEST(EnumerationEngine, ModelsWithoutExecutions) {
  const CatModel none = load_cat({"none.cat", "empty IW as nothing\n"});
  MemoryModel model = memory_model("rmo");
  model.cat = &none;
  const Program program =
      frontend::parse_fl({"test.fl", "shared int x; thread P { x = 1; assert(x == 1); }"});
  const FenceSet no_fences;
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), {}};
  const Options options;
  Limits limits;
  EXPECT_EQ(
      verdict_and_reason(verify_by("enumeration", {program, no_fences, model, errors}, options, limits)),
      "unknown model");
}

TEST(EnumerationEngine, EndsAtLimits) {
  std::string threads;
  for (const char* name : {"P", "Q", "R", "S"})
    threads += fmt::format("thread {} {{ x = 1; x = 2; x = 3; x = 4; x = 5; }} ", name);
  EnumerationTask task("shared int x; " + threads + "property p: finally (x == 5);");
  Limits limits(0.01, 0);
  EXPECT_EQ(verdict_and_reason(task.verify_by("enumeration", "relaxed", limits)), "unknown limit");
}

// A store that comes before a load may be the reason why the thread gets to it.
TEST(EnumerationEngine, StoresBehindAssertions) {
  const std::string text =
      "thread P { int r; r = x; assert(r == 5); y = 1; } thread Q { int s; s = y; if (s == 1) { x = 5; } } "
      "property p: finally (0);";
  for (const char* model : kMachines) EXPECT_EQ(verdict(text, model), "verified") << model;
  for (const char* model : {"rmo", "armv8", "power"}) EXPECT_EQ(verdict(text, model), "violated") << model;
}

// docs/engine-sat.md: the number of iterations depends on what a later store causes.
TEST(EnumerationEngine, IterationsThatALaterStoreCauses) {
  const std::string text =
      "thread P { int r, n; r = x; while (n < r) { n = n + 1; } y = 1; } "
      "thread Q { int s; s = y; if (s == 1) { x = 5; } } property p: finally (P.r != 5);";
  for (const char* model : kMachines) EXPECT_EQ(verdict(text, model), "verified") << model;
  EXPECT_EQ(verdict(text, "relaxed"), "violated");
}

TEST(PossibleValues, WithoutLoopsAsManyIterationsAsStores) {
  const auto values = [](const std::string& text) {
    const Program program = frontend::parse_fl({"test.fl", text + " property p: finally (1);"});
    const FenceSet no_fences;
    return possible_values(Overlay(program, no_fences));
  };
  EXPECT_EQ(values("shared int x = 3, y; thread P { int r; r = x; y = r + 1; } thread Q { x = y; }"),
            (check::CellValues{{0, 1, 3, 4}, {0, 1, 4}}));
  const auto counted = values("shared int x; thread P { fetch_add(x, 1); } thread Q { fetch_add(x, 1); }");
  EXPECT_EQ(counted, (check::CellValues{{0, 1, 2}}));
  EXPECT_EQ(
      values("shared int x, y; thread P { if (x == 7) { y = 1; } } thread Q { if (y == 1) { x = 7; } }"),
      (check::CellValues{{0, 7}, {0, 1}}));
  EXPECT_EQ(values("shared int x; thread P { while (1) { x = x + 1; } }"), std::nullopt);
  EXPECT_EQ(values("shared int x; thread P { while (1) { fetch_add(x, 1); } }"), std::nullopt);
}

TEST(EnumerationEngine, Unsupported) {
  const std::string thread = "shared int x; thread P { x = 1; } property p: ";
  EXPECT_NE(EnumerationTask(thread + "never (x == 1);").unsupported("sc").find("intermediate states"),
            std::string::npos);
  EXPECT_NE(EnumerationTask(thread + "always (x == 1);").unsupported("sc").find("intermediate states"),
            std::string::npos);
  EXPECT_EQ(EnumerationTask(thread + "finally (x == 1);").unsupported("sc"), "");
  EXPECT_NE(
      EnumerationTask("shared int x; thread P { assert(x == 0); }").unsupported("serial").find("operations"),
      std::string::npos);
  EXPECT_NE(EnumerationTask("shared int x; thread P { x = 1; sync; } property p: finally (x == 1);")
                .unsupported("tso")
                .find("sync"),
            std::string::npos);
}

// It is there for comparisons, and would only disturb the others.
TEST(EnumerationEngine, IsNeverChosen) {
  const EnumerationTask enumeration_task("shared int x; thread P { x = 1; } property p: finally (x == 1);");
  const Property property = enumeration_task.program().properties.front();
  const FenceSet no_fences;
  std::string why_none;
  for (const char* model : kModels) {
    const Task task{enumeration_task.program(), no_fences, memory_model(model), property};
    for (const Candidate& candidate : candidates(task, "auto", why_none))
      EXPECT_NE(candidate.engine->name(), "enumeration");
    EXPECT_EQ(candidates(task, "enumeration", why_none).size(), 1u);
  }
}

}  // namespace
}  // namespace fenceline::engine
