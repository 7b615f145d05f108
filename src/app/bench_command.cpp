// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline bench`. The published tables are a program of their own, fenceline-bench, so that this one carries neither
// them nor the programs they are made of. It takes over this process: signals, limits and the exit status are its own.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/installed_program.h"
#include "app/interrupt.h"
#include "env/errors.h"

namespace fenceline::app {

int bench_command(const CommandLine& line) {
  std::string name = installed_program("fenceline-bench", "`fenceline bench`");
  if (interrupted()) return status_of_interruption();
  std::vector<std::string> words = line.words;
  std::vector<char*> arguments = {name.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(name.c_str(), arguments.data());
  throw Unavailable(fmt::format("{} cannot be started: {}", name, std::strerror(errno)));
}

}  // namespace fenceline::app
