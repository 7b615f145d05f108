// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a C++ program needs of its library beyond the headers: include/c++/runtime.h, compiled like the program
// and linked with it. So the headers are the library's own, and what is replaced is below them.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace fenceline::frontend::c {

// The text that is compiled.
inline constexpr const char* kCxxRuntime = "#include <c++/runtime.h>\n";

// Does the module use something that the runtime may define?
bool needs_cxx_runtime(const llvm::Module& module);

// Adds what the module uses and does not define. Functions that the program has itself stay.
void link_cxx_runtime(llvm::Module& module, const std::string& bitcode);

}  // namespace fenceline::frontend::c
