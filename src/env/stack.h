// SPDX-License-Identifier: GPL-3.0-or-later
//
// For recursion whose depth depends on the input: it must end before the stack does.
#pragma once

#include <cstddef>

namespace fenceline {

// Bytes of the calling thread's stack that are left; the most there can be if the system does not say. Cheap.
size_t stack_left();

}  // namespace fenceline
