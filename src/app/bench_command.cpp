// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline bench`. The published tables are a program of their own, fenceline-bench, so that this one carries neither
// them nor the programs they are made of. It takes over this process: signals, limits and the exit status are its own.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "env/errors.h"

namespace fenceline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "fenceline-bench";

// Beside this program, wherever it was copied to; else where both were installed.
std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  std::error_code none;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", none); !none)
    result.push_back(self.parent_path());
  result.emplace_back(FENCELINE_INSTALL_FOLDER);
  return result;
}

}  // namespace

int bench_command(const CommandLine& line) {
  std::string searched;
  for (const fs::path& folder : folders()) {
    const fs::path program = folder / kProgram;
    searched += fmt::format("{}{}", searched.empty() ? "" : ", ", folder.string());
    if (std::error_code none; !fs::is_regular_file(program, none)) continue;
    if (interrupted()) return status_of_interruption();
    std::string name = program.string();
    std::vector<std::string> words = line.words;
    std::vector<char*> arguments = {name.data()};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(name.c_str(), arguments.data());
    throw Unavailable(fmt::format("{} cannot be started: {}", name, std::strerror(errno)));
  }
  throw Unavailable(
      fmt::format("`fenceline bench` needs the program {}, which is not there (searched: {}); it is built "
                  "and installed with fenceline",
                  kProgram, searched));
}

}  // namespace fenceline::app
