// SPDX-License-Identifier: GPL-3.0-or-later
//
// The words of the `.fl` language. A token's text is a view into the source, which outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "env/source.h"

namespace fenceline::frontend::fl {

enum class Tok : uint8_t {
  kEndOfFile,
  kName,
  kNumber,
  // Reserved words.
  kShared,
  kLocal,
  kConst,
  kInt,
  kThread,
  kProcedure,
  kProperty,
  kIn,
  kIf,
  kElse,
  kWhile,
  kDo,
  kGoto,
  kSkip,
  kFence,
  kSfence,
  kLfence,
  kCas,
  kXchg,
  kFetchAdd,
  kAtomic,
  kAwait,
  kAssume,
  kAssert,
  kHavoc,
  kChoose,
  kOr,
  kBreak,
  kContinue,
  kReturn,
  kHalt,
  kNever,
  kAlways,
  kFinally,
  kNo,
  kDeadlock,
  kTrue,
  kFalse,
  // Those of transactions.
  kTransaction,
  kRead,
  kWrite,
  kEnd,
  kAbort,
  kRfin,
  kCommit,
  kRollback,
  kIndex,
  kOpacity,
  kStrict,
  kSerializability,
  // Punctuation.
  kLeftParen,
  kRightParen,
  kLeftBrace,
  kRightBrace,
  kLeftBracket,
  kRightBracket,
  kComma,
  kSemicolon,
  kColon,
  kQuestion,
  kAt,
  kDot,
  kDotDot,
  kAssign,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAndAnd,
  kOrOr,
  kNot,
  kTilde,
  kAmp,
  kPipe,
  kCaret,
  kShl,
  kShr,
  kForeign,  // an operator of C that `.fl` does not have: ++ -- += -= ... ->
};

struct Token {
  Tok kind = Tok::kEndOfFile;
  SourcePos pos;
  SourcePos end;  // right behind the last character
  std::string_view text;
  Value number = 0;  // kNumber
};

constexpr bool is_reserved_word(Tok kind) { return kind >= Tok::kShared && kind <= Tok::kSerializability; }
constexpr bool is_transaction_word(Tok kind) {
  return kind >= Tok::kTransaction && kind <= Tok::kSerializability;
}
// A number that would be octal in C. It is none here, but `07:` can number a statement.
bool starts_with_zero(const Token& token);

// A reserved word or operator as it is written; for messages.
std::string_view spelling(Tok kind);

// "'turn'", "the end of the file"; for messages, so very long names are cut.
std::string describe(const Token& token);

// A name for a message, cut if it is very long.
std::string_view shortened(std::string_view name);

}  // namespace fenceline::frontend::fl
