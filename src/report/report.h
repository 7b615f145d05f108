// SPDX-License-Identifier: GPL-3.0-or-later
//
// Answers as text and as JSON. The JSON result is the stable interface (docs/result.schema.json); the
// text is for reading and may change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/operation_call.h"
#include "ir/program.h"
#include "task/vacuity.h"
#include "task/verification.h"

namespace fenceline::report {

struct SynthesisReport;

// A test of a data type: what its threads called, and the allowed observations.
struct TestNotes {
  struct Observed {
    std::string name;  // "d2.result"
    ThreadReg reg;
  };
  std::string test;  // "T0"
  std::string text;  // "( e | d )"
  std::vector<Observed> observed;
  std::vector<OperationCall> operations;
  size_t allowed = 0;  // how many observations are right
  bool from_reference = false;
};

// "e.in = 0, d.result = 1, d.out = 1, which no serial order of the operations gives (...)". `registers` are those at the
// end, by thread.
std::string observed_text(const TestNotes& test, const std::vector<std::vector<Value>>& registers);

// A verification task with its result: a file, a property, a model. Pointers are borrowed.
struct Answer {
  std::string file;
  std::string model;
  const Program* program = nullptr;
  const Property* property = nullptr;
  const FenceSet* fences = nullptr;
  std::string engine;                  // empty: none could take the task, result.reason says why
  std::string why_engine;              // one line: why this engine
  std::vector<EngineRun> engine_runs;  // of all engines that support the task
  Result result;
  std::optional<Vacuity> vacuity;  // of a proof
  // All that it took to answer: compiling, mining, all engines that ran. Nothing:
  // result.statistics.seconds.
  std::optional<double> seconds;
  uint64_t peak_rss_kb = 0;
  std::string target;  // what a C program was compiled for, "aarch64"; else empty
  std::string note;    // why that is not the processor of the model; else empty

  // "queue.tests T0": what the answer is about.
  std::string subject() const { return test == nullptr ? file : file + " " + test->test; }

  const TestNotes* test = nullptr;             // if it is about a test
  const SynthesisReport* synthesis = nullptr;  // if fences were inferred
};

struct TextStyle {
  bool colour = false;   // ANSI escapes
  bool quiet = false;    // one line an answer
  bool verbose = false;  // also the steps that no other thread observes, statistics, the engine
  unsigned width = 100;  // columns of the terminal
};

// One answer, ending in a newline: a line that says what was found, and for a violation the
// counterexample.
std::string text_report(const Answer& answer, const TextStyle& style);

// "no execution ends (main waits in line 30); no execution reaches the assertion in line 12".
std::string vacuity_text(const Answer& answer);

// An answer in short.
struct AnswerLine {
  std::string subject, property, model;
  Verdict verdict = Verdict::kUnknown;
  bool vacuous = false;
};

// A table of several answers: a row per file and property, a column per model.
std::string text_summary(const std::vector<AnswerLine>& answers, const TextStyle& style);

// What kept the program from answering all tasks.
struct JsonFailure {
  int status = 0;  // exit status
  std::string message;
};

// One result, as a JSON text. Never throws on text that is not UTF-8.
std::string json_result(const Answer& answer);
// The document with these results. Ends in a newline.
std::string json_document(const std::vector<std::string>& results, std::string_view version,
                          const std::optional<JsonFailure>& failure = std::nullopt);
std::string json_report(const std::vector<Answer>& answers, std::string_view version);

}  // namespace fenceline::report
