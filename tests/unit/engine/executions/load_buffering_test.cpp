// SPDX-License-Identifier: GPL-3.0-or-later
//
// Load buffering, with all that may stand between the load and the store. Where a cycle is allowed the answer must be
// "may"; where it is not, the analysis is of use only if it sees that. Random programs are for
// tests/fuzz/fuzz_executions.cpp.
#include "engine/executions/load_buffering.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/enumeration/enumerate.h"
#include "engine/enumeration/possible_values.h"
#include "frontend/fl/fl.h"
#include "model/cat/cat.h"

namespace fenceline::executions {
namespace {

struct Tag {
  size_t thread, access;  // the n-th access, from 0
  const char* tag;
  bool of_write = false;  // of a read-modify-write
};

Program program_of(const std::string& text, const std::vector<Tag>& tags) {
  Program program = frontend::parse_fl({"test.fl", text + "\nproperty p: finally (x[0] == x[0]);\n"});
  for (const Tag& tag : tags) {
    size_t n = tag.access;
    for (Instruction& i : program.threads[tag.thread].code)
      if (i.is_memory_access() && n-- == 0) (tag.of_write ? i.write_tags : i.tags).emplace_back(tag.tag);
  }
  return program;
}

bool may_buffer(const std::string& text, const std::string& model, const std::vector<Tag>& tags = {}) {
  const Program program = program_of(text, tags);
  const FenceSet no_fences;
  return may_buffer_loads(Overlay(program, no_fences), shipped_cat(model));
}

// The models that answer "may", in the order of the list.
constexpr const char* kModels[] = {"armv8", "riscv", "power", "rmo"};
std::string may_on(const std::string& text, const std::vector<Tag>& tags = {}) {
  std::string result;
  for (const char* model : kModels)
    if (may_buffer(text, model, tags)) result += (result.empty() ? "" : " ") + std::string(model);
  return result;
}
constexpr const char* kAll = "armv8 riscv power rmo";
constexpr const char* kNone = "";

// r = x; MIDDLE; y = 1 and the same with x and y exchanged.
std::string both(const std::string& between, const std::string& store = "1") {
  const auto thread = [&](const std::string& name, const std::string& from, const std::string& to) {
    return "thread " + name + " { int r, s; r = " + from + "; " + between + " " + to + " = " + store +
           "; }\n";
  };
  return "shared int x[2], y[2], z[2];\n" + thread("P", "x[0]", "y[0]") + thread("Q", "y[0]", "x[0]");
}
// The first thread as above; the second one has nothing between.
std::string one(const std::string& between, const std::string& store = "1") {
  const std::string text = both(between, store);
  return text.substr(0, text.find("thread Q")) + "thread Q { int r; r = y[0]; x[0] = 1; }\n";
}

TEST(ExecutionsLoadBuffering, NothingBetween) {
  EXPECT_EQ(may_on(both("")), kAll);
  EXPECT_TRUE(may_buffer(both(""), "relaxed"));
}

TEST(ExecutionsLoadBuffering, Data) {
  EXPECT_EQ(may_on(both("", "r + 1")), kNone);
  EXPECT_EQ(may_on(both("", "r - r + 1")), kNone);  // dependencies are syntactic
  EXPECT_EQ(may_on(both("s = r + 1;", "s")), kNone);
  EXPECT_EQ(may_on(both("r = 1;", "r")), kAll);  // overwritten
  EXPECT_EQ(may_on(both("r = z[0];", "r")), kAll);
  EXPECT_EQ(may_on(one("", "r + 1")), kAll);
  EXPECT_TRUE(may_buffer(both("", "r + 1"), "relaxed"));  // out of thin air
}

TEST(ExecutionsLoadBuffering, Control) {
  EXPECT_EQ(may_on(both("if (r == 1)")), kNone);
  EXPECT_EQ(may_on(both("if (r == 1) { s = 1; }")), kNone);  // also behind the branch
  EXPECT_EQ(may_on(both("if (r == 1) { s = 1; } else { s = 2; }")), kNone);
  EXPECT_EQ(may_on(both("if (s == 0)")), kAll);
  EXPECT_EQ(may_on(both("if (s == 1)")), kNone);                                  // it never gets there
  EXPECT_EQ(may_on(both("if (z[0] == 1) { s = r; if (r == 1) s = 2; }")), kAll);  // on one path only
  EXPECT_EQ(may_on(one("if (r == 1)")), kAll);
  EXPECT_TRUE(may_buffer(both("if (r == 1)"), "relaxed"));
}

TEST(ExecutionsLoadBuffering, Addresses) {
  const auto stores_to = [](const std::string& p, const std::string& q) {
    return "shared int x[2], y[2], z[2];\nthread P { int r, s; r = x[0]; " + p +
           " }\nthread Q { int r, s; r = y[0]; " + q + " }\n";
  };
  EXPECT_EQ(may_on(stores_to("y[r - r] = 1;", "x[r - r] = 1;")), kNone);
  EXPECT_EQ(may_on(stores_to("y[r - r] = 1;", "x[0] = 1;")), kAll);
  // An access whose address depends on the load, and then the store: only RMO lets the store overtake that.
  EXPECT_EQ(may_on(stores_to("s = z[r - r]; y[0] = 1;", "s = z[r - r]; x[0] = 1;")), "rmo");
  EXPECT_EQ(may_on(stores_to("z[r - r] = 1; y[0] = 1;", "z[r - r] = 1; x[0] = 1;")), "rmo");
  EXPECT_EQ(may_on(stores_to("s = z[0]; y[0] = 1;", "s = z[r - r]; x[0] = 1;")), kAll);
}

TEST(ExecutionsLoadBuffering, Fences) {
  EXPECT_EQ(may_on(both("fence;")), kNone);
  EXPECT_EQ(may_on(both("fence(load-store);")), kNone);
  EXPECT_FALSE(may_buffer(both("fence(load-store);"), "relaxed"));
  EXPECT_EQ(may_on(one("fence;")), kAll);
  // On Power, the first is eieio, and the second lwsync, which orders loads with stores as well.
  EXPECT_EQ(may_on(both("sfence;")), kAll);
  EXPECT_EQ(may_on(both("lfence;")), "armv8 riscv rmo");
  EXPECT_EQ(may_on(both("if (z[0] == 1) { fence; }")), kAll);  // on one path only
}

TEST(ExecutionsLoadBuffering, AcquireAndRelease) {
  const std::string plain = both("");
  EXPECT_FALSE(may_buffer(plain, "armv8", {{0, 0, "A"}, {1, 0, "A"}}));
  EXPECT_FALSE(may_buffer(plain, "armv8", {{0, 0, "Q"}, {1, 0, "Q"}}));
  EXPECT_FALSE(may_buffer(plain, "armv8", {{0, 1, "L"}, {1, 1, "L"}}));
  EXPECT_FALSE(may_buffer(plain, "armv8", {{0, 0, "A"}, {1, 1, "L"}}));
  EXPECT_TRUE(may_buffer(plain, "armv8", {{0, 0, "A"}}));
  EXPECT_TRUE(may_buffer(plain, "armv8", {{0, 0, "A"}, {0, 1, "L"}}));
  EXPECT_FALSE(may_buffer(plain, "power", {{0, 0, "ISYNC"}, {1, 0, "ISYNC"}}));
  EXPECT_TRUE(may_buffer(plain, "power", {{0, 0, "ISYNC"}}));
  EXPECT_FALSE(may_buffer(plain, "riscv", {{0, 0, "Acq"}, {1, 0, "Acq"}}));
  EXPECT_FALSE(may_buffer(plain, "riscv", {{0, 1, "Rel"}, {1, 1, "Rel"}}));
  EXPECT_FALSE(may_buffer(plain, "riscv", {{0, 0, "AcqRel"}, {1, 1, "AcqRel"}}));
  EXPECT_TRUE(may_buffer(plain, "riscv", {{0, 0, "Rel"}, {1, 0, "Rel"}}));  // a releasing load does not help
  // Tags of one architecture mean nothing to another.
  EXPECT_EQ(may_on(plain, {{0, 0, "A"}, {1, 0, "A"}}), "riscv power rmo");
  EXPECT_EQ(may_on(plain, {{0, 0, "ACQ"}, {1, 0, "ACQ"}}), kAll);
}

TEST(ExecutionsLoadBuffering, OneLocation) {
  const std::string text =
      "shared int x[2];\nthread P { int r; r = x[0]; x[0] = 1; }\nthread Q { int r; r = x[0]; x[0] = 2; }\n";
  EXPECT_EQ(may_on(text), kNone);
  EXPECT_FALSE(may_buffer(text, "relaxed"));
  // A cycle needs another thread that reads what is stored.
  EXPECT_EQ(may_on("shared int x[2], z[2];\nthread P { int r; r = x[0]; z[0] = 1; }\n"
                   "thread Q { int r; r = x[1]; x[0] = 1; }\n"),
            kNone);
  // Which cell is accessed is not known: two of them may make a cycle.
  EXPECT_EQ(may_on("shared int x[2];\nthread P { int r, i; havoc i in 0..1; r = x[i]; x[1 - i] = 1; }\n"
                   "thread Q { int r, i; havoc i in 0..1; r = x[i]; x[1 - i] = 2; }\n"),
            kAll);
}

TEST(ExecutionsLoadBuffering, ReadModifyWrites) {
  const auto both_rmw = [](const std::string& load, const std::string& store) {
    const auto with = [](std::string text, const std::string& cell) {
      return text.replace(text.find('@'), 1, cell);
    };
    return "shared int x[2], y[2];\nthread P { int r; " + with(load, "x[0]") + with(store, "y[0]") +
           " }\nthread Q { int r; " + with(load, "y[0]") + with(store, "x[0]") + " }\n";
  };
  const std::string first = both_rmw("r = fetch_add(@, 0); ", "@ = 1;");
  EXPECT_EQ(may_on(first), kAll);
  EXPECT_FALSE(may_buffer(first, "armv8", {{0, 0, "A"}, {1, 0, "A"}}));
  EXPECT_FALSE(may_buffer(first, "riscv", {{0, 0, "Acq"}, {1, 0, "Acq"}}));
  const std::string second = both_rmw("r = @; ", "r = fetch_add(@, 1);");
  EXPECT_EQ(may_on(second), kAll);
  EXPECT_FALSE(may_buffer(second, "armv8", {{0, 1, "L", true}, {1, 1, "L", true}}));
  EXPECT_EQ(may_on(both_rmw("r = @; ", "r = fetch_add(@, r);")), kNone);
  // The write is behind what the read reads in coherence order, also where the model does not order it behind the read.
  const std::string counter =
      "shared int x[2];\nthread P { int r; r = fetch_add(x[0], 1); }\nthread Q { int r; r = fetch_add(x[0], "
      "1); }\n";
  EXPECT_EQ(may_on(counter), kNone);
  EXPECT_FALSE(
      may_buffer(counter, "riscv", {{0, 0, "AMO"}, {0, 0, "AMO", true}, {1, 0, "AMO"}, {1, 0, "AMO", true}}));
}

// A write that does not happen orders nothing.
std::string failing_cas(const std::string& expected, const std::string& value) {
  return "shared int x[2], y[2];\nthread P { int r, s; r = x[0]; s = cas(y[0], " + expected + ", " + value +
         "); y[0] = 1; }\nthread Q { int r; r = y[0]; x[0] = r - r + 1; }\n";
}

TEST(ExecutionsLoadBuffering, ACompareExchangeMayNotWrite) {
  EXPECT_EQ(may_on(failing_cas("r + 7", "1")), kAll);
  EXPECT_EQ(may_on(failing_cas("7", "r")), kAll);
}

TEST(ExecutionsLoadBuffering, Loops) {
  // The load of the last iteration is ordered by the branch, and so are all before it.
  EXPECT_EQ(may_on("shared int x[2], y[2];\n"
                   "thread P { int r; do { r = x[0]; } while (r == 0); y[0] = 1; }\n"
                   "thread Q { while (y[0] == 0) { } x[0] = 1; }\n"),
            kNone);
  // The value of the first iteration's load is overwritten without a branch on it.
  EXPECT_EQ(may_on("shared int x[2], y[2];\n"
                   "thread P { int i, r; while (i < 2) { r = x[0]; i = i + 1; } y[0] = r - r + 1; }\n"
                   "thread Q { int r; r = y[0]; x[0] = r - r + 1; }\n"),
            kAll);
  // Stores of earlier iterations, too.
  EXPECT_EQ(may_on("shared int x[2], y[2];\n"
                   "thread P { int i, r; while (i < 2) { y[0] = 1; r = x[0]; i = i + 1; } }\n"
                   "thread Q { int r; r = y[0]; x[0] = r - r + 1; }\n"),
            kAll);
}

// The store to x is behind a wait for P, and P has loaded x by then.
std::string joined(const std::string& before_done, const std::string& wait, const std::string& behind_wait) {
  return "shared int x[2], y[2], done;\nthread P { int r; r = x[0]; y[0] = 1; " + before_done +
         " done = 1; }\nthread Q { int d, s; d = done; " + wait + " " + behind_wait +
         " s = y[0]; x[0] = 1; }\n";
}

TEST(ExecutionsLoadBuffering, Joins) {
  EXPECT_EQ(may_on(joined("fence;", "assume (d != 0);", "fence;")), kNone);
  EXPECT_EQ(may_on(joined("fence;", "assume (d != 0);", "")), kNone);       // by control
  EXPECT_EQ(may_on(joined("fence;", "", "fence;")), kAll);                  // it does not wait
  EXPECT_EQ(may_on(joined("", "assume (d != 0);", "fence;")), kAll);        // P may tell before it has loaded
  EXPECT_EQ(may_on(joined("fence;", "assume (d != 2);", "fence;")), kAll);  // 0 will do
  // Another thread tells, too.
  EXPECT_EQ(may_on(joined("fence;", "assume (d != 0);", "fence;") + "thread R { done = 1; }\n"), kAll);
}

// The cell that is waited for is found in memory, as that of a thread to be joined is. A register that may be read before
// it is assigned may as well be 0.
TEST(ExecutionsLoadBuffering, JoinsOfThreadsByNumber) {
  const auto joined_number = [](const std::string& number) {
    return "shared int x[2], y[2], done[2], id;\nthread P { int r; r = x[0]; y[0] = 1; fence; done[1] = 1; "
           "}\n"
           "thread Q { int t, d, s; id = 1; " +
           number + " d = done[t]; assume (d != 0); fence; s = y[0]; x[0] = 1; }\n";
  };
  EXPECT_EQ(may_on(joined_number("t = id;")), kNone);
  EXPECT_EQ(may_on(joined_number("if (y[1] == 0) { t = id; }")), kAll);
}

TEST(ExecutionsLoadBuffering, ThreeThreads) {
  const auto ring = [](const std::string& p, const std::string& q, const std::string& r) {
    return "shared int x[2], y[2], z[2];\nthread P { int r; r = x[0]; y[0] = " + p +
           "; }\nthread Q { int r; r = y[0]; z[0] = " + q + "; }\nthread R { int r; r = z[0]; x[0] = " + r +
           "; }\n";
  };
  EXPECT_EQ(may_on(ring("r + 1", "r + 1", "r + 1")), kNone);
  EXPECT_EQ(may_on(ring("r + 1", "1", "r + 1")), kAll);
}

// r = x; FIRST; s = z; SECOND; y = 1 and a thread that loads y and stores to x what depends on it.
std::string through_a_load(const std::string& first, const std::string& load, const std::string& second,
                           const std::string& store = "y[0] = 1;") {
  return "shared int x[2], y[2], z[2];\nthread P { int r, s; r = x[0]; " + first + " " + load + " " + second +
         " " + store + " }\nthread Q { int r; r = y[0]; x[0] = r - r + 1; }\n";
}
const std::string kByCoherence = through_a_load("fence(load-load);", "s = y[0];", "");

TEST(ExecutionsLoadBuffering, ThroughALoadInBetween) {
  const std::string load = "s = z[0];";
  EXPECT_EQ(may_on(through_a_load("fence(load-load);", load, "", "y[0] = s - s + 1;")), kNone);
  EXPECT_EQ(may_on(through_a_load("fence(load-load);", load, "if (s == 1) { r = 1; }")), kNone);
  EXPECT_EQ(may_on(through_a_load("fence(load-load);", load, "fence(load-store);")), kNone);
  EXPECT_EQ(may_on(through_a_load("", load, "", "y[0] = s - s + 1;")), kAll);
  // That the store is behind what the load in between reads does not order the store behind that load.
  EXPECT_EQ(may_on(kByCoherence), "armv8 riscv rmo");
}

// A model need not order a read behind the write of its own thread that it reads, even if it orders writes by coherence.
TEST(ExecutionsLoadBuffering, AnOwnWriteMayBeReadEarly) {
  const Program program = program_of(
      "shared int x[2], y[2], z[2];\n"
      "thread P { int r, s; r = x[0]; y[0] = r; s = y[0]; z[0] = s - s + 1; }\n"
      "thread Q { int r; r = z[0]; x[0] = r; }\n",
      {});
  const FenceSet no_fences;
  const auto may = [&](const std::string& order) {
    return may_buffer_loads(
        Overlay(program, no_fences),
        load_cat({"test.cat",
                  "acyclic po-loc | rmw | rf | co | fr as coherence\nacyclic " + order + " as order\n"}));
  };
  EXPECT_TRUE(may("data | rfe | co"));
  EXPECT_FALSE(may("data | rf | co"));
}

// (The enumeration wants few values.) The store of the first iteration depends on the load, and that of the second one overwrites it.
std::string two_iterations(const std::string& load_again) {
  return "shared int x[2], y[2], z[2];\n"
         "thread P { int i, r; r = x[0]; while (i < 2) { y[0] = r * 0 + 1; " +
         load_again +
         " i = (i + 1) % 3; } }\n"
         "thread Q { int r; r = y[0]; x[0] = r * 0 + 1; }\n";
}

TEST(ExecutionsLoadBuffering, TheFirstIterationIsNotAsTheOthers) {
  EXPECT_EQ(may_on(two_iterations("r = 0;")), kNone);
  EXPECT_EQ(may_on(two_iterations("r = z[0];")), kNone);
  EXPECT_EQ(may_on(two_iterations("r = x[0]; r = 0;")), kAll);
}

// A path from y to z and then to w would have to go through P twice. Behind the fence there is another way, which is
// ordered.
TEST(ExecutionsLoadBuffering, ACycleIsInAThreadOnce) {
  const auto twice = [](const std::string& fence) {
    return "shared int x[2], y[2], z[2], w[2];\nthread P { int r, s; r = x[0]; y[0] = 1; " + fence +
           " s = z[0]; w[0] = s - s + 1; }\nthread Q { int r; r = y[0]; z[0] = r - r + 1; }\n"
           "thread R { int r; r = w[0]; x[0] = r - r + 1; }\n";
  };
  EXPECT_EQ(may_on(twice("fence;")), kNone);
  EXPECT_EQ(may_on(twice("")), kAll);
}

// P writes node 1 and publishes its number; Q finds it, reads the node, and stores what P may have loaded. (As above, few
// values.)
std::string published(const std::string& writer, const std::string& find = "a = top;",
                      const std::string& others = "", const std::string& top = "0") {
  return "shared int x[1], n[3], m, y;\nshared int top = " + top + ";\nthread P { int a, b; " + writer +
         " }\nthread Q { int a, b; " + find + " b = n[a]; y = 1; }\n" + others;
}
const std::vector<Tag> kReleaseAcquire = {{0, 2, "L"}, {1, 0, "A"}};
const std::string kNode = "a = y; n[1] = a * 0 + 1; ";
struct Unpublished {
  std::string text;
  std::vector<Tag> tags = kReleaseAcquire;
};
const std::vector<Unpublished> kUnpublished = {
    {published(kNode + "top = 1;"), {{1, 0, "A"}}},                                // in no order
    {published("top = 1; a = y; n[1] = a * 0 + 1;"), {{0, 0, "L"}, {1, 0, "A"}}},  // too early
    {published(kNode + "top = 1;", "a = top; if (a == 0) { a = 1; }")},            // also without reading it
    {published(kNode + "top = 1;", "a = top;", "", "1")},                          // known from the beginning
    {published(kNode + "top = 1;", "a = top;", "thread R { top = 1; }\n")},        // another thread knows it
    {published(kNode + "top = 1;", "a = top;",
               "thread R { int a; a = m; if (a == 0) { a = 1; } top = a; }\n")},
};

TEST(ExecutionsLoadBuffering, PublishedNodes) {
  const auto may = [](const std::string& text) { return may_buffer(text, "armv8", kReleaseAcquire); };
  EXPECT_FALSE(may(published(kNode + "top = 1;")));
  EXPECT_FALSE(may(published(kNode + "top = 1;", "a = m;", "thread R { int a; a = top; m = a; }\n")));
  for (const Unpublished& one : kUnpublished)
    EXPECT_TRUE(may_buffer(one.text, "armv8", one.tags)) << one.text;
  // A compare-exchange publishes only if it writes.
  const auto again_if = [](const std::string& condition) {
    return may_buffer(published(kNode + "b = cas(top, 0, 1); if (" + condition + ") { n[1] = a * 0 + 1; }"),
                      "armv8", {{0, 2, "L", true}, {1, 0, "A"}});
  };
  EXPECT_FALSE(again_if("b == 0"));
  EXPECT_TRUE(again_if("b == 1"));
}

// The same with fences, as compilers make it for processors without acquire and release.
struct Fenced {
  std::string text, may;  // the models
};
const std::vector<Fenced> kFenced = {
    {published(kNode + "fence; top = 1;"), "rmo"},  // there, an address orders nothing behind the load
    {published(kNode + "fence; b = cas(top, 0, 1);"), "rmo"},
    {published(kNode + "if (b == 0) { fence; } else { fence; } top = 1;"), "rmo"},
    {published(kNode + "top = 1;"), kAll},
    {published("fence; " + kNode + "top = 1;"), kAll},
    {published(kNode + "top = 1; fence;"), kAll},
    {published(kNode + "if (b == 1) { fence; } top = 1;"), kAll},
    // A copy that the thread itself reads.
    {published(kNode + "fence; top = 1;", "a = top; m = a; a = m; fence(load-store);"), "rmo"},
    {published(kNode + "fence; top = 1;", "m = 1; a = m; fence(load-store);"), kAll},
    {published(kNode + "fence; top = 1;", "a = m; m = a; a = m; fence(load-store);", "thread R { m = 1; }\n"),
     kAll},
};

TEST(ExecutionsLoadBuffering, NodesPublishedBehindFences) {
  for (const Fenced& one : kFenced) EXPECT_EQ(may_on(one.text), one.may) << one.text;
}

// ---- Against the enumeration of all executions, which has those with a cycle

bool has_cycle(const std::string& text, const std::string& model, const std::vector<Tag>& tags = {}) {
  const Program program = program_of(text, tags);
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  const auto values = engine::possible_values(overlay);
  EXPECT_TRUE(values.has_value());
  if (!values) return true;
  const auto count = [&](const std::string& more) {
    const CatModel axioms = load_cat({"test.cat", "include \"" + model + ".cat\"\n" + more});
    const engine::Enumeration all =
        engine::enumerate_executions(overlay, axioms, {}, {.values = &*values, .limits = {}},
                                     [](const engine::EnumeratedExecution&) { return true; });
    EXPECT_TRUE(all.complete);
    return all.executions;
  };
  return count("") != count("acyclic po | rmw | rf as no-cycle\n");
}

TEST(ExecutionsLoadBuffering, AgreesWithTheEnumeration) {
  for (const std::string& text : {both(""),
                                  both("", "r + 1"),
                                  both("", "r - r + 1"),
                                  both("r = 1;", "r"),
                                  both("if (r == 1)"),
                                  both("if (r == 1) { s = 1; }"),
                                  both("fence;"),
                                  both("sfence;"),
                                  both("lfence;"),
                                  both("fence(load-store);"),
                                  one("fence;"),
                                  one("if (r == 1)"),
                                  one("", "r - r + 1"),
                                  joined("fence;", "assume (d != 0);", "fence;"),
                                  joined("", "assume (d != 0);", "fence;"),
                                  joined("fence;", "", "fence;"),
                                  two_iterations("r = 0;"),
                                  two_iterations("r = z[0];"),
                                  two_iterations("r = x[0]; r = 0;"),
                                  through_a_load("fence(load-load);", "s = z[0];", "if (s == 1) { r = 1; }")})
    for (const char* model : kModels)
      EXPECT_TRUE(may_buffer(text, model) || !has_cycle(text, model)) << model << "\n" << text;
  for (const std::vector<Tag>& tags :
       {std::vector<Tag>{{0, 0, "A"}, {1, 0, "A"}}, std::vector<Tag>{{0, 1, "L"}, {1, 1, "L"}},
        std::vector<Tag>{{0, 0, "A"}, {1, 1, "L"}}, std::vector<Tag>{{0, 0, "A"}, {0, 1, "L"}}})
    EXPECT_EQ(may_buffer(both(""), "armv8", tags), has_cycle(both(""), "armv8", tags));
  EXPECT_TRUE(has_cycle(both(""), "armv8"));
  for (const Fenced& one : kFenced)
    for (const char* model : {"armv8", "riscv", "power"})
      EXPECT_EQ(has_cycle(one.text, model), one.may == kAll) << model << "\n" << one.text;
  for (const Unpublished& one : kUnpublished) EXPECT_TRUE(has_cycle(one.text, "armv8", one.tags)) << one.text;
  EXPECT_FALSE(has_cycle(published(kNode + "top = 1;"), "armv8", kReleaseAcquire));
  EXPECT_TRUE(has_cycle(kByCoherence, "armv8"));
  EXPECT_TRUE(has_cycle(two_iterations("r = x[0]; r = 0;"), "armv8"));
  EXPECT_TRUE(has_cycle(failing_cas("r + 7", "1"), "armv8"));
  EXPECT_TRUE(has_cycle(failing_cas("7", "r"), "armv8"));
  EXPECT_TRUE(has_cycle(joined("", "assume (d != 0);", "fence;"), "armv8"));
}

}  // namespace
}  // namespace fenceline::executions
