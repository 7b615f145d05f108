// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names are long here: a letter (perhaps behind one underscore), then letters, digits, `_`, `.` and `-`, then
// perhaps a prime. So `po-loc` and `Fence.rw.rw` are one name each, there is no minus sign, and `a^-1` is the
// name, the hat and the token `-1`. Comments are `(* *)`, which nest, and `//` or `#` up to the end of the
// line.
#include "model/cat/lexer.h"

#include <algorithm>
#include <array>

#include "env/text_cursor.h"

namespace fenceline::cat {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "let",    "rec",     "and",    "when",         "acyclic",   "irreflexive", "show",
    "unshow", "empty",   "subset", "as",           "fun",       "in",          "undefined_unless",
    "flag",   "include", "begin",  "end",          "procedure", "call",        "enum",
    "debug",  "match",   "with",   "forall",       "from",      "do",          "try",
    "if",     "then",    "else",   "instructions", "default",   "not",         "assert"};

// Longer ones first.
constexpr std::array<std::string_view, 23> kPunctuation = {"||", "&&", "++", "->", "-1", "(", ")", "{",
                                                           "}",  "[",  "]",  "_",  "0",  "|", "&", "*",
                                                           "~",  "+",  "^",  "\\", "?",  "=", ";"};

// More than elsewhere.
bool is_cat_name_part(char c) { return is_name_part(c) || c == '.' || c == '-'; }

class Lexer {
 public:
  explicit Lexer(const SourceFile& file) : cursor_(file) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    do {
      skip_blanks_and_comments();
      tokens.push_back(next());
    } while (tokens.back().kind != TokenKind::kEnd);
    return tokens;
  }

 private:
  void skip_blanks_and_comments() {
    for (cursor_.skip_blanks();; cursor_.skip_blanks()) {
      const SourcePos begin = cursor_.pos();
      if (cursor_.looking_at("//") || cursor_.looking_at("#"))
        cursor_.skip_line();
      else if (!cursor_.looking_at("(*"))
        return;
      else if (!cursor_.skip_comment("(*", "*)", true))
        cursor_.fail(begin, "this comment does not end", "comments nest");
    }
  }

  // The length of the name that the text begins with; 0: there is none.
  static size_t name_length(std::string_view text) {
    size_t at = text.starts_with('_') ? 1 : 0;
    if (at >= text.size() || !is_letter(text[at])) return 0;
    while (at < text.size() && is_cat_name_part(text[at])) ++at;
    return text.substr(at).starts_with('\'') ? at + 1 : at;
  }

  // `before`, `behind`: how many characters at each end belong to the token, but not to its text.
  Token token(TokenKind kind, size_t length, size_t before = 0, size_t behind = 0) {
    Token result;
    result.kind = kind;
    result.pos = cursor_.pos();
    result.begin = cursor_.offset();
    result.text = cursor_.take(length).substr(before, length - before - behind);
    result.end = cursor_.offset();
    return result;
  }

  Token next() {
    const std::string_view rest = cursor_.rest();
    if (rest.empty()) return token(TokenKind::kEnd, 0);
    if (const size_t length = name_length(rest); length > 0) {
      const std::string_view name = rest.substr(0, length);
      const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
      return token(keyword ? TokenKind::kKeyword : TokenKind::kName, length);
    }
    if (rest[0] == '"') {
      const size_t end = rest.find('"', 1);
      if (end == std::string_view::npos) cursor_.fail_here("this string does not end");
      return token(TokenKind::kString, end + 1, 1, 1);
    }
    if (rest[0] == '\'')
      if (const size_t length = name_length(rest.substr(1)); length > 0)
        return token(TokenKind::kTag, 1 + length, 1);
    if (rest[0] == ',') return token(TokenKind::kPunctuation, 1);
    const std::string_view punctuation = cursor_.which(kPunctuation);
    if (punctuation.empty()) cursor_.fail_here("this character has no meaning here");
    return token(TokenKind::kPunctuation, punctuation.size());
  }

  TextCursor cursor_;
};

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kString) return "a string";
  return quoted_excerpt(token.text);
}

std::vector<Token> tokens_of(const SourceFile& file) { return Lexer(file).all(); }

}  // namespace fenceline::cat
