// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/fl/lexer.h"

#include <gtest/gtest.h>

#include "unit/frontend/fl_testing.h"

namespace fenceline::frontend {
namespace {

using fl::Tok;

std::vector<fl::Token> tokens(const SourceFile& source, fl::Diagnostics& diagnostics) {
  fl::Lexer lexer(source, diagnostics);
  std::vector<fl::Token> result;
  do result.push_back(lexer.next());
  while (result.back().kind != Tok::kEndOfFile);
  return result;
}

std::vector<Tok> kinds(const std::string& text) {
  const SourceFile source{"test.fl", text};
  fl::Diagnostics diagnostics(source);
  std::vector<Tok> result;
  for (const fl::Token& token : tokens(source, diagnostics)) result.push_back(token.kind);
  EXPECT_FALSE(diagnostics.any()) << text;
  return result;
}

TEST(FlLexer, TakesTheLongestOperator) {
  using enum Tok;
  EXPECT_EQ(kinds("<<= << <= < == = .. . && & || |"),
            (std::vector{kForeign, kShl, kLe, kLt, kEq, kAssign, kDotDot, kDot, kAndAnd, kAmp, kOrOr, kPipe,
                         kEndOfFile}));
  EXPECT_EQ(kinds("0..1"), (std::vector{kNumber, kDotDot, kNumber, kEndOfFile}));
  EXPECT_EQ(kinds("a<-b"), (std::vector{kName, kLt, kMinus, kName, kEndOfFile}));
}

TEST(FlLexer, RecognisesReservedWordsOnlyWhole) {
  using enum Tok;
  EXPECT_EQ(kinds("while whiles _while or order transaction transactions"),
            (std::vector{kWhile, kName, kName, kOr, kName, kTransaction, kName, kEndOfFile}));
}

TEST(FlLexer, SkipsCommentsAndSpaces) {
  using enum Tok;
  EXPECT_EQ(kinds("a // b\n/* c\n * d **/ e\t/**/\v\f\r\n//"), (std::vector{kName, kName, kEndOfFile}));
  EXPECT_EQ(kinds("// \xff\xfe\x01 caf\xc3\xa9\n/* \x80 */ x"), (std::vector{kName, kEndOfFile}));
  EXPECT_EQ(kinds("\xef\xbb\xbfx"), (std::vector{kName, kEndOfFile}));
  EXPECT_EQ(kinds(""), (std::vector{kEndOfFile}));
}

TEST(FlLexer, CountsLinesAndColumns) {
  const SourceFile source{"test.fl", "a\r\n\tbc d\n\n/* x\n */ e"};
  fl::Diagnostics diagnostics(source);
  const auto found = tokens(source, diagnostics);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].pos, (SourcePos{1, 1}));
  EXPECT_EQ(found[1].pos, (SourcePos{2, 2}));
  EXPECT_EQ(found[1].end, (SourcePos{2, 4}));
  EXPECT_EQ(found[2].pos, (SourcePos{2, 5}));
  EXPECT_EQ(found[3].pos, (SourcePos{5, 5}));
  EXPECT_EQ(found[4].pos, (SourcePos{5, 6}));
}

TEST(FlLexer, ReadsNumbers) {
  const SourceFile source{"test.fl", "0 7 123 0x1F 0Xff 9223372036854775807 0x7fffffffffffffff"};
  fl::Diagnostics diagnostics(source);
  std::vector<Value> values;
  for (const fl::Token& token : tokens(source, diagnostics))
    if (token.kind == Tok::kNumber) values.push_back(token.number);
  EXPECT_EQ(values, (std::vector<Value>{0, 7, 123, 31, 255, INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(diagnostics.any());
}

void expect_junk(const std::string& text, uint32_t column, const std::string& message) {
  const std::string before = "shared int x = ";
  testing::expect_complaint(before + text, 1, static_cast<uint32_t>(before.size()) + column, message);
}

TEST(FlLexer, RejectsWhatIsNoToken) {
  expect_junk("9223372036854775808;", 1, "too large");
  expect_junk("0x8000000000000000;", 1, "too large");
  expect_junk("99999999999999999999999999999999999999;", 1, "too large");
  expect_junk("0x;", 1, "not a number");
  expect_junk("12ab;", 1, "'12ab' is not a number");
  expect_junk("0777;", 1, "octal");
  expect_junk("$1;", 1, "unexpected character '$'");
  expect_junk("\"a\";", 1, "quotation mark");
  expect_junk("#define N 3", 1, "no preprocessor");
  expect_junk("caf\xc3\xa9;", 4, "'\xc3\xa9' is allowed in comments only");
  expect_junk("\xff\xfe;", 1, "not a program text");
  expect_junk("\xc3", 1, "not a program text");
  expect_junk(std::string("1\0;", 3), 2, "byte 0x00");
  expect_junk("\x01;", 1, "byte 0x01");
  expect_junk("1 /* * /", 3, "comment never ends");
  expect_junk("1 /*", 3, "comment never ends");
  expect_junk("1 /*/", 3, "comment never ends");
  expect_junk(std::string(300, 'a') + ";", 1, "a name of 300 characters");
}

}  // namespace
}  // namespace fenceline::frontend
