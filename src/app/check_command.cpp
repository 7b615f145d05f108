// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline check`: every file, property and model is one verification task; each is answered on its own, by
// a worker process that is ended if it exceeds the limits (env/supervisor.h). What the worker does is in
// check_worker.*. This file processes its answers: the table at the end, the JSON result, the exit status; and
// it answers `unknown` for a task whose worker was ended.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/check_worker.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "app/supervised.h"
#include "engine/numeric/options.h"
#include "engine/sat/options.h"
#include "env/limits.h"
#include "env/output_file.h"
#include "report/report.h"

namespace fenceline::app {
namespace {

class CheckRun {
 public:
  explicit CheckRun(const CommandLine& line) : line_(line), style_(text_style(line.options)) {
    if (std::string& file = line_.options.of<sat::SatOptions>().proof; !file.empty())
      file = proof_.emplace(file).path();
    if (std::string& file = line_.options.of<numeric::NumericOptions>().invariant; !file.empty())
      file = invariant_.emplace(file).path();
  }

  int run() {
    std::optional<ResultFile> json = open_json(line_);
    Supervision supervision = supervision_of(line_.options);
    supervision.work = [this](WorkerChannel& channel) {
      return in_worker(channel, [&] { return check_in_worker(line_, progress_, channel); });
    };
    supervision.on_message = [this](std::string_view message) {
      if (!failure_.hear(message)) progress_.answers.push_back(PrintedAnswer::from(message));
    };
    supervision.on_end = [this](const WorkerReport& report) { return ended(report); };
    supervise(supervision);
    // A usage error has no result, and an earlier result file is kept.
    if (status_ > kExitUnknown && status_ != kExitBug) return status_;
    if (text() && !line_.options.quiet && progress_.answers.size() > 1)
      print("\n" + report::text_summary(lines(), style_));
    return finish(json);
  }

 private:
  bool text() const { return line_.options.json != "-"; }

  std::vector<report::AnswerLine> lines() const {
    std::vector<report::AnswerLine> lines;
    for (const PrintedAnswer& answer : progress_.answers) lines.push_back(answer.line);
    return lines;
  }

  // True: another worker is to go on.
  bool ended(const WorkerReport& report) {
    if (report.end == WorkerEnd::kFinished && report.status == kFreshWorker) return true;
    if (report.end != WorkerEnd::kFinished) clear_progress(line_.options);
    if (const auto reason = limit_of(report, line_.options)) {
      const CheckTask task = CheckTask::from(report.task);
      if (task.kind == CheckTask::Kind::kRequest) {
        status_ = failure_.give_up(*reason + " before a file was read");
        return false;
      }
      if (task.kind != CheckTask::Kind::kVerify) {
        progress_.unprepared.push_back(
            {task.file, task.number, task.what_for, *reason + " while the program was read"});
        return !interrupted();
      }
      answer(task, *reason, report.seconds);
      return !task.last && !interrupted();
    }
    status_ = failure_.status_of(report);
    return false;
  }

  // The answer that the worker would have sent.
  void answer(const CheckTask& task, const std::string& reason, double seconds) {
    const Property property{task.property, {}, {}, {}};
    report::TestNotes notes;
    notes.test = task.test;
    notes.text = task.test_text;
    notes.allowed = task.allowed;
    report::Answer answer;
    answer.file = task.path;
    answer.model = task.model;
    answer.property = &property;
    answer.engine = task.engine;
    answer.why_engine = task.why_engine;
    answer.test = task.has_test ? &notes : nullptr;
    answer.result = unknown_result(UnknownReason::kLimit, reason);
    answer.result.statistics.seconds = seconds;
    answer.seconds = task.spent + seconds;
    report(answer, progress_, line_.options, style_);
  }

  int finish(std::optional<ResultFile>& json) {
    ignore_interrupts();
    // Results so far were printed; files stay as they were.
    if (proof_ && !interrupted()) proof_->publish();
    if (invariant_ && !interrupted()) invariant_->publish();
    if (json && (!interrupted() || json->is_standard_output())) {
      std::vector<std::string> results;
      for (const PrintedAnswer& answer : progress_.answers) results.push_back(answer.json);
      json->write(report::json_document(results, FENCELINE_VERSION, failure_.for_json()));
    }
    return exit_status();
  }

  int exit_status() const {
    const auto any = [this](Verdict verdict) {
      return std::any_of(progress_.answers.begin(), progress_.answers.end(),
                         [verdict](const PrintedAnswer& answer) { return answer.line.verdict == verdict; });
    };
    if (interrupted()) return status_of_interruption();
    if (status_ == kExitBug) return kExitBug;
    if (any(Verdict::kViolated)) return kExitViolated;
    return any(Verdict::kUnknown) || status_ != 0 ? kExitUnknown : kExitVerified;
  }

  CommandLine line_;
  const report::TextStyle style_;
  std::optional<StagedOutput> proof_, invariant_;
  CheckProgress progress_;
  WorkerFailure failure_;
  int status_ = 0;
};

}  // namespace

int check_command(const CommandLine& line) { return CheckRun(line).run(); }

}  // namespace fenceline::app
