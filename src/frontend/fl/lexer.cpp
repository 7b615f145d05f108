// SPDX-License-Identifier: GPL-3.0-or-later
//
// Letters, digits and spaces are those of ASCII whatever the locale says. Bytes above 127 may stand in
// comments only. Control characters and what is not UTF-8 end the reading: such a file is not a text, and
// complaining twenty times about the machine code in it helps nobody.
#include "frontend/fl/lexer.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>
#include <utility>

namespace fenceline::fl {
namespace {

constexpr std::pair<std::string_view, Tok> kWords[] = {
    {"shared", Tok::kShared},
    {"local", Tok::kLocal},
    {"const", Tok::kConst},
    {"int", Tok::kInt},
    {"thread", Tok::kThread},
    {"procedure", Tok::kProcedure},
    {"property", Tok::kProperty},
    {"in", Tok::kIn},
    {"if", Tok::kIf},
    {"else", Tok::kElse},
    {"while", Tok::kWhile},
    {"do", Tok::kDo},
    {"goto", Tok::kGoto},
    {"skip", Tok::kSkip},
    {"fence", Tok::kFence},
    {"sfence", Tok::kSfence},
    {"lfence", Tok::kLfence},
    {"cas", Tok::kCas},
    {"xchg", Tok::kXchg},
    {"fetch_add", Tok::kFetchAdd},
    {"atomic", Tok::kAtomic},
    {"await", Tok::kAwait},
    {"assume", Tok::kAssume},
    {"assert", Tok::kAssert},
    {"havoc", Tok::kHavoc},
    {"choose", Tok::kChoose},
    {"or", Tok::kOr},
    {"break", Tok::kBreak},
    {"continue", Tok::kContinue},
    {"return", Tok::kReturn},
    {"halt", Tok::kHalt},
    {"never", Tok::kNever},
    {"always", Tok::kAlways},
    {"finally", Tok::kFinally},
    {"no", Tok::kNo},
    {"deadlock", Tok::kDeadlock},
    {"true", Tok::kTrue},
    {"false", Tok::kFalse},
    {"transaction", Tok::kTransaction},
    {"read", Tok::kRead},
    {"write", Tok::kWrite},
    {"end", Tok::kEnd},
    {"abort", Tok::kAbort},
    {"rfin", Tok::kRfin},
    {"commit", Tok::kCommit},
    {"rollback", Tok::kRollback},
    {"index", Tok::kIndex},
    {"opacity", Tok::kOpacity},
    {"strict", Tok::kStrict},
    {"serializability", Tok::kSerializability},
};

// Longest first, so that the first match is the right one.
constexpr std::pair<std::string_view, Tok> kPunctuation[] = {
    {"<<=", Tok::kForeign},   {">>=", Tok::kForeign},    {"++", Tok::kForeign},  {"--", Tok::kForeign},
    {"+=", Tok::kForeign},    {"-=", Tok::kForeign},     {"*=", Tok::kForeign},  {"/=", Tok::kForeign},
    {"%=", Tok::kForeign},    {"&=", Tok::kForeign},     {"|=", Tok::kForeign},  {"^=", Tok::kForeign},
    {"->", Tok::kForeign},    {"::", Tok::kForeign},     {":=", Tok::kForeign},  {"..", Tok::kDotDot},
    {"==", Tok::kEq},         {"!=", Tok::kNe},          {"<=", Tok::kLe},       {">=", Tok::kGe},
    {"&&", Tok::kAndAnd},     {"||", Tok::kOrOr},        {"<<", Tok::kShl},      {">>", Tok::kShr},
    {"(", Tok::kLeftParen},   {")", Tok::kRightParen},   {"{", Tok::kLeftBrace}, {"}", Tok::kRightBrace},
    {"[", Tok::kLeftBracket}, {"]", Tok::kRightBracket}, {",", Tok::kComma},     {";", Tok::kSemicolon},
    {":", Tok::kColon},       {"?", Tok::kQuestion},     {"@", Tok::kAt},        {".", Tok::kDot},
    {"=", Tok::kAssign},      {"+", Tok::kPlus},         {"-", Tok::kMinus},     {"*", Tok::kStar},
    {"/", Tok::kSlash},       {"%", Tok::kPercent},      {"<", Tok::kLt},        {">", Tok::kGt},
    {"!", Tok::kNot},         {"~", Tok::kTilde},        {"&", Tok::kAmp},       {"|", Tok::kPipe},
    {"^", Tok::kCaret},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// The longest operator that `text` starts with; its text is empty if there is none.
std::pair<std::string_view, Tok> match_punctuation(std::string_view text) {
  for (const auto& candidate : kPunctuation)
    if (text[0] == candidate.first[0] && text.starts_with(candidate.first)) return candidate;
  return {};
}

// How many bytes the UTF-8 character at the start of `text` has; 0 if there is none. Overlong forms and the
// like are let through: this is for messages.
size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first >= 0xf8 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  return length;
}

const std::unordered_map<std::string_view, Tok>& words() {
  static const std::unordered_map<std::string_view, Tok> map(std::begin(kWords), std::end(kWords));
  return map;
}

}  // namespace

std::string_view spelling(Tok kind) {
  for (const auto& [spelled, word] : kWords)
    if (word == kind) return spelled;
  for (const auto& [spelled, mark] : kPunctuation)
    if (mark == kind) return spelled;
  return kind == Tok::kName ? "a name" : kind == Tok::kNumber ? "a number" : "the end of the file";
}

std::string_view shortened(std::string_view name) {
  constexpr size_t kShown = 60;
  return name.substr(0, kShown);
}

std::string describe(const Token& token) {
  if (token.kind == Tok::kEndOfFile) return "the end of the file";
  const std::string_view shown = shortened(token.text);
  return fmt::format("'{}{}'", shown, shown.size() < token.text.size() ? "..." : "");
}

bool starts_with_zero(const Token& token) {
  return token.kind == Tok::kNumber && token.text.size() > 1 && token.text[0] == '0' &&
         is_digit(token.text[1]);
}

Lexer::Lexer(const SourceFile& source, Diagnostics& diagnostics)
    : text_(source.text), diagnostics_(diagnostics) {
  if (text_.starts_with("\xef\xbb\xbf")) at_ = line_start_ = 3;  // a byte order mark
}

Token Lexer::next() {
  for (;;) {
    if (skip_space_and_comments()) continue;
    if (at_ >= text_.size()) return finish(Tok::kEndOfFile, at_, here());
    if (++tokens_ > kMaxTokens)
      diagnostics_.fatal(here(), fmt::format("the file is too large: more than {} tokens", kMaxTokens));
    if (is_letter(peek())) return word();
    if (is_digit(peek())) return number();
    const auto [spelled, kind] = match_punctuation(text_.substr(at_));
    if (spelled.empty()) {
      skip_junk();
      continue;
    }
    const size_t begin = at_;
    const SourcePos pos = here();
    at_ += spelled.size();
    return finish(kind, begin, pos);
  }
}

// Moves past the line end at the current place.
void Lexer::newline() {
  ++at_;
  ++line_;
  line_start_ = at_;
}

// True if anything was skipped.
bool Lexer::skip_space_and_comments() {
  const size_t begin = at_;
  while (at_ < text_.size() && is_space(peek())) {
    if (peek() == '\n')
      newline();
    else
      ++at_;
  }
  if (peek() == '/' && peek(1) == '/') {
    while (at_ < text_.size() && peek() != '\n') ++at_;
  } else if (peek() == '/' && peek(1) == '*') {
    skip_block_comment();
  }
  return at_ != begin;
}

void Lexer::skip_block_comment() {
  const SourcePos begin = here();
  at_ += 2;
  while (at_ < text_.size()) {
    if (peek() == '*' && peek(1) == '/') {
      at_ += 2;
      return;
    }
    if (peek() == '\n')
      newline();
    else
      ++at_;
  }
  diagnostics_.fatal(begin, "this comment never ends", "close it with '*/'");
}

// A run of characters that start no token gets one complaint.
void Lexer::skip_junk() {
  const SourcePos pos = here();
  const auto first = static_cast<unsigned char>(text_[at_]);
  if (first < 0x20 || first == 0x7f || (first >= 0x80 && utf8_length(text_.substr(at_)) == 0))
    diagnostics_.fatal(pos, fmt::format("byte 0x{:02x}: this is not a program text", first),
                       "is it a compiled file?");
  std::string character(text_.substr(at_, first >= 0x80 ? utf8_length(text_.substr(at_)) : 1));
  at_ += character.size();
  while (at_ < text_.size() && peek() == text_[at_ - 1]) ++at_;
  if (first == '"' || first == '\'')
    diagnostics_.error(pos, "a quotation mark: there are no strings or characters in this language");
  else if (first == '#')
    diagnostics_.error(pos, "unexpected '#': there is no preprocessor",
                       "name a number with 'const int N = 3;'");
  else if (first >= 0x80)
    diagnostics_.error(pos, fmt::format("'{}' can stand in comments only", character),
                       "outside comments all characters are ASCII");
  else
    diagnostics_.error(pos, fmt::format("unexpected character '{}'", character));
}

Token Lexer::finish(Tok kind, size_t begin, SourcePos pos) const {
  return {kind, pos, here(), text_.substr(begin, at_ - begin), 0};
}

Token Lexer::word() {
  const size_t begin = at_;
  const SourcePos pos = here();
  while (is_letter(peek()) || is_digit(peek())) ++at_;
  const std::string_view text = text_.substr(begin, at_ - begin);
  if (text.size() > kMaxNameLength)
    diagnostics_.error(
        pos, fmt::format("a name of {} characters; at most {} are allowed", text.size(), kMaxNameLength));
  const auto found = words().find(text);
  return finish(found == words().end() ? Tok::kName : found->second, begin, pos);
}

// Is `:` the next thing on this line?
bool Lexer::colon_follows() const {
  size_t ahead = 0;
  while (peek(ahead) == ' ' || peek(ahead) == '\t') ++ahead;
  return peek(ahead) == ':';
}

Token Lexer::number() {
  const size_t begin = at_;
  const SourcePos pos = here();
  const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  const int base = hexadecimal ? 16 : 10;
  if (hexadecimal) at_ += 2;
  const size_t digits = at_;
  Value value = 0;
  bool overflow = false;
  for (; digit_value(peek()) < base; ++at_)
    overflow |= __builtin_mul_overflow(value, Value{base}, &value) ||
                __builtin_add_overflow(value, Value{digit_value(peek())}, &value);
  const bool empty = at_ == digits;
  const bool trailing = is_letter(peek()) || is_digit(peek());
  while (is_letter(peek()) || is_digit(peek())) ++at_;
  Token token = finish(Tok::kNumber, begin, pos);
  if (empty || trailing)
    diagnostics_.error(pos, fmt::format("{} is not a number", describe(token)),
                       "numbers are decimal, or hexadecimal after 0x; names start with a letter");
  else if (overflow)
    diagnostics_.error(pos, "this number is too large",
                       fmt::format("the largest is {}", std::numeric_limits<Value>::max()));
  else if (starts_with_zero(token) && !colon_follows())
    diagnostics_.error(pos, fmt::format("{} starts with 0, which would be octal in C", describe(token)),
                       "drop the leading zeros");
  else
    token.number = value;
  return token;
}

}  // namespace fenceline::fl
