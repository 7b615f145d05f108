// SPDX-License-Identifier: GPL-3.0-or-later
//
// The robustness engine as users meet it: litmus tests that are robust and that are not, with the reason, on each model. That
// it never calls something verified that is not is for tests/fuzz/fuzz_robustness.cpp; programs that it did are here.
#include "engine/robustness/robustness_engine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/engine/verification_task.h"

namespace fenceline::robustness {
namespace {

constexpr const char* kVerified = "verified";
const std::vector<std::string> kModels = {"rc11", "armv8", "riscv", "power"};

class RobustnessTask {
 public:
  // Accesses get these tags in the order of the text; "" is none. "write T": T is one of the write of an rmw only.
  explicit RobustnessTask(const std::string& text, const std::vector<std::string>& tags = {})
      : program_(frontend::parse_fl({"test.fl", text})) {
    size_t n = 0;
    for (Thread& thread : program_.threads)
      for (Instruction& i : thread.code)
        if (i.is_memory_access() && n < tags.size()) {
          if (tags[n].starts_with("write "))
            i.write_tags = {tags[n].substr(6)};
          else if (!tags[n].empty())
            i.tags = i.write_tags = {tags[n]};
          ++n;
        }
  }

  // "verified", or the reason why that is not known.
  std::string answer(const std::string& model) {
    const Property property = property::properties_to_check(program_, options_).front();
    const Task task{program_, no_fences_, memory_model(model), property};
    const engine::Engine& engine = engine::engine_called("robustness");
    if (const std::string why = engine.unsupported_reason(task); !why.empty()) return why;
    Limits limits;
    const Result result = engine::verify_by("robustness", task, options_, limits);
    EXPECT_NE(result.verdict(), Verdict::kViolated);
    return result.verdict() == Verdict::kVerified ? kVerified : result.reason;
  }
  void expect_everywhere(const std::string& text) {
    for (const std::string& model : kModels) EXPECT_EQ(answer(model), text) << model;
  }

