// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cases of `check`. A program gives one case; a file of tests gives one for each test. C programs are
// lowered for each model, since the model decides how C's memory orders are compiled.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/options.h"
#include "frontend/c/c_program.h"
#include "model/memory_model.h"
#include "property/observations.h"
#include "report/report.h"

namespace fenceline::app {

struct Case {
  Program program;
  std::vector<Property> properties;        // those to check
  std::optional<report::TestNotes> notes;  // of a test: what was called, and what may be observed
  std::string unknown;                     // why it cannot be verified; else empty
  std::string not_covered;                 // what a proof would not cover; else empty
  double mining_seconds = 0;               // of a test: statistics of mining
  double preparation_seconds = 0;          // preparation time, from reading the file on
};

class Cases {
 public:
  // Called before case `number` is prepared for models of one compilation scheme, which can take long, with the
  // seconds that were spent on the file before. Returns why the case is to be skipped; empty: it is prepared.
  using BeforePreparing = std::function<std::string(size_t number, CompilationScheme mapping, double spent)>;

  // Throws InputError, NoSuchFile or UsageError for what is wrong with the file or with the options for it.
  Cases(const std::string& path, const Options& options, BeforePreparing before = {});
  // A file that could not be prepared: there is one case, which is unknown.
  struct NotPrepared {
    std::string why;
  };
  Cases(const std::string& path, const Options& options, const NotPrepared& why);

  size_t size() const { return tests_.empty() ? 1 : tests_.size(); }
  // The model of the file's architecture, if it has one: of litmus tests.
  const std::string& own_model() const { return own_model_; }
  // The same object for the same query; it lives as long as this. Throws InputError for what turns out not
  // to be supported.
  const Case& get(size_t number, const MemoryModel& model);

 private:
  void read(const std::string& path);
  Case prepare(size_t number, CompilationScheme mapping);
  Case make(size_t number, CompilationScheme mapping);
  Case make_test(const frontend::c::SuiteTest& test, CompilationScheme mapping);

  const std::string path_;
  const Options& options_;
  const BeforePreparing before_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double reading_seconds_ = 0;  // of the file, for all cases
  std::string own_model_;
  std::optional<frontend::CSource> source_;  // one of these two, or neither
  std::optional<frontend::CTests> suite_;
  std::vector<const frontend::c::SuiteTest*> tests_;  // those selected by --test
  std::map<std::pair<size_t, CompilationScheme>, Case> cases_;
  std::map<size_t, property::SerialObservations> observations_;  // by test
  std::set<size_t> endless_;  // tests of which no serial execution terminates
};

}  // namespace fenceline::app
