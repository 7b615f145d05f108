// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file that is part of the executable (cmake/embed_programs.cmake), so that it works wherever it was copied to.
#pragma once

#include <string_view>

namespace fenceline {

struct EmbeddedText {
  std::string_view name;  // the path below its folder: "tso", "lib/cos", "c/msn.c"
  std::string_view text;
};

}  // namespace fenceline
