// SPDX-License-Identifier: GPL-3.0-or-later
//
// The programs that tables are made of, most of them from the corpus. They are part of fenceline-bench
// (cmake/embed_programs.cmake), so that it works wherever it was copied to.
#pragma once

#include <span>

#include "env/embedded_text.h"

namespace fenceline::tables {

std::span<const EmbeddedText> bench_programs();

// Those of bench/programs/executions, in C.
std::span<const EmbeddedText> execution_programs();

}  // namespace fenceline::tables
