// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parses the text once and collects the outcomes of the explicit engine under each model. Every exception is
// a complaint: generated programs are valid, so neither a rejection nor a crash is acceptable.
#include "engine_adapter.h"
#include "engine/options.h"

#include <exception>

#include "beyond_fl.h"
#include "engine/explicit/outcomes.h"
#include "env/silent_env.h"
#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "model/memory_model.h"

namespace fenceline::fuzz {

EngineAnswers engine_answers(const std::string& fl_text, unsigned models, const EngineSettings& settings) {
  EngineAnswers answers;
  try {
    const Program program = read_program(fl_text);
    for (unsigned model = 0; model < kModels; ++model) {
      if (!(models >> model & 1)) continue;
      answers.complaint_model = model;
      Options options;
      options.of<engine::StateSpaceOptions>().reduction = settings.reduction;
      options.jobs = settings.jobs;
      Limits limits(60, uint64_t{1} << 30);
      SilentEnv env(options, limits);
      engine::Outcomes outcomes =
          engine::collect_outcomes(program, FenceSet(), memory_model(kModelNames[model]), env);
      Answer& answer = answers.of_model[model];
      answer.complete = outcomes.complete;
      if (!outcomes.complete) answer.reason = "engine: incomplete";
      answer.finals = std::move(outcomes.finals);
      answer.error_reachable = outcomes.error_reachable;
      answer.deadlock_reachable = outcomes.deadlock_reachable;
      answer.states = outcomes.states;
    }
  } catch (const std::exception& task) {
    answers.complaint = task.what();
  }
  return answers;
}

}  // namespace fenceline::fuzz
