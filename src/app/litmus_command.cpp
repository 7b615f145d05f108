// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline litmus`: every test is asked for all its outcomes, and the answers are printed as the herd tools
// print them. Tests are many and small, so several run at once; each has its own limits. What they say comes
// out in the order of the command line, as soon as all before it have said theirs. A file that cannot be read
// does not stop the others: suites contain such files.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/models.h"
#include "app/output.h"
#include "engine/outcomes.h"
#include "env/env.h"
#include "env/errors.h"
#include "frontend/litmus/litmus.h"
#include "model/memory_model.h"
#include "report/litmus_report.h"

namespace fenceline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The tests that the words of the command line stand for: files as they are, folders by what is in them.
std::vector<std::string> tests_of(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      files.push_back(word);
      continue;
    }
    std::vector<std::string> inside;
    fs::recursive_directory_iterator entries(word, error), end;
    for (; !error && entries != end; entries.increment(error))
      if (entries->path().extension() == ".litmus" && !fs::is_directory(entries->path()))
        inside.push_back(entries->path());
    if (error) throw NoSuchFile(fmt::format("{}: {}", word, error.message()));
    std::sort(inside.begin(), inside.end());
    if (inside.empty()) throw NoSuchFile(word + ": there are no .litmus files in this folder");
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

LitmusQuestion question_of(const LitmusTest& test) {
  LitmusQuestion question;
  question.test = test.name;
  question.kind = test.quantifier == Quantifier::kExists      ? LitmusKind::kAllowed
                  : test.quantifier == Quantifier::kNotExists ? LitmusKind::kForbidden
                                                              : LitmusKind::kRequired;
  question.condition = test.condition_text;
  for (const Observable& observable : test.observables) question.names.push_back(observable.name);
  question.addresses = test.addresses;
  question.hash = test.hash;
  return question;
}

// What became of one file.
struct Outcome {
  bool done = false;
  std::optional<LitmusAnswer> answer;  // it was a test, and something was found
  std::string complaint;               // for standard error
  int status = kExitVerified;
  std::exception_ptr bug;  // ends everything
};

class LitmusRun {
 public:
  // `model` may be null: each test is run under the model of its architecture.
  LitmusRun(const CommandLine& line, const MemoryModel* model, std::vector<std::string> files)
      : options_(line.options), model_(model), files_(std::move(files)), outcomes_(files_.size()) {}

  // All files, on several threads; `print_one` is called for each in order, on the calling thread.
  template <class F>
  void run(const F& print_one, Progress& progress) {
    std::vector<std::thread> workers;
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const size_t jobs = options_.tests_at_once > 0 ? options_.tests_at_once : cores;
    for (size_t i = 0; i < std::min(jobs, files_.size()); ++i) workers.emplace_back([this] { work(); });
    for (size_t i = 0; i < files_.size(); ++i) {
      wait_for(i, progress);
      progress.clear();
      print_one(outcomes_[i]);
      // States of a large suite need not be kept unless somebody wants them.
      if (options_.json.empty()) outcomes_[i].answer.reset();
    }
    for (std::thread& worker : workers) worker.join();
  }

  std::vector<LitmusAnswer> answers() {
    std::vector<LitmusAnswer> answers;
    for (Outcome& outcome : outcomes_)
      if (outcome.answer) answers.push_back(std::move(*outcome.answer));
    return answers;
  }

