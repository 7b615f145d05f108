// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which iterations leave something behind, as the engine sees it: loops that need no bound, loops that count, and
// the reasons of those that have none. The smallest programs on which leaving out too much was wrong.
#include "ir/analysis/wait_loops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/sat/options.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/same_values.h"
#include "model/cat/cat.h"
#include "unit/engine/verification_task.h"

namespace fenceline::sat {
namespace {

class LoopTask : public engine::VerificationTask {
 public:
  using engine::VerificationTask::VerificationTask;

  std::string verdict(const std::string& model) {
    Limits limits(options.timeout, options.memory_mb << 20);
    const Result result = verify_by("sat", model, limits);
    reason = result.reason;
    return std::string(to_string(result.verdict()));
  }
  std::string reason;
};

std::optional<uint32_t> visits(const std::string& code, uint32_t loop = 0) {
  LoopTask task(
      "shared int x;\n"
      "thread P { int i, k, n, r; " +
      code + " }\nthread Q { x = 1; }\nproperty p: finally (x == 0);\n");
  const Overlay overlay(task.program(), task.fences);
  const Liveness used(task.program(), Reads::kUsed, {});
  const WaitLoops loops(overlay, used, std::vector<bool>(task.program().cell_count));
  return loops.most_visits(ThreadId(0), loop);
}

TEST(IterationCounts, OfConstants) {
  EXPECT_EQ(visits("while (i < 3) i = i + 1;"), 4U);
  EXPECT_EQ(visits("i = 7; while (i != 1) i = i - 2;"), 4U);
  EXPECT_EQ(visits("while (i < 300) { x = i; i = i + 1; }"), 301U);
  EXPECT_EQ(visits("while (true) { i = i + 1; if (i == 5) break; }"), 5U);
  EXPECT_EQ(visits("while (i < 3) { if (x == 1) break; i = i + 1; }"), 4U);
}

TEST(IterationCounts, OfSetsOfValues) {
  EXPECT_EQ(visits("if (x == 1) n = 4; else n = 2; while (i < n) i = i + 1;"), 5U);
  EXPECT_EQ(visits("while (i < 3) { if (x == 1) i = i + 1; else i = i + 2; }"), 4U);
}

TEST(IterationCounts, Nested) {
  EXPECT_EQ(visits("while (i < 2) { k = 0; while (k < 3) k = k + 1; i = i + 1; }", 0), 3U);
  EXPECT_EQ(visits("while (i < 2) { k = 0; while (k < 3) k = k + 1; i = i + 1; }", 1), 4U);
  EXPECT_EQ(visits("while (i < 2) { while (k < 3) k = k + 1; i = k; }", 0), std::nullopt);
}

TEST(IterationCounts, NotKnown) {
  EXPECT_EQ(visits("while (x == 0) i = i + 1;"), std::nullopt);
  EXPECT_EQ(visits("while (i < 3) { if (x == 1) i = i + 1; }"), std::nullopt);
  EXPECT_EQ(visits("while (true) i = 1 - i;"), std::nullopt);
  EXPECT_EQ(visits("n = x; while (i < n) { x = i; i = i + 1; }"), std::nullopt);
}

TEST(WaitLoops, CountersThatAreNotUsed) {
  LoopTask task(
      "shared int x;\nthread P { int n; while (x == 0) n = n + 1; }\nthread Q { x = 1; }\n"
      "property p: finally (x == 1);\n");
  for (const char* model : {"sc", "tso", "armv8", "rc11", "riscv", "power"})
    EXPECT_EQ(task.verdict(model), "verified") << model;
}

TEST(WaitLoops, CountersThatAreUsed) {
  LoopTask task(
      "shared int x;\nthread P { int n; while (x == 0) n = n + 1; }\nthread Q { x = 1; }\n"
      "property p: finally (P.n != 2);\n");
  EXPECT_EQ(task.verdict("rc11"), "violated");
}

TEST(WaitLoops, PrivateMemory) {
  const std::string rest = "}\nthread Q { x = 1; }\nproperty p: finally (x == 1);\n";
  LoopTask dead("shared int x, s[2];\nthread P { int r; while (x == 0) { s[0] = 1; r = s[0]; s[r] = 2; } " +
                rest);
  EXPECT_EQ(dead.verdict("armv8"), "verified");
  LoopTask live("shared int x, s[2];\nthread P { int r; while (x == 0) { r = s[0]; s[0] = r + 1; } " + rest);
  live.options.of<SatOptions>().bound = 3;
  EXPECT_EQ(live.verdict("armv8"), "unknown");
  EXPECT_NE(live.reason.find("unbounded: the loop at "), std::string::npos) << live.reason;
  EXPECT_NE(live.reason.find("(it stores to 's[0]' each time)"), std::string::npos) << live.reason;
  LoopTask seen(
      "shared int x, s[2];\nthread P { while (x == 0) s[0] = 1; }\nthread Q { x = 1; }\n"
      "property p: finally (s[0] == 0);\n");
  EXPECT_EQ(seen.verdict("armv8"), "violated");
}

// The exchange of the second iteration reads from the first: within a bound of one, nothing does.
TEST(WaitLoops, WritesThatTheNextIterationReads) {
  LoopTask task(
      "shared int z;\nthread P { int w, b; while (true) { w = xchg(z, 1); if (w == 1) break; b = 1; } }\n"
      "property p: finally (P.b == 0);\n");
  for (const char* model : {"sc", "tso", "pso", "armv8", "rc11", "power", "riscv", "rmo"})
    EXPECT_EQ(task.verdict(model), "violated") << model;
}

TEST(WaitLoops, ExchangesThatStoreWhatIsThere) {
  LoopTask same(
      "shared int z = 1;\nthread P { int w = 1; while (w != 0) w = xchg(z, 1); }\nthread Q { z = 0; }\n"
      "property p: finally (z == 1);\n");
  for (const char* model : {"sc", "tso", "pso", "x86tso", "rc11", "rmo", "rmo-ctrl", "riscv"})
    EXPECT_EQ(same.verdict(model), "verified") << model;
  LoopTask other(
      "shared int z = 1;\nthread P { int w = 1; while (w != 0) w = xchg(z, 2); }\n"
      "thread Q { int r; r = z; z = 0; }\nproperty p: finally (Q.r != 2);\n");
  for (const char* model : {"sc", "tso", "pso", "x86tso", "rc11", "armv8"})
    EXPECT_EQ(other.verdict(model), "violated") << model;
}

// Q reads its own store early, whatever its exchange has read; without the exchange it reads what P stores, and that
// is too late for the load of P.
TEST(WaitLoops, ExchangesThatAreForwarded) {
  LoopTask task(
      "shared int x, y, z;\nthread P { int a; a = y; if (a == 1) x = 1; }\n"
      "thread Q { int w, b, c; while (z == 0) { w = xchg(x, 1); c = c + 1 - w; } b = x; y = b; }\n"
      "thread R { z = 1; }\nproperty p: finally (!(P.a == 1 && Q.c == 0));\n");
  EXPECT_EQ(task.verdict("armv8"), "violated");
  EXPECT_EQ(task.verdict("tso"), "verified");
}

TEST(SameValues, ShippedModels) {
  Instruction plain, acquiring;
  plain.kind = acquiring.kind = InstrKind::kRmw;
  acquiring.tags = {"A"};
  for (const std::string_view name : {"sc", "tso", "pso", "x86tso", "rc11", "rmo", "rmo-ctrl", "riscv"})
    EXPECT_EQ(same_value(shipped_cat(name), plain), SameValue::kDoesNotCount) << name;
  for (const std::string_view name : {"power", "relaxed", "armv8"})
    EXPECT_EQ(same_value(shipped_cat(name), plain), SameValue::kCounts) << name;
  EXPECT_EQ(same_value(shipped_cat("armv8"), acquiring), SameValue::kOwnStoreCounts);
  EXPECT_EQ(same_value(shipped_cat("power"), plain, Readers::kOfOtherThreads), SameValue::kDoesNotCount);
  EXPECT_EQ(same_value(shipped_cat("armv8"), plain, Readers::kOfOtherThreads), SameValue::kOwnSourceCounts);
  for (const std::string_view name : {"power", "armv8", "riscv", "sc", "x86tso"})
    EXPECT_TRUE(drops_repeated_iterations(shipped_cat(name))) << name;
  for (const std::string_view name : {"rc11", "rmo"})  // races; two reads of a location may be swapped
    EXPECT_FALSE(drops_repeated_iterations(shipped_cat(name))) << name;
}

TEST(SameValues, OfModels) {
  const auto of = [](const std::string& text) {
    return same_value(load_cat({"test.cat", text}), Instruction());
  };
  const std::string atomic = "empty rmw & (fr; co) as atomic\nacyclic po-loc | rmw | rf | co as coherence\n";
  EXPECT_EQ(of(atomic + "acyclic rf | co | fr | po"), SameValue::kDoesNotCount);
  EXPECT_EQ(of(atomic + "acyclic (rf & ext) | po | rmw"), SameValue::kDoesNotCount);
  EXPECT_EQ(of(atomic + "acyclic (rf & ext) | po"),
            SameValue::kCounts);  // its read and its write are not in po
  EXPECT_EQ(of(atomic + "acyclic (rf & ext) | co | addr"), SameValue::kCounts);
  EXPECT_EQ(of(atomic + "acyclic rf | po | rmw"), SameValue::kDoesNotCount);
  EXPECT_EQ(of(atomic + "irreflexive rf; po"), SameValue::kCounts);
  EXPECT_EQ(of(atomic + "irreflexive (rf; rmw)*; rf; po"), SameValue::kDoesNotCount);
  EXPECT_EQ(of("acyclic rf | co | fr | po"), SameValue::kCounts);  // something may come between
  // It may overwrite something older than what it reads.
  EXPECT_EQ(of("empty rmw & (fr; co)\nacyclic rf | co | fr | po"), SameValue::kCounts);
  // A read may be of a later write of its thread.
  EXPECT_EQ(of("empty rmw & (fr; co)\nacyclic rf | co | rmw\nacyclic (rf & ext) | co"), SameValue::kCounts);
}

// As RMO: a thread's dependencies go through memory.
TEST(SameValues, ChainsOfDependencies) {
  const auto of = [](const std::string& order) {
    return same_value(
        load_cat(
            {"test.cat", "empty rmw & (fre; coe)\nacyclic po-loc | rmw | rf | co | fr\nlet order = " + order +
                             " | rfe | co | fr\nacyclic (atomic?; (order \\ atomic); atomic?)\n"}),
        Instruction());
  };
  EXPECT_EQ(of("([R]; (addr | data | rfi | rmw)+) | ([RMW]; po-loc)"), SameValue::kDoesNotCount);
  EXPECT_EQ(of("([R]; (addr | data | rfi)+)"), SameValue::kCounts);  // an own read may come early
  EXPECT_EQ(of("([W]; (addr | data | rfi | rmw)+) | ([RMW]; po-loc)"), SameValue::kCounts);
  EXPECT_EQ(of("([R]; (data; rfi)+) | ([RMW]; po-loc)"), SameValue::kCounts);
}

// As RISC-V: two reads are ordered, unless there is a write between them.
TEST(SameValues, ReadsWithoutAWriteBetweenThem) {
  const auto of = [](const std::string& order) {
    return same_value(load_cat({"test.cat",
                                "empty rmw & (fre; coe)\nacyclic po-loc | rmw | rf | co | fr\n"
                                "let own = po-loc \\ (po-loc?; [W]; po-loc)\n"
                                "acyclic (([R]; own; [R]) \\ (rf^-1; rf)) | rfe | co | fr | " +
                                    order + "\n"}),
                      Instruction());
  };
  EXPECT_EQ(of("([M]; po-loc; [W]) | ([W & RMW]; rfi)"), SameValue::kDoesNotCount);
  EXPECT_EQ(of("([M]; po-loc; [W])"), SameValue::kCounts);  // the second read may read w early
  EXPECT_EQ(of("([W & RMW]; rfi)"), SameValue::kCounts);    // the first may come behind w
}

// As Power: a path from s to w at the end of a recursive relation.
TEST(SameValues, OfOtherThreads) {
  const auto of = [](const std::string& text) {
    return same_value(
        load_cat({"test.cat", "empty rmw & (fre; coe)\nacyclic po-loc | rmw | rf | co | fr\n" + text}),
        Instruction(), Readers::kOfOtherThreads);
  };
  const std::string fence = "let fence = po; [SL]; po\n";
  // What comes before s comes before w. Not so what comes before s by a dependency, or the read of s.
  EXPECT_EQ(of(fence + "acyclic fence | (po-loc?; rmw) | rfe"), SameValue::kDoesNotCount);
  EXPECT_EQ(of(fence + "acyclic fence | rmw | rfe"), SameValue::kOwnSourceCounts);
  EXPECT_EQ(of(fence + "let rec d = data | rmw | (d; po-loc)\nacyclic fence | (d & (R * W)) | rfe"),
            SameValue::kDoesNotCount);
  EXPECT_EQ(of(fence + "let rec d = data | rmw | (d; addr)\nacyclic fence | (d & (R * W)) | rfe"),
            SameValue::kOwnSourceCounts);
  // Nothing orders s before w if they are of two threads.
  EXPECT_EQ(of(fence + "acyclic fence | rfe"), SameValue::kCounts);
  // A read that is of the thread of w has seen nothing of w.
  const std::string seen = "let seen = (rfe; fence) & (W * W)\n";
  EXPECT_EQ(of(fence + seen +
               "acyclic co | seen\nacyclic fence | rmw | rfe | po-loc\nirreflexive fre; seen; po-loc?"),
            SameValue::kDoesNotCount);
  EXPECT_EQ(of(fence + seen + "acyclic co | seen\nacyclic fence | rmw | rfe\nirreflexive fre; seen; po-loc?"),
            SameValue::kCounts);
}

TEST(PreservedOrder, OwnWrites) {
  for (const std::string_view name : shipped_cat_names())
    EXPECT_TRUE(reads_own_last_write(shipped_cat(name))) << name;
  EXPECT_FALSE(reads_own_last_write(load_cat({"test.cat", "acyclic rf | co"})));
}

}  // namespace
}  // namespace fenceline::sat
