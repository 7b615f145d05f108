// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tests of the data types of the corpus, for the tables of CheckFence: C code, a reference implementation,
// and one cell for each test and model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cases.h"
#include "engine/engine.h"
#include "frontend/c/process.h"
#include "tables/tables.h"

namespace fenceline::tables {

// Some tests of one data type, compiled. The files come out of the executable.
class DataType {
 public:
  // `more` is added to the text of its `.tests` file. Throws Bug if the executable has no such data type, and
  // the errors of the compiler.
  DataType(const BenchContext& context, std::string_view name, std::vector<std::string> tests,
           const std::string& more = "");

  const std::string& name() const { return name_; }
  // Precondition: it is one of the tests.
  const app::Case& get(std::string_view test, const MemoryModel& model);
  double making_seconds() const {
    return making_seconds_;
  }  // compiling and mining; not only of the processor

 private:
  std::string name_;
  Options options_;
  frontend::c::TemporaryFolder folder_;
  std::optional<app::Cases> cases_;
  double making_seconds_ = 0;
};

struct DataTypeCell {
  Result result;
  uint64_t observations = 0;
  // Of the processor.
  double mining = 0;
  double seconds = 0;  // the engine's: bounds of loops found and proved, no violation
  // With these bounds given, one formula and the one query whether there is a violation, which is what the
  // paper's figures are of; nothing if a limit was reached.
  std::optional<double> inclusion;

  uint64_t figure(std::string_view name) const;  // of the result's statistics; 0 if it is not there
};

enum class Inclusion : uint8_t { kAlsoAlone, kNotAlone };
DataTypeCell data_type_cell(const BenchContext& context, DataType& type, std::string_view test,
                            std::string_view model, Inclusion inclusion);

}  // namespace fenceline::tables
