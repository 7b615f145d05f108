// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names are long here: a letter (perhaps behind one underscore), then letters, digits, `_`, `.` and `-`, then
// perhaps a prime. So `po-loc` and `Fence.rw.rw` are one name each, there is no minus sign, and `a^-1` is the
// name, the hat and the token `-1`. Comments are `(* *)`, which nest, and `//` or `#` up to the end of the
// line.
#include "model/cat/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "env/errors.h"

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

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_part(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

class Lexer {
 public:
  explicit Lexer(const SourceFile& file) : file_(file), text_(file.text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    do {
      skip_blanks_and_comments();
      tokens.push_back(next());
    } while (tokens.back().kind != TokenKind::kEnd);
    return tokens;
  }

 private:
  bool looking_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void skip(size_t count) {
    for (size_t i = 0; i < count; ++i, ++at_) {
      if (text_[at_] == '\n')
        pos_ = {pos_.line + 1, 1};
      else
        ++pos_.column;
    }
  }

  void skip_blanks_and_comments() {
    for (;;) {
      if (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        skip(1);
      else if (looking_at("//") || looking_at("#"))
        skip(std::min(text_.find('\n', at_), text_.size()) - at_);
      else if (looking_at("(*"))
        skip_comment();
      else
        return;
    }
  }

  void skip_comment() {
    const SourcePos begin = pos_;
    size_t open = 0;
    do {
      if (at_ == text_.size())
        throw InputError(file_, {{begin, "this comment does not end", "comments nest"}});
      if (looking_at("(*")) {
        ++open;
        skip(2);
      } else if (looking_at("*)")) {
        --open;
        skip(2);
      } else {
        skip(1);
      }
    } while (open > 0);
  }

  // The length of the name that begins `offset` behind here; 0: there is none.
  size_t name_length(size_t offset) const {
    size_t at = at_ + offset;
    if (at < text_.size() && text_[at] == '_') ++at;
    if (at >= text_.size() || !is_letter(text_[at])) return 0;
    while (at < text_.size() && is_name_part(text_[at])) ++at;
    if (at < text_.size() && text_[at] == '\'') ++at;
    return at - at_ - offset;
  }

  // `quotes`: how many characters at each end belong to the token, but not to its text.
  Token token(TokenKind kind, size_t length, size_t before = 0, size_t behind = 0) {
    Token result;
    result.kind = kind;
    result.text = text_.substr(at_ + before, length - before - behind);
    result.pos = pos_;
    result.begin = at_;
    skip(length);
    result.end = at_;
    return result;
  }

  Token next() {
    if (at_ == text_.size()) return token(TokenKind::kEnd, 0);
    if (const size_t length = name_length(0); length > 0) {
      const std::string_view name = text_.substr(at_, length);
      const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
      return token(keyword ? TokenKind::kKeyword : TokenKind::kName, length);
    }
    if (text_[at_] == '"') {
      const size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) throw InputError(file_, {{pos_, "this string does not end", ""}});
      return token(TokenKind::kString, end + 1 - at_, 1, 1);
    }
    if (text_[at_] == '\'')
      if (const size_t length = name_length(1); length > 0) return token(TokenKind::kTag, 1 + length, 1);
    if (text_[at_] == ',') return token(TokenKind::kPunctuation, 1);
    for (const std::string_view candidate : kPunctuation)
      if (looking_at(candidate)) return token(TokenKind::kPunctuation, candidate.size());
    throw InputError(file_, {{pos_, "this character has no meaning here", ""}});
  }

  const SourceFile& file_;
  std::string_view text_;
  size_t at_ = 0;
  SourcePos pos_{1, 1};
};

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kString) return "a string";
  constexpr size_t kShown = 40;
  return fmt::format("'{}{}'", token.text.substr(0, kShown), token.text.size() > kShown ? "..." : "");
}

std::vector<Token> tokens_of(const SourceFile& file) { return Lexer(file).all(); }

}  // namespace fenceline::cat
