// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever the text is, the reader of .tests files must answer with a suite that makes sense or with a
// complaint that has a position. Built as fl_parser_fuzzer.cpp is.
#include <cstddef>
#include <cstdint>
#include <string>

#include "check_complaints.h"
#include "env/errors.h"
#include "frontend/c/suite.h"

namespace {

using namespace fenceline;
using fenceline::check;

void check(const frontend::c::SuiteCall& call) {
  check(call.pos.known() && !call.function.empty());
  for (const frontend::c::SuiteArgument& argument : call.arguments) {
    if (argument.kind == frontend::c::SuiteArgument::Kind::kIn) {
      check(!argument.values.empty());
      for (const std::string& value : argument.values) check(!value.empty());
    } else {
      check(!argument.text.empty());
    }
  }
}

void check(const frontend::c::Suite& suite, const std::vector<frontend::c::Step>& steps) {
  for (const frontend::c::Step& step : steps) check(step.operation < suite.operations.size());
}

void check(const frontend::c::Suite& suite) {
  check(!suite.implementation.empty() && suite.implementation_pos.known());
  check(suite.reference.empty() || suite.reference_pos.known());
  check(!suite.operations.empty() && !suite.tests.empty());
  for (const frontend::c::SuiteCall& call : suite.init) check(call);
  for (const frontend::c::SuiteOperation& operation : suite.operations) check(operation.call);
  for (const frontend::c::SuiteTest& test : suite.tests) {
    check(!test.name.empty() && !test.threads.empty() && test.pos.known());
    check(suite, test.first);
    for (const auto& steps : test.threads) {
      check(!steps.empty());
      check(suite, steps);
    }
  }
  for (const std::string* path : {&suite.implementation, &suite.reference}) {
    check(path->find_first_of("\"\n") == std::string::npos);
    check(!frontend::c::harness(suite, *path).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const SourceFile source{"nowhere/fuzz.tests", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    check(frontend::c::parse_suite(source));
  } catch (const InputError& error) {
    check_complaints(error, 1);
  }
  return 0;
}
