// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a build compiles a file: its entry in compile_commands.json, as CMake, Meson and Bear write it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/source.h"

namespace fenceline::frontend::c {

struct BuildCommand {
  SourcePos pos;                       // of the words
  std::string directory, file;         // as written
  std::vector<std::string> arguments;  // the compiler, and what it is called with
};

// The entries of a compile_commands.json. Throws InputError for what is no such text.
std::vector<BuildCommand> parse_compile_commands(const SourceFile& source);

// The words of the command that are about the language, in their order: definitions, includes, the standard and those
// flags that flags.h lets through; paths are absolute, or relative to `folder` if the command's directory is. Others
// have no influence here. Throws InputError for words that cannot be ignored, and are not supported.
std::vector<std::string> language_words(const SourceFile& source, const BuildCommand& command,
                                        const std::string& folder);

// Must there be an entry for a file?
enum class InBuild : uint8_t { kRequired, kOptional };

// The language_words() of the file's first entry in `folder`/compile_commands.json; none if it is optional and not
// there. Throws NoSuchFile if there is no compile_commands.json, UsageError if the file is not in it.
std::vector<std::string> words_of_build(const std::string& folder, const std::string& file, InBuild in_build);

}  // namespace fenceline::frontend::c
