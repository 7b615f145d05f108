// SPDX-License-Identifier: GPL-3.0-or-later
//
// What partial-order reduction knows of cells that threads share, and of awaits.
#include "machine/por/awaits.h"

#include <gtest/gtest.h>

#include <string>

#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"

namespace fenceline::machine {
namespace {

class Analysed {
 public:
  explicit Analysed(const std::string& text)
      : program_(frontend::parse_fl({"test.fl", text + "\nproperty p: finally (1);\n"})),
        overlay_(program_, none_),
        code_(overlay_, memory_model("sc")),
        cells(code_),
        awaits(code_, cells) {}

  uint32_t cell(const std::string& object, uint32_t element = 0) const {
    for (const Object& each : program_.objects)
      if (each.name == object) return each.first_cell.value() + element;
    throw Bug("no such object");
  }
  bool closed(const std::string& object, uint32_t element = 0) const {
    return awaits.closed(cell(object, element), program_.initial_memory()[cell(object, element)]);
  }
  bool shared(const std::string& object, uint32_t element = 0) const {
    return cells.bit(cell(object, element)) != 0;
  }
  uint32_t entry(size_t thread) const { return program_.threads[thread].entry.value(); }
  std::vector<Value> memory() const { return program_.initial_memory(); }

 private:
  const FenceSet none_;
  Program program_;
  Overlay overlay_;
  Code code_;

 public:
  SharedCells cells;
  Awaits awaits;
};

constexpr const char* kStarted = R"(
  shared int s = 0, d = 0, g = 0, x = 0;
  thread M { local int a; g = 1; s = 1; await(d != 0); a = x; }
  thread P { local int a; await(s != 0); a = g; x = a; d = 1; }
)";

TEST(Awaits, FlagsAreReadInAwaitsOnly) {
  const Analysed a(kStarted);
  EXPECT_TRUE(a.closed("s"));
  EXPECT_TRUE(a.closed("d"));
  EXPECT_FALSE(a.closed("g"));
  EXPECT_FALSE(a.closed("x"));
}

TEST(Awaits, AThreadWaitsForTheOnlyWriter) {
  const Analysed a(kStarted);
  std::vector<Value> memory = a.memory();
  EXPECT_TRUE(a.awaits.waits_for(1, a.entry(1), memory, 0));
  EXPECT_FALSE(a.awaits.waits_for(1, a.entry(1), memory, 1));
  memory[a.cell("s")] = 1;
  EXPECT_FALSE(a.awaits.waits_for(1, a.entry(1), memory, 0));
}

TEST(Awaits, NotWithSeveralWriters) {
  const Analysed a(std::string(kStarted) + "thread W { s = 0; }");
  EXPECT_FALSE(a.closed("s"));
  EXPECT_TRUE(a.closed("d"));
  EXPECT_FALSE(a.awaits.waits_for(1, a.entry(1), a.memory(), 0));
}

TEST(Awaits, NotIfTheFlagIsReadElsewhere) {
  const Analysed a(std::string(kStarted) + "thread W { local int a; a = d; }");
  EXPECT_TRUE(a.closed("s"));
  EXPECT_FALSE(a.closed("d"));
}

TEST(Awaits, NotIfTheInitialValueIsEnough) {
  const Analysed a("shared int s = 0; thread M { s = 1; } thread P { await(s != 2); }");
  EXPECT_FALSE(a.closed("s"));
  EXPECT_FALSE(a.awaits.waits_for(1, a.entry(1), a.memory(), 0));
}

TEST(Awaits, NotIfTheConditionNeedsMoreThanTheCell) {
  const Analysed a(
      "shared int s = 0; thread M { s = 1; } thread P { local int k = 0; havoc k in 0..1; await(s != k); }");
  EXPECT_FALSE(a.closed("s"));
}

TEST(SharedCells, ComputedAddressesAreFollowed) {
  const Analysed a(R"(
    shared int z[4], i = 2;
    thread P { local int k; k = i; z[k] = 1; }
    thread Q { local int k; k = i; k = z[k]; z[0] = 1; }
    thread R { local int k; k = z[1]; }
  )");
  EXPECT_TRUE(a.shared("z", 2));
  EXPECT_FALSE(a.shared("z", 0));  // one thread alone
  EXPECT_FALSE(a.shared("z", 1));  // never written
  EXPECT_FALSE(a.shared("i"));
}

}  // namespace
}  // namespace fenceline::machine
