// SPDX-License-Identifier: GPL-3.0-or-later
//
// Errors of the request are found before the first task is verified: a typing error in the third file should
// not cost the hour that the first two take.
//
// The time of a task is that of its preparation and of all engines that run. What several tasks share (a file
// is compiled once) counts for each of them: none gets another verdict because it is not alone.
#include "app/check_worker.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "app/cases.h"
#include "app/failure.h"
#include "app/front_ends.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/models.h"
#include "app/output.h"
#include "app/supervised.h"
#include "app/vacuity.h"
#include "app/verification.h"
#include "engine/engine.h"
#include "env/bytes.h"
#include "env/env.h"
#include "env/errors.h"
#include "model/memory_model.h"

namespace fenceline::app {
namespace {

// Without a time limit, the check for vacuity takes at most this long, plus this multiple of the time of the
// proof.
constexpr double kVacuitySeconds = 10, kVacuityFactor = 10;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Carrier, class Work>
void carry_task(Work& task, Carrier& carrier) {
  carrier(task.kind);
  carrier(task.file);
  carrier(task.number);
  carrier(task.what_for);
  for (auto* text :
       {&task.path, &task.model, &task.property, &task.engine, &task.why_engine, &task.test, &task.test_text})
    carrier(*text);
  carrier(task.has_test);
  carrier(task.allowed);
  carrier(task.spent);
  carrier(task.last);
}

template <class Carrier, class Answered>
void carry_answer(Answered& printed, Carrier& carrier) {
  carrier(printed.line.subject);
  carrier(printed.line.property);
  carrier(printed.line.model);
  carrier(printed.line.verdict);
  carrier(printed.line.vacuous);
  carrier(printed.fills_screen);
  carrier(printed.json);
}

// What a worker may hold more than when it began before it is replaced: memory that was freed but not given
// back would count for the tasks that follow.
uint64_t most_left_over(const Options& options) {
  const uint64_t limit = options.memory_mb != 0 ? options.memory_mb << 20 : uint64_t{8} << 30;
  return std::max(limit / 8, uint64_t{8} << 20);
}

class CheckWorker {
 public:
  CheckWorker(const CommandLine& line, CheckProgress& progress, WorkerChannel& channel)
      : line_(line),
        options_(line.options),
        progress_(progress),
        channel_(channel),
        shelf_(line.options.include_folders, line.options.races),
        style_(text_style(line.options)),
        display_(isatty(STDERR_FILENO) != 0 && !line.options.quiet) {}

  int run() {
    channel_.begin(CheckTask().bytes(), options_.timeout);
    engine::require_known_engine(options_.engine);
    for (const std::string& name : options_.models) models_.push_back(&shelf_.get(name));
    int status = 0;
    for (size_t file = 0; file < line_.files.size(); ++file) read_input(file, status);
    return status != 0 ? status : verify_all();
  }

 private:
  void read_input(size_t file, int& status);
  std::string begin_preparing(size_t file, size_t number, Compilation what_for, double spent);
  int verify_all();
  const std::vector<const MemoryModel*>& models_for(const Cases& input);
  bool is_last(size_t file, size_t number, size_t property, const MemoryModel* model);
  report::Answer answer_task(const Task& query, const Case& about, CheckTask task);

