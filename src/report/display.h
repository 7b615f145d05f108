// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text on a terminal: how wide it is, how it is broken into lines, and what colour does to it. Colour is put
// on after the layout is done, so that widths never have to see an escape sequence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fenceline::report {

// Safe to print: UTF-8 stays, control characters and stray bytes become '?'.
std::string printable(std::string_view text);

// In terminal columns. Precondition: printable.
size_t display_width(std::string_view text);

// A blank that wrap() does not break at, and prints as any other.
inline constexpr const char* kNoBreakSpace = "\u00a0";

// Breaks at spaces, and inside a word only if it alone is too wide. Lines after the first are indented by
// `hanging`. Precondition: printable; width > hanging. Always at least one line.
std::vector<std::string> wrap(std::string_view text, size_t width, size_t hanging);

// The text, or as much of it as fits into `width` columns with … in place of the rest. Precondition:
// printable; width > 0.
std::string cut(std::string_view text, size_t width);

// "1,234,567".
std::string with_commas(uint64_t number);

// "1 state", "1,234 states".
std::string with_noun(uint64_t count, std::string_view singular);

// "a", "a and b", "a, b and c".
std::string joined_with_and(const std::vector<std::string>& parts);

enum class Tone { kPlain, kBold, kDim, kGood, kBad, kUnsure, kMemory };

class Paint {
 public:
  explicit Paint(bool colour) : colour_(colour) {}
  std::string operator()(Tone tone, const std::string& text) const;

 private:
  bool colour_;
};

}  // namespace fenceline::report
