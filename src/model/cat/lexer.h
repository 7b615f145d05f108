// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tokens of a `.cat` file, all at once: the parser looks ahead by several to distinguish clauses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "env/source.h"

namespace fenceline::cat {

enum class TokenKind : uint8_t { kEnd, kName, kKeyword, kString, kTag, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written; of a string or a tag without its quotes
  SourcePos pos;
  size_t begin = 0, end = 0;  // in the text of the file

  bool is(std::string_view word) const {
    return text == word && (kind == TokenKind::kKeyword || kind == TokenKind::kPunctuation);
  }
};

// "'foo'", "a string", "the end of the file"; cut to a readable length.
std::string describe(const Token& token);

// The last one is kEnd. Throws InputError at what is no token. The tokens look at `file`.
std::vector<Token> tokens_of(const SourceFile& file);

}  // namespace fenceline::cat
