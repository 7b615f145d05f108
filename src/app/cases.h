// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cases of `check`. A program gives one case; a file of tests gives one for each test. C programs are
// lowered for each model, since the model decides how C's memory orders are compiled, and for which processor.
#pragma once

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
#include "model/processor.h"
#include "property/observations.h"
#include "report/report.h"

namespace fenceline::app {

struct Case {
  Program program;
  std::vector<Property> properties;        // those to check
  std::optional<report::TestNotes> notes;  // of a test: what was called, and what may be observed
  std::string unknown;                     // why it cannot be verified; else empty
  std::string not_covered;                 // what a proof would not cover; else empty
  std::string target;                      // what a C program was compiled for, "aarch64"; else empty
  std::string note;                        // why that is not the processor of the model; else empty
  double mining_seconds = 0;               // of a test: statistics of mining
  double preparation_seconds = 0;          // preparation time, from reading the file on
};

class Cases {
 public:
  static constexpr size_t kWholeFile = ~size_t{0};  // as the number of a case: none, but reading the file

  // Called before the file is read (kWholeFile), and before case `number` is prepared, for a compilation: both can take
  // long. With the seconds that were spent on the file before. Returns why it is to be skipped; empty: it is done.
  using BeforePreparing = std::function<std::string(size_t number, Compilation what_for, double spent)>;

  // What is not supported for one of the models is found here. Without models: for any that is no particular
  // processor's. Throws InputError, NoSuchFile or UsageError for what is wrong with the file or with the options for it.
  Cases(const std::string& path, const Options& options, const std::vector<const MemoryModel*>& models = {},
        BeforePreparing before = {});

  size_t size() const { return tests_.empty() ? 1 : tests_.size(); }
  // The model of the file's architecture, if it has one: of litmus tests.
  const std::string& own_model() const { return own_model_; }
  // The same object for the same query; it lives as long as this. Throws InputError for what turns out not
  // to be supported.
  const Case& get(size_t number, const MemoryModel& model);

 private:
  // The file, compiled for one processor.
  struct Compiled {
    std::optional<frontend::CSource> source;  // one of these two, or neither
    std::optional<frontend::CTests> suite;
    std::string not_prepared;                                     // why there is neither
    double seconds = 0;                                           // that it took
    std::map<size_t, property::SerialObservations> observations;  // by test
    std::set<size_t> endless;  // tests of which no serial execution terminates
  };
  // A processor that the file is not compiled for, but for this machine.
  struct GivenUp {
    std::string note;    // why
    double seconds = 0;  // until that was known
  };
  struct SelectedTest {
    size_t index;  // in the file
    std::string name, text;
  };

  bool is_c() const;
  Compilation compilation_for(const MemoryModel& model) const;
  void read_other();
  void compile(Processor target);
  void compile_unless_skipped(Processor target, Compiled& result);
  Compiled& compiled_for(Processor target);
  void select_tests(const frontend::c::Suite& suite);
  const Case& prepared(size_t number, Compilation what_for);
  Case prepare(size_t number, Compilation what_for);
  Case make(Compiled& compiled, size_t number, Compilation what_for);
  Case make_test(Compiled& compiled, size_t index, CompilationScheme scheme);
  const property::SerialObservations& allowed_observations(Compiled& compiled, size_t index,
                                                           const frontend::CProgram& lowered);

  const std::string path_;
  const Options& options_;
  const BeforePreparing before_;
  std::string own_model_;
  std::map<Processor, Compiled> compiled_;
  std::map<Processor, GivenUp> given_up_;
  std::vector<SelectedTest> tests_;  // by --test
  std::map<std::pair<size_t, Compilation>, Case> cases_;
};

}  // namespace fenceline::app
