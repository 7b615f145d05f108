// SPDX-License-Identifier: GPL-3.0-or-later
//
// Splits the text into tokens, on demand: the parser stops after twenty errors, and then the remaining text
// is never read.
#pragma once

#include <cstddef>

#include "env/source.h"
#include "env/text_cursor.h"
#include "frontend/fl/diagnostics.h"
#include "frontend/fl/token.h"

namespace fenceline::frontend::fl {

// More tokens than this are rejected. It bounds the memory the syntax tree can take.
constexpr size_t kMaxTokens = 2'000'000;
constexpr size_t kMaxNameLength = 255;

class Lexer {
 public:
  // Both must outlive the lexer and its tokens.
  Lexer(const SourceFile& source, Diagnostics& diagnostics);

  // The next token; kEndOfFile for ever at the end. Reports what is no token and skips it.
  Token next();

 private:
  void skip_space_and_comments();
  void skip_junk();
  Token token(Tok kind, size_t length);
  bool colon_follows() const;
  Token word();
  Token number();

  TextCursor cursor_;
  Diagnostics& diagnostics_;
  size_t tokens_ = 0;
};

}  // namespace fenceline::frontend::fl
