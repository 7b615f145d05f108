// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numeric engine on small programs, most of which count for ever: what it proves, with which means, what
// it rejects, and where it must not prove anything. That it never contradicts the explicit engine is for
// tests/fuzz/fuzz_numeric.cpp.
#include "engine/numeric/numeric_engine.h"

#include <gtest/gtest.h>

#include <string>

#include "check/check_certificate.h"
#include "engine/numeric/analysis.h"
#include "engine/numeric/options.h"
#include "env/errors.h"
#include "unit/engine/verification_task.h"
#include "unit/peterson.h"

namespace fenceline::numeric {
namespace {

class NumericTask : public engine::VerificationTask {
 public:
  explicit NumericTask(const std::string& text) : engine::VerificationTask(text) {
    options.certify = Certify::kAlways;
  }

  Result verify(const std::string& model) {
    Limits limits(3600);
    return verify(model, limits);
  }
  Result verify(const std::string& model, Limits& limits) { return verify_by("numeric", model, limits); }
  std::string unsupported_reason(const std::string& model) {
    const Property property = property::properties_to_check(program(), options).front();
    return make_numeric_engine()->unsupported_reason({program(), fences, memory_model(model), property});
  }
};

void expect_proved(const Result& result) {
  ASSERT_EQ(result.verdict(), Verdict::kVerified) << result.reason;
  ASSERT_NE(result.certificate(), nullptr) << result.reason;
  EXPECT_TRUE(result.certificate()->checked);
}

void expect_replayed(const Result& result) {
  ASSERT_EQ(result.verdict(), Verdict::kViolated) << result.reason;
  ASSERT_TRUE(result.trace() && result.replay());
  EXPECT_TRUE(result.replay()->ok) << result.replay()->why_not;
}

const char* const kTicket = R"(
shared int next, serving;
thread P[i in 0..1] {
  int mine, s;
  while (true) {
    mine = fetch_add(next, 1);
    do { s = serving; } while (s != mine);
  cs: skip;
    serving = mine + 1;
  }
}
property mutex: never (P[0]@cs && P[1]@cs);
)";

std::string bakery(const std::string& fence) {
  return R"(
shared int number[2];
thread P[i in 0..1] {
  int mine, other;
  while (true) {
    number[i] = 1;
    )" + fence +
         R"(
    other = number[1-i];
    mine = other + 1;
    number[i] = mine;
    )" + fence +
         R"(
    do { other = number[1-i]; } while (other != 0 && (other < mine || other == mine && 1-i < i));
  cs: skip;
    number[i] = 0;
  }
}
property mutex: never (P[0]@cs && P[1]@cs);
)";
}

// ---- What it proves

TEST(NumericEngine, ACounterWithoutEnd) {
  for (const char* model : {"sc", "tso", "pso"}) {
    SCOPED_TRACE(model);
    expect_proved(NumericTask("shared int x; thread P { int r; while (true) { r = r + 1; x = r; } } "
                              "property p: always (x >= 0);")
                      .verify(model));
    expect_replayed(NumericTask("shared int x; thread P { int r; while (true) { r = r + 1; x = r; } } "
                                "property p: always (x < 5);")
                        .verify(model));
  }
}

TEST(NumericEngine, ATicketLock) {
  for (const char* model : {"sc", "pso"}) {
    SCOPED_TRACE(model);
    expect_proved(NumericTask(kTicket).verify(model));
  }
}

// Two tickets suffice here: a thread that draws one has announced itself before.
TEST(NumericEngine, TheBakeryNeedsFences) {
  expect_proved(NumericTask(bakery("")).verify("sc"));
  expect_replayed(NumericTask(bakery("")).verify("tso"));
  expect_proved(NumericTask(bakery("fence;")).verify("tso"));
  expect_proved(NumericTask(bakery("fence;")).verify("pso"));
}

TEST(NumericEngine, Peterson) {
  expect_proved(NumericTask(kPeterson).verify("sc"));
  expect_replayed(NumericTask(kPeterson).verify("tso"));
  expect_replayed(NumericTask(kPeterson).verify("pso"));
}

