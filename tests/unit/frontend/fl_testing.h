// SPDX-License-Identifier: GPL-3.0-or-later
//
// Helpers to state what a text should become, or the messages about it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "ir/program.h"

namespace fenceline::testing {

// Fails the test, with the complaints, if the text is rejected.
Program parse(const std::string& text);

// A program whose only thread T has this body, between declarations that most tests want:
// shared int x, y, z, a[3], m[2][3];
Program parse_body(const std::string& body);

// What the instructions of a thread do, in their order: "load r x; branch; store y; halt". Positions and
// expressions are left out; memory is named by its object, destinations by their register's name.
std::string steps(const Program& program, size_t thread = 0);

// The steps of T with this body, without the final "; halt".
std::string body_steps(const std::string& body);

// The messages about a text that should be rejected; empty (and the test fails) if it is not.
std::vector<Diagnostic> complaints(const std::string& text);

// Expects the first complaint about `text` to be at this line and column and to contain `message`.
void expect_complaint(const std::string& text, uint32_t line, uint32_t column, const std::string& message,
                      const std::string& hint = "");

// The same for a statement, which is in line 2 of a file with the declarations of parse_body().
void expect_complaint_in_body(const std::string& body, uint32_t column, const std::string& message,
                              const std::string& hint = "");

const Instruction& instruction(const Program& program, size_t point, size_t thread = 0);

}  // namespace fenceline::testing
