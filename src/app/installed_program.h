// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline` and `fenceline-bench` start each other: the first hands `bench` over to the second, which
// measures the first.
#pragma once

#include <string>
#include <string_view>

namespace fenceline::app {

// The executable of this name: beside the one that runs, wherever it was copied to, else where both were
// installed. `purpose` is what needs it. Throws Unavailable if it is in neither folder.
std::string installed_program(std::string_view name, std::string_view purpose);

}  // namespace fenceline::app
