// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever the text is, the litmus front end must answer with a test or with complaints; see
// fl_parser_fuzzer.cpp.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "check_complaints.h"
#include "env/errors.h"
#include "frontend/litmus/litmus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fenceline::SourceFile source{"fuzz.litmus", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    const fenceline::frontend::LitmusTest test = fenceline::frontend::parse_litmus(source);
    if (test.program.threads.empty() || test.program.properties.size() != 1 || test.condition_text.empty())
      std::abort();
  } catch (const fenceline::InputError& error) {
    fenceline::check_complaints(error, 20);
  }
  return 0;
}
