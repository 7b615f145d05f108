// SPDX-License-Identifier: GPL-3.0-or-later
//
// From words to a decision: which command, which options, which files. The options of `check`,
// `infer`, `litmus` and `reduce` are those of app/option_groups.h and nothing else; their validation and their
// help texts are made from these.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "env/options.h"

namespace fenceline::app {

enum class Command { kCheck, kInfer, kLitmus, kReduce, kBench, kModels, kEngines };

struct CommandLine {
  Command command = Command::kCheck;
  Options options;
  bool model_given = false;        // kCheck, kBench: by --model, else each file or table has its own
  std::vector<std::string> files;  // at least one, kLitmus: or folders; kBench: the tables, perhaps none
  // kBench
  std::vector<std::string> words;  // as given, behind the command
  bool bench_markdown = false;
  std::vector<std::string> bench_only;  // rows
};

// For --help and --version: goes to standard output, and the status is 0.
struct Notice {
  std::string text;
};

// `words` are the arguments without the program's name. Throws UsageError.
std::variant<CommandLine, Notice> parse_command_line(std::vector<std::string> words);

}  // namespace fenceline::app
