// SPDX-License-Identifier: GPL-3.0-or-later
//
// The types of exceptions, by the type information that the compiler writes (Itanium C++ ABI, 2.9.5).
#pragma once

#include <llvm/IR/Constant.h>

#include <optional>
#include <string>

namespace fenceline::frontend::c {

// Is it one of the functions by which the C++ library throws (std::__throw_out_of_range and the like)?
bool is_library_throw(llvm::StringRef name);

// Does a handler for `handler` (null: for everything) take an exception of type `thrown` (or what that function
// of the library throws)? Nothing if that is not known here, or if the handler would get the address of a part.
std::optional<bool> catches(const llvm::Constant& handler, const llvm::Constant& thrown);

// "std::out_of_range"; the name of the function if it is one.
std::string type_name(const llvm::Constant& type);

}  // namespace fenceline::frontend::c
