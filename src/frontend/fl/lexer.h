// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cuts the text into tokens, on demand: the parser stops after twenty complaints, and then the rest of ten
// megabytes of junk is never looked at.
#pragma once

#include <cstddef>

#include "env/source.h"
#include "frontend/fl/diagnostics.h"
#include "frontend/fl/token.h"

namespace fenceline::fl {

// More tokens than this are refused. It bounds the memory the syntax tree can take.
constexpr size_t kMaxTokens = 2'000'000;
constexpr size_t kMaxNameLength = 255;

class Lexer {
 public:
  // Both must outlive the lexer and its tokens.
  Lexer(const SourceFile& source, Diagnostics& diagnostics);

  // The next token; kEndOfFile for ever at the end. Complains about what is no token and skips it.
  Token next();

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  SourcePos here() const { return {line_, static_cast<uint32_t>(at_ - line_start_ + 1)}; }
  void newline();
  bool skip_space_and_comments();
  void skip_block_comment();
  void skip_junk();
  Token finish(Tok kind, size_t begin, SourcePos pos) const;
  bool colon_follows() const;
  Token word();
  Token number();

  std::string_view text_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
  size_t tokens_ = 0;
};

}  // namespace fenceline::fl
