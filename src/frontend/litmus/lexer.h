// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tokens of a litmus test behind its header. One lexer serves all sections and architectures; what
// changes is whether `(*` begins a comment. In the bodies of C functions it does not: WRITE_ONCE(*x, 1) has
// one.
#pragma once

#include <string>
#include <string_view>

#include "base/numbers.h"
#include "env/errors.h"
#include "env/source.h"
#include "env/text_cursor.h"

namespace fenceline::frontend::litmus {

enum class Tok : uint8_t { kEnd, kName, kNumber, kPunctuation };

struct Token {
  Tok kind = Tok::kEnd;
  std::string_view text;  // as written
  SourcePos pos;
  Value number = 0;  // kNumber; a minus sign is a token of its own

  bool is(std::string_view punctuation_or_name) const {
    return kind != Tok::kNumber && text == punctuation_or_name;
  }
};

// "'foo'", "the end of the file"; cut to a readable length.
std::string describe(const Token& token);

// Moves behind the comment that begins here. Throws InputError if it does not end.
void skip_comment(TextCursor& cursor, std::string_view open, std::string_view close, bool nested);

// Errors in the file, as an exception: the first one ends the reading.
[[noreturn]] void fail(const SourceFile& file, SourcePos pos, std::string message, std::string hint = {});

class Lexer {
 public:
  // Reads from `offset` on, which is at `pos`. The file must outlive the lexer and its tokens.
  Lexer(const SourceFile& file, size_t offset, SourcePos pos) : cursor_(file, offset, pos) {}

  const Token& peek();
  Token take();
  bool accept(std::string_view text);  // takes it if it is next
  Token expect(std::string_view text, std::string_view what);
  Token expect_name(std::string_view what);
  // An optional minus sign and a number. Numbers are small: what is larger could be taken for an address.
  Value expect_number(std::string_view what);
  [[noreturn]] void fail_expected(std::string_view what);

  // Precondition: nothing was looked at since the last take(): the next token is read by the new rules.
  void set_c_code(bool c_code) { c_code_ = c_code; }

  const SourceFile& file() const { return cursor_.file(); }
  std::string_view rest() const { return cursor_.rest(); }  // the text behind what was read and looked at

 private:
  Token next();
  void skip_blanks_and_comments();

  TextCursor cursor_;
  bool c_code_ = false;
  bool has_ahead_ = false;
  Token ahead_;
};

// The number that `token`, perhaps behind a minus sign, represents. Rejects those that are too large.
Value checked_number(const SourceFile& file, const Token& token, bool negative);

}  // namespace fenceline::frontend::litmus
