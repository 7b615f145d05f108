// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the checker does with all kinds of certificates alike: registers, properties, fences of the task,
// limits.
#include "check/check_certificate.h"
#include "unit/check/statespace/certificate_case.h"

namespace fenceline::testing {
namespace {

template <class Certificate>
class CertificateProperties : public ::testing::Test {};

using Kinds = ::testing::Types<CoherenceCertificate, AutomataCertificate>;
TYPED_TEST_SUITE(CertificateProperties, Kinds);

TYPED_TEST(CertificateProperties, RegistersMayBeDroppedWhereTheyAreDeadAndNowhereElse) {
  const Case subject = parse(
      "shared int x, y; thread P { int r; r = x; y = r; skip; r = 0; } property p: never (y == 1);", "tso");
  const TypeParam certificate = subject.template reachable<TypeParam>();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  const Thread& thread = subject.program.threads[0];
  TypeParam forgetful = certificate;
  for (auto& state : forgetful.states) {
    const InstrKind kind = thread.at(state.locations[0]).kind;
    if (kind == InstrKind::kLoad || kind == InstrKind::kAssign || kind == InstrKind::kHalt)
      state.registers[0][0].reset();
  }
  EXPECT_EQ(subject.verdict(forgetful), "ok");
  for (size_t i = 0; i < certificate.states.size(); ++i) {
    TypeParam damaged = forgetful;
    auto& reg = damaged.states[i].registers[0][0];
    if (reg) {
      reg.reset();
      EXPECT_TRUE(contains(subject.verdict(damaged), "P.r is needed, but its value is not known"));
      reg = 5;
      EXPECT_NE(subject.verdict(damaged), "ok");
    } else if (thread.at(damaged.states[i].locations[0]).kind == InstrKind::kAssign) {
      reg = 5;  // invented: after the store it is 0
      EXPECT_TRUE(contains(subject.verdict(damaged), "not subsumed"));
    }
  }
}

TYPED_TEST(CertificateProperties, NeverAndAlways) {
  const std::string text = "shared int x; thread P { int r; x = 1; r = x; l: skip; } property p: ";
  EXPECT_EQ(parse(text + "never (x == 2);", "tso").template verdict<TypeParam>(), "ok");
  EXPECT_TRUE(contains(parse(text + "never (x == 1);", "tso").template verdict<TypeParam>(),
                       "must never hold does hold"));
  EXPECT_EQ(parse(text + "always (P.r <= 1);", "pso").template verdict<TypeParam>(), "ok");
  EXPECT_TRUE(contains(parse(text + "always (x == 0);", "pso").template verdict<TypeParam>(),
                       "must always hold does not hold"));
  EXPECT_TRUE(contains(parse(text + "never (P@l && x == 0);", "tso").template verdict<TypeParam>(),
                       "must never hold does hold"));
  EXPECT_EQ(parse(text + "never (P@l && x == 0);", "sc").template verdict<TypeParam>(), "ok");
  EXPECT_TRUE(
      contains(parse(text + "never (1 / x == 2);", "tso").template verdict<TypeParam>(), "division by zero"));
  const Case unknown = parse(text + "never (P.r == 2);", "tso");
  TypeParam forgetful = unknown.template reachable<TypeParam>();
  forgetful.states.back().registers[0][0].reset();
  EXPECT_TRUE(contains(unknown.verdict(forgetful), "not known"));
}

TYPED_TEST(CertificateProperties, Deadlock) {
  const std::string deadlock = " property p: no deadlock;";
  EXPECT_EQ(parse("shared int x; thread P { x = 1; await(x == 1); }" + deadlock, "tso")
                .template verdict<TypeParam>(),
            "ok");
  for (const char* model : {"sc", "tso", "pso"}) {
    EXPECT_TRUE(contains(parse("shared int x; thread P { x = 1; await(x == 2); }" + deadlock, model)
                             .template verdict<TypeParam>(),
                         "it is a deadlock"));
    EXPECT_EQ(parse("shared int x; thread P { x = 1; assume(x == 2); }" + deadlock, model)
                  .template verdict<TypeParam>(),
              "ok");
    EXPECT_EQ(parse("shared int x; thread P { x = 1; assert(x == 2); }" + deadlock, model)
                  .template verdict<TypeParam>(),
              "ok");
  }
}

TYPED_TEST(CertificateProperties, Errors) {
  EXPECT_EQ(parse("shared int x; thread P { x = 1; assert(x == 1); }", "tso").template verdict<TypeParam>(),
            "ok");
  const char* const damaged[] = {
      "shared int x; thread P { x = 1; assert(x == 0); }",
      "shared int 0..1 x; thread P { int r; havoc r in 0..2; x = r; }",
      "shared int a[2]; thread P { int r; havoc r in 0..2; r = a[r]; }",
      "shared int x; thread P { int r; r = x; r = 1 / r; }",
      "shared int 0..1 x; thread P { int r; r = fetch_add(x, 1); r = fetch_add(x, 1); }",
      "shared int x; thread P { int 0..1 r; x = 2; r = x; }",
      "shared int x; thread P { int r; atomic { r = x; assert(r == 1); } }",
  };
  for (const char* text : damaged)
    for (const char* model : {"sc", "tso", "pso"})
      EXPECT_TRUE(contains(parse(text, model).template verdict<TypeParam>(), "the step of P can fail"))
          << text;
  // A step that has to wait cannot fail.
  EXPECT_EQ(parse("shared int x; thread P { int r; x = 1; r = xchg(x, 3); assert(r == 1); }", "pso")
                .template verdict<TypeParam>(),
            "ok");
}

TYPED_TEST(CertificateProperties, ValuesBeyond64BitsAreNotProved) {
  const Case subject = parse(
      "shared int x; thread P { int r = 9223372036854775807; r = r + 1; }"
      "property p: finally (1);",
      "sc");
  const auto certificate = subject.template of<TypeParam>({{initial(subject.task())}});
  EXPECT_TRUE(contains(subject.verdict(certificate), "does not fit into 64 bits"));
}

TYPED_TEST(CertificateProperties, FencesOfTheTaskCount) {
  Case subject = parse(
      "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int r; y = 1; r = x; }"
      "property p: finally (!(P.r == 0 && Q.r == 0));",
      "pso");
  EXPECT_TRUE(contains(subject.template verdict<TypeParam>(), "must finally hold does not hold"));
  const TypeParam without_locations = subject.template reachable<TypeParam>();
  for (size_t t = 0; t < 2; ++t)
    subject.fences.add(ThreadId(t), subject.program.threads[t].entry, FenceKinds());
  EXPECT_TRUE(contains(subject.template verdict<TypeParam>(),
                       "must finally hold does not hold"));  // a fence of no kind does nothing
  EXPECT_TRUE(contains(subject.verdict(without_locations), "not subsumed"));  // but it is a location
  for (size_t t = 0; t < 2; ++t)
    subject.fences.add(ThreadId(t), subject.program.threads[t].entry, FenceKinds::full());
  EXPECT_EQ(subject.template verdict<TypeParam>(), "ok");
}

TYPED_TEST(CertificateProperties, GivesUpAtLimits) {
  const Case subject = parse(
      "shared int x; thread P { int r; havoc r in 0..100000000; assume(r < 0); }"
      "property p: finally (1);",
      "tso");
  auto certificate = subject.template of<TypeParam>({{initial(subject.task())}});
  certificate.states[0].registers[0].assign(subject.program.threads[0].registers.size(), std::nullopt);
  auto after = certificate.states[0];
  after.locations[0] = subject.program.threads[0].at(after.locations[0]).next[0];
  certificate.states.push_back(after);
  Limits limits(0.05);
  const check::CertificateCheck check = check::check_certificate(subject.task(), certificate, limits);
  EXPECT_FALSE(check.ok);
  EXPECT_TRUE(check.gave_up);
  EXPECT_FALSE(check.why_not.empty());
  Limits interrupted;
  interrupted.interrupt();
  EXPECT_TRUE(check::check_certificate(subject.task(), certificate, interrupted).gave_up);
}

// One thread waits for the stores of all, so that the other needs no fence of its own.
TYPED_TEST(CertificateProperties, SyncWaitsForAllThreads) {
  for (const char* model : {"sc", "tso", "pso"}) {
    Case subject = parse(
        "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int r; y = 1; r = x; }"
        "property p: finally (!(P.r == 0 && Q.r == 0));",
        model);
    const Point after_store = subject.program.threads[1].entry;
    subject.fences.add(ThreadId(1), after_store, FenceKinds::full());
    const std::string alone = subject.template verdict<TypeParam>();
    EXPECT_EQ(alone == "ok", subject.model == "sc") << alone;
    const auto too_much = subject.template reachable<TypeParam>();
    subject.fences.add(ThreadId(1), after_store, FenceKinds::sync());
    EXPECT_EQ(subject.template verdict<TypeParam>(), "ok") << model;
    EXPECT_EQ(subject.verdict(too_much) == "ok", subject.model == "sc");
    auto certificate = subject.template reachable<TypeParam>();
    for (size_t i = 0; i < certificate.states.size(); ++i) {
      auto less = certificate;
      less.states.erase(less.states.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(contains(subject.verdict(less), "subsumed")) << i;
    }
  }
}

}  // namespace
}  // namespace fenceline::testing