TEST(NumericEngine, StoreBuffering) {
  const std::string program = R"(
shared int x, y;
thread P { int r; x = 1; r = y; }
thread Q { int r; y = 1; r = x; }
property p: finally (P.r == 1 || Q.r == 1);
)";
  expect_proved(NumericTask(program).verify("sc"));
  expect_replayed(NumericTask(program).verify("tso"));
  expect_replayed(NumericTask(program).verify("pso"));
}

// More stores are pending than are kept one by one: the tail keeps their bounds.
TEST(NumericEngine, StoresWithoutEndAreSummarised) {
  for (const char* model : {"tso", "pso"})
    for (const uint64_t slots : {1, 2}) {
      NumericTask task(R"(
shared int x;
thread P { int n; while (true) { n = n + 1; x = n; } }
thread Q { int r, s; r = x; s = x; done: skip; }
property p: never (Q@done && (Q.r < 0 || Q.s < 0));
)");
      task.options.of<NumericOptions>().slots = slots;
      expect_proved(task.verify(model));
    }
}

// Any number of stores may be pending. What reaches memory is never smaller than what was there before; that
// holds because the tail is monotone, and must not be concluded if it is not.
TEST(NumericEngine, PendingStoresAreMonotone) {
  const auto text = [](const std::string& loop) {
    return "shared int x; thread P { int i = 0; while (true) { " + loop +
           " } } thread Q { int a, b; while (true) { a = x; b = x; assert(a <= b); } }";
  };
  for (const char* model : {"sc", "tso", "pso"})
    for (const uint64_t slots : {0, 1, 4}) {
      SCOPED_TRACE(testing::Message() << model << ", slots " << slots);
      NumericTask up(text("x = i; i = i + 1;"));
      up.options.of<NumericOptions>().slots = slots;
      expect_proved(up.verify(model));
      for (const char* loop : {"x = i; i = i - 1;", "x = i; x = i - 1; i = i + 1;",
                               "x = i; choose { i = i + 1; } or { i = i - 1; }"}) {
        NumericTask down(text(loop));
        down.options.of<NumericOptions>().slots = slots;
        expect_replayed(down.verify(model));
      }
    }
}

// The newest may be smaller than those before it: the tail of a queue that is lowered by one and then fenced.
TEST(NumericEngine, PendingStoresAreMonotoneButForTheNewest) {
  for (const char* model : {"tso", "pso"})
    for (const uint64_t slots : {0, 1}) {
      NumericTask task(
          "shared int x; thread P { int i = 0; while (true) { choose { i = i + 1; x = i; } or { x = i - 1; "
          "fence; "
          "x = i; } } } thread Q { int a, b; while (true) { a = x; b = x; assert(b >= a - 1); } }");
      task.options.of<NumericOptions>().slots = slots;
      expect_proved(task.verify(model));
    }
}

TEST(NumericEngine, ASmashedArray) {
  const std::string program = R"(
shared int items[4];
thread P { int t; while (true) { items[t % 4] = 1; t = t + 1; } }
thread Q { int h, r; while (true) { r = items[h % 4]; h = h + 1; assert (r <= BOUND); } }
)";
  const auto verify = [&](const std::string& bound, ArrayMode mode) {
    NumericTask task(std::string(program).replace(program.find("BOUND"), 5, bound));
    task.options.of<NumericOptions>().arrays = mode;
    task.options.of<NumericOptions>().domain = NumericDomain::kPolyhedra;
    return task.verify("tso");
  };
  for (const ArrayMode mode : {ArrayMode::kSmash, ArrayMode::kAuto}) {
    SCOPED_TRACE(static_cast<int>(mode));
    expect_proved(verify("1", mode));
    expect_replayed(verify("0", mode));  // what is abstracted away must not become a proof
  }
}

