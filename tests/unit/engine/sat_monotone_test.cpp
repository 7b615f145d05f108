// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/monotone.h"

#include <gtest/gtest.h>

#include <string>

#include "model/cat/cat.h"

namespace fenceline {
namespace {

bool allows(const std::string& text) { return allows_leaving_out(load_cat({"test.cat", text})); }

// All but RISC-V: there, two loads of one cell are in order unless a store to it lies between them.
TEST(SatMonotone, ShippedModelsAllowIt) {
  for (const std::string_view name : shipped_cat_names())
    EXPECT_EQ(allows_leaving_out(shipped_cat(name)), name != "riscv") << name;
}

TEST(SatMonotone, DifferencesOfWhatIsAboutTwoEventsAlone) {
  EXPECT_TRUE(allows("acyclic (po \\ (W * R)) | rf | co | fr"));
  EXPECT_TRUE(allows("acyclic (po \\ (loc^-1 & ~int)) | rf"));
  EXPECT_TRUE(allows("let r = po | rf\nacyclic r+"));
}

TEST(SatMonotone, WhatGetsSmallerMustNotBeSubtracted) {
  EXPECT_FALSE(allows("acyclic po \\ (po; [F]; po)"));
  EXPECT_FALSE(allows("acyclic po \\ (po+)"));
  EXPECT_FALSE(allows("empty ~(po; po) & rf"));
  EXPECT_FALSE(allows("let s = domain(po)\nempty [R \\ s]"));
}

TEST(SatMonotone, NegatedChecksForbidIt) {
  EXPECT_FALSE(allows("~empty rf"));
  EXPECT_TRUE(allows("flag ~empty rf as something"));
}

TEST(SatMonotone, RecursiveDefinitions) {
  EXPECT_TRUE(allows("let rec r = po | (r; rf)\nacyclic r"));
  EXPECT_FALSE(allows("let rec r = (po \\ (rf; po)) | (r; rf)\nacyclic r"));
}

}  // namespace
}  // namespace fenceline
