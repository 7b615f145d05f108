// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all lexers share: a position in a file, with its line and column, characters, blanks and comments,
// numbers, and error messages. Tokens, and messages about invalid ones, are defined by each language.
//
// Letters, digits and blanks are those of ASCII in every locale.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "env/source.h"

namespace fenceline {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_name_start(char c) { return is_letter(c) || c == '_'; }
constexpr bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

inline constexpr std::string_view kBlanks = " \t\r\n";

// What std::from_chars finds at the start of a text: digits of the base (no prefix), perhaps behind a minus
// sign.
struct ScannedNumber {
  Value value = 0;    // 0 if it does not fit
  size_t length = 0;  // of all digits, whether they fit or not; 0: there is no number
  bool fits = true;   // into 64 bits
};
ScannedNumber scan_number(std::string_view text, int base = 10);

// 'text' in quotation marks, cut to a readable length.
std::string quoted_excerpt(std::string_view text, size_t shown = 40);

class TextCursor {
 public:
  // Starts at `offset`, which is at `pos`. The file must outlive the cursor and the texts it gives out.
  explicit TextCursor(const SourceFile& file, size_t offset = 0, SourcePos pos = {1, 1});

  const SourceFile& file() const { return file_; }
  size_t offset() const { return at_; }
  SourcePos pos() const { return {line_, static_cast<uint32_t>(at_ - line_start_ + 1)}; }

  bool at_end() const { return at_ == text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  // '\0' behind the end, too.
  char peek(size_t ahead = 0) const { return ahead < text_.size() - at_ ? text_[at_ + ahead] : '\0'; }
  bool looking_at(std::string_view text) const { return rest().starts_with(text); }
  // The first of them that is next; empty: none is. Where one begins like another, the longer comes
  // first.
  std::string_view which(std::span<const std::string_view> candidates) const;
  // How many characters from here on satisfy `wanted`.
  template <class Predicate>
  size_t count_while(Predicate&& wanted) const {
    size_t count = 0;
    while (at_ + count < text_.size() && wanted(text_[at_ + count])) ++count;
    return count;
  }

  // Moves on, not beyond the end, and gives what was passed.
  std::string_view take(size_t length = 1);
  std::string_view take_until(std::string_view stops);
  bool accept(std::string_view text);  // takes it if it is next

  void skip_blanks(std::string_view blanks = kBlanks);
  void skip_line() { take_until("\n"); }  // up to its end
  // Precondition: looking_at(open). False if the file ends before the comment does.
  [[nodiscard]] bool skip_comment(std::string_view open, std::string_view close, bool nested);

  [[noreturn]] void fail_here(std::string message, std::string hint = {}) const;  // about what is next
  [[noreturn]] void fail(SourcePos pos, std::string message, std::string hint = {}) const;

 private:
  const SourceFile& file_;
  std::string_view text_;
  size_t at_;
  size_t line_start_;  // where column 1 is; modulo 2^64, as the first line may begin before the text does
  uint32_t line_;
};

}  // namespace fenceline
