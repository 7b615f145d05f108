// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever the text is, the front end must answer with a program or with complaints. A crash, a hang, or a
// Bug (a program that ir/verify finds malformed) is a finding. Built as a libFuzzer target where Clang is the
// compiler, and with mutate.cpp as its driver everywhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "check_complaints.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fenceline::SourceFile source{"fuzz.fl", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    const fenceline::Program program = fenceline::frontend::parse_fl(source);
    if (program.threads.empty()) std::abort();
  } catch (const fenceline::InputError& error) {
    fenceline::check_complaints(error, 20);
  }
  return 0;
}
