// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/display.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/utf8.h"

namespace fenceline::report {
namespace {

// The blocks of wide characters; terminals differ in the others.
size_t columns(char32_t c) {
  const auto within = [c](char32_t lo, char32_t hi) { return lo <= c && c <= hi; };
  if (within(0x300, 0x36f) || within(0x200b, 0x200f) || within(0xfe00, 0xfe0f)) return 0;
  if (within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) || within(0xf900, 0xfaff) ||
      within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) || within(0x1f300, 0x1faff) ||
      within(0x20000, 0x3fffd))
    return 2;
  return 1;
}

// The longest beginning that fits, at least one character.
size_t bytes_that_fit(std::string_view word, size_t width) {
  size_t bytes = 0, used = 0;
  while (bytes < word.size()) {
    const CodePoint c = decode_utf8(word.substr(bytes));
    used += columns(c.value);
    if (used > width && bytes > 0) break;
    bytes += c.bytes;
  }
  return bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = decode_utf8(text);
    if (c.valid && !is_control(c.value))
      out += text.substr(0, c.bytes);
    else
      out += '?';
    text.remove_prefix(c.valid ? c.bytes : 1);
  }
  return out;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = decode_utf8(text);
    width += columns(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::vector<std::string> wrap(std::string_view text, size_t width, size_t hanging) {
  std::vector<std::string> lines = {""};
  const std::string indent(hanging, ' ');
  size_t used = 0;
  bool fresh = true;  // nothing but the indent on this line
  const auto new_line = [&] {
    lines.push_back(indent);
    used = hanging;
    fresh = true;
  };
  const size_t leading = std::min(text.find_first_not_of(' '), text.size());
  lines.back() = std::string(text.substr(0, leading));
  used = leading;
  text.remove_prefix(leading);
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!fresh && used + 1 + display_width(word) > width) new_line();
    if (!fresh) {
      lines.back() += ' ';
      ++used;
    }
    while (used + display_width(word) > width && display_width(word) > 1) {
      const size_t bytes = bytes_that_fit(word, width > used ? width - used : 1);
      if (bytes == word.size()) break;
      lines.back() += word.substr(0, bytes);
      word.remove_prefix(bytes);
      new_line();
    }
    lines.back() += word;
    used += display_width(word);
    fresh = false;
  }
  constexpr std::string_view kSpecial = kNoBreakSpace;
  for (std::string& line : lines)
    for (size_t at = 0; (at = line.find(kSpecial, at)) != std::string::npos;)
      line.replace(at, kSpecial.size(), " ");
  return lines;
}

std::string cut(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  return (width > 1 ? std::string(text.substr(0, bytes_that_fit(text, width - 1))) : "") + "…";
}

std::string with_commas(uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string with_noun(uint64_t count, std::string_view singular) {
  return with_commas(count) + " " + noun(count, singular);
}

std::string joined_with_and(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string Paint::operator()(Tone tone, const std::string& text) const {
  if (!colour_ || text.empty()) return text;
  switch (tone) {
    case Tone::kPlain:
      return text;
    case Tone::kBold:
      return "\033[1m" + text + "\033[0m";
    case Tone::kDim:
      return "\033[2m" + text + "\033[0m";
    case Tone::kGood:
      return "\033[32m" + text + "\033[0m";
    case Tone::kBad:
      return "\033[1;31m" + text + "\033[0m";
    case Tone::kUnsure:
      return "\033[33m" + text + "\033[0m";
    case Tone::kMemory:
      return "\033[36m" + text + "\033[0m";
  }
  return text;
}

}  // namespace fenceline::report
