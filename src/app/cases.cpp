// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/input.h"
#include "app/interrupt.h"
#include "app/registry.h"
#include "env/env.h"
#include "env/errors.h"
#include "property/properties.h"

namespace fenceline {
namespace {

constexpr const char* kObservationsProperty = "observations";

// What was observed, by name, so that two programs can be compared.
std::vector<ThreadReg> registers_of(const std::vector<CObserved>& observed) {
  std::vector<ThreadReg> registers;
  for (const CObserved& one : observed) registers.push_back({one.thread, one.reg});
  return registers;
}

void sort_by_name(std::vector<CObserved>& observed) {
  std::stable_sort(observed.begin(), observed.end(),
                   [](const CObserved& x, const CObserved& y) { return x.name < y.name; });
}

// Both sorted. What is observed must be comparable; the harness sees to that, but C files may observe, too.
void require_same_names(const c::Suite& suite, const std::vector<CObserved>& x,
                        const std::vector<CObserved>& y) {
  const auto complain = [&](const CObserved& one, const char* where, const char* not_where) {
    throw InputError(
        suite.source,
        {{suite.reference_pos,
          fmt::format("'{}' is observed in the {} but not in the {}", one.name, where, not_where), ""}});
  };
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    if (i < x.size() && (i == y.size() || x[i].name < y[i].name))
      complain(x[i], "implementation", "reference");
    if (i < y.size() && (i == x.size() || y[i].name < x[i].name))
      complain(y[i], "reference", "implementation");
  }
}

bool nothing_ends(const SerialObservations& observations) {
  return observations.found.empty() && observations.error.empty() && observations.unfinished.empty();
}

}  // namespace

OrderMapping mapping_for(const MemoryModel& model) {
  const CatModel axioms = axioms_of(model);
  for (const char* tag : {"RLX", "ACQ", "REL", "SC"})
    if (axioms.uses(tag)) return OrderMapping::kNames;
  if (axioms.uses("A") && axioms.uses("Q") && axioms.uses("L")) return OrderMapping::kAcquireRelease;
  if (axioms.uses("Fence.rw.rw")) return OrderMapping::kLoadFences;
  return model.name == "power" ? OrderMapping::kLeadingFences : OrderMapping::kFences;
}

Cases::Cases(const std::string& path, const Options& options) : options_(options) {
  const std::string extension = std::filesystem::path(path).extension();
  const COptions how{options.defines, options.cat_folders, options.timeout, options.frees, options.leaks};
  if (extension == ".tests" || is_c_file(path)) refuse_parameters(path, options);
  if (extension == ".tests") {
    suite_.emplace(read_source_file(path), how);
    std::string known;
    for (const c::SuiteTest& test : suite_->suite().tests) {
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
      throw UsageError(fmt::format("--test is for .tests files, and {} is none", path));
    source_.emplace(read_source_file(path), how);
  } else {
    if (!options.tests.empty())
      throw UsageError(fmt::format("--test is for .tests files, and {} is none", path));
    Input input = read_input(path, options);
    cases_.emplace(std::pair(size_t{0}, OrderMapping::kFences),
                   Case{std::move(input.program), std::move(input.properties), std::nullopt, "", 0});
    return;
  }
  // Whatever is not supported is found out before the first question is asked.
  for (size_t i = 0; i < size(); ++i)
    cases_.emplace(std::pair(i, OrderMapping::kFences), make(i, OrderMapping::kFences));
}

const Case& Cases::get(size_t number, const MemoryModel& model) {
  const OrderMapping mapping = suite_ || source_ ? mapping_for(model) : OrderMapping::kFences;
  const auto key = std::pair(number, mapping);
  auto found = cases_.find(key);
  if (found == cases_.end()) found = cases_.emplace(key, make(number, mapping)).first;
  return found->second;
}

Case Cases::make(size_t number, OrderMapping mapping) {
  if (suite_) return make_test(*tests_[number], mapping);
  Case result{source_->lower(mapping).program, {}, std::nullopt, "", 0};
  result.properties = properties_to_check(result.program, options_);
  return result;
}

Case Cases::make_test(const c::SuiteTest& test, OrderMapping mapping) {
  CProgram lowered = suite_->lower(test, mapping);
  sort_by_name(lowered.observed);
  const auto key = static_cast<size_t>(&test - suite_->suite().tests.data());
  auto mined = observations_.find(key);
  if (mined == observations_.end()) {
    Limits limits(options_.timeout, options_.memory_mb << 20);
    const Interruptible interruptible(limits);
    Progress progress(false);
    Env env{options_, limits, progress};
    if (suite_->has_reference()) {
      CProgram reference = suite_->lower_reference(test);
      sort_by_name(reference.observed);
      require_same_names(suite_->suite(), lowered.observed, reference.observed);
      mined = observations_
                  .emplace(key, serial_observations(reference.program, registers_of(reference.observed), env))
                  .first;
      if (const SerialObservations& all = mined->second; !all.error.empty()) {
        const SourcePos pos = reference.program.thread(all.failing).at(all.at).pos;
        throw InputError(reference.program.file_of(pos),
                         {{{pos.line, pos.column}, "the reference implementation fails: " + all.error, ""}});
      }
      const SerialObservations own =
          some_serial_observation(lowered.program, registers_of(lowered.observed), env);
      if (nothing_ends(own)) endless_.insert(key);
    } else {
      mined = observations_
                  .emplace(key, serial_observations(lowered.program, registers_of(lowered.observed), env))
                  .first;
    }
    if (nothing_ends(mined->second)) endless_.insert(key);
  }
  const SerialObservations& allowed = mined->second;
  Case result{std::move(lowered.program), {}, TestNotes(), "", allowed.seconds};
  result.notes->test = test.name;
  result.notes->text = test.text;
  result.notes->allowed = allowed.found.size();
  result.notes->from_reference = suite_->has_reference();
  for (const CObserved& one : lowered.observed)
    result.notes->observed.push_back({one.name, {one.thread, one.reg}});
  for (const COperation& one : lowered.operations)
    result.notes->operations.push_back({one.name, one.call, one.thread, one.number});
  if (!allowed.unfinished.empty())
    result.unknown = "what the operations return one after the other is not known: " + allowed.unfinished;
  // If an operation fails even when it runs alone, there is nothing to compare with; that it fails will be
  // found.
  else if (allowed.error.empty())
    result.program.properties.push_back(observations_property(result.program, registers_of(lowered.observed),
                                                              allowed.found, kObservationsProperty));
  // What holds whenever all operations end would hold for want of an end.
  if (result.unknown.empty() && endless_.contains(key))
    result.unknown = "no order of the operations comes to an end";
  result.properties = properties_to_check(result.program, options_);
  return result;
}

}  // namespace fenceline
