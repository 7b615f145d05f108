// SPDX-License-Identifier: GPL-3.0-or-later
//
// The programs of the corpus that tables are made of. They are part of fenceline-bench
// (cmake/embed_programs.cmake), so that it works wherever it was copied to.
#pragma once

#include <span>

#include "env/embedded_text.h"

namespace fenceline::tables {

std::span<const EmbeddedText> bench_programs();

}  // namespace fenceline::tables
