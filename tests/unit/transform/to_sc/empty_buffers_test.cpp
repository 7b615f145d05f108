// SPDX-License-Identifier: GPL-3.0-or-later
#include "transform/to_sc/empty_buffers.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/fl/fl.h"

namespace fenceline::transform {
namespace {

// The cells to which thread 0 may have pending stores at its labels: "a:x,y b: c:x". A label that is not
// there has none.
std::string pending(const std::string& body, const char* model) {
  const Program program = frontend::parse_fl(
      {"test.fl", "shared int x, y, z[2]; thread P { int r; " + body + " } property p: never (0);"});
  const FenceSet none;
  const Overlay overlay(program, none);
  const AccessedCells accessed(program);
  const EmptyBuffers empty(overlay, accessed, memory_model(model).buffering);
  std::string text;
  for (size_t p = 0; p < overlay.points(ThreadId(0)); ++p) {
    const Instruction& instruction = overlay.at(ThreadId(0), Point(p));
    if (instruction.kind != InstrKind::kMark || instruction.label.empty()) continue;
    text += (text.empty() ? "" : " ") + instruction.label + ":";
    for (const CellId cell : empty.pending(ThreadId(0), Point(p)))
      text += (text.back() == ':' ? "" : ",") + program.cell_name(cell);
  }
  return text;
}

TEST(EmptyBuffers, StoresAddAndFencesEmpty) {
  const char* body = "a: x = 1; b: y = 1; c: r = x; d: fence; e: skip;";
  EXPECT_EQ(pending(body, "tso"), "a: b:x c:x,y d:x,y e:");
  EXPECT_EQ(pending(body, "pso"), "a: b:x c:x,y d:x,y e:");
  EXPECT_EQ(pending(body, "sc"), "a: b: c: d: e:");
}

TEST(EmptyBuffers, PartialFencesEmptyOnlyWhereTheyDrain) {
  EXPECT_EQ(pending("x = 1; fence(store-load); a: skip;", "tso"), "a:");
  EXPECT_EQ(pending("x = 1; fence(store-load); a: skip;", "pso"), "a:x");
  EXPECT_EQ(pending("x = 1; sfence; a: skip;", "tso"), "a:x");
  EXPECT_EQ(pending("x = 1; sfence; a: skip;", "pso"), "a:x");
  EXPECT_EQ(pending("x = 1; fence(store-load, store-store); a: skip;", "pso"), "a:");
  EXPECT_EQ(pending("x = 1; sync; a: skip;", "pso"), "a:");
}

TEST(EmptyBuffers, WritesToMemoryEmptyTheBufferOnTsoAndTheirCellOnPso) {
  EXPECT_EQ(pending("x = 1; y = 1; r = xchg(x, 2); a: skip;", "tso"), "a:");
  EXPECT_EQ(pending("x = 1; y = 1; r = xchg(x, 2); a: skip;", "pso"), "a:y");
  EXPECT_EQ(pending("x = 1; y = 1; atomic { x = 2; } a: skip;", "tso"), "a:");
  EXPECT_EQ(pending("x = 1; y = 1; atomic { x = 2; } a: skip;", "pso"), "a:y");
  EXPECT_EQ(pending("x = 1; await (y == 1); a: skip;", "tso"), "a:x");
  // Only one path through the section stores.
  EXPECT_EQ(pending("x = 1; atomic { r = y; if (r == 1) { x = 2; } } a: skip;", "tso"), "a:x");
}

TEST(EmptyBuffers, PathsMeetAndLoopsIterate) {
  EXPECT_EQ(pending("r = y; if (r == 1) { x = 1; } else { z[1] = 1; } a: skip;", "pso"), "a:x,z[1]");
  EXPECT_EQ(pending("while (true) { a: skip; fence; b: x = 1; c: skip; }", "tso"), "a:x b: c:x");
}

TEST(EmptyBuffers, OffsetsThatAreComputed) {
  EXPECT_EQ(pending("havoc r in 0..1; z[r] = 1; a: skip;", "pso"), "a:z[0],z[1]");
  // Which of them the exchange waits for is not known.
  EXPECT_EQ(pending("z[0] = 1; z[1] = 1; havoc r in 0..1; r = xchg(z[r], 1); a: skip;", "pso"),
            "a:z[0],z[1]");
  EXPECT_EQ(pending("z[0] = 1; z[1] = 1; havoc r in 0..1; r = xchg(z[r], 1); a: skip;", "tso"), "a:");
}

}  // namespace
}  // namespace fenceline::transform
