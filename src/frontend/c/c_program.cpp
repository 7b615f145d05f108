// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/c_program.h"

#include <fmt/format.h>

#include <map>

#include "env/errors.h"
#include "frontend/c/compile_commands.h"
#include "frontend/c/compiler.h"
#include "frontend/c/cxx_runtime.h"
#include "frontend/c/entry.h"
#include "frontend/c/linking.h"
#include "frontend/c/lowering.h"
#include "frontend/c/target.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend {
namespace {

using c::Call;
using c::Unit;

// Of Fenceline's own files: nothing but what is true for all files.
c::CompilerOptions plain_options(const COptions& options) {
  c::CompilerOptions plain;
  plain.target = options.target;
  plain.target_required = options.compile.target != Target::kModel;
  plain.timeout = options.timeout;
  plain.memory = options.memory;
  return plain;
}

// Of a file of the user's.
c::CompilerOptions options_for(const std::string& path, const COptions& options, c::InBuild in_build) {
  const CompileOptions& how = options.compile;
  c::CompilerOptions all = plain_options(options);
  all.defines = options.defines;
  all.include_folders = options.include_folders;
  all.undefines = how.undefines;
  all.include_files = how.include_files;
  all.flags = how.flags;
  all.standard = how.standard;
  if (!how.compile_commands.empty()) all.words = c::words_of_build(how.compile_commands, path, in_build);
  return all;
}

using CompiledFiles = std::vector<std::pair<std::string, std::string>>;  // name, bitcode

void compile_linked_files(const COptions& options, CompiledFiles& files) {
  for (const std::string& path : options.compile.linked_files) {
    const auto language = c::language_of(path);
    if (!language) throw UsageError(fmt::format("--link: '{}' is not a C or C++ file", path));
    read_source_file(path);  // or there is no such file
    files.emplace_back(path, c::compile_to_bitcode({path, std::nullopt, *language},
                                                   options_for(path, options, c::InBuild::kRequired)));
  }
}

// The first file is compiled already.
std::unique_ptr<Unit> link(const CompiledFiles& files, const COptions& options) {
  const c::CompilerOptions plain = plain_options(options);
  const auto support = [&](std::string_view name, const std::string& text) {
    c::CompilerOptions with_defines = plain;
    if (options.progress) with_defines.defines.push_back("FL_PROGRESS");
    for (const std::string& define : options.defines)
      if (define.starts_with("FL_SPURIOUS_WAKEUPS")) with_defines.defines.push_back(define);
    return c::compile_to_bitcode({std::string(name), text, c::Language::kC}, with_defines);
  };
  const auto cxx_runtime = [&] {
    return c::compile_to_bitcode({files.front().first, c::kCxxRuntime, c::Language::kCpp}, plain);
  };
  auto unit = std::make_unique<Unit>(
      files.front().first, c::link_program(files, options.compile.volatile_access, support, cxx_runtime));
  if (!plain.target_required && !unit->native_assembly().empty())
    throw NotForTarget(options.target, fmt::format("{}: assembly of {}: \"{}\"", files.front().first,
                                                   target_name(Processor::kAny), unit->native_assembly()));
  unit->assume_no_exceptions(options.compile.uncaught == UncaughtException::kAssumedAway);
  return unit;
}

// What initialises global variables before anything else runs.
std::vector<Call> constructors(Unit& unit) {
  std::vector<Call> calls;
  for (llvm::Function* function : unit.constructors())
    calls.push_back({&unit.flat(*function), 0, false, "constructors"});
  return calls;
}

// Condition variables and futexes wake up without a reason as often as support/prelude.h says.
std::string left_out(Unit& unit) {
  return unit.find("fl_queue_wait") == nullptr && unit.find("fl_futex_wait") == nullptr
             ? ""
             : "waiting for a condition variable or futex that ends without a signal more than once "
               "(-D FL_SPURIOUS_WAKEUPS=N)";
}

std::string left_out(Unit& unit, const c::Lowering& lowering) {
  const std::string by_library = left_out(unit), by_lowering = lowering.left_out();
  return by_library + (by_library.empty() || by_lowering.empty() ? "" : "; ") + by_lowering;
}

// What free() has to write depends on all that is ever allocated: it is lowered once to see that, and once
// more.
template <class F>
CProgram with_frees(const COptions& options, const F& lower) {
  c::Frees frees;
  c::Heap heap;
  if (!options.frees && !options.leaks) return lower(frees, heap);
  frees.looked_at = true;
  lower(frees, heap);
  frees.heap = &heap;
  frees.leaks = options.leaks;
  c::Heap again;
  return lower(frees, again);
}

// All that tests call, this one or another: what can be called through a pointer depends on all of it.
void flatten_suite(Unit& unit, const c::Suite& suite) {
  std::vector<bool> used(suite.operations.size());
  const auto use = [&](const std::vector<c::Step>& steps) {
    for (const c::Step& step : steps) used[step.operation] = true;
  };
  for (const c::SuiteTest& test : suite.tests) {
    use(test.first);
    for (const auto& steps : test.threads) use(steps);
  }
  std::vector<llvm::Function*> roots = unit.constructors();
  for (size_t i = 0; i < suite.operations.size(); ++i)
    if (used[i]) roots.push_back(unit.find(fmt::format("fl_operation_{}", i)));
  for (size_t i = 0; i < suite.init.size(); ++i) roots.push_back(unit.find(fmt::format("fl_init_{}", i)));
  for (const llvm::Function* function : roots) require(function != nullptr, "the harness lacks a function");
  unit.flatten(roots);
}

// The calls of a test, as the threads make them.
CProgram lower_test(Unit& unit, const c::Suite& suite, const c::SuiteTest& test, CompilationScheme mapping,
                    const c::Frees& frees, c::Heap& heap, std::optional<uint32_t> most_spurious_failures) {
  flatten_suite(unit, suite);
  c::Lowering lowering(unit, mapping, suite.source, frees);
  lowering.limit_spurious_failures(most_spurious_failures);
  std::vector<unsigned> uses(suite.operations.size()), so_far(suite.operations.size());
  const auto count = [&](const std::vector<c::Step>& steps) {
    for (const c::Step& step : steps) ++uses[step.operation];
  };
  count(test.first);
  for (const auto& steps : test.threads) count(steps);

  std::vector<llvm::Function*> first = unit.constructors(), then;
  for (size_t i = 0; i < suite.init.size(); ++i) first.push_back(unit.find(fmt::format("fl_init_{}", i)));
  for (size_t i = 0; i < suite.operations.size(); ++i)
    if (uses[i] > 0) then.push_back(unit.find(fmt::format("fl_operation_{}", i)));
  for (const auto* functions : {&first, &then})
    for (const llvm::Function* function : *functions)
      require(function != nullptr, "the harness lacks a function");
  lowering.prepare(first, then);

  std::vector<OperationCall> operations;
  size_t thread = 0;
  const auto calls = [&](const std::vector<c::Step>& steps) {
    std::vector<Call> result;
    for (const c::Step& step : steps) {
      llvm::Function* function = unit.find(fmt::format("fl_operation_{}", step.operation));
      require(function != nullptr, "the harness has lost an operation");
      const c::SuiteOperation& operation = suite.operations[step.operation];
      std::string name = operation.name;
      if (uses[step.operation] > 1) name += std::to_string(++so_far[step.operation]);
      const auto number = static_cast<uint32_t>(result.size() + 1);
      operations.push_back({name, operation.call.function, ThreadId(thread), number});
      result.push_back({&unit.flat(*function), number, step.primed, name});
    }
    ++thread;
    return result;
  };
  if (!test.first.empty()) lowering.first_thread("init", calls(test.first));
  for (size_t i = 0; i < test.threads.size(); ++i)
    lowering.thread(fmt::format("T{}", i + 1), calls(test.threads[i]));
  std::vector<Call> init = constructors(unit);
  for (size_t i = 0; i < suite.init.size(); ++i) {
    llvm::Function* function = unit.find(fmt::format("fl_init_{}", i));
    require(function != nullptr, "the harness has lost its beginning");
    init.push_back({&unit.flat(*function), 0, false, "init"});
  }
  lowering.beforehand(init);
  CProgram result = lowering.finish(heap);
  result.operations = std::move(operations);
  result.not_covered = left_out(unit, lowering);
  return result;
}

}  // namespace

