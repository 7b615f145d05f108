// SPDX-License-Identifier: GPL-3.0-or-later
//
// From compiled files to one: several files of the user, and those of support/ that they need.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/c/options.h"

namespace fenceline::frontend::c {

// Compiles a C text to bitcode.
using SupportCompiler = std::function<std::string(std::string_view name, const std::string& text)>;

// One module of the files' bitcode. With VolatileAccess::kAtomic each access to a volatile scalar in them is atomic and
// relaxed. (A structure that is volatile is copied as before: no processor does that at once.) Throws InputError if two
// files define the same name. `cxx_runtime` compiles the C++ runtime (cxx_runtime.h), if that is needed.
std::string link_program(const std::vector<std::pair<std::string, std::string>>& files,  // name, bitcode
                         VolatileAccess volatile_access, const SupportCompiler& compile,
                         const std::function<std::string()>& cxx_runtime = {});

}  // namespace fenceline::frontend::c