  const CommandLine& line_;
  const Options& options_;
  CheckProgress& progress_;
  WorkerChannel& channel_;
  Models shelf_;
  std::vector<const MemoryModel*> models_;
  std::map<std::string, std::vector<const MemoryModel*>> own_models_;  // by name, each alone
  std::deque<Cases> inputs_;
  const report::TextStyle style_;
  Progress display_;
};

// Reports the task to the supervisor. Returns why it is not to be tried again, if it was tried before.
std::string CheckWorker::begin_preparing(size_t file, size_t number, Compilation what_for, double spent) {
  for (const CheckProgress::Unprepared& one : progress_.unprepared)
    if (one.file == file && one.number == number && one.what_for == what_for) return one.why;
  CheckTask task;
  task.kind = number == Cases::kWholeFile ? CheckTask::Kind::kFile : CheckTask::Kind::kCase;
  task.file = file;
  task.number = number;
  task.what_for = what_for;
  channel_.begin(task.bytes(), options_.timeout > 0 ? std::max(options_.timeout - spent, 1e-3) : 0);
  return "";
}

// Reports each unknown one; `status` is that of the first.
void CheckWorker::read_input(size_t file, int& status) {
  const std::string& path = line_.files[file];
  try {
    inputs_.emplace_back(path, options_, models_,
                         [this, file](size_t number, Compilation what_for, double spent) {
                           return begin_preparing(file, number, what_for, spent);
                         });
  } catch (const Bug&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    const int failure = explain_failure();
    if (status == 0) status = failure;
  }
}

// Without --model a litmus test is checked under the model of its architecture.
const std::vector<const MemoryModel*>& CheckWorker::models_for(const Cases& input) {
  if (line_.model_given || input.own_model().empty()) return models_;
  std::vector<const MemoryModel*>& own = own_models_[input.own_model()];
  if (own.empty()) own.push_back(&shelf_.get(input.own_model()));
  return own;
}

bool CheckWorker::is_last(size_t file, size_t number, size_t property, const MemoryModel* model) {
  Cases& input = inputs_[file];
  const std::vector<const MemoryModel*>& models = models_for(input);
  return file + 1 == inputs_.size() && number + 1 == input.size() && model == models.back() &&
         property + 1 == input.get(number, *models.front()).properties.size();
}

int CheckWorker::verify_all() {
  const FenceSet no_fences;
  const uint64_t held = resident_bytes();
  size_t number = 0, begun = 0;
  for (size_t file = 0; file < inputs_.size(); ++file) {
    const std::vector<const MemoryModel*>& models = models_for(inputs_[file]);
    for (size_t i = 0; i < inputs_[file].size(); ++i) {
      const std::vector<Property>& properties = inputs_[file].get(i, *models.front()).properties;
      for (size_t p = 0; p < properties.size(); ++p)
        for (const MemoryModel* model : models) {
          if (number++ < progress_.answers.size()) continue;
          if (interrupted()) return 0;
          if (begun++ > 0 && resident_bytes() > held + most_left_over(options_)) {
            malloc_trim(0);
            if (resident_bytes() > held + most_left_over(options_)) return kFreshWorker;
          }
          const Case& one = inputs_[file].get(i, *model);
          // One that could not be prepared has no properties of its own.
          const Property& property =
              p < one.properties.size() && one.unknown.empty() ? one.properties[p] : properties[p];
          const Task query{one.program, no_fences, *model, property};
          CheckTask task;
          task.kind = CheckTask::Kind::kVerify;
          task.last = is_last(file, i, p, model);
          channel_.send(
              report(answer_task(query, one, std::move(task)), progress_, options_, style_).bytes());
        }
    }
  }
  return 0;
}

report::Answer CheckWorker::answer_task(const Task& query, const Case& about, CheckTask task) {
  const auto start = Clock::now();
  report::Answer answer;
  answer.test = about.notes ? &*about.notes : nullptr;
  answer.file = query.program.source.name;
  answer.model = query.model.name;
  answer.program = &query.program;
  answer.property = &query.property;
  answer.fences = &query.fences;
  answer.seconds = about.preparation_seconds;
  answer.target = about.target;
  answer.note = about.note;
  if (!about.unknown.empty()) {
    answer.result.reason = about.unknown;
    return answer;
  }
  task.path = answer.file;
  task.model = answer.model;
  task.property = query.property.name;
  task.has_test = about.notes.has_value();
  if (about.notes) {
    task.test = about.notes->test;
    task.test_text = about.notes->text;
    task.allowed = about.notes->allowed;
  }
  display_.set_task(fmt::format("{}: {}: {}: ", answer.subject(), query.model.name, query.property.name));
  const auto spent = [&] { return about.preparation_seconds + seconds_since(start); };
  std::string why_none;
  const std::vector<engine::Candidate> engines = engine::candidates(query, options_.engine, why_none);
  if (!engines.empty()) {
    task.engine = engines.front().engine->name();
    task.why_engine = engines.front().why;
  }
  task.spent = spent();
  const bool limited = options_.timeout > 0;
  channel_.begin(task.bytes(), limited ? std::max(options_.timeout - task.spent, 1e-3) : 0);
  Limits limits = limits_of(options_, task.spent);
  Verification done = verify_task(query, options_, limits, display_);
  answer.result = std::move(done.result);
  answer.engine = done.engine;
  answer.why_engine = done.why;
  answer.engine_runs = std::move(done.runs);
  if (answer.result.verdict() == Verdict::kVerified && !interrupted()) {
    // A proof must not be lost to the check for vacuity.
    Options left = options_;
    left.timeout = limited ? std::max(0.01, (options_.timeout - spent()) / 2)
                           : kVacuitySeconds + kVacuityFactor * answer.result.statistics.seconds;
    answer.vacuity = find_vacuity(engine::engine_called(answer.engine), query, left, display_);
  }
  if (answer.result.verdict() == Verdict::kVerified && !about.not_covered.empty()) {
    std::string& text = std::get<Proof>(answer.result.conclusion).not_covered;
    text += (text.empty() ? "" : "; ") + about.not_covered;
  }
  answer.seconds = spent();
  answer.peak_rss_kb = peak_rss_kb();
  return answer;
}

}  // namespace

std::string CheckTask::bytes() const {
  ByteWriter writer;
  carry_task(*this, writer);
  return std::move(writer.bytes);
}

CheckTask CheckTask::from(std::string_view bytes) {
  CheckTask task;
  if (bytes.empty()) return task;  // the worker was ended before it could begin anything
  ByteReader reader(bytes);
  carry_task(task, reader);
  return task;
}

std::string PrintedAnswer::bytes() const {
  ByteWriter writer;
  carry_answer(*this, writer);
  return "+" + std::move(writer.bytes);
}

PrintedAnswer PrintedAnswer::from(std::string_view bytes) {
  ByteReader reader(bytes.substr(1));
  PrintedAnswer answer;
  carry_answer(answer, reader);
  return answer;
}

const PrintedAnswer& report(const report::Answer& answer, CheckProgress& progress, const Options& options,
                            const report::TextStyle& style) {
  PrintedAnswer printed;
  printed.line = {answer.subject(), answer.property->name, answer.model, answer.result.verdict(),
                  answer.vacuity.has_value()};
  printed.fills_screen = answer.result.trace() != nullptr;
  if (!options.json.empty()) printed.json = report::json_result(answer);
  if (options.json != "-") {
    // A trace fills a screen; a blank line separates it from what follows.
    if (!progress.answers.empty() && progress.answers.back().fills_screen && !options.quiet) print("\n");
    print(report::text_report(answer, style));
  }
  return progress.answers.emplace_back(std::move(printed));
}

int check_in_worker(const CommandLine& line, CheckProgress& progress, WorkerChannel& channel) {
  return CheckWorker(line, progress, channel).run();
}

}  // namespace fenceline::app
