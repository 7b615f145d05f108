// SPDX-License-Identifier: GPL-3.0-or-later
//
// models/*.table, which are part of the library (cmake/embed_programs.cmake).
#pragma once

#include <span>
#include <string_view>

namespace fenceline {

struct ShippedTable {
  std::string_view name;  // "tso"
  std::string_view text;
};

std::span<const ShippedTable> shipped_tables();

}  // namespace fenceline
