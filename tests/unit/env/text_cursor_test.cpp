// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/text_cursor.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "env/errors.h"

namespace fenceline {
namespace {

SourceFile file_with(std::string text) { return {"test", std::move(text)}; }

TEST(TextCursor, CountsLinesAndColumns) {
  const SourceFile file = file_with("ab\r\n\n\tc");
  TextCursor cursor(file);
  EXPECT_EQ(cursor.pos(), (SourcePos{1, 1}));
  EXPECT_EQ(cursor.take(2), "ab");
  EXPECT_EQ(cursor.pos(), (SourcePos{1, 3}));
  EXPECT_EQ(cursor.take(3), "\r\n\n");
  EXPECT_EQ(cursor.pos(), (SourcePos{3, 1}));
  EXPECT_EQ(cursor.take(), "\t");
  EXPECT_EQ(cursor.pos(), (SourcePos{3, 2}));
  EXPECT_EQ(cursor.offset(), 6u);
  EXPECT_EQ(cursor.take(100), "c");
  EXPECT_EQ(cursor.pos(), (SourcePos{3, 3}));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.take(), "");
}

TEST(TextCursor, StartsAnywhere) {
  const SourceFile file = file_with("head\n  body\nend");
  TextCursor cursor(file, 7, {2, 3});
  EXPECT_EQ(cursor.take(2), "bo");
  EXPECT_EQ(cursor.pos(), (SourcePos{2, 5}));
  cursor.skip_line();
  cursor.take();
  EXPECT_EQ(cursor.pos(), (SourcePos{3, 1}));

  TextCursor after_mark(file, 3);  // a mark of three bytes takes no column
  EXPECT_EQ(after_mark.pos(), (SourcePos{1, 1}));
  TextCursor far_right(file, 1, {7, 100});
  far_right.take();
  EXPECT_EQ(far_right.pos(), (SourcePos{7, 101}));
}

TEST(TextCursor, LooksAhead) {
  const SourceFile file = file_with("<<=x");
  TextCursor cursor(file);
  EXPECT_EQ(cursor.peek(), '<');
  EXPECT_EQ(cursor.peek(3), 'x');
  EXPECT_EQ(cursor.peek(4), '\0');
  EXPECT_EQ(cursor.peek(std::numeric_limits<size_t>::max()), '\0');
  EXPECT_TRUE(cursor.looking_at("<<"));
  EXPECT_FALSE(cursor.looking_at("<<=xy"));
  const std::array<std::string_view, 3> operators = {"<<", "<", "="};
  EXPECT_EQ(cursor.which(operators), "<<");
  EXPECT_FALSE(cursor.accept("="));
  EXPECT_TRUE(cursor.accept("<<"));
  EXPECT_EQ(cursor.which(operators), "=");
  EXPECT_TRUE(cursor.accept("="));
  EXPECT_EQ(cursor.which(operators), "");
  EXPECT_EQ(cursor.rest(), "x");
}

TEST(TextCursor, TakesNamesAndWhatIsBeforeAStop) {
  const SourceFile file = file_with("_a1-b=c\nd");
  TextCursor cursor(file);
  EXPECT_EQ(cursor.take(cursor.count_while(is_name_part)), "_a1");
  EXPECT_EQ(cursor.count_while(is_name_part), 0u);
  EXPECT_EQ(cursor.take_until("=\n"), "-b");
  EXPECT_EQ(cursor.take_until("\n"), "=c");
  EXPECT_EQ(cursor.take_until("="), "\nd");
  EXPECT_EQ(cursor.take_until("="), "");
}

TEST(TextCursor, RecognisesCharactersOfAsciiOnly) {
  for (int i = 0; i < 256; ++i) {
    const auto c = static_cast<char>(i);
    const bool letter = (i >= 'a' && i <= 'z') || (i >= 'A' && i <= 'Z'), digit = i >= '0' && i <= '9';
    EXPECT_EQ(is_letter(c), letter) << i;
    EXPECT_EQ(is_digit(c), digit) << i;
    EXPECT_EQ(is_name_start(c), letter || i == '_') << i;
    EXPECT_EQ(is_name_part(c), letter || digit || i == '_') << i;
  }
}

TEST(TextCursor, SkipsBlanks) {
  const SourceFile file = file_with(" \t\r\n x");
  TextCursor cursor(file);
  cursor.skip_blanks(" \t");
  EXPECT_EQ(cursor.peek(), '\r');
  cursor.skip_blanks();
  EXPECT_EQ(cursor.pos(), (SourcePos{2, 2}));
  cursor.skip_blanks();
  EXPECT_EQ(cursor.rest(), "x");
  cursor.take();
  cursor.skip_blanks();
  EXPECT_TRUE(cursor.at_end());
}

struct Comment {
  const char* text;
  bool nested;
  bool ends;
  const char* rest;
};

TEST(TextCursor, SkipsComments) {
  for (const Comment& comment : {Comment{"(**)x", true, true, "x"}, Comment{"(* (* *) *)x", true, true, "x"},
                                 Comment{"(* (* *) *)x", false, true, " *)x"},
                                 Comment{"(* \n *)\nx", true, true, "\nx"}, Comment{"(*)", true, false, ""},
                                 Comment{"(* (* *)", true, false, ""}, Comment{"(*", true, false, ""}}) {
    const SourceFile file = file_with(comment.text);
    TextCursor cursor(file);
    EXPECT_EQ(cursor.skip_comment("(*", "*)", comment.nested), comment.ends) << comment.text;
    EXPECT_EQ(cursor.rest(), comment.rest) << comment.text;
  }
}

TEST(TextCursor, Complains) {
  const SourceFile file = file_with("one\ntwo");
  TextCursor cursor(file);
  cursor.take(5);
  try {
    cursor.fail_here("no", "yes");
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].pos, (SourcePos{2, 2}));
    EXPECT_EQ(error.diagnostics()[0].message, "no");
    EXPECT_EQ(error.diagnostics()[0].hint, "yes");
    EXPECT_EQ(std::string(error.what()).find("test:2:2: error: no"), 0u) << error.what();
  }
  try {
    cursor.fail({1, 3}, "no");
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].pos, (SourcePos{1, 3}));
    EXPECT_EQ(error.diagnostics()[0].hint, "");
  }
}

