// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/litmus/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace fenceline::litmus {
namespace {

// Longer ones first.
constexpr std::string_view kPunctuation[] = {"/\\", "\\/", "=>", "==", "!=", "<>", "<=", ">=", "&&", "||",
                                             "<<",  ">>",  "++", "--", "+=", "-=", "|=", "&=", "^=", "->",
                                             "(",   ")",   "[",  "]",  "{",  "}",  ",",  ":",  ";",  "=",
                                             "~",   "|",   "*",  "&",  "+",  "-",  "/",  "%",  "^",  "!",
                                             "<",   ">",   "?",  "$",  "#",  ".",  "@"};

// What is larger could be taken for an address (code.h).
constexpr Value kNumbersEnd = Value{1} << 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_name_part(char c, bool c_code) { return is_alpha(c) || is_digit(c) || (c == '.' && !c_code); }

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == Tok::kEnd) return "the end of the file";
  constexpr size_t kShown = 40;
  return fmt::format("'{}{}'", token.text.substr(0, kShown), token.text.size() > kShown ? "..." : "");
}

void fail(const SourceFile& file, SourcePos pos, std::string message, std::string hint) {
  throw InputError(file, {{pos, std::move(message), std::move(hint)}});
}

Value checked_number(const SourceFile& file, const Token& token, bool negative) {
  if (token.number >= kNumbersEnd)
    fail(file, token.pos, "this number is too large", "numbers of litmus tests have less than 60 bits here");
  return negative ? -token.number : token.number;
}

Lexer::Lexer(const SourceFile& file, size_t offset, SourcePos pos)
    : file_(file), rest_(std::string_view(file.text).substr(offset)), pos_(pos) {}

void Lexer::skip(size_t length) {
  for (const char c : rest_.substr(0, length)) {
    if (c == '\n')
      pos_ = {pos_.line + 1, 1};
    else
      ++pos_.column;
  }
  rest_.remove_prefix(std::min(length, rest_.size()));
}

void Lexer::skip_comment(std::string_view open, std::string_view close, bool nested) {
  const SourcePos begin = pos_;
  skip(open.size());
  for (size_t depth = 1; depth > 0;) {
    if (rest_.empty()) fail(file_, begin, "this comment does not end");
    if (rest_.starts_with(close)) {
      skip(close.size());
      --depth;
    } else if (nested && rest_.starts_with(open)) {
      skip(open.size());
      ++depth;
    } else {
      skip(1);
    }
  }
}

void Lexer::skip_blanks() {
  for (;;) {
    skip(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    if (!c_code_ && rest_.starts_with("(*"))
      skip_comment("(*", "*)", true);
    else if (rest_.starts_with("/*"))
      skip_comment("/*", "*/", false);
    else if (rest_.starts_with("//"))
      skip(std::min(rest_.find('\n'), rest_.size()));
    else
      return;
  }
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.pos = pos_;
  if (rest_.empty()) return token;
  size_t length = 1;
  if (is_alpha(rest_[0])) {
    while (length < rest_.size() && is_name_part(rest_[length], c_code_)) ++length;
    token.kind = Tok::kName;
  } else if (is_digit(rest_[0])) {
    const bool hex = rest_.starts_with("0x") || rest_.starts_with("0X");
    const size_t first = hex ? 2 : 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, error] = std::from_chars(rest_.data() + first, end, token.number, hex ? 16 : 10);
    if (error == std::errc::result_out_of_range) fail(file_, pos_, "this number does not fit into 64 bits");
    if (error != std::errc()) fail(file_, pos_, "expected hexadecimal digits after '0x'");
    length = static_cast<size_t>(stop - rest_.data());
    token.kind = Tok::kNumber;
  } else {
    const auto* found = std::find_if(std::begin(kPunctuation), std::end(kPunctuation),
                                     [this](std::string_view text) { return rest_.starts_with(text); });
    if (found == std::end(kPunctuation)) fail(file_, pos_, "this character has no meaning here");
    length = found->size();
    token.kind = Tok::kPunctuation;
  }
  token.text = rest_.substr(0, length);
  skip(length);
  return token;
}

const Token& Lexer::peek() {
  if (!has_ahead_) {
    ahead_ = next();
    has_ahead_ = true;
  }
  return ahead_;
}

Token Lexer::take() {
  const Token token = peek();
  has_ahead_ = false;
  return token;
}

bool Lexer::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  take();
  return true;
}

Token Lexer::expect(std::string_view text, std::string_view what) {
  if (!peek().is(text)) fail_expected(what);
  return take();
}

Token Lexer::expect_name(std::string_view what) {
  if (peek().kind != Tok::kName) fail_expected(what);
  return take();
}

Value Lexer::expect_number(std::string_view what) {
  const bool negative = accept("-");
  if (peek().kind != Tok::kNumber) fail_expected(what);
  return checked_number(file_, take(), negative);
}

void Lexer::fail_expected(std::string_view what) {
  fail(file_, peek().pos, fmt::format("expected {}, found {}", what, describe(peek())));
}

}  // namespace fenceline::litmus
