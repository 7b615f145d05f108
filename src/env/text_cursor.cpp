// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "env/errors.h"

namespace fenceline {

ScannedNumber scan_number(std::string_view text, int base) {
  ScannedNumber number;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number.value, base);
  if (error == std::errc::invalid_argument) return number;
  number.length = static_cast<size_t>(stop - text.data());
  number.fits = error != std::errc::result_out_of_range;
  return number;
}

std::string quoted_excerpt(std::string_view text, size_t shown) {
  return fmt::format("'{}{}'", text.substr(0, shown), text.size() > shown ? "..." : "");
}

TextCursor::TextCursor(const SourceFile& file, size_t offset, SourcePos pos)
    : file_(file), text_(file.text), at_(offset), line_start_(offset + 1 - pos.column), line_(pos.line) {}

std::string_view TextCursor::which(std::span<const std::string_view> candidates) const {
  const auto found =
      std::ranges::find_if(candidates, [this](std::string_view text) { return looking_at(text); });
  return found == candidates.end() ? std::string_view() : *found;
}

std::string_view TextCursor::take(size_t length) {
  const std::string_view passed = text_.substr(at_, length);
  for (size_t end = passed.find('\n'); end != std::string_view::npos; end = passed.find('\n', end + 1)) {
    ++line_;
    line_start_ = at_ + end + 1;
  }
  at_ += passed.size();
  return passed;
}

std::string_view TextCursor::take_until(std::string_view stops) {
  return take(std::min(text_.find_first_of(stops, at_), text_.size()) - at_);
}

bool TextCursor::accept(std::string_view text) {
  if (!looking_at(text)) return false;
  take(text.size());
  return true;
}

void TextCursor::skip_blanks(std::string_view blanks) {
  take(std::min(text_.find_first_not_of(blanks, at_), text_.size()) - at_);
}

bool TextCursor::skip_comment(std::string_view open, std::string_view close, bool nested) {
  take(open.size());
  for (size_t depth = 1; depth > 0;) {
    if (at_end()) return false;
    if (accept(close))
      --depth;
    else if (nested && accept(open))
      ++depth;
    else
      take();
  }
  return true;
}

void TextCursor::fail_here(std::string message, std::string hint) const {
  fail(pos(), std::move(message), std::move(hint));
}

void TextCursor::fail(SourcePos pos, std::string message, std::string hint) const {
  throw InputError(file_, {{pos, std::move(message), std::move(hint)}});
}

}  // namespace fenceline
