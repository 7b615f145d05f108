// SPDX-License-Identifier: GPL-3.0-or-later
//
// Maximal munch over a fixed list of punctuation. Nothing is skipped silently but blanks, line ends and
// comments from `//` to the end of the line, so junk is reported at its position.
#include "ir/text/lexer.h"

#include <utility>

namespace fenceline::ir_text {
namespace {

// Longer ones first.
constexpr std::string_view kPunctuation[] = {
    "->", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ":",
    "=",  "@",  "$",  "&",  "#",  ".",  "?",  "!",  "~",  "-",  "+", "*", "/", "%", "<", ">", "|", "^"};

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kString) return "a string";
  return quoted_excerpt(token.text);
}

Token Lexer::token(TokenKind kind, size_t length) {
  Token result;
  result.kind = kind;
  result.pos = cursor_.pos();
  result.text = cursor_.take(length);
  return result;
}

Token Lexer::number() {
  const ScannedNumber number = scan_number(cursor_.rest());
  if (!number.fits) cursor_.fail_here("this number does not fit into 64 bits");
  Token result = token(TokenKind::kNumber, number.length);
  result.number = number.value;
  return result;
}

Token Lexer::string() {
  const std::string_view rest = cursor_.rest();
  std::string content;
  size_t at = 1;
  while (at < rest.size() && rest[at] != '"' && rest[at] != '\n') {
    if (rest[at] != '\\') {
      content += rest[at++];
      continue;
    }
    const std::string_view escape = rest.substr(at + 1, 3);
    if (!escape.empty() && (escape[0] == '"' || escape[0] == '\\')) {
      content += escape[0];
      at += 2;
    } else if (escape.size() == 3 && escape[0] == 'x' && hex_value(escape[1]) >= 0 &&
               hex_value(escape[2]) >= 0) {
      content += static_cast<char>(hex_value(escape[1]) * 16 + hex_value(escape[2]));
      at += 4;
    } else {
      cursor_.take(at);
      cursor_.fail_here("unknown escape", R"(there are \" and \\ and \xhh)");
    }
  }
  if (at >= rest.size() || rest[at] != '"') cursor_.fail_here("this string does not end on its line");
  Token result = token(TokenKind::kString, at + 1);
  result.content = std::move(content);
  return result;
}

Token Lexer::next() {
  for (cursor_.skip_blanks(); cursor_.looking_at("//"); cursor_.skip_blanks()) cursor_.skip_line();
  if (cursor_.at_end()) return token(TokenKind::kEnd, 0);
  const char first = cursor_.peek();
  if (is_name_start(first)) return token(TokenKind::kName, cursor_.count_while(is_name_part));
  if (is_digit(first) || (first == '-' && is_digit(cursor_.peek(1)))) return number();
  if (first == '"') return string();
  const std::string_view punctuation = cursor_.which(kPunctuation);
  if (punctuation.empty()) cursor_.fail_here("this character has no meaning here");
  return token(TokenKind::kPunctuation, punctuation.size());
}

}  // namespace fenceline::ir_text
