// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tokens of the textual form of a program, one at a time.
#pragma once

#include <string>
#include <string_view>

#include "base/numbers.h"
#include "env/source.h"
#include "env/text_cursor.h"

namespace fenceline::ir_text {

enum class TokenKind : uint8_t { kEnd, kName, kNumber, kString, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written
  SourcePos pos;
  Value number = 0;     // kNumber
  std::string content;  // kString: with escapes resolved
};

// "'foo'", "a string", "the end of the file"; cut to a readable length.
std::string describe(const Token& token);

class Lexer {
 public:
  explicit Lexer(const SourceFile& file) : cursor_(file) {}

  // A minus sign right before a digit belongs to the number. Throws InputError at what is no token.
  Token next();

 private:
  Token token(TokenKind kind, size_t length);
  Token number();
  Token string();

  TextCursor cursor_;
};

}  // namespace fenceline::ir_text
