// SPDX-License-Identifier: GPL-3.0-or-later
//
// From C or C++ text to LLVM's bitcode, by Clang 19 in a process of its own: a crash of it does not affect
// Fenceline, and the user's code is never executed. Without optimisation, since memory models are about the
// accesses that the source has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/source.h"
#include "model/processor.h"

namespace fenceline::frontend::c {

enum class Language { kC, kCpp };

struct CompilerOptions {
  std::vector<std::string> defines;          // "NAME" or "NAME=VALUE"
  std::vector<std::string> include_folders;  // -I
  std::vector<std::string> undefines;        // -U
  std::vector<std::string> include_files;    // -include
  std::vector<std::string> flags;  // -f..., -m... and -W...: those that flags.h lets through are passed on
  std::string standard;            // -std; empty: as in `words`, else gnu17, gnu++20
  std::vector<std::string> words;  // of a build (compile_commands.h); what is above comes later
  Processor target = Processor::kAny;
  bool target_required = false;  // false: what does not compile for another processor is a NotForTarget
  double timeout = 0;            // in seconds; 0: long enough for everything that ends at all
  // Bytes that it may use; 0: as many as it wants. It is not started with less than any compilation needs:
  // that is allocated before memory is first polled.
  uint64_t memory = 0;
};

// What is compiled: a file, or a text that is read as if it were in one.
struct CompilerInput {
  std::string name;  // of the file; of what the text is about, for messages without a better position
  std::optional<std::string> text;
  Language language = Language::kC;
};

// By the file's name: .c is C; .cc, .cpp, .cxx and .C are C++; others are neither.
std::optional<Language> language_of(const std::string& path);

// A path in normal form, however the compiler names it: "./a.c" is "a.c".
std::string plain_path(const std::string& path);

// Throws InputError with Clang's messages and positions; Unavailable if there is no Clang 19 or
// if it crashes, or if the C library of the target is not installed; NotForTarget (target.h); Unsupported if it does not
// come to an end.
std::string compile_to_bitcode(const CompilerInput& input, const CompilerOptions& options);

}  // namespace fenceline::frontend::c
