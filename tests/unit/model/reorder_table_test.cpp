// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reader of `.table` files. tests/cli/bad_tables has one file for each kind of error.
#include "model/reorder_table.h"

#include <gtest/gtest.h>

#include "env/errors.h"

namespace fenceline {
namespace {

using enum AccessKind;

ReorderTable table(const std::string& text) { return parse_table({"my.table", text}); }

// "line:column: message (hint)"; empty if there is nothing to complain about.
std::string complaint(const std::string& text) {
  try {
    table(text);
    return "";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& first = error.diagnostics()[0];
    return std::to_string(first.pos.line) + ":" + std::to_string(first.pos.column) + ": " + first.message +
           (first.hint.empty() ? "" : " (" + first.hint + ")");
  }
}

TEST(ReorderTable, PairsThatAreNotNamedKeepTheirOrder) {
  const ReorderTable read = table("store load swap forward\n");
  for (const AccessKind first : {kLoad, kStore, kRmw})
    for (const AccessKind second : {kLoad, kStore, kRmw}) {
      const bool named = first == kStore && second == kLoad;
      EXPECT_EQ(read.at(first, second, false), named ? Reorder::kSwap : Reorder::kKeep);
      EXPECT_EQ(read.at(first, second, true), named ? Reorder::kForward : Reorder::kKeep);
    }
  EXPECT_FALSE(read.guesses_branches);
  EXPECT_FALSE(read.overtakes_loads());
}

TEST(ReorderTable, Words) {
  const ReorderTable read =
      table("# first\r\n\"One\"load\tload swap swap # behind\r\n\n  branches guess\"Number #2\"");
  EXPECT_EQ(read.title, "Number #2");
  EXPECT_TRUE(read.guesses_branches);
  EXPECT_TRUE(read.overtakes_loads());
  EXPECT_EQ(read.at(kLoad, kLoad, true), Reorder::kSwap);
  EXPECT_EQ(table("rmw store swap keep#").at(kRmw, kStore, false), Reorder::kSwap);
}

TEST(ReorderTable, ReportsThePositionOfErrors) {
  EXPECT_EQ(complaint("store load swap forward\n"), "");
  EXPECT_EQ(complaint("# nothing\n\n"), "1:1: expected a table, found no rule");
  EXPECT_EQ(complaint("\nstore lode swap keep"),
            "2:7: expected one of 'load', 'store', 'rmw', found 'lode' (did you mean 'load'?)");
  EXPECT_EQ(complaint("\"no end\nload load keep keep"), "1:1: expected a closing '\"' on the same line");
  EXPECT_EQ(complaint("\"A\tB\""), "1:3: expected a word of a table, found byte 0x09");
  EXPECT_EQ(complaint("load load keep keep\nstore load swap keep\nload load swap swap"),
            "3:1: expected nothing more about this pair: line 1 has it");
  EXPECT_EQ(complaint("load load keep " + std::string(100, 'x')),
            "1:16: expected one of 'keep', 'forward', 'swap', found '" + std::string(60, 'x') + "...'");
}

TEST(ReorderTable, ShippedOnesCanBeRead) {
  for (const char* name : {"sc", "tso", "pso", "rmo", "rmo-ctrl"}) {
    const std::optional<ReorderTable> read = shipped_table(name);
    ASSERT_TRUE(read) << name;
    EXPECT_FALSE(read->title.empty()) << name;
  }
  EXPECT_FALSE(shipped_table("power"));
}

}  // namespace
}  // namespace fenceline
