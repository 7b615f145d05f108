// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the commands read, and the style of their output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/output.h"
#include "env/options.h"
#include "frontend/parameters.h"
#include "ir/program.h"
#include "report/report.h"

namespace fenceline::app {

struct Input {
  Program program;
  std::vector<Property> properties;  // those to check
};

// Throws InputError, NoSuchFile or UsageError for what is wrong with the file or with the options for it.
Input read_input(const std::string& path, const Options& options);

// The options that are parameters of the program itself.
frontend::FrontEndParameters parameters_of(const Options& options);
// Throws UsageError if they have a value for a transactional memory. Precondition: the file is none.
void reject_parameters(const std::string& path, const Options& options);

// Opens the file for the JSON result, if one is wanted. Throws UsageError if it would overwrite an input.
std::optional<ResultFile> open_json(const CommandLine& line);

// Colours only on a terminal and without NO_COLOR; as wide as the terminal.
report::TextStyle text_style(const Options& options);

}  // namespace fenceline::app
