// SPDX-License-Identifier: GPL-3.0-or-later
//
// Helpers to state what a litmus test should become, or the messages about it.
#pragma once

#include <string>
#include <vector>

#include "frontend/litmus/litmus.h"

namespace fenceline::testing {

// Fails the test, with the complaints, if the text is rejected.
frontend::LitmusTest litmus(const std::string& text);

// A test of one thread with these instructions, one per element.
frontend::LitmusTest one_thread(const std::string& architecture, const std::string& initial,
                                const std::vector<std::string>& instructions,
                                const std::string& condition = "");

// The code of a thread, an instruction per line, without numbers, positions and successors:
// "store x = 1 {REL}". An rmw with its tags and those of its write: "{A; L}".
std::string code(const frontend::LitmusTest& test, size_t thread = 0);

// Expects the first complaint about `text` to be at this line and column and to contain `message`.
void expect_rejected(const std::string& text, uint32_t line, uint32_t column, const std::string& message);

}  // namespace fenceline::testing