 private:
  const FenceSet no_fences_;
  const Options options_;
  Program program_;
};

const std::string kOnScAlready =
    "the property is violated on sc already, and this engine has no counterexamples";
std::string older(const std::string& what) {
  return "the program may not be robust: " + what + " than on sc";
}

std::string store_buffering(const std::string& p, const std::string& q) {
  return "shared int x, y;\nthread P { int r; x = 1; " + p + " r = y; }\nthread Q { int r; y = 1; " + q +
         " r = x; }\nproperty p: finally (P.r == 1 || Q.r == 1);\n";
}

TEST(RobustnessEngine, StoreBuffering) {
  RobustnessTask(store_buffering("fence;", "fence;")).expect_everywhere(kVerified);
  RobustnessTask(store_buffering("fence;", ""))
      .expect_everywhere(older("Q in line 3 may read an older value of x"));
  const std::string no_fences = store_buffering("", "");
  EXPECT_EQ(RobustnessTask(no_fences, {"SC", "SC", "SC", "SC"}).answer("rc11"), kVerified);
  EXPECT_EQ(RobustnessTask(no_fences, {"L", "A", "L", "A"}).answer("armv8"), kVerified);
  EXPECT_EQ(RobustnessTask(no_fences, {"L", "Q", "L", "A"}).answer("armv8"),
            older("Q in line 3 may read an older value of x"));
  EXPECT_EQ(RobustnessTask(no_fences, {"REL", "SC", "SC", "SC"}).answer("rc11"),
            older("Q in line 3 may read an older value of x"));
  EXPECT_EQ(RobustnessTask(store_buffering("fence;", ""), {"", "", "SC", "SC"}).answer("rc11"),
            older("Q in line 3 may read an older value of x"));
}

TEST(RobustnessEngine, MessagePassing) {
  const auto text = [](const std::string& p, const std::string& q) {
    return "shared int d, f;\nthread P { d = 1; " + p + " f = 1; }\nthread Q { int r, s; r = f; " + q +
           " s = d; }\nproperty p: finally (Q.r == 0 || Q.s == 1);\n";
  };
  RobustnessTask(text("fence(load-store, store-store);", "fence(load-load, load-store);"))
      .expect_everywhere(kVerified);
  RobustnessTask(text("fence;", "")).expect_everywhere(older("Q in line 3 may read an older value of d"));
  EXPECT_EQ(RobustnessTask(text("", ""), {"NA", "REL", "ACQ", "NA"}).answer("rc11"),
            "the program may not be robust: P in line 2 may race for d");  // Q does not look at the flag
  EXPECT_EQ(RobustnessTask(text("", ""), {"", "REL", "ACQ", ""}).answer("rc11"), kVerified);
  EXPECT_EQ(RobustnessTask(text("", ""), {"", "L", "Q", ""}).answer("armv8"), kVerified);
  EXPECT_EQ(RobustnessTask(text("", ""), {"", "Rel", "Acq", ""}).answer("riscv"), kVerified);
  EXPECT_EQ(
      RobustnessTask(text("fence(load-store, store-store);", ""), {"", "", "ISYNC", ""}).answer("power"),
      kVerified);
}

// The isync of Power behind a compare-and-exchange that succeeds.
TEST(RobustnessEngine, AcquiresIfItWrites) {
  const auto text = [](const std::string& expected, const std::string& seen) {
    return "shared int d, f;\nthread P { d = 1; fence(load-store, store-store); f = 1; }\n"
           "thread Q { int r, s; r = cas(f, " +
           expected + ", 2); s = d; }\nproperty p: finally (Q.r == " + seen + " || Q.s == 1);\n";
  };
  EXPECT_EQ(RobustnessTask(text("1", "0"), {"", "", "write ISYNC", ""}).answer("power"), kVerified);
  EXPECT_EQ(RobustnessTask(text("1", "0"), {"", "", "ISYNC", ""}).answer("power"), kVerified);
  EXPECT_EQ(RobustnessTask(text("1", "0")).answer("power"),
            older("Q in line 3 may read an older value of d"));
  EXPECT_EQ(RobustnessTask(text("0", "1"), {"", "", "write ISYNC", ""}).answer("power"),
            older("Q in line 3 may read an older value of d"));
  EXPECT_EQ(RobustnessTask(text("0", "1"), {"", "", "ISYNC", ""}).answer("power"), kVerified);
}

TEST(RobustnessEngine, TwoWritesEach) {
  RobustnessTask(
      "shared int x, y;\nthread P { x = 1; y = 2; }\nthread Q { y = 1; x = 2; }\n"
      "property p: finally (x == 2 || y == 2);\n")
      .expect_everywhere("the program may not be robust: Q in line 3 may write x earlier than on sc");
  RobustnessTask(
      "shared int x, y;\nthread P { x = 1; fence; y = 2; }\nthread Q { y = 1; fence; x = 2; }\n"
      "property p: finally (x == 2 || y == 2);\n")
      .expect_everywhere(kVerified);
}

TEST(RobustnessEngine, IndependentReads) {
  const std::string text =
      "shared int x, y;\nthread P { x = 1; }\nthread Q { y = 1; }\nthread R { int a, b; a = x; fence; b = y; "
      "}\n"
      "thread S { int a, b; a = y; fence; b = x; }\n"
      "property p: finally (R.a == 0 || R.b == 1 || S.a == 0 || S.b == 1);\n";
  RobustnessTask(text).expect_everywhere(kVerified);
}

TEST(RobustnessEngine, LoadBuffering) {
  RobustnessTask task(
      "shared int x, y;\nthread P { int r; r = x; y = 1; }\nthread Q { int r; r = y; x = 1; }\n"
      "property p: finally (P.r == 0 || Q.r == 0);\n");
  EXPECT_EQ(task.answer("rc11"), kVerified);
  for (const char* model : {"armv8", "riscv", "power"})
    EXPECT_EQ(task.answer(model), "loads may be buffered, which sc does not allow");
}

TEST(RobustnessEngine, LoopsNeedNoBound) {
  RobustnessTask(
      "shared int l, n;\nthread P { int r; while (true) { r = xchg(l, 1); fence; if (r == 0) { break; } } r "
      "= n;\n"
      "n = r + 1; fence; l = 0; }\nthread Q { int r; while (true) { r = xchg(l, 1); fence; if (r == 0) { "
      "break; } }\n"
      "r = n; n = r + 1; fence; l = 0; }\nproperty p: finally (n == 2);\n")
      .expect_everywhere(kVerified);
}

// A read-modify-write continues a release sequence; on rc11 an atomic section does not.
TEST(RobustnessEngine, ReleaseSequences) {
  const auto text = [](const std::string& middle) {
    return "shared int d, f;\nthread P { d = 1; fence(load-store, store-store); f = 1; }\nthread Q { int "
           "r; " +
           middle + " }\nthread R { int r, s; r = f; fence(load-load, load-store); s = d; }\n" +
           "property p: finally (R.r != 2 || R.s == 1);\n";
  };
  RobustnessTask(text("r = fetch_add(f, 1);")).expect_everywhere(kVerified);
  EXPECT_EQ(RobustnessTask(text("atomic { r = f; f = r + 1; }")).answer("rc11"),
            older("R in line 4 may read an older value of d"));
}

// The orders of C mean nothing to a machine, nor the other way round.
TEST(RobustnessEngine, TagsOfAnotherModel) {
  const std::string text =
      "shared int d, f;\nthread P { d = 1; f = 1; }\nthread Q { int r, s; r = f; s = d; }\n"
      "property p: finally (Q.r == 0 || Q.s == 1);\n";
  const std::string unknown = "the robustness engine does not know the instruction in line 2";
  for (const char* model : {"armv8", "riscv", "power"})
    EXPECT_EQ(RobustnessTask(text, {"", "REL", "ACQ", ""}).answer(model), unknown);
  for (const char* model : {"rc11", "riscv", "power"})
    EXPECT_EQ(RobustnessTask(text, {"", "L", "A", ""}).answer(model), unknown);
}

// Threads that are stopped by an assumption do not stop others.
TEST(RobustnessEngine, StoppedThreads) {
  const std::string fails = "thread Q { int b; b = x; assert(b == 0); }\n";
  // Its step was chosen to represent those of all threads.
  RobustnessTask("shared int x, y, z;\nthread P { int a; a = z; assume(a == 1); }\nthread R { x = 1; }\n" +
                 fails)
      .expect_everywhere(kOnScAlready);
  RobustnessTask(
      "shared int x;\nthread P { int a; havoc a in 0..1; assume(a == 2); }\nthread R { x = 1; }\n" + fails)
      .expect_everywhere(kOnScAlready);
  // It has written something.
  RobustnessTask("shared int x;\nthread P { int a; a = xchg(x, 1); assume(a == 1); }\n" + fails)
      .expect_everywhere(kOnScAlready);
  // It waits: other threads are explored as they are.
  RobustnessTask(
      "shared int x, y;\nthread P { int a; a = x; assume(a == 1); fence; a = y; assert(a == 0); }\n"
      "thread R { int b; b = xchg(y, 1); fence; b = xchg(x, 1); }\n")
      .expect_everywhere(kOnScAlready);
}

// On SC one of the two sections is never executed; elsewhere both may be.
TEST(RobustnessEngine, SectionsThatWait) {
  RobustnessTask task(
      "shared int x, y;\nthread P { int r; x = 1; atomic { r = y; assume(r == 0); } }\n"
      "thread Q { int r; y = 1; atomic { r = x; assume(r == 0); } }\nproperty p: finally (P.r == 1);\n");
  for (const std::string& model : kModels) EXPECT_NE(task.answer(model), kVerified) << model;
}

// Nothing can be placed before the exchange, but a compare-exchange that fails can read the value before it.
TEST(RobustnessEngine, ACompareExchangeMayOnlyRead) {
  RobustnessTask task(
      "shared int x, f;\nthread P { int r; r = xchg(x, 1); fence; f = 1; }\n"
      "thread Q { int r, s; r = f; s = cas(x, 5, 6); }\nproperty p: finally (Q.s == 0);\n");
  EXPECT_EQ(task.answer("rc11"), older("Q in line 3 may read an older value of x"));
}

TEST(RobustnessEngine, NoCounterexamples) {
  RobustnessTask("shared int x;\nthread P { x = 1; }\nthread Q { x = 2; }\nproperty p: finally (x == 1);\n")
      .expect_everywhere(kOnScAlready);
}

TEST(RobustnessEngine, OtherModels) {
  EXPECT_EQ(RobustnessTask("shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; }\n"
                           "property p: finally (true);\n")
                .answer("tso"),
            "the robustness engine knows rc11, armv8, riscv and power, and not tso");
}

}  // namespace
}  // namespace fenceline::robustness
