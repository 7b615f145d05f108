// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dispatches the command line to the commands.
#include "app/command_line.h"
#include "app/commands.h"
#include "app/run_program.h"
#include "env/errors.h"

namespace fenceline::app {
namespace {

int run(const CommandLine& line) {
  switch (line.command) {
    case Command::kCheck:
      return check_command(line);
    case Command::kInfer:
      return infer_command(line);
    case Command::kLitmus:
      return litmus_command(line);
    case Command::kReduce:
      return reduce_command(line);
    case Command::kBench:
      return bench_command(line);
    case Command::kModels:
      return models_command();
    case Command::kEngines:
      return engines_command();
  }
  throw Bug("a command without a function");
}

}  // namespace
}  // namespace fenceline::app

int main(int argc, char** argv) {
  return fenceline::app::run_program({argv + (argc > 0 ? 1 : 0), argv + argc}, fenceline::app::run);
}
