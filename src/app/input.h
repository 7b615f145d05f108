// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the commands read, and how what they say is to look.
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

namespace fenceline {

struct Input {
  Program program;
  std::vector<Property> properties;  // those to check
};

// Throws whatever is wrong with the file or with what is asked of it.
Input read_input(const std::string& path, const Options& options);

// What the options say about the program itself.
FrontEndParameters parameters_of(const Options& options);
// Throws UsageError if they say something about a transactional memory. Precondition: the file is none.
void reject_parameters(const std::string& path, const Options& options);

// Opens the file for the JSON result, if one is wanted. A slip of the hand must not overwrite a program:
// throws UsageError.
std::optional<ResultFile> open_json(const CommandLine& line);

// Colours only where a person reads it and did not say no (NO_COLOR), as wide as the terminal.
TextStyle text_style(const Options& options);

}  // namespace fenceline
