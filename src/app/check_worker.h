// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of `check` that can take long: files are prepared and tasks are verified, in a process that may be
// ended at any moment. Results are sent as soon as they are known; another worker goes on from there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line.h"
#include "env/supervisor.h"
#include "model/processor.h"
#include "report/report.h"

namespace fenceline::app {

// What a worker is doing, for its supervisor.
struct CheckTask {
  enum class Kind : uint8_t { kRequest, kFile, kCase, kVerify };  // the first: models, options
  Kind kind = Kind::kRequest;
  size_t file = 0, number = 0;  // of the file on the command line; kCase: of the case in it,
  Compilation what_for;         // both: what it is compiled for
  // kVerify
  std::string path, model, property, engine, why_engine, test, test_text;
  bool has_test = false;
  uint64_t allowed = 0;  // TestNotes
  double spent = 0;      // seconds on this task before this engine was started
  bool last = false;     // no task follows it

  std::string bytes() const;
  static CheckTask from(std::string_view bytes);
};

// An answer that was printed.
struct PrintedAnswer {
  report::AnswerLine line;
  bool fills_screen = false;  // it came with a trace
  std::string json;

  std::string bytes() const;
  static PrintedAnswer from(std::string_view bytes);
};

// How far all workers together have come.
struct CheckProgress {
  // Tasks over which a worker was ended, or which it gave up: they are not tried again.
  struct Unprepared {
    size_t file = 0, number = 0;
    Compilation what_for;
    std::string why;
  };
  std::vector<PrintedAnswer> answers;  // in the order of the tasks
  std::vector<Unprepared> unprepared;
};

// Prints the answer, unless JSON goes to standard output, and adds it. Returns what was added.
const PrintedAnswer& report(const report::Answer& answer, CheckProgress& progress, const Options& options,
                            const report::TextStyle& style);

// Verifies all tasks that have no answer yet. Returns 0, the exit status of a usage or input error, or
// kFreshWorker. Throws like all commands.
int check_in_worker(const CommandLine& line, CheckProgress& progress, WorkerChannel& channel);

}  // namespace fenceline::app
