// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/monotone.h"

#include <gtest/gtest.h>

#include <string>

#include "model/cat/cat.h"

namespace fenceline::sat {
namespace {

bool allows(const std::string& text) { return allows_omitting_events(load_cat({"test.cat", text})); }

// On RISC-V two loads of one cell are in order unless a store to it lies between them: loads and fences may be
// left out, stores may not.
TEST(SatMonotone, ShippedModelsAllowIt) {
  for (const std::string_view name : shipped_cat_names()) {
    EXPECT_TRUE(allows_omitting_events(shipped_cat(name))) << name;
    EXPECT_EQ(allows_omitting_writes(shipped_cat(name)), name != "riscv") << name;
  }
}

TEST(SatMonotone, WritesBetweenTwoEventsStay) {
  EXPECT_TRUE(allows("acyclic po \\ (po; [W]; po)"));
  EXPECT_FALSE(allows("acyclic po \\ (po; [R]; po)"));
  EXPECT_TRUE(allows("acyclic po \\ (rf^-1; rf)"));
  EXPECT_FALSE(allows("acyclic po \\ (rf; rf^-1)"));
  EXPECT_FALSE(allows_omitting_writes(load_cat({"test.cat", "acyclic po \\ (po; [W]; po)"})));
  EXPECT_FALSE(allows_omitting_writes(load_cat({"test.cat", "empty [FW & IW]"})));
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

bool stay_raised(const std::string& text) { return flags_stay_raised(load_cat({"test.cat", text})); }

TEST(SatMonotone, FlagsOfTwoAccesses) {
  for (const std::string_view name : shipped_cat_names()) {
    EXPECT_TRUE(flags_stay_raised(shipped_cat(name))) << name;
    EXPECT_EQ(has_flags(shipped_cat(name)), name == "rc11" || name == "rc20") << name;
  }
  EXPECT_TRUE(stay_raised("flag ~empty loc & ext as near"));
  EXPECT_TRUE(stay_raised("flag ~empty (loc & ext & (W * W)) \\ ((po | rf)+) as unordered"));
  EXPECT_TRUE(stay_raised("flag ~empty [W]; (rf & ext); [R] as passed"));
  EXPECT_TRUE(stay_raised("flag ~empty W & RMW as single"));
}

TEST(SatMonotone, OtherFlags) {
  EXPECT_FALSE(stay_raised("flag ~empty (rf & ext); po as three"));           // the middle may disappear
  EXPECT_FALSE(stay_raised("flag ~empty po & loc as of-one-thread"));         // two iterations of one loop
  EXPECT_FALSE(stay_raised("flag ~empty ext \\ (rf \\ (po; po)) as grown"));  // what is subtracted grows
  EXPECT_FALSE(stay_raised("flag empty rf & ext as absent"));
  EXPECT_FALSE(stay_raised("flag ~acyclic po | rf as cycle"));
}

}  // namespace
}  // namespace fenceline::sat
