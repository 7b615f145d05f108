// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tests of a data type: a small file beside the C file with the initialisation, the operations, and the
// threads that call them. Burckhardt, Alur, Martin: CheckFence (PLDI 2007), section 2.1 and Figure 8.
//
//     implementation "msn.c"
//     reference "reference_queue.c"
//     init init_queue(&queue);
//     operation e = enqueue(&queue, in {0, 1});
//     operation d = int dequeue(&queue, out int);
//     test Ti2 = e ( e d | d e )
//
// Calls are C. `in {...}` is an argument with any of these values, `out T` the address of a new
// variable of the type T; a type in front of the call says that it returns something. All three are observed.
#pragma once

#include <string>
#include <vector>

#include "env/source.h"

namespace fenceline::frontend::c {

struct SuiteArgument {
  enum class Kind { kText, kIn, kOut } kind = Kind::kText;
  std::string text;                 // kText: a C expression; kOut: the type
  std::vector<std::string> values;  // kIn: C expressions
};

struct SuiteCall {
  std::string returns;  // a type; empty if nothing is observed
  std::string function;
  std::vector<SuiteArgument> arguments;
  SourcePos pos;
};

struct SuiteOperation {
  std::string name;
  SuiteCall call;
};

// One operation of a test.
struct Step {
  size_t operation = 0;  // of Suite::operations
  bool primed = false;   // no retries
};

struct SuiteTest {
  std::string name;
  std::vector<Step> first;  // before the threads begin
  std::vector<std::vector<Step>> threads;
  std::string text;  // "e ( e d | d e )"
  SourcePos pos;
};

struct Suite {
  SourceFile source;
  std::string implementation, reference;  // paths as the user would write them; the second may be empty
  SourcePos implementation_pos, reference_pos;
  std::vector<std::string> defines;  // "NAME=VALUE"
  std::vector<SuiteCall> init;
  std::vector<SuiteOperation> operations;
  std::vector<SuiteTest> tests;
};

// Throws InputError.
Suite parse_suite(SourceFile source);

// The C text with one function for each operation, `fl_operation_N`, and `fl_init`, on top of the
// implementation or of the reference.
std::string harness(const Suite& suite, const std::string& implementation);

}  // namespace fenceline::frontend::c