CSource::CSource(SourceFile source, const COptions& options) : source_(std::move(source)), options_(options) {
  const c::Language language = c::language_of(source_.name).value_or(c::Language::kCpp);
  CompiledFiles files{
      {source_.name, c::compile_to_bitcode({source_.name, std::nullopt, language},
                                           options_for(source_.name, options, c::InBuild::kRequired))}};
  compile_linked_files(options, files);
  unit_ = link(files, options);
}
CSource::~CSource() = default;
CSource::CSource(CSource&&) noexcept = default;

CProgram CSource::lower(CompilationScheme mapping) {
  llvm::Function* main = unit_->find("main");
  if (main == nullptr)
    throw InputError(
        source_,
        {{{1, 1}, "there is no function 'main'", "to check a data type, write a .tests file for it"}});
  if (!c::set_main_arguments(*main)) unit_->reject(*main, "what main() is called with");
  c::run_exit_handlers(*main);
  std::vector<llvm::Function*> roots = unit_->constructors();
  roots.push_back(main);
  unit_->flatten(roots);
  return with_frees(options_, [&](const c::Frees& frees, c::Heap& heap) {
    c::Lowering lowering(*unit_, mapping, source_, frees);
    lowering.limit_spurious_failures(c::most_spurious_failures(options_.defines, mapping));
    lowering.main(*main, constructors(*unit_));
    CProgram result = lowering.finish(heap);
    result.not_covered = left_out(*unit_, lowering);
    return result;
  });
}

