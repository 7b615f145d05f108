// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace fenceline {
namespace {

TEST(Terminal, HarmlessTextStays) {
  const std::string text = "a\tb\n│ é → x₁ 𝄞\n";
  EXPECT_EQ(for_terminal(text, {true, false}), text);
}

TEST(Terminal, ControlCharactersAreEscaped) {
  EXPECT_EQ(for_terminal("\033[31mred\r\a\x7f", {true, false}), "\\x1b[31mred\\x0d\\x07\\x7f");
  EXPECT_EQ(for_terminal("\u009b31m", {true, false}), "\\xc2\\x9b31m");
  EXPECT_EQ(for_terminal("a\u202eb", {true, false}), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(for_terminal(std::string("a\0b", 3), {true, false}), "a\\x00b");
}

TEST(Terminal, WhatIsNoUtf8IsEscaped) {
  EXPECT_EQ(for_terminal("\xff\xc3", {true, false}), "\\xff\\xc3");
  EXPECT_EQ(for_terminal("\xed\xa0\x80", {true, false}), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(Terminal, OnlyOurColoursPass) {
  EXPECT_EQ(for_terminal("\033[32mok\033[0m", {true, true}), "\033[32mok\033[0m");
  EXPECT_EQ(for_terminal("\033[8mhidden", {true, true}), "\\x1b[8mhidden");
}

TEST(Terminal, Ascii) {
  EXPECT_EQ(for_terminal("a │ b─┼ … x → y₁₂ n² 2⁶³", {false, false}), "a | b-+ ... x -> y12 n^2 2^6^3");
  EXPECT_EQ(for_terminal("é", {false, false}), "\\xc3\\xa9");
}

TEST(Terminal, TheLocale) {
  const auto with = [](const char* all, const char* lang) {
    setenv("LC_ALL", all, 1);
    setenv("LC_CTYPE", "", 1);
    setenv("LANG", lang, 1);
    return utf8_locale();
  };
  EXPECT_TRUE(with("", "en_GB.UTF-8"));
  EXPECT_TRUE(with("C.utf8", "C"));
  EXPECT_FALSE(with("C", "en_GB.UTF-8"));
  EXPECT_FALSE(with("", "de_DE.ISO-8859-1"));
  EXPECT_FALSE(with("", ""));
}

}  // namespace
}  // namespace fenceline
