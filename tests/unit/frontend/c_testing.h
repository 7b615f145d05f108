// SPDX-License-Identifier: GPL-3.0-or-later
//
// C texts, lowered, and what they do when their threads take turns.
#pragma once

#include <map>
#include <string>

#include "frontend/c/c_program.h"

namespace fenceline::testing {

// Fails the test, with the complaints, if the text is rejected. `name` determines the language: "test.c",
// "test.cpp".
frontend::CProgram lower_c(const std::string& text, const std::string& name = "test.c",
                           CompilationScheme mapping = CompilationScheme::kFences);

// The messages about a text that is rejected; empty if it is not.
std::string complaint_about_c(const std::string& text, const std::string& name = "test.c");

struct CRun {
  std::string error;                    // of the first thread that fails
  bool all_ended = false;               // none waits for ever
  std::map<std::string, Value> memory;  // by the names of cells

  Value at(const std::string& name) const;  // fails the test if there is no such cell
};

// Each thread executes until it ends, blocks or has done many steps; then the next one does.
CRun run_c(const Program& program);
CRun run_c(const std::string& text, const std::string& name = "test.c");

}  // namespace fenceline::testing
