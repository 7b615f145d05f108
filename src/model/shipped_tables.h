// SPDX-License-Identifier: GPL-3.0-or-later
//
// models/*.table, which are part of the library (cmake/embed_programs.cmake).
#pragma once

#include <span>

#include "env/embedded_text.h"

namespace fenceline {

std::span<const EmbeddedText> shipped_tables();

}  // namespace fenceline
