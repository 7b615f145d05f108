// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rim: words in, exit status out.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/failure.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "env/errors.h"
#include "env/temporary.h"

namespace fenceline {
namespace {

int run(std::vector<std::string> words) {
  const auto parsed = parse_command_line(std::move(words));
  if (const Notice* notice = std::get_if<Notice>(&parsed)) {
    print(notice->text);
    return kExitVerified;
  }
  const auto& line = std::get<CommandLine>(parsed);
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
}  // namespace fenceline

int main(int argc, char** argv) {
  try {
    fenceline::catch_interrupts();
    fenceline::share_temporary_names();
    const int status = fenceline::run({argv + (argc > 0 ? 1 : 0), argv + argc});
    fenceline::finish_printing();
    return status;
  } catch (...) {
    return fenceline::explain_failure();
  }
}
