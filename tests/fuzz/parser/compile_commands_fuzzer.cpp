// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever the text is, the reader of compile_commands.json must answer with commands or with a complaint that has a
// position in the text. What it accepts is the document that a reader of JSON finds, and no command yields a word that
// would load or write something. Built as fl_parser_fuzzer.cpp is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "check_complaints.h"
#include "env/errors.h"
#include "frontend/c/compile_commands.h"

namespace {

using namespace fenceline;
using fenceline::check;

void check_position(const SourceFile& source, const InputError& error) {
  check_complaints(error, 1);
  const SourcePos pos = error.diagnostics()[0].pos;
  const auto lines = std::ranges::count(source.text, '\n') + 1;
  check(pos.line <= static_cast<uint32_t>(lines));
  check(pos.column >= 1 && pos.column <= source.line(pos.line).size() + 2);
}

void check_words(const SourceFile& source, const frontend::c::BuildCommand& command) {
  check(!command.arguments.empty() && command.pos.known());
  try {
    for (const std::string& word : frontend::c::language_words(source, command, "/folder"))
      for (const char* harmful : {"@", "-fplugin", "-fpass-plugin", "-o", "-Wp,", "-Wa,", "--target", "-m32"})
        check(!word.starts_with(harmful) || word == "-o");  // an operand may be anything
  } catch (const InputError& error) {
    check_position(source, error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const SourceFile source{"compile_commands.json", std::string(reinterpret_cast<const char*>(data), size)};
  const nlohmann::json document = nlohmann::json::parse(source.text, nullptr, false);
  try {
    const auto commands = frontend::c::parse_compile_commands(source);
    check(document.is_array() && document.size() == commands.size());
    for (size_t i = 0; i < commands.size(); ++i) {
      check(document[i].is_object() && document[i].value("file", "") == commands[i].file);
      check(document[i].value("directory", "") == commands[i].directory);
      check_words(source, commands[i]);
    }
  } catch (const InputError& error) {
    check_position(source, error);
  }
  return 0;
}