CTests::CTests(SourceFile source, const COptions& options)
    : suite_(c::parse_suite(std::move(source))), options_(options) {
  // Names go into C texts.
  if (suite_.source.name.find_first_of("\"\\\n") != std::string::npos)
    throw UsageError(
        fmt::format("{}: names of .tests files with quotation marks or backslashes are not supported",
                    suite_.source.name));
  const auto one = [&](const std::string& path, SourcePos pos, bool reference) {
    const auto language = c::language_of(path);
    if (!language)
      throw InputError(suite_.source, {{pos, fmt::format("'{}' is not a C or C++ file", path),
                                        "its name ends in .c or .cpp"}});
    try {
      read_source_file(path);
    } catch (const NoSuchFile& error) {
      throw InputError(suite_.source, {{pos, fmt::format("there is no file '{}'", path), error.what()}});
    }
    // The reference is one file, and no part of a build.
    c::CompilerOptions how =
        options_for(path, options, reference ? c::InBuild::kOptional : c::InBuild::kRequired);
    how.defines.insert(how.defines.begin(), suite_.defines.begin(), suite_.defines.end());
    const c::CompilerInput input{suite_.source.name, c::harness(suite_, path), *language};
    CompiledFiles files{{input.name, c::compile_to_bitcode(input, how)}};
    if (!reference) compile_linked_files(options, files);
    return link(files, options);
  };
  unit_ = one(suite_.implementation, suite_.implementation_pos, false);
  if (!suite_.reference.empty()) reference_ = one(suite_.reference, suite_.reference_pos, true);
}
CTests::~CTests() = default;
CTests::CTests(CTests&&) noexcept = default;

CProgram CTests::lower(const c::SuiteTest& test, CompilationScheme mapping) {
  COptions options = options_;
  options.leaks = false;  // what a data type still holds in the end is no leak
  options.frees |= options_.leaks;
  return with_frees(options, [&](const c::Frees& frees, c::Heap& heap) {
    return lower_test(*unit_, suite_, test, mapping, frees, heap,
                      c::most_spurious_failures(options_.defines, mapping));
  });
}

CProgram CTests::lower_reference(const c::SuiteTest& test) {
  require(reference_ != nullptr, "there is no reference implementation");
  c::Heap heap;
  return lower_test(*reference_, suite_, test, CompilationScheme::kFences, {}, heap, std::nullopt);
}

}  // namespace fenceline::frontend
