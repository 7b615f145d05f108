// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the fuzzers of readers demand of an answer. A failed check is a crash, as libFuzzer wants it.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "env/errors.h"

namespace fenceline {

inline void check(bool condition) {
  if (!condition) std::abort();
}

// There are some, not more than so many, and each has a position and a text.
inline void check_complaints(const InputError& error, size_t most) {
  check(!error.diagnostics().empty() && error.diagnostics().size() <= most);
  for (const Diagnostic& diagnostic : error.diagnostics())
    check(diagnostic.pos.known() && !diagnostic.message.empty());
}

}  // namespace fenceline
