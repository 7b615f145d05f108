// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of models/, which are part of the library (cmake/embed_programs.cmake).
#pragma once

#include <span>
#include <string_view>

namespace fenceline {

struct ShippedText {
  std::string_view name;  // "tso", "lib/cos"
  std::string_view text;
};

std::span<const ShippedText> shipped_texts();

}  // namespace fenceline
