// SPDX-License-Identifier: GPL-3.0-or-later
//
// C and C++ programs: the interface of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/source.h"
#include "frontend/c/options.h"
#include "frontend/c/orders.h"
#include "frontend/c/suite.h"
#include "ir/operation_call.h"
#include "ir/program.h"
#include "model/processor.h"

namespace fenceline::frontend {

struct CObserved {
  std::string name;  // "d2.result"
  ThreadId thread;
  RegId reg;
};

struct CProgram {
  Program program;
  std::vector<CObserved> observed;
  std::vector<OperationCall> operations;
  std::optional<SourcePos> ignored_free;  // the first free() that has no effect, for want of COptions::frees
  std::string not_covered;                // executions that are left out, beside those with an ignored free()
};

struct COptions {
  std::vector<std::string> defines;  // "NAME" or "NAME=VALUE"
  std::vector<std::string> include_folders;
  double timeout = 0;     // of the compiler, in seconds; 0: see CompilerOptions
  uint64_t memory = 0;    // the same, in bytes
  bool frees = false;     // free() has an effect: what is used afterwards, or freed again, is an error
  bool leaks = false;     // the same, and a property: what was allocated is freed in the end
  bool progress = false;  // the question is also whether threads go on in the end: deadlock, liveness
  CompileOptions compile;
  Processor target = Processor::kAny;  // what `compile.target` is for the model (target.h)
};

namespace c {
class Unit;
}

// A C or C++ file with a `main`, compiled.
class CSource {
 public:
  // Throws InputError for what Clang or Fenceline rejects, with its position; NotForTarget (target.h).
  CSource(SourceFile source, const COptions& options);
  ~CSource();
  CSource(CSource&&) noexcept;

  // Everything that main does and starts. With `leaks` the program has a property of that name.
  CProgram lower(CompilationScheme mapping);

 private:
  SourceFile source_;
  COptions options_;
  std::unique_ptr<c::Unit> unit_;
};

// A `.tests` file and what it names, compiled.
class CTests {
 public:
  CTests(SourceFile source, const COptions& options);
  ~CTests();
  CTests(CTests&&) noexcept;

  const c::Suite& suite() const { return suite_; }
  bool has_reference() const { return reference_ != nullptr; }

  // The test's threads, calling the implementation; the initialiser has already run.
  CProgram lower(const c::SuiteTest& test, CompilationScheme mapping);
  // The same, calling the reference implementation. Precondition: has_reference().
  CProgram lower_reference(const c::SuiteTest& test);

 private:
  c::Suite suite_;
  COptions options_;
  std::unique_ptr<c::Unit> unit_, reference_;
};

}  // namespace fenceline::frontend
