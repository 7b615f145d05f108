// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_program.h"

#include <utility>

#include "app/exit_status.h"
#include "app/failure.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "env/temporary.h"

namespace fenceline::app {

int run_program(std::vector<std::string> words, const std::function<int(const CommandLine&)>& command) {
  try {
    catch_interrupts();
    share_temporary_names();
    const auto parsed = parse_command_line(std::move(words));
    int status = kExitVerified;
    if (const Notice* notice = std::get_if<Notice>(&parsed))
      print(notice->text);
    else
      status = command(std::get<CommandLine>(parsed));
    finish_printing();
    return status;
  } catch (...) {
    return explain_failure();
  }
}

}  // namespace fenceline::app