TEST(NumericEngine, DivisionTruncatesTowardsZero) {
  const auto verify = [](const std::string& condition) {
    return NumericTask(
               "shared int x; thread P { int r, n; while (true) { r = r - 3; n = r / 2; x = r % 2; assert (" +
               condition + "); } }")
        .verify("sc");
  };
  expect_proved(verify("2 * n >= r && 2 * n <= r + 1"));
  expect_replayed(verify("2 * n <= r"));
  const std::string modulo =
      "shared int x; thread P { int r; while (true) { r = r - 3; x = r % 2; } } property p: ";
  expect_proved(NumericTask(modulo + "always (x <= 0 && x >= -1);").verify("tso"));
  expect_replayed(NumericTask(modulo + "always (x >= 0);").verify("tso"));
  expect_replayed(NumericTask(modulo + "always (x < 0);").verify("tso"));
}

// ---- Steps that cannot be taken

TEST(NumericEngine, OthersGoOnWhileAThreadIsStuck) {
  for (const char* stuck : {"assume (n < 3);", "m = 1 / (3 - n);", "m = a[n];"}) {
    SCOPED_TRACE(stuck);
    const std::string program = "shared int x; thread P { int n, m; int a[3]; while (true) { n = n + 1; " +
                                std::string(stuck) +
                                " } } thread Q { x = 1; x = 2; } property p: never (x == 2 && P.n ";
    expect_proved(NumericTask(program + "> 3);").verify("tso"));
    expect_replayed(NumericTask(program + "== 3);").verify("tso"));
  }
}

TEST(NumericEngine, AnAssertionThatFails) {
  expect_replayed(NumericTask("shared int x; thread P { int n; while (true) { n = n + 1; assert (n < 4); } }")
                      .verify("sc"));
  expect_replayed(
      NumericTask("shared int 0..3 x; thread P { int n; while (true) { x = n; n = n + 1; } }").verify("tso"));
}

// ---- Pending stores

// No thread but P writes x: its loads are local, also while its stores are pending.
TEST(NumericEngine, LoadsOfWhatNoOtherThreadWrites) {
  const std::string program = R"(
shared int x;
thread P { int r; while (true) { r = x; x = r + 1; r = x; same: skip; } }
thread Q { int r; r = x; }
property p: always (!P@same || P.r >= BOUND);
)";
  const auto with = [&](const std::string& bound) {
    return std::string(program).replace(program.find("BOUND"), 5, bound);
  };
  for (const char* model : {"sc", "tso", "pso"}) {
    SCOPED_TRACE(model);
    expect_proved(NumericTask(with("1")).verify(model));
    expect_replayed(NumericTask(with("2")).verify(model));
  }
}

// The property reads memory, which does not have pending stores.
TEST(NumericEngine, MemoryWhileAStoreIsPending) {
  const std::string program =
      "shared int x; thread P { int n; while (true) { n = n + 1; x = n; at: skip; } } "
      "property p: never (P@at && x < P.n);";
  expect_proved(NumericTask(program).verify("sc"));
  expect_replayed(NumericTask(program).verify("tso"));
  expect_replayed(NumericTask(program).verify("pso"));
}

// A load that has to wait for a marked store may still be answered by another pending store of its own:
// memory need not have it yet.
TEST(NumericEngine, AForwardedLoadWaitsForMarkedStoresOnly) {
  NumericTask task(R"(
shared int x, z;
thread P { int r; z = 1; fence(store-load); x = 1; r = x; done: skip; }
thread Q { int s; s = x; s = z; }
property p: never (P@done && x == 0);
)");
  expect_proved(task.verify("sc"));
  expect_replayed(task.verify("tso"));
  expect_replayed(task.verify("pso"));
}

// A load of a smashed array waits for marked stores as any other; these must have a chance to be flushed.
TEST(NumericEngine, ALoadOfASmashedArrayWaitsForMarkedStores) {
  NumericTask task(R"(
shared int z, a[3];
thread P { int r; z = 3; fence(store-load); r = a[r]; }
property p: finally (z == 0);
)");
  task.options.of<NumericOptions>().arrays = ArrayMode::kSmash;
  for (const char* model : {"sc", "tso", "pso"}) expect_replayed(task.verify(model));
}

// ---- Proofs that a weaker checker would reject, though they are right