 private:
  void wait_for(size_t file, Progress& progress) {
    std::unique_lock lock(mutex_);
    while (!outcomes_[file].done) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      // Ctrl-C reaches one set of limits elsewhere (interrupt.h); here there are several.
      if (interrupted())
        for (Limits* limits : running_) limits->interrupt();
      if (progress.due()) progress.show(fmt::format("{} of {} tests", finished_, files_.size()));
    }
  }

  void work() {
    for (;;) {
      size_t mine = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == files_.size()) return;
        mine = next_++;
      }
      Outcome outcome = run_file(files_[mine]);
      const std::lock_guard lock(mutex_);
      outcome.done = true;
      outcomes_[mine] = std::move(outcome);
      ++finished_;
      changed_.notify_one();
    }
  }

  Outcome run_file(const std::string& path) {
    Outcome outcome;
    const auto complain = [&outcome](int status, std::string text) {
      outcome.status = status;
      outcome.complaint = std::move(text);
    };
    try {
      outcome.answer = run_test(path);
      const LitmusOutcomes& found = outcome.answer->outcomes;
      if (!found.complete) complain(kExitUnknown, fmt::format("{}: not complete: {}\n", path, found.reason));
    } catch (const InputError& error) {
      complain(kExitInput, error.what());
    } catch (const NoSuchFile& error) {
      complain(kExitNoSuchFile, fmt::format("fenceline: {}\n", error.what()));
    } catch (const std::ios_base::failure&) {
      complain(kExitNoSuchFile, fmt::format("fenceline: {}: cannot be read\n", path));
    } catch (const Unsupported& error) {
      complain(kExitUnknown, fmt::format("{}: not supported: {}\n", path, error.what()));
    } catch (const std::bad_alloc&) {
      complain(kExitUnknown, fmt::format("{}: not complete: memory ran out\n", path));
    } catch (...) {
      outcome.bug = std::current_exception();
    }
    return outcome;
  }

  LitmusAnswer run_test(const std::string& path) {
    const LitmusTest test = parse_litmus(read_source_file(path));
    LitmusAnswer answer;
    answer.file = path;
    answer.architecture = to_string(test.arch);
    const MemoryModel& model = model_ != nullptr ? *model_ : memory_model(default_model(test.arch));
    answer.model = model.name;
    answer.question = question_of(test);
    std::vector<ExprId> observed;
    for (const Observable& observable : test.observables) observed.push_back(observable.value);
    observed.push_back(test.condition);

    const Clock::time_point start = Clock::now();
    Limits limits(options_.timeout, options_.memory_mb << 20);
    const Announced announced(*this, limits);
    Progress silent(false);
    Env env{options_, limits, silent};
    answer.outcomes = final_outcomes(test.program, model, observed, env);
    answer.seconds = seconds_since(start);
    return answer;
  }

  // While it lives, an interrupt reaches `limits`.
  class Announced {
   public:
    Announced(LitmusRun& run, Limits& limits) : run_(run), limits_(limits) {
      const std::lock_guard lock(run_.mutex_);
      run_.running_.push_back(&limits_);
      if (interrupted()) limits_.interrupt();
    }
    ~Announced() {
      const std::lock_guard lock(run_.mutex_);
      run_.running_.erase(std::find(run_.running_.begin(), run_.running_.end(), &limits_));
    }
    Announced(const Announced&) = delete;
    Announced& operator=(const Announced&) = delete;

   private:
    LitmusRun& run_;
    Limits& limits_;
  };

  const Options& options_;
  const MemoryModel* model_;
  const std::vector<std::string> files_;
  std::mutex mutex_;  // for all below
  std::condition_variable changed_;
  std::vector<Outcome> outcomes_;
  std::vector<Limits*> running_;
  size_t next_ = 0;
  size_t finished_ = 0;
};

struct Counts {
  size_t tests = 0, ok = 0, no = 0, not_complete = 0, bad = 0;
};

}  // namespace

int litmus_command(const CommandLine& line) {
  const Clock::time_point start = Clock::now();
  const Options& options = line.options;
  Models shelf(options.cat_folders);
  const MemoryModel* model = options.litmus_model.empty() ? nullptr : &shelf.get(options.litmus_model);
  std::vector<std::string> files = tests_of(line.files);
  const size_t count = files.size();
  std::optional<ResultFile> json = open_json(line);
  const bool text = options.json != "-";
  Progress progress(isatty(STDERR_FILENO) != 0);

  LitmusRun run(line, model, std::move(files));
  Counts counts;
  std::exception_ptr bug;
  int status = kExitVerified;
  const auto print_one = [&](const Outcome& outcome) {
    if (outcome.bug && !bug) bug = outcome.bug;
    if (interrupted() && !outcome.answer) return;
    ++counts.tests;
    if (!outcome.complaint.empty()) std::fputs(outcome.complaint.c_str(), stderr);
    // A file that could not be read says more about the request than a test that was too large.
    if (outcome.status > status) status = outcome.status;
    if (outcome.status == kExitInput || outcome.status == kExitNoSuchFile) ++counts.bad;
    if (outcome.status == kExitUnknown) ++counts.not_complete;
    if (!outcome.answer) return;
    if (outcome.status == kExitVerified)
      ++(litmus_verdict(outcome.answer->question, outcome.answer->outcomes).ok ? counts.ok : counts.no);
    if (text)
      print(litmus_block(outcome.answer->question, outcome.answer->outcomes, outcome.answer->seconds));
  };
  run.run(print_one, progress);
  if (bug) std::rethrow_exception(bug);
  if (count > 1)
    std::fputs(fmt::format("{} tests: {} Ok, {} No, {} not complete, {} bad; {:.2f} s\n", counts.tests,
                           counts.ok, counts.no, counts.not_complete, counts.bad, seconds_since(start))
                   .c_str(),
               stderr);
  if (json) json->write(litmus_json(run.answers(), FENCELINE_VERSION));
  return interrupted() ? kExitInterrupted : status;
}

}  // namespace fenceline
