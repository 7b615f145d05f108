// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bytes above 127 may be in comments only. Control characters and what is not UTF-8 end the reading: such a
// file is not a text, and twenty messages about it are useless.
#include "frontend/fl/lexer.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>
#include <utility>

namespace fenceline::frontend::fl {
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

// The longest operator that `text` starts with; its text is empty if there is none.
std::pair<std::string_view, Tok> match_punctuation(std::string_view text) {
  for (const auto& candidate : kPunctuation)
    if (text[0] == candidate.first[0] && text.starts_with(candidate.first)) return candidate;
  return {};
}

// How many bytes the UTF-8 character at the start of `text` has; 0 if there is none. Overlong forms and the
// like are accepted: this is for messages.
size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first >= 0xf8 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  return length;
}

constexpr std::string_view kSpaces = " \t\r\n\v\f";
constexpr size_t kShown = 60;  // characters of a name, in messages

const std::unordered_map<std::string_view, Tok>& words() {
  static const std::unordered_map<std::string_view, Tok> kMap(std::begin(kWords), std::end(kWords));
  return kMap;
}

}  // namespace

std::string_view spelling(Tok kind) {
  for (const auto& [spelled, word] : kWords)
    if (word == kind) return spelled;
  for (const auto& [spelled, mark] : kPunctuation)
    if (mark == kind) return spelled;
  return kind == Tok::kName ? "a name" : kind == Tok::kNumber ? "a number" : "the end of the file";
}

std::string_view shortened(std::string_view name) { return name.substr(0, kShown); }

std::string describe(const Token& token) {
  if (token.kind == Tok::kEndOfFile) return "the end of the file";
  return quoted_excerpt(token.text, kShown);
}

bool starts_with_zero(const Token& token) {
  return token.kind == Tok::kNumber && token.text.size() > 1 && token.text[0] == '0' &&
         is_digit(token.text[1]);
}

// A byte order mark takes no column.
Lexer::Lexer(const SourceFile& source, Diagnostics& diagnostics)
    : cursor_(source, source.text.starts_with("\xef\xbb\xbf") ? 3 : 0), diagnostics_(diagnostics) {}

Token Lexer::next() {
  for (;;) {
    skip_space_and_comments();
    if (cursor_.at_end()) return token(Tok::kEndOfFile, 0);
    if (++tokens_ > kMaxTokens)
      diagnostics_.fatal(cursor_.pos(),
                         fmt::format("the file is too large: more than {} tokens", kMaxTokens));
    if (is_name_start(cursor_.peek())) return word();
    if (is_digit(cursor_.peek())) return number();
    const auto [spelled, kind] = match_punctuation(cursor_.rest());
    if (!spelled.empty()) return token(kind, spelled.size());
    skip_junk();
  }
}

void Lexer::skip_space_and_comments() {
  for (cursor_.skip_blanks(kSpaces);; cursor_.skip_blanks(kSpaces)) {
    const SourcePos begin = cursor_.pos();
    if (cursor_.looking_at("//"))
      cursor_.skip_line();
    else if (!cursor_.looking_at("/*"))
      return;
    else if (!cursor_.skip_comment("/*", "*/", false))
      diagnostics_.fatal(begin, "this comment never ends", "close it with '*/'");
  }
}

// A run of characters that start no token gets one complaint.
void Lexer::skip_junk() {
  const SourcePos pos = cursor_.pos();
  const auto first = static_cast<unsigned char>(cursor_.peek());
  const size_t length = first >= 0x80 ? utf8_length(cursor_.rest()) : 1;
  if (first < 0x20 || first == 0x7f || length == 0)
    diagnostics_.fatal(pos, fmt::format("byte 0x{:02x}: this is not a program text", first),
                       "is it a compiled file?");
  const std::string character(cursor_.take(length));
  cursor_.take(cursor_.count_while([&](char c) { return c == character.back(); }));
  if (first == '"' || first == '\'')
    diagnostics_.error(pos, "a quotation mark: there are no strings or characters in this language");
  else if (first == '#')
    diagnostics_.error(pos, "unexpected '#': there is no preprocessor",
                       "name a number with 'const int N = 3;'");
  else if (first >= 0x80)
    diagnostics_.error(pos, fmt::format("'{}' is allowed in comments only", character),
                       "outside comments all characters are ASCII");
  else
    diagnostics_.error(pos, fmt::format("unexpected character '{}'", character));
}

Token Lexer::token(Tok kind, size_t length) {
  const SourcePos begin = cursor_.pos();
  const std::string_view text = cursor_.take(length);
  return {kind, begin, cursor_.pos(), text, 0};
}

Token Lexer::word() {
  Token token = this->token(Tok::kName, cursor_.count_while(is_name_part));
  if (token.text.size() > kMaxNameLength)
    diagnostics_.error(token.pos, fmt::format("a name of {} characters; at most {} are allowed",
                                              token.text.size(), kMaxNameLength));
  if (const auto found = words().find(token.text); found != words().end()) token.kind = found->second;
  return token;
}

// Is `:` the next thing on this line?
bool Lexer::colon_follows() const {
  return cursor_.peek(cursor_.count_while([](char c) { return c == ' ' || c == '\t'; })) == ':';
}

Token Lexer::number() {
  const size_t prefix = cursor_.looking_at("0x") || cursor_.looking_at("0X") ? 2 : 0;
  ScannedNumber number;
  if (is_name_part(cursor_.peek(prefix)))  // and no minus sign
    number = scan_number(cursor_.rest().substr(prefix), prefix > 0 ? 16 : 10);
  Token token = this->token(Tok::kNumber, cursor_.count_while(is_name_part));
  if (number.length == 0 || prefix + number.length < token.text.size())
    diagnostics_.error(token.pos, fmt::format("{} is not a number", describe(token)),
                       "numbers are decimal, or hexadecimal after 0x; names start with a letter");
  else if (!number.fits)
    diagnostics_.error(token.pos, "this number is too large",
                       fmt::format("the largest is {}", std::numeric_limits<Value>::max()));
  else if (starts_with_zero(token) && !colon_follows())
    diagnostics_.error(token.pos, fmt::format("{} starts with 0, which would be octal in C", describe(token)),
                       "drop the leading zeros");
  else
    token.number = number.value;
  return token;
}

}  // namespace fenceline::frontend::fl
