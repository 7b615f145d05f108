// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sanitises text for terminals. Names of files, of variables, of models, text that a compiler or a parser
// quotes: all of it comes from outside, and may contain control characters.
#pragma once

#include <string>
#include <string_view>

namespace fenceline {

struct TerminalKind {
  bool utf8 = true;     // false: ASCII only
  bool colour = false;  // the few escape sequences with which reports are coloured may pass
};

// Is the character set of the locale (LC_ALL, LC_CTYPE, LANG) UTF-8?
bool utf8_locale();

// The text with every control character but line ends and tabs as \xNN, bytes that are no UTF-8 as well. In
// ASCII, lines are drawn with - | and +, and characters without an ASCII equivalent are \xNN, too.
std::string for_terminal(std::string_view text, TerminalKind kind);

}  // namespace fenceline
