// SPDX-License-Identifier: GPL-3.0-or-later
//
// A position in the user's text. Positions travel from the lexer through the IR to traces and
// fences, so that every message can name a line of the user's text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fenceline {

// Lines and columns count from 1; line 0 means "nowhere in particular". Columns count bytes.
struct SourcePos {
  uint32_t line = 0;
  uint32_t column = 0;
  uint16_t file = 0;  // 0 is the main one; see Program::file_of

  bool known() const { return line != 0; }
  friend auto operator<=>(const SourcePos&, const SourcePos&) = default;
};

// One input file, kept whole so that messages and reports can quote it.
struct SourceFile {
  std::string name;
  std::string text;

  // The text of the line (from 1) without its line end; empty if there is no such line.
  std::string_view line(uint32_t number) const;
};

// Reads the file at `path`. Throws NoSuchFile (env/errors.h) if it cannot be read.
SourceFile read_source_file(const std::string& path);

}  // namespace fenceline
