// SPDX-License-Identifier: GPL-3.0-or-later
//
// From C or C++ text to LLVM's bitcode, by Clang 19 as a program of its own: what it makes of strange input
// cannot hurt us, and nothing of the user's is ever run. Without optimisation, since memory models are about
// the accesses that the source has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/source.h"

namespace fenceline::c {

enum class Language { kC, kCpp };

struct CompilerOptions {
  std::vector<std::string> defines;          // "NAME" or "NAME=VALUE"
  std::vector<std::string> include_folders;  // -I
  double timeout = 0;                        // in seconds; 0: long enough for everything that ends at all
  // Bytes that it may use; 0: as many as it wants. It is not begun with fewer than any compilation takes: it
  // would have them before anyone could look.
  uint64_t memory = 0;
};

// What is compiled: a file, or a text that is read as if it stood in one.
struct CompilerInput {
  std::string name;  // of the file; of what the text is about, for messages without a better position
  std::optional<std::string> text;
  Language language = Language::kC;
};

// By the file's name: .c is C; .cc, .cpp, .cxx and .C are C++; others are neither.
std::optional<Language> language_of(const std::string& path);

// A path as we say it, however the compiler came there: "./a.c" is "a.c".
std::string plain_path(const std::string& path);

// Throws InputError, with what Clang complains about, with its position; Unavailable if there is no Clang 19 or
// if it crashes; Unsupported if it does not come to an end.
std::string compile_to_bitcode(const CompilerInput& input, const CompilerOptions& options);

}  // namespace fenceline::c
