// SPDX-License-Identifier: GPL-3.0-or-later
//
// Answers for people and for programs. The JSON result is the stable interface (docs/result.schema.json); the
// text is for reading and may change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace fenceline {

struct Advice;

// One question with its answer: a file, a property, a model. Pointers are borrowed.
struct Answer {
  std::string file;
  std::string model;
  const Program* program = nullptr;
  const Property* property = nullptr;
  const FenceSet* fences = nullptr;
  std::string engine;      // empty: none could take the problem, result.reason says why
  std::string why_engine;  // one line: why this engine
  Result result;
  uint64_t peak_rss_kb = 0;
  const Advice* advice = nullptr;  // the fences it is about, if they were looked for
};

struct TextStyle {
  bool colour = false;   // ANSI escapes
  bool quiet = false;    // one line an answer
  bool verbose = false;  // also the steps that concern nobody but their thread, statistics, the engine
  unsigned width = 100;  // columns of the terminal
};

// One answer, ending in a newline: a line that says what was found, and for a violation the run that shows
// it.
std::string text_report(const Answer& answer, const TextStyle& style);

// A table of several answers: a row per file and property, a column per model.
std::string text_summary(const std::vector<Answer>& answers, const TextStyle& style);

// Ends in a newline. Never throws on text that is not UTF-8.
std::string json_report(const std::vector<Answer>& answers, std::string_view version);

}  // namespace fenceline
