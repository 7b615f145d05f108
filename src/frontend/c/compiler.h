// SPDX-License-Identifier: GPL-3.0-or-later
//
// From C or C++ text to LLVM's bitcode, by Clang 19 as a program of its own: what it makes of strange input
// cannot hurt us, and nothing of the user's is ever run. Without optimisation, since memory models are about
// the accesses that the source has.
#pragma once

#include <string>
#include <vector>

#include "env/source.h"

namespace fenceline::c {

enum class Language { kC, kCpp };

struct CompilerOptions {
  std::vector<std::string> defines;          // "NAME" or "NAME=VALUE"
  std::vector<std::string> include_folders;  // -I
};

// By the file's name: .c is C; .cc, .cpp, .cxx and .C are C++.
Language language_of(const std::string& path);

// The text that includes the file at `path`, as if it stood there.
std::string including(const std::string& path);

// Throws InputError, with what Clang complains about, where it stands; Unsupported if there is no Clang 19.
// `name` is for messages that have no better place.
std::string compile_to_bitcode(const std::string& name, const std::string& text, Language language,
                               const CompilerOptions& options);

}  // namespace fenceline::c
