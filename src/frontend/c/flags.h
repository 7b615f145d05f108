// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which flags of a build reach the compiler. A flag that changes the language or the layout of data matters; one
// about warnings, optimisation or debugging does not, because nothing is optimised here; and one that instruments
// the code, writes files or loads a plug-in must not be passed on.
#pragma once

#include <cstdint>
#include <string_view>

namespace fenceline::frontend::c {

enum class FlagUse : uint8_t {
  kPassed,
  kIgnored,   // it has no influence on what the program means here
  kRejected,  // it would add code to the program, write files or execute code
};

// Is it one of the compiler's flags that may be given: -f..., -m..., -W..., -O..., -g..., -pthread, -pipe?
bool is_flag(std::string_view word);

// Precondition: is_flag(flag).
FlagUse use_of_flag(std::string_view flag);

}  // namespace fenceline::frontend::c
