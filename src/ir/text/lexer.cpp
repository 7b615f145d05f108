// SPDX-License-Identifier: GPL-3.0-or-later
//
// Maximal munch over a fixed list of punctuation. Nothing is skipped silently but blanks, line ends and
// comments from `//` to the end of the line, so junk is reported where it stands.
#include "ir/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "env/errors.h"
#include "ir/text/names.h"

namespace fenceline::ir_text {
namespace {

// Longer ones first.
constexpr std::string_view kPunctuation[] = {
    "->", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "(", ")", "[", "]", "{", "}", ",", ":",
    "=",  "@",  "$",  "&",  "#",  ".",  "?",  "!",  "~",  "-",  "+", "*", "/", "%", "<", ">", "|", "^"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kString) return "a string";
  constexpr size_t kShown = 40;
  return fmt::format("'{}{}'", token.text.substr(0, kShown), token.text.size() > kShown ? "..." : "");
}

void Lexer::skip(size_t length) {
  for (const char c : rest_.substr(0, length)) {
    if (c == '\n')
      pos_ = {pos_.line + 1, 1};
    else
      ++pos_.column;
  }
  rest_.remove_prefix(length);
}

Token Lexer::token(TokenKind kind, size_t length) {
  Token result;
  result.kind = kind;
  result.text = rest_.substr(0, length);
  result.pos = pos_;
  skip(length);
  return result;
}

Token Lexer::number() {
  size_t length = 1;
  while (length < rest_.size() && is_digit(rest_[length])) ++length;
  Value value = 0;
  const auto parsed = std::from_chars(rest_.data(), rest_.data() + length, value);
  if (parsed.ec != std::errc())
    throw InputError(file_, {{pos_, "this number does not fit into 64 bits", ""}});
  Token result = token(TokenKind::kNumber, length);
  result.number = value;
  return result;
}

Token Lexer::string() {
  std::string content;
  size_t at = 1;
  while (at < rest_.size() && rest_[at] != '"' && rest_[at] != '\n') {
    if (rest_[at] != '\\') {
      content += rest_[at++];
      continue;
    }
    const std::string_view escape = rest_.substr(at + 1, 3);
    if (!escape.empty() && (escape[0] == '"' || escape[0] == '\\')) {
      content += escape[0];
      at += 2;
    } else if (escape.size() == 3 && escape[0] == 'x' && hex_value(escape[1]) >= 0 &&
               hex_value(escape[2]) >= 0) {
      content += static_cast<char>(hex_value(escape[1]) * 16 + hex_value(escape[2]));
      at += 4;
    } else {
      skip(at);
      throw InputError(file_, {{pos_, "unknown escape", R"(there are \" and \\ and \xhh)"}});
    }
  }
  if (at >= rest_.size() || rest_[at] != '"')
    throw InputError(file_, {{pos_, "this string does not end on its line", ""}});
  Token result = token(TokenKind::kString, at + 1);
  result.content = std::move(content);
  return result;
}

Token Lexer::next() {
  const auto skip_blanks = [this] { skip(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); };
  for (skip_blanks(); rest_.starts_with("//"); skip_blanks()) skip(std::min(rest_.find('\n'), rest_.size()));
  if (rest_.empty()) return token(TokenKind::kEnd, 0);
  const char first = rest_[0];
  if (is_name_start(first)) {
    size_t length = 1;
    while (length < rest_.size() && is_name_part(rest_[length])) ++length;
    return token(TokenKind::kName, length);
  }
  if (is_digit(first) || (first == '-' && rest_.size() > 1 && is_digit(rest_[1]))) return number();
  if (first == '"') return string();
  for (const std::string_view candidate : kPunctuation)
    if (rest_.starts_with(candidate)) return token(TokenKind::kPunctuation, candidate.size());
  throw InputError(file_, {{pos_, "this character has no meaning here", ""}});
}

}  // namespace fenceline::ir_text
