// SPDX-License-Identifier: GPL-3.0-or-later
//
// fenceline-bench: takes the words behind `fenceline bench`, which starts it.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/command_line.h"
#include "app/exit_status.h"
#include "app/failure.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "env/temporary.h"
#include "tables/tables_command.h"

namespace fenceline {
namespace {

int run(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  const auto parsed = parse_command_line(std::move(words));
  if (const Notice* notice = std::get_if<Notice>(&parsed)) {
    print(notice->text);
    return kExitVerified;
  }
  return tables_command(std::get<CommandLine>(parsed));
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
