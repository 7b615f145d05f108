// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work done in a process of its own, so that its processor time and its memory can be distinguished from ours, and so
// that one run finds the same fresh heap as the next.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fenceline::bench {

struct ProcessResult {
  int status = -1;  // exit status; 128 + n after signal n
  bool timed_out = false;
  double wall_seconds = 0;
  double cpu_seconds = 0;  // user and system time
  double peak_mb = 0;      // largest resident set
  std::string output;      // what it wrote to standard output (commands: and to standard error)
};

// Runs the command in `directory`. Standard input is empty. seconds <= 0: no time limit.
ProcessResult run_command(const std::vector<std::string>& command, const std::string& directory,
                          double seconds);

// Runs `work` in a copy of this process; what it returns is the output.
ProcessResult run_here(const std::function<std::string()>& work, double seconds);

// Is there a program of this name on the PATH?
bool installed(const std::string& program);

}  // namespace fenceline::bench
