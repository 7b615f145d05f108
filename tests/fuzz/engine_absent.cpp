// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stands in for engine_adapter.cpp where there is no explicit engine to ask.
#include "engine_adapter.h"

namespace fenceline::fuzz {

bool engine_available() { return false; }

EngineAnswers engine_answers(const std::string&, unsigned, const EngineSettings&) {
  EngineAnswers answers;
  answers.of_model.fill(Answer::skipped("no engine"));
  return answers;
}

}  // namespace fenceline::fuzz
