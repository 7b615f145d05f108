// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which values cells can hold: pointers stay the few addresses that they are, and what a branch, an assertion
// or an access rules out does not come back.
#include "engine/sat/cell_ranges.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/fl/fl.h"

namespace fenceline::sat {
namespace {

std::vector<ValueSet> cells_of(const std::string& text) {
  const Program program = frontend::parse_fl({"test.fl", text + "property p: finally (1);"});
  const FenceSet none;
  const Overlay overlay(program, none);
  return cell_ranges(overlay, Unfolding(overlay, {}));
}

TEST(SatCellRanges, PointersAreTheirAddresses) {
  const std::vector<ValueSet> cells = cells_of(
      "shared int memory[16] = {16, 0, 0, 0, 0, 7};"
      "thread A { int p; p = memory[0]; memory[p / 4 + 1] = 48; memory[0] = 32; }"
      "thread B { int p; p = memory[0]; memory[p / 4] = p; }");
  EXPECT_EQ(cells[0], ValueSet::of({16, 32}));
  EXPECT_EQ(cells[4], ValueSet::of({0, 16, 32}));
  EXPECT_EQ(cells[5], ValueSet::of({7, 48}));
  EXPECT_EQ(cells[8], ValueSet::of({0, 16, 32}));
  EXPECT_EQ(cells[9], ValueSet::of({0, 48}));
  EXPECT_EQ(cells[12], ValueSet::single(0));
}

TEST(SatCellRanges, BranchesNarrow) {
  const std::vector<ValueSet> cells = cells_of(
      "shared int x[3], source;"
      "thread A { source = 16; source = 70368744177664; }"
      "thread B { int r; r = source; if (r == 0) x[0] = r; else x[1] = r + 1; x[2] = r; }");
  EXPECT_EQ(cells[0], ValueSet::single(0));
  EXPECT_EQ(cells[1], ValueSet::of({0, 17, 70368744177665}));
  EXPECT_EQ(cells[2], ValueSet::of({0, 16, 70368744177664}));
}

TEST(SatCellRanges, AssertionsAndAssumptionsNarrowCopiesToo) {
  const std::vector<ValueSet> cells = cells_of(
      "shared int x[2], source;"
      "thread A { source = 16; source = 17; source = 24; }"
      "thread B { int r, s; r = source; s = r; assert (r != 0); x[0] = s; assume (s & 1); x[1] = r; }");
  EXPECT_EQ(cells[0], ValueSet::of({0, 16, 17, 24}));
  EXPECT_EQ(cells[1], ValueSet::of({0, 17}));
}

TEST(SatCellRanges, AnAccessIsInsideOfItsObject) {
  const std::vector<ValueSet> cells = cells_of(
      "shared int x[4], source, y;"
      "thread A { source = 2; source = 70368744177664; }"
      "thread B { int r, s; r = source; s = x[r]; x[3] = r; }");
  EXPECT_EQ(cells[3], ValueSet::of({0, 2}));
}

TEST(SatCellRanges, WhatNeverExecutesStoresNothing) {
  const std::vector<ValueSet> cells = cells_of(
      "shared int x, y;"
      "thread A { int r; r = x; if (r == 5) x = 9; }"
      "thread B { y = 5; }");
  EXPECT_EQ(cells[0], ValueSet::single(0));
}

}  // namespace
}  // namespace fenceline::sat
