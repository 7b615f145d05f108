// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/front_ends.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/supervised.h"
#include "app/verification.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "frontend/c/target.h"
#include "frontend/litmus/litmus.h"
#include "property/properties.h"

namespace fenceline::app {
namespace {

constexpr const char* kObservationsProperty = "observations";

// What was observed, by name, so that two programs can be compared.
std::vector<ThreadReg> registers_of(const std::vector<frontend::CObserved>& observed) {
  std::vector<ThreadReg> registers;
  for (const frontend::CObserved& one : observed) registers.push_back({one.thread, one.reg});
  return registers;
}

void sort_by_name(std::vector<frontend::CObserved>& observed) {
  std::stable_sort(
      observed.begin(), observed.end(),
      [](const frontend::CObserved& x, const frontend::CObserved& y) { return x.name < y.name; });
}

// Both sorted. What is observed must be comparable; the harness sees to that, but C files may observe, too.
void require_same_names(const frontend::c::Suite& suite, const std::vector<frontend::CObserved>& x,
                        const std::vector<frontend::CObserved>& y) {
  const auto complain = [&](const frontend::CObserved& one, const char* found_in, const char* missing_from) {
    throw InputError(
        suite.source,
        {{suite.reference_pos,
          fmt::format("'{}' is observed in the {} but not in the {}", one.name, found_in, missing_from),
          ""}});
  };
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    if (i < x.size() && (i == y.size() || x[i].name < y[i].name))
      complain(x[i], "implementation", "reference");
    if (i < y.size() && (i == x.size() || y[i].name < x[i].name))
      complain(y[i], "reference", "implementation");
  }
}

bool nothing_ends(const property::SerialObservations& observations) {
  return observations.found.empty() && observations.error.empty() && observations.unfinished.empty();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string not_covered(const Program& program, const frontend::CProgram& lowered) {
  if (!lowered.ignored_free) return lowered.not_covered;
  return fmt::format("{}{}use of freed memory: free() in line {} has no effect without --frees",
                     lowered.not_covered, lowered.not_covered.empty() ? "" : "; ",
                     program.line_name(*lowered.ignored_free));
}

// A program of which nothing but its name is known.
Case unprepared(const std::string& path, const Options& options, const std::string& why) {
  Case result;
  result.program.source.name = path;
  result.unknown = why;
  std::vector<std::string> names = options.properties;
  if (names.empty()) names.emplace_back("all");
  for (const std::string& name : names) result.properties.emplace_back().name = name;
  return result;
}

bool is_suite(const std::string& path) { return path.ends_with(".tests"); }

// Has the model chosen this processor, and not the user?
bool is_choice_of_model(Processor target, const Options& options) {
  return target != Processor::kAny &&
         options.of<frontend::CompileOptions>().target == frontend::Target::kModel;
}

}  // namespace

Cases::Cases(const std::string& path, const Options& options, const std::vector<const MemoryModel*>& models,
             BeforePreparing before)
    : path_(path), options_(options), before_(std::move(before)) {
  if (!is_c()) {
    read_other();
    return;
  }
  reject_parameters(path, options);
  if (!options.tests.empty() && !is_suite(path))
    throw UsageError(fmt::format("--test needs a .tests file, and {} is none", path));
  // Whatever is not supported is found before the first task is verified.
  std::map<Processor, Compilation> first;
  for (const MemoryModel* model : models) {
    const Compilation one = compilation_for(*model);
    first.emplace(one.target, one);
  }
  if (models.empty()) first.emplace(Processor::kAny, Compilation{});
  for (const auto& [target, what_for] : first) compile(target);
  for (const auto& [target, what_for] : first)
    for (size_t i = 0; i < size(); ++i) prepared(i, what_for);
}

bool Cases::is_c() const { return is_suite(path_) || is_c_file(path_); }

Compilation Cases::compilation_for(const MemoryModel& model) const {
  const auto& how = options_.of<frontend::CompileOptions>();
  return {model.scheme, frontend::target_for(how.target, processor_of(model))};
}

void Cases::read_other() {
  const auto start = std::chrono::steady_clock::now();
  const std::string why_not = before_ ? before_(kWholeFile, {}, 0) : "";
  Case& made = cases_[{0, {}}];
  if (!why_not.empty()) {
    made = unprepared(path_, options_, why_not);
    return;
  }
  if (!options_.tests.empty())
    throw UsageError(fmt::format("--test needs a .tests file, and {} is none", path_));
  Input input = read_input(path_, options_);
  if (path_.ends_with(".litmus"))
    own_model_ = frontend::default_model(frontend::litmus_architecture(input.program.source));
  made.program = std::move(input.program);
  made.properties = std::move(input.properties);
  made.preparation_seconds = seconds_since(start);
}

void Cases::compile(Processor target) {
  if (compiled_.contains(target) || given_up_.contains(target)) return;
  const auto start = std::chrono::steady_clock::now();
  Compiled result;
  try {
    compile_unless_skipped(target, result);
  } catch (const Unsupported& unsupported) {  // the compiler does not come to an end
    result.not_prepared = unsupported.what();
  } catch (const frontend::NotForTarget& reason) {
    given_up_[target] = {reason.what(), seconds_since(start)};
    compile(Processor::kAny);
    return;
  }
  result.seconds = seconds_since(start);
  compiled_.emplace(target, std::move(result));
}

void Cases::compile_unless_skipped(Processor target, Compiled& result) {
  const Options& options = options_;
  result.not_prepared = before_ ? before_(kWholeFile, {CompilationScheme::kFences, target}, 0) : "";
  if (!result.not_prepared.empty()) return;
  // The compiler's memory counts where all memory does.
  const bool limited = before_ && options.memory_mb << 20 >= kLeastTotalMemory;
  const uint64_t memory = limited ? std::max(limits_of(options).memory_bytes(), uint64_t{1}) : 0;
  const frontend::COptions how{options.defines,
                               options.include_folders,
                               options.timeout,
                               memory,
                               options.frees,
                               options.leaks,
                               property::asks_for_progress(options),
                               options.of<frontend::CompileOptions>(),
                               target};
  if (is_suite(path_)) {
    result.suite.emplace(read_source_file(path_), how);
    select_tests(result.suite->suite());
  } else {
    result.source.emplace(read_source_file(path_), how);
  }
}

Cases::Compiled& Cases::compiled_for(Processor target) {
  compile(target);
  return compiled_.at(given_up_.contains(target) ? Processor::kAny : target);
}

void Cases::select_tests(const frontend::c::Suite& suite) {
  tests_.clear();
  std::string known;
  const std::vector<std::string>& names = options_.tests;
  const auto named = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  for (size_t i = 0; i < suite.tests.size(); ++i) {
    const frontend::c::SuiteTest& test = suite.tests[i];
    known += (known.empty() ? "" : ", ") + test.name;
    if (names.empty() || named("all") || named(test.name)) tests_.push_back({i, test.name, test.text});
  }
  for (const std::string& name : names)
    if (name != "all" &&
        std::ranges::none_of(tests_, [&](const SelectedTest& test) { return test.name == name; }))
      throw UsageError(fmt::format("{}: there is no test '{}'; there are {}", path_, name, known));
}

const Case& Cases::get(size_t number, const MemoryModel& model) {
  if (is_c() && !has_axioms(model))
    throw UsageError(fmt::format("{} is a table, and this needs a model by axioms", model.name));
  return prepared(number, is_c() ? compilation_for(model) : Compilation{});
}

const Case& Cases::prepared(size_t number, Compilation what_for) {
  const auto key = std::pair(number, what_for);
  auto found = cases_.find(key);
  if (found == cases_.end()) found = cases_.emplace(key, prepare(number, what_for)).first;
  return found->second;
}

Case Cases::prepare(size_t number, Compilation what_for) {
  Compiled& compiled = compiled_for(what_for.target);
  const auto given_up = given_up_.find(what_for.target);
  const double spent = compiled.seconds + (given_up != given_up_.end() ? given_up->second.seconds : 0);
  std::string why_not = compiled.not_prepared;
  if (why_not.empty() && before_) why_not = before_(number, what_for, spent);
  const auto start = std::chrono::steady_clock::now();
  Case made;
  try {
    if (why_not.empty()) made = make(compiled, number, what_for);
  } catch (const Unsupported& unsupported) {
    why_not = unsupported.what();
  }
  if (!why_not.empty()) made = unprepared(path_, options_, why_not);
  if (!why_not.empty() && !tests_.empty()) {
    made.notes.emplace();
    made.notes->test = tests_[number].name;
    made.notes->text = tests_[number].text;
  }
  made.preparation_seconds = spent + seconds_since(start);
  made.target = frontend::target_name(given_up == given_up_.end() ? what_for.target : Processor::kAny);
  if (given_up != given_up_.end()) made.note = given_up->second.note;
  return made;
}

Case Cases::make(Compiled& compiled, size_t number, Compilation what_for) {
  try {
    if (compiled.suite) return make_test(compiled, tests_[number].index, what_for.scheme);
    frontend::CProgram lowered = compiled.source->lower(what_for.scheme);
    Case result;
    result.program = std::move(lowered.program);
    result.not_covered = not_covered(result.program, lowered);
    result.properties = property::properties_to_check(result.program, options_);
    return result;
  } catch (const InputError& error) {
    if (given_up_.contains(what_for.target) || !is_choice_of_model(what_for.target, options_)) throw;
    throw frontend::ErrorForModel(error, what_for.target);
  }
}

const property::SerialObservations& Cases::allowed_observations(Compiled& compiled, size_t index,
                                                                const frontend::CProgram& lowered) {
  if (const auto known = compiled.observations.find(index); known != compiled.observations.end())
    return known->second;
  const frontend::c::SuiteTest& test = compiled.suite->suite().tests[index];
  Limits limits = limits_of(options_, compiled.seconds);
  const Interruptible interruptible(limits);
  SilentEnv env(options_, limits);
  property::SerialObservations mined;
  if (compiled.suite->has_reference()) {
    frontend::CProgram reference = compiled.suite->lower_reference(test);
    sort_by_name(reference.observed);
    require_same_names(compiled.suite->suite(), lowered.observed, reference.observed);
    mined = property::serial_observations(reference.program, registers_of(reference.observed), env);
    if (!mined.error.empty()) {
      const SourcePos pos = reference.program.thread(mined.failing).at(mined.at).pos;
      throw InputError(reference.program.file_of(pos),
                       {{{pos.line, pos.column}, "the reference implementation fails: " + mined.error, ""}});
    }
    const property::SerialObservations own =
        property::some_serial_observation(lowered.program, registers_of(lowered.observed), env);
    if (nothing_ends(own)) compiled.endless.insert(index);
  } else {
    mined = property::serial_observations(lowered.program, registers_of(lowered.observed), env);
  }
  if (nothing_ends(mined)) compiled.endless.insert(index);
  return compiled.observations.emplace(index, std::move(mined)).first->second;
}

Case Cases::make_test(Compiled& compiled, size_t index, CompilationScheme scheme) {
  const frontend::c::SuiteTest& test = compiled.suite->suite().tests[index];
  frontend::CProgram lowered = compiled.suite->lower(test, scheme);
  sort_by_name(lowered.observed);
  const property::SerialObservations& allowed = allowed_observations(compiled, index, lowered);
  Case result;
  result.program = std::move(lowered.program);
  result.mining_seconds = allowed.seconds;
  result.not_covered = not_covered(result.program, lowered);
  result.notes.emplace();
  result.notes->test = test.name;
  result.notes->text = test.text;
  result.notes->allowed = allowed.found.size();
  result.notes->from_reference = compiled.suite->has_reference();
  for (const frontend::CObserved& one : lowered.observed)
    result.notes->observed.push_back({one.name, {one.thread, one.reg}});
  result.notes->operations = std::move(lowered.operations);
  if (!allowed.unfinished.empty())
    result.unknown =
        "the results of serial executions of the operations are not known: " + allowed.unfinished;
  // If an operation fails even when it runs alone, there is nothing to compare with; the engine will find the
  // failure.
  else if (allowed.error.empty())
    result.program.properties.push_back(property::observations_property(
        result.program, registers_of(lowered.observed), allowed.found, kObservationsProperty));
  // If no operation terminates, the property would hold vacuously.
  if (result.unknown.empty() && compiled.endless.contains(index))
    result.unknown = "no serial execution of the operations terminates";
  result.properties = property::properties_to_check(result.program, options_);
  return result;
}

}  // namespace fenceline::app
