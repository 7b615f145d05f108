// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline check`: every file, property and model is one question; each is given to an engine and answered
// on its own. Everything that can be wrong with the request is found before the first question is asked: a
// typing error in the third file should not cost the hour that the first two take.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cases.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/failure.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/models.h"
#include "app/output.h"
#include "app/registry.h"
#include "app/run_engine.h"
#include "app/vacuity.h"
#include "engine/engine.h"
#include "env/env.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "report/report.h"

namespace fenceline {
namespace {

// All inputs, or nothing if one of them was bad. Each bad one is complained about; `status` is that of the
// first.
std::deque<Cases> read_inputs(const CommandLine& line, int& status) {
  std::deque<Cases> inputs;
  for (const std::string& path : line.files) {
    try {
      inputs.emplace_back(path, line.options);
    } catch (const Bug&) {
      throw;
    } catch (...) {
      const int failure = explain_failure();
      if (status == 0) status = failure;
    }
  }
  if (status != 0) inputs.clear();
  return inputs;
}

// A run that ends where we do not know how to go on shows nothing. What stopped it; else empty.
std::string our_limit(const Result& result) {
  std::string error;
  if (result.replay && !result.replay->steps.empty()) error = result.replay->steps.back().error;
  if (result.execution_check) error = result.execution_check->error;
  return error.starts_with(kOurLimit) ? error : "";
}

// Asks the engines in turn until one knows. What time there is, is there for all of them together.
Answer answer(const Problem& problem, const Case& about, const Options& options, const Registry& registry,
              Progress& progress) {
  Answer answer;
  answer.test = about.notes ? &*about.notes : nullptr;
  answer.file = problem.program.source.name;
  answer.model = problem.model.name;
  answer.program = &problem.program;
  answer.property = &problem.property;
  answer.fences = &problem.fences;
  if (!about.unknown.empty()) {
    answer.result.reason = about.unknown;
    return answer;
  }
  progress.set_task(fmt::format("{}: {}: {}: ", answer.subject(), problem.model.name, problem.property.name));
  Options remaining = options;
  std::string reasons;  // of those who did not know
  for (const Registry::Choice& choice : registry.choices(options.engine, problem)) {
    if (choice.engine == nullptr) {
      answer.result.reason = choice.why;
      break;
    }
    answer.engine = choice.engine->name();
    answer.why_engine = choice.why;
    answer.result = run_engine(*choice.engine, problem, remaining, progress);
    if (answer.result.verdict == Verdict::kVerified && !interrupted()) {
      Options left = remaining;
      if (options.timeout > 0) left.timeout = std::max(0.01, remaining.timeout - answer.result.seconds);
      answer.vacuity = find_vacuity(*choice.engine, problem, left, progress);
    }
    if (answer.result.verdict != Verdict::kUnknown || interrupted()) break;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", answer.engine, answer.result.reason);
    if (options.timeout > 0) remaining.timeout -= answer.result.seconds;
    if (options.timeout > 0 && remaining.timeout <= 0) break;
  }
  if (answer.result.verdict == Verdict::kUnknown && reasons.find("; ") != std::string::npos && !interrupted())
    answer.result.reason = reasons;
  answer.peak_rss_kb = peak_rss_kb();
  const Result result = answer.result;
  require(result.verdict != Verdict::kViolated || (result.trace && result.replay && result.replay->ok) ||
              (result.execution && result.execution_check && result.execution_check->ok),
          "an engine reports a violation that does not replay");
  if (const std::string limit = our_limit(result); !limit.empty()) {
    answer.result = Result();
    answer.result.seconds = result.seconds;
    answer.result.reason = limit;
  }
  return answer;
}

int exit_status(const std::vector<Answer>& answers) {
  const auto any = [&answers](Verdict verdict) {
    return std::any_of(answers.begin(), answers.end(),
                       [verdict](const Answer& answer) { return answer.result.verdict == verdict; });
  };
  if (interrupted()) return kExitInterrupted;
  if (any(Verdict::kViolated)) return kExitViolated;
  return any(Verdict::kUnknown) ? kExitUnknown : kExitVerified;
}

}  // namespace

int check_command(const CommandLine& line) {
  const Options& options = line.options;
  const Registry registry;
  registry.require_known(options.engine);
  Models shelf(options.cat_folders);
  std::vector<const MemoryModel*> models;
  for (const std::string& name : options.models) models.push_back(&shelf.get(name));
  int status = 0;
  std::deque<Cases> inputs = read_inputs(line, status);
  if (status != 0) return status;
  std::optional<ResultFile> json = open_json(line);

  const bool text = options.json != "-";
  const TextStyle style = text_style(options);
  Progress progress(isatty(STDERR_FILENO) != 0 && !options.quiet);
  const FenceSet no_fences;
  std::vector<Answer> answers;
  const auto report = [&](Answer given) {
    answers.push_back(std::move(given));
    if (!text) return;
    // A run fills a screen; what follows it should not look like part of it.
    if (answers.size() > 1 && answers[answers.size() - 2].result.trace && !options.quiet) print("\n");
    print(text_report(answers.back(), style));
  };
  for (Cases& input : inputs)
    for (size_t i = 0; i < input.size(); ++i)
      for (size_t p = 0; p < input.get(i, *models.front()).properties.size(); ++p)
        for (const MemoryModel* model : models) {
          if (interrupted()) break;
          const Case& one = input.get(i, *model);
          const Problem problem{one.program, no_fences, *model, one.properties[p]};
          report(answer(problem, one, options, registry, progress));
        }
  if (text && !options.quiet && answers.size() > 1) print("\n" + text_summary(answers, style));
  if (json) json->write(json_report(answers, FENCELINE_VERSION));
  return exit_status(answers);
}

}  // namespace fenceline