void expect_certificate(const std::string& text, AnalysisOptions options) {
  const Program program = frontend::parse_fl({"test.fl", text});
  const FenceSet fences;
  const Task task{program, fences, memory_model("sc"), program.properties.front()};
  options.plan.everything_numeric = options.certificate = true;
  Limits limits(3600);
  const Analysis analysis = analyze(task, options, limits);
  ASSERT_EQ(analysis.outcome, Analysis::Outcome::kHolds);
  const check::CertificateCheck check = check::check_certificate(task, *analysis.certificate, limits);
  EXPECT_TRUE(check.ok) << check.why_not;
}

TEST(NumericEngine, OctagonsShowThatSomethingIsZero) {
  AnalysisOptions options;
  options.domain = NumericDomain::kOctagons;
  expect_certificate(
      "shared int a[2]; thread P { int r, s; r = xchg(a[0], s % 3); } thread Q { int r, i; q: skip; } "
      "property p: always (Q.r - Q.i < 1 || !Q@q);",
      options);
}

TEST(NumericEngine, WhatIsWidenedKeepsItsRange) {
  AnalysisOptions options;
  options.domain = NumericDomain::kBoxes;
  options.fixpoint = {4, 0, 12, false};
  expect_certificate(
      "shared int x; shared int 0..3 z = 1; thread P { int r, i; while (i < 2) { r = z; atomic { x = 3; } } "
      "} "
      "thread Q { int r; } property p: never (Q.r == 3 && P.r <= 3);",
      options);
}

TEST(NumericEngine, CellsOfDifferentRangesAreNotSmashed) {
  AnalysisOptions options;
  options.plan.arrays = ArrayMode::kSmash;
  expect_certificate(
      "shared int a[2]; thread P { int r, s; a[r] = 2; s = a[1]; } property p: never (P.s > 1);", options);
}

TEST(NumericEngine, AFormulaLooksAtSomeCellsOnly) {
  expect_certificate(
      "shared int a[2]; thread P { int r; q: skip; a[1] = -1; } "
      "property p: never (P@q && P.r != 0 && a[0] != 3);",
      {});
}

// ---- Unsupported tasks and limits

TEST(NumericEngine, ReportsWhatIsUnsupported) {
  NumericTask sync("shared int x; thread P { x = 1; sync; } property p: finally (x == 1);");
  EXPECT_EQ(sync.unsupported_reason("sc"), "");
  EXPECT_EQ(sync.unsupported_reason("tso"), "the numeric engine does not support sync");
  NumericTask deadlock("shared int x; thread P { await (x == 1); } property p: no deadlock;");
  EXPECT_NE(deadlock.unsupported_reason("sc").find("an invariant describes reachable states, not progress"),
            std::string::npos);
}

TEST(NumericEngine, ALimitIsReached) {
  NumericTask task(kTicket);
  Limits limits(3600);
  limits.interrupt();
  const Result result = task.verify("pso", limits);
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  EXPECT_NE(result.reason.find("while an invariant was computed"), std::string::npos) << result.reason;
}

TEST(NumericEngine, WithoutConfirmationAnAlarmIsNoViolation) {
  NumericTask task("shared int x; thread P { x = 1; } property p: always (x == 0);");
  task.options.of<NumericOptions>().confirm = false;
  EXPECT_EQ(task.verify("sc").verdict(), Verdict::kUnknown);
}

TEST(NumericEngine, NamesOfDomains) {
  using enum NumericDomain;
  for (const std::optional<NumericDomain> domain :
       {std::optional<NumericDomain>(), {kPolyhedra}, {kOctagons}, {kDifferences}, {kBoxes}}) {
    SCOPED_TRACE(domain ? to_string(*domain) : "auto");
    NumericTask task(
        "shared int x; thread P { int r; while (true) { r = r + 1; x = r; } } property p: always (x >= 0);");
    task.options.of<NumericOptions>().domain = domain;
    const Result result = task.verify("tso");
    expect_proved(result);
    EXPECT_TRUE(!domain || result.abstraction.starts_with(to_string(*domain))) << result.abstraction;
  }
}

}  // namespace
}  // namespace fenceline::numeric
