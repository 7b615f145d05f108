// SPDX-License-Identifier: GPL-3.0-or-later
//
// The programs of the corpus that tables are made of. They are part of fenceline-bench
// (cmake/embed_programs.cmake), so that it works wherever it was copied to.
#pragma once

#include <span>
#include <string_view>

namespace fenceline {

struct BenchProgram {
  std::string_view name;  // "blender/pet2", "c/msn.c"
  std::string_view text;
};

std::span<const BenchProgram> bench_programs();

}  // namespace fenceline
