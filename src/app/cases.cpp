// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/front_ends.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/supervised.h"
#include "app/verification.h"
#include "env/errors.h"
#include "env/silent_env.h"
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

}  // namespace

Cases::Cases(const std::string& path, const Options& options, BeforePreparing before)
    : path_(path), options_(options), before_(std::move(before)) {
  read(path);
  reading_seconds_ = seconds_since(start_);
  if (!cases_.empty()) cases_.begin()->second.preparation_seconds = reading_seconds_;
  // Whatever is not supported is found before the first task is verified.
  if (source_ || suite_)
    for (size_t i = 0; i < size(); ++i)
      cases_.emplace(std::pair(i, CompilationScheme::kFences), prepare(i, CompilationScheme::kFences));
}

Cases::Cases(const std::string& path, const Options& options, const NotPrepared& why)
    : path_(path), options_(options) {
  cases_.emplace(std::pair(size_t{0}, CompilationScheme::kFences), unprepared(path, options, why.why));
}

void Cases::read(const std::string& path) {
  const Options& options = options_;
  const std::string extension = std::filesystem::path(path).extension();
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
                               options.of<frontend::CompileOptions>()};
  if (extension == ".tests" || is_c_file(path)) reject_parameters(path, options);
  if (extension == ".tests") {
    suite_.emplace(read_source_file(path), how);
    std::string known;
    for (const frontend::c::SuiteTest& test : suite_->suite().tests) {
      known += (known.empty() ? "" : ", ") + test.name;
      const bool wanted =
          options.tests.empty() ||
          std::find(options.tests.begin(), options.tests.end(), "all") != options.tests.end() ||
          std::find(options.tests.begin(), options.tests.end(), test.name) != options.tests.end();
      if (wanted) tests_.push_back(&test);
    }
    for (const std::string& name : options.tests)
      if (name != "all" &&
          std::none_of(tests_.begin(), tests_.end(), [&](const auto* test) { return test->name == name; }))
        throw UsageError(fmt::format("{}: there is no test '{}'; there are {}", path, name, known));
  } else if (is_c_file(path)) {
    if (!options.tests.empty())
      throw UsageError(fmt::format("--test needs a .tests file, and {} is none", path));
    source_.emplace(read_source_file(path), how);
  } else {
    if (!options.tests.empty())
      throw UsageError(fmt::format("--test needs a .tests file, and {} is none", path));
    Input input = read_input(path, options);
    if (extension == ".litmus")
      own_model_ = frontend::default_model(frontend::litmus_architecture(input.program.source));
    cases_.emplace(std::pair(size_t{0}, CompilationScheme::kFences),
                   Case{std::move(input.program), std::move(input.properties), std::nullopt, "", "", 0, 0});
  }
}

const Case& Cases::get(size_t number, const MemoryModel& model) {
  if ((suite_ || source_) && !has_axioms(model))
    throw UsageError(fmt::format("{} is a table, and this needs a model by axioms", model.name));
  const CompilationScheme mapping = suite_ || source_ ? model.scheme : CompilationScheme::kFences;
  const auto key = std::pair(number, mapping);
  auto found = cases_.find(key);
  if (found == cases_.end()) found = cases_.emplace(key, prepare(number, mapping)).first;
  return found->second;
}

Case Cases::prepare(size_t number, CompilationScheme mapping) {
  const std::string why_not = before_ ? before_(number, mapping, reading_seconds_) : "";
  const auto start = std::chrono::steady_clock::now();
  Case made = why_not.empty() ? make(number, mapping) : unprepared(path_, options_, why_not);
  if (!why_not.empty() && suite_) {
    made.notes.emplace();
    made.notes->test = tests_[number]->name;
    made.notes->text = tests_[number]->text;
  }
  made.preparation_seconds = reading_seconds_ + seconds_since(start);
  return made;
}

Case Cases::make(size_t number, CompilationScheme mapping) {
  if (suite_) return make_test(*tests_[number], mapping);
  frontend::CProgram lowered = source_->lower(mapping);
  Case result{std::move(lowered.program), {}, std::nullopt, "", "", 0, 0};
  result.not_covered = not_covered(result.program, lowered);
  result.properties = property::properties_to_check(result.program, options_);
  return result;
}

Case Cases::make_test(const frontend::c::SuiteTest& test, CompilationScheme mapping) {
  frontend::CProgram lowered = suite_->lower(test, mapping);
  sort_by_name(lowered.observed);
  const auto key = static_cast<size_t>(&test - suite_->suite().tests.data());
  auto mined = observations_.find(key);
  if (mined == observations_.end()) {
    Limits limits = limits_of(options_, reading_seconds_);
    const Interruptible interruptible(limits);
    SilentEnv env(options_, limits);
    if (suite_->has_reference()) {
      frontend::CProgram reference = suite_->lower_reference(test);
      sort_by_name(reference.observed);
      require_same_names(suite_->suite(), lowered.observed, reference.observed);
      mined = observations_
                  .emplace(key, property::serial_observations(reference.program,
                                                              registers_of(reference.observed), env))
                  .first;
      if (const property::SerialObservations& all = mined->second; !all.error.empty()) {
        const SourcePos pos = reference.program.thread(all.failing).at(all.at).pos;
        throw InputError(reference.program.file_of(pos),
                         {{{pos.line, pos.column}, "the reference implementation fails: " + all.error, ""}});
      }
      const property::SerialObservations own =
          property::some_serial_observation(lowered.program, registers_of(lowered.observed), env);
      if (nothing_ends(own)) endless_.insert(key);
    } else {
      mined = observations_
                  .emplace(key, property::serial_observations(lowered.program, registers_of(lowered.observed),
                                                              env))
                  .first;
    }
    if (nothing_ends(mined->second)) endless_.insert(key);
  }
  const property::SerialObservations& allowed = mined->second;
  Case result{std::move(lowered.program), {}, report::TestNotes(), "", "", allowed.seconds, 0};
  result.not_covered = not_covered(result.program, lowered);
  result.notes->test = test.name;
  result.notes->text = test.text;
  result.notes->allowed = allowed.found.size();
  result.notes->from_reference = suite_->has_reference();
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
  if (result.unknown.empty() && endless_.contains(key))
    result.unknown = "no serial execution of the operations terminates";
  result.properties = property::properties_to_check(result.program, options_);
  return result;
}

}  // namespace fenceline::app
