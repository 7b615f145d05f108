// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/utf8.h"

namespace fenceline {
namespace {

constexpr std::array<std::string_view, 7> kColours = {"\033[0m",    "\033[1m",  "\033[2m", "\033[32m",
                                                      "\033[1;31m", "\033[33m", "\033[36m"};

constexpr std::array<std::pair<char32_t, std::string_view>, 31> kInAscii = {{
    {U'│', "|"},      {U'─', "-"},  {U'┼', "+"},  {U'…', "..."}, {U'→', "->"}, {U'←', "<-"}, {U'–', "-"},
    {U'—', "-"},      {U'·', "."},  {U'×', "x"},  {U'≠', "!="},  {U'≤', "<="}, {U'≥', ">="}, {U'∅', "{}"},
    {U'ε', "eps"},    {U'∥', "||"}, {U'²', "^2"}, {U'³', "^3"},  {U'¹', "^1"}, {U'⁰', "^0"}, {U'⁺', "^+"},
    {U'⁻', "^-"},     {U'∪', "|"},  {U'∩', "&"},  {U'‘', "'"},   {U'’', "'"},  {U'“', "\""}, {U'”', "\""},
    {U'\u00a0', " "}, {U'µ', "u"},  {U'•', "*"},
}};

std::string in_ascii(char32_t c) {
  for (const auto& [known, text] : kInAscii)
    if (known == c) return std::string(text);
  if (c >= U'₀' && c <= U'₉') return {static_cast<char>('0' + (c - U'₀'))};
  if (c >= U'⁴' && c <= U'⁹') return {'^', static_cast<char>('0' + (c - U'⁰'))};
  return "";
}

void add_escaped(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

}  // namespace

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string for_terminal(std::string_view text, TerminalKind kind) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto colour = std::find_if(kColours.begin(), kColours.end(),
                                     [&](std::string_view one) { return text.starts_with(one); });
    if (kind.colour && colour != kColours.end()) {
      out += *colour;
      text.remove_prefix(colour->size());
      continue;
    }
    const CodePoint c = decode_utf8(text);
    const std::string_view bytes = text.substr(0, c.valid ? c.bytes : 1);
    text.remove_prefix(bytes.size());
    const bool harmless = c.valid && (!is_control(c.value) || c.value == U'\n' || c.value == U'\t');
    if (harmless && (kind.utf8 || c.value < 0x80))
      out += bytes;
    else if (const std::string ascii = harmless ? in_ascii(c.value) : ""; !ascii.empty())
      out += ascii;
    else
      add_escaped(bytes, out);
  }
  return out;
}

}  // namespace fenceline
