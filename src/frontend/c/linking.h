// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happens to compiled files before they are one unit.
#pragma once

#include <string>

namespace fenceline::frontend::c {

// The same code, in which each access to a volatile scalar is atomic and relaxed. (A structure that is volatile is
// copied as before: no processor does that at once.)
std::string with_atomic_volatile(const std::string& bitcode);

}  // namespace fenceline::frontend::c