TEST(ScanNumber, ReadsDigitsOfItsBase) {
  EXPECT_EQ(scan_number("120x").value, 120);
  EXPECT_EQ(scan_number("120x").length, 3u);
  EXPECT_EQ(scan_number("-7").value, -7);
  EXPECT_EQ(scan_number("-7").length, 2u);
  EXPECT_EQ(scan_number("1Fg", 16).value, 31);
  EXPECT_EQ(scan_number("1Fg", 16).length, 2u);
  for (const char* none : {"", "x", "-", "- 1", "+1", " 1"}) EXPECT_EQ(scan_number(none).length, 0u) << none;
}

TEST(ScanNumber, ReportsWhatDoesNotFit) {
  EXPECT_EQ(scan_number("9223372036854775807").value, std::numeric_limits<Value>::max());
  EXPECT_EQ(scan_number("-9223372036854775808").value, std::numeric_limits<Value>::min());
  EXPECT_TRUE(scan_number("7fffffffffffffff", 16).fits);
  for (const char* large : {"9223372036854775808;", "-9223372036854775809;", "99999999999999999999999999;"}) {
    const ScannedNumber number = scan_number(large);
    EXPECT_FALSE(number.fits) << large;
    EXPECT_EQ(number.length, std::string_view(large).size() - 1) << large;
  }
  EXPECT_FALSE(scan_number("8000000000000000", 16).fits);
}

TEST(QuotedExcerpt, CutsWhatIsLong) {
  EXPECT_EQ(quoted_excerpt(""), "''");
  EXPECT_EQ(quoted_excerpt(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(quoted_excerpt(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
  EXPECT_EQ(quoted_excerpt("abc", 2), "'ab...'");
}

}  // namespace
}  // namespace fenceline
