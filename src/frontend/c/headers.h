// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "env/embedded_text.h"

namespace fenceline::frontend {

// What users include (`fenceline.h`), and the headers that replace the C++ library's own where these
// depend on how threads are implemented. The texts lie in include/ and are part of the program.
std::span<const EmbeddedText> own_headers();

}  // namespace fenceline::frontend
