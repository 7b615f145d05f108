// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one door to the program under test: `.fl` text in, answers of its explicit engine out.
#pragma once

#include <array>
#include <string>

#include "mini_program.h"
#include "outcomes_of.h"

namespace fenceline::fuzz {

struct EngineAnswers {
  std::string complaint;  // the text was rejected, or something broke: never right for a generated program
  unsigned complaint_model = 0;  // about which it was
  std::array<Answer, kModels> of_model;
};

struct EngineSettings {
  bool reduction = true;  // also without it: a difference between the two points at the reduction
  unsigned jobs = 1;
};

// The answers for the models whose bit is set in `models`.
EngineAnswers engine_answers(const std::string& fl_text, unsigned models,
                             const EngineSettings& settings = {});

}  // namespace fenceline::fuzz
