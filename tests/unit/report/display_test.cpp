// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/display.h"

#include <gtest/gtest.h>

namespace fenceline::report {
namespace {

using Lines = std::vector<std::string>;

TEST(Display, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("│ é"), 3u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
}

TEST(Display, OnlyWhatIsHarmlessIsPrinted) {
  EXPECT_EQ(printable("a\tb\n\033[0m"), "a?b??[0m");
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(printable("x\u202ey"), "x?y");           // turns the text around
  EXPECT_EQ(printable("é漢\u00a0"), "é漢\u00a0");
}

TEST(Display, Wrapping) {
  EXPECT_EQ(wrap("", 10, 2), (Lines{""}));
  EXPECT_EQ(wrap("one two", 10, 2), (Lines{"one two"}));
  EXPECT_EQ(wrap("one two three", 8, 2), (Lines{"one two", "  three"}));
  EXPECT_EQ(wrap("  in one two", 8, 4), (Lines{"  in one", "    two"}));
  EXPECT_EQ(wrap("abcdefghij", 4, 1), (Lines{"abcd", " efg", " hij"}));
  EXPECT_EQ(wrap("漢字漢字", 5, 1), (Lines{"漢字", " 漢字"}));
  EXPECT_EQ(wrap("x\u00a0=\u00a01 y\u00a0=\u00a02", 7, 0), (Lines{"x = 1", "y = 2"}));
}

TEST(Display, Cutting) {
  EXPECT_EQ(cut("", 3), "");
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcd", 3), "ab…");
  EXPECT_EQ(cut("abcd", 1), "…");
  EXPECT_EQ(cut("εεεε", 3), "εε…");
  EXPECT_EQ(cut("a漢字", 4), "a漢…");
}

TEST(Display, NumbersAndLists) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(joined_with_and({}), "");
  EXPECT_EQ(joined_with_and({"a"}), "a");
  EXPECT_EQ(joined_with_and({"a", "b"}), "a and b");
  EXPECT_EQ(joined_with_and({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace fenceline::report
