// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace fenceline {

struct CodePoint {
  char32_t value = 0;
  size_t bytes = 1;  // that it takes; 1 if it is not valid
  bool valid = false;
};

// The first character of the text. Precondition: there is one.
inline CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t value = first & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return {value, bytes, value >= least && value <= 0x10ffff && !surrogate};
}

// Characters that a terminal interprets instead of showing them: control characters, and those that change the
// direction of text.
constexpr bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace fenceline
