// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/litmus/lexer.h"

#include <fmt/format.h>

#include <utility>

namespace fenceline::frontend::litmus {
namespace {

// Longer ones first.
constexpr std::string_view kPunctuation[] = {"/\\", "\\/", "=>", "==", "!=", "<>", "<=", ">=", "&&", "||",
                                             "<<",  ">>",  "++", "--", "+=", "-=", "|=", "&=", "^=", "->",
                                             "(",   ")",   "[",  "]",  "{",  "}",  ",",  ":",  ";",  "=",
                                             "~",   "|",   "*",  "&",  "+",  "-",  "/",  "%",  "^",  "!",
                                             "<",   ">",   "?",  "$",  "#",  ".",  "@"};

// What is larger could be taken for an address (code.h).
constexpr Value kNumbersEnd = Value{1} << 60;

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == Tok::kEnd) return "the end of the file";
  return quoted_excerpt(token.text);
}

void fail(const SourceFile& file, SourcePos pos, std::string message, std::string hint) {
  throw InputError(file, {{pos, std::move(message), std::move(hint)}});
}

Value checked_number(const SourceFile& file, const Token& token, bool negative) {
  if (token.number >= kNumbersEnd)
    fail(file, token.pos, "this number is too large", "numbers of litmus tests have less than 60 bits here");
  return negative ? -token.number : token.number;
}

void skip_comment(TextCursor& cursor, std::string_view open, std::string_view close, bool nested) {
  const SourcePos begin = cursor.pos();
  if (!cursor.skip_comment(open, close, nested)) cursor.fail(begin, "this comment does not end");
}

void Lexer::skip_blanks_and_comments() {
  for (cursor_.skip_blanks();; cursor_.skip_blanks()) {
    if (!c_code_ && cursor_.looking_at("(*"))
      skip_comment(cursor_, "(*", "*)", true);
    else if (cursor_.looking_at("/*"))
      skip_comment(cursor_, "/*", "*/", false);
    else if (cursor_.looking_at("//"))
      cursor_.skip_line();
    else
      return;
  }
}

Token Lexer::next() {
  skip_blanks_and_comments();
  Token token;
  token.pos = cursor_.pos();
  if (cursor_.at_end()) return token;
  size_t length = 0;
  if (is_name_start(cursor_.peek())) {
    length = cursor_.count_while([this](char c) { return is_name_part(c) || (c == '.' && !c_code_); });
    token.kind = Tok::kName;
  } else if (is_digit(cursor_.peek())) {
    const size_t prefix = cursor_.looking_at("0x") || cursor_.looking_at("0X") ? 2 : 0;
    const ScannedNumber number = scan_number(cursor_.rest().substr(prefix), prefix > 0 ? 16 : 10);
    if (!number.fits) cursor_.fail_here("this number does not fit into 64 bits");
    if (number.length == 0 || cursor_.peek(prefix) == '-')
      cursor_.fail_here("expected hexadecimal digits after '0x'");
    token.number = number.value;
    length = prefix + number.length;
    token.kind = Tok::kNumber;
  } else {
    length = cursor_.which(kPunctuation).size();
    if (length == 0) cursor_.fail_here("this character has no meaning here");
    token.kind = Tok::kPunctuation;
  }
  token.text = cursor_.take(length);
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
  return checked_number(file(), take(), negative);
}

void Lexer::fail_expected(std::string_view what) {
  cursor_.fail(peek().pos, fmt::format("expected {}, found {}", what, describe(peek())));
}

}  // namespace fenceline::frontend::litmus
