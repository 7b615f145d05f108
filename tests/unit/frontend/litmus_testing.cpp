// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/frontend/litmus_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "env/errors.h"
#include "ir/text/printer.h"

namespace fenceline::testing {

frontend::LitmusTest litmus(const std::string& text) {
  try {
    return frontend::parse_litmus({"test.litmus", text});
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
    throw;
  }
}

frontend::LitmusTest one_thread(const std::string& architecture, const std::string& initial,
                                const std::vector<std::string>& instructions, const std::string& condition) {
  std::string text = architecture + " T\n{ " + initial + " }\nP0 ;\n";
  for (const std::string& instruction : instructions) text += instruction + " ;\n";
  return litmus(text + condition + "\n");
}

std::string code(const frontend::LitmusTest& test, size_t thread) {
  std::istringstream lines(print_program(test.program));
  const std::string header = fmt::format("thread P{} ", thread);
  static const std::regex kInstruction(R"(^\s+(\d+): (.*?)( @[\d:]+)?( -> [\d, ]+)?$)");
  std::string result, line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.rfind("thread ", 0) == 0) inside = line.rfind(header, 0) == 0;
    std::smatch match;
    if (!inside || !std::regex_match(line, match, kInstruction)) continue;
    const Instruction& instruction = test.program.threads[thread].code[std::stoul(match[1])];
    if (instruction.kind == InstrKind::kHalt) continue;
    std::string text = match[2];
    if (instruction.kind == InstrKind::kFence) text = to_string(instruction.fence);
    text = std::regex_replace(text, std::regex(R"(\[0\])"), "");
    result += std::regex_replace(text, std::regex("none = "), "");
    if (!instruction.tags.empty() || !instruction.write_tags.empty()) {
      result += fmt::format(" {{{}", fmt::join(instruction.tags, " "));
      if (!instruction.write_tags.empty())
        result += fmt::format("; {}", fmt::join(instruction.write_tags, " "));
      result += "}";
    }
    result += "\n";
  }
  return result;
}

void expect_rejected(const std::string& text, uint32_t line, uint32_t column, const std::string& message) {
  try {
    frontend::parse_litmus({"test.litmus", text});
    ADD_FAILURE() << "was accepted:\n" << text;
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().front();
    EXPECT_EQ(first.pos.line, line) << error.what();
    EXPECT_EQ(first.pos.column, column) << error.what();
    EXPECT_NE(first.message.find(message), std::string::npos) << error.what();
  }
}

}  // namespace fenceline::testing
