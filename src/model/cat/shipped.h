// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of models/, which are part of the library (cmake/embed_programs.cmake).
#pragma once

#include <span>

#include "env/embedded_text.h"

namespace fenceline {

std::span<const EmbeddedText> shipped_texts();

}  // namespace fenceline
