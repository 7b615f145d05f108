// SPDX-License-Identifier: GPL-3.0-or-later
//
// Source files and messages about them: the caret is under the column, whatever the line looks like.
#include "env/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace fenceline {
namespace {

// The lines of a rendered diagnostic.
std::vector<std::string> rendered(const std::string& text, SourcePos pos, const std::string& hint = "") {
  std::vector<std::string> lines;
  std::string all = render_diagnostic({"f.fl", text}, {pos, "message", hint});
  for (size_t end; (end = all.find('\n')) != std::string::npos; all.erase(0, end + 1))
    lines.push_back(all.substr(0, end));
  EXPECT_EQ(all, "");
  return lines;
}

TEST(Source, LinesWithAnyLineEnd) {
  const SourceFile file{"f", "one\r\ntwo\n\nfour"};
  EXPECT_EQ(file.line(1), "one");
  EXPECT_EQ(file.line(2), "two");
  EXPECT_EQ(file.line(3), "");
  EXPECT_EQ(file.line(4), "four");
  EXPECT_EQ(file.line(5), "");
  EXPECT_EQ(file.line(0), "");
  EXPECT_EQ((SourceFile{"f", ""}).line(1), "");
}

TEST(Source, FilesAreReadByteByByte) {
  const auto path = std::filesystem::temp_directory_path() / "fenceline_source_test.fl";
  const std::string bytes("a\0b\r\n\xff", 6);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_source_file(path.string()).text, bytes);
  std::filesystem::remove(path);
  EXPECT_THROW(read_source_file(path.string()), NoSuchFile);
  EXPECT_THROW(read_source_file(std::filesystem::temp_directory_path().string()), NoSuchFile);
}

TEST(Diagnostic, PointsAtTheColumn) {
  EXPECT_EQ(rendered("x = 1;\n  y = ;\n", {2, 7}, "write a value"),
            (std::vector<std::string>{"f.fl:2:7: error: message", "    2 |   y = ;", "      |       ^",
                                      "      = write a value"}));
}

TEST(Diagnostic, WithoutAPositionThereIsNoQuote) { EXPECT_EQ(rendered("text", {}).size(), 1u); }

TEST(Diagnostic, PositionsOutsideTheTextAreHarmless) {
  EXPECT_EQ(rendered("ab", {1, 4000000000u})[2], "      |   ^");
  EXPECT_EQ(rendered("ab", {1, 0})[2], "      | ^");
  EXPECT_EQ(rendered("ab", {9, 1})[1], "    9 | ");
}

TEST(Diagnostic, LongLinesAreCutAroundTheColumn) {
  std::string text(100000, 'a');
  text[50000] = 'X';
  const auto lines = rendered(text, {1, 50001});
  EXPECT_LT(lines[1].size(), 150u);
  EXPECT_EQ(lines[1].find('X'), lines[2].find('^'));
  EXPECT_NE(lines[1].find("..."), std::string::npos);
}

TEST(Diagnostic, BinaryJunkIsMadePrintable) {
  std::string text;
  for (int byte = 0; byte < 256; ++byte)
    if (byte != '\n') text += static_cast<char>(byte);
  for (uint32_t column = 1; column < 300; column += 7)
    for (const std::string& line : rendered(text, {1, column}))
      EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
}

TEST(Errors, NameTheErrorAndItsPosition) {
  const InputError input({"f.fl", "ab\ncd"}, {{{1, 1}, "first", ""}, {{2, 2}, "second", ""}});
  const std::string what = input.what();
  EXPECT_NE(what.find("f.fl:1:1: error: first"), std::string::npos);
  EXPECT_NE(what.find("f.fl:2:2: error: second"), std::string::npos);
  EXPECT_EQ(input.diagnostics().size(), 2u);
  EXPECT_NE(std::string(Bug("oops").what()).find("errors_test.cpp"), std::string::npos);
  EXPECT_THROW(require(false, "no"), Bug);
  EXPECT_NO_THROW(require(true, "yes"));
}

}  // namespace
}  // namespace fenceline
