// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline litmus`: all outcomes of every test are computed, and printed as the herd tools
// print them. Tests are many and small, so several run at once, in worker processes that take one after the
// other (env/supervisor.h); each test has its own limits. Their output is printed in the order of the command
// line, as soon as all tests before are done. A file that cannot be read does not stop the others: suites
// contain such files. Nor does an internal error in one of them.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/command_options.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/failure.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/models.h"
#include "app/output.h"
#include "app/supervised.h"
#include "app/verification.h"
#include "base/counted.h"
#include "engine/outcomes/final_outcomes.h"
#include "env/bytes.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "frontend/litmus/litmus.h"
#include "model/memory_model.h"
#include "report/litmus_report.h"

namespace fenceline::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The tests that the operands of the command line denote: files as they are, folders by their contents.
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

report::LitmusQuery query_of(const frontend::LitmusTest& test) {
  report::LitmusQuery query;
  query.test = test.name;
  query.kind = test.quantifier == frontend::Quantifier::kExists      ? report::LitmusKind::kAllowed
               : test.quantifier == frontend::Quantifier::kNotExists ? report::LitmusKind::kForbidden
                                                                     : report::LitmusKind::kRequired;
  query.condition = test.condition_text;
  for (const frontend::Observable& observable : test.observables) query.names.push_back(observable.name);
  query.addresses = test.addresses;
  query.hash = test.hash;
  return query;
}

// What became of one file.
struct Outcome {
  size_t file = 0;
  bool done = false;
  int status = kExitVerified;
  std::string complaint;  // for standard error
  bool answered = false;  // it was a test, and something was found:
  bool ok = false;
  std::string block, json;
};

template <class Carrier, class AnOutcome>
void carry(AnOutcome& outcome, Carrier& carrier) {
  carrier(outcome.file);
  carrier(outcome.done);
  carrier(outcome.status);
  carrier(outcome.complaint);
  carrier(outcome.answered);
  carrier(outcome.ok);
  carrier(outcome.block);
  carrier(outcome.json);
}

std::string to_bytes(const Outcome& outcome) {
  ByteWriter writer;
  carry(outcome, writer);
  return "+" + std::move(writer.bytes);
}

Outcome from_bytes(std::string_view bytes) {
  ByteReader reader(bytes.substr(1));
  Outcome outcome;
  carry(outcome, reader);
  return outcome;
}

// A number that all processes share.
class SharedCounter {
 public:
  SharedCounter() {
    void* memory =
        mmap(nullptr, sizeof(std::atomic<size_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Unsupported("there is no memory that processes can share");
    number_ = new (memory) std::atomic<size_t>(0);
  }
  ~SharedCounter() { munmap(number_, sizeof *number_); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  size_t take() { return (*number_)++; }
  size_t taken() const { return *number_; }

 private:
  std::atomic<size_t>* number_ = nullptr;
};

// ---- In a worker

class LitmusWorker {
 public:
  // `model` may be null: each test is run under the model of its architecture.
  LitmusWorker(const Options& options, const MemoryModel* model, WorkerChannel& channel)
      : options_(options), model_(model), channel_(channel) {}

  Outcome run_file(const std::string& path, size_t number) {
    Outcome outcome;
    outcome.file = number;
    const auto complain = [&outcome](int status, std::string text) {
      outcome.status = status;
      outcome.complaint = std::move(text);
    };
    begin(outcome);
    try {
      const report::LitmusAnswer answer = run_test(path, outcome);
      outcome.answered = true;
      outcome.ok = report::litmus_verdict(answer.query, answer.outcomes).ok;
      outcome.block = report::litmus_block(answer.query, answer.outcomes, answer.seconds);
      outcome.json = options_.json.empty() ? "" : report::litmus_result(answer);
      if (!answer.outcomes.complete)
        complain(kExitUnknown, fmt::format("{}: not complete: {}\n", path, answer.outcomes.reason));
    } catch (const std::ios_base::failure&) {
      complain(kExitNoSuchFile, fmt::format("fenceline: {}: cannot be read\n", path));
    } catch (const Unsupported& error) {
      complain(kExitUnknown, fmt::format("{}: not supported: {}\n", path, error.what()));
    } catch (const std::bad_alloc&) {
      complain(kExitUnknown, fmt::format("{}: not complete: memory ran out\n", path));
    } catch (...) {
      const Failure failure = failure_at_hand();
      complain(failure.status,
               failure.status == kExitBug ? fmt::format("{}: {}", path, failure.message) : failure.message);
    }
    outcome.done = true;
    return outcome;
  }

 private:
  void begin(const Outcome& outcome) { channel_.begin(to_bytes(outcome), options_.timeout); }

  report::LitmusAnswer run_test(const std::string& path, Outcome& outcome) {
    const Clock::time_point start = Clock::now();
    const frontend::LitmusTest test = frontend::parse_litmus(read_source_file(path));
    report::LitmusAnswer answer;
    answer.file = path;
    answer.architecture = to_string(test.arch);
    const MemoryModel& model = model_ != nullptr ? *model_ : memory_model(frontend::default_model(test.arch));
    answer.model = model.name;
    answer.query = query_of(test);
    std::vector<ExprId> observed;
    for (const frontend::Observable& observable : test.observables) observed.push_back(observable.value);
    observed.push_back(test.condition);

    // What is reported if the search is ended from outside.
    if (!options_.json.empty()) {
      Outcome ended = outcome;
      ended.json = report::litmus_result(answer);
      channel_.send(to_bytes(ended));
    }
    Limits limits = limits_of(options_, seconds_since(start));
    const Interruptible interruptible(limits);
    SilentEnv env(options_, limits);
    const engine::OutcomeEngine engine = options_.of<LitmusOptions>().engine;
    answer.outcomes = engine::final_outcomes(test.program, model, observed, env, engine);
    if (answer.outcomes.complete) {
      answer.outcomes.reason =
          engine::executions_without_an_end(test.program, model, answer.outcomes, env, engine);
      answer.outcomes.complete = answer.outcomes.reason.empty();
    }
    answer.seconds = seconds_since(start);
    return answer;
  }

  const Options& options_;
  const MemoryModel* model_;
  WorkerChannel& channel_;
};

// ---- Here

struct Counts {
  size_t tests = 0, ok = 0, no = 0, not_complete = 0, bad = 0, bugs = 0;
};

class LitmusRun {
 public:
  LitmusRun(const CommandLine& line, const MemoryModel* model, std::vector<std::string> files)
      : options_(line.options), model_(model), files_(std::move(files)), outcomes_(files_.size()) {}

  void run() {
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const uint64_t wanted = options_.of<LitmusOptions>().tests_at_once;
    const size_t jobs = wanted > 0 ? wanted : cores;
    Supervision supervision = supervision_of(options_);
    supervision.workers = std::min(jobs, files_.size());
    supervision.work = [this](WorkerChannel& channel) {
      return in_worker(channel, [&] { return work(channel); });
    };
    supervision.on_message = [this](std::string_view message) {
      if (failure_.hear(message)) return;
      Outcome outcome = from_bytes(message);
      if (outcome.done) ++finished_;
      outcomes_[outcome.file] = std::move(outcome);
      print_what_is_next();
    };
    supervision.on_end = [this](const WorkerReport& report) { return ended(report); };
    supervision.idle = [this] {
      if (progress_.due()) progress_.show(fmt::format("{} of {} tests", finished_, files_.size()));
    };
    supervise(supervision);
    progress_.clear();
    // Not all were begun.
    for (; printed_ < outcomes_.size(); ++printed_)
      if (outcomes_[printed_].done) print_one(outcomes_[printed_]);
  }

  const Counts& counts() const { return counts_; }
  int status() const { return status_; }

  std::string json() const {
    std::vector<std::string> results;
    for (const Outcome& outcome : outcomes_)
      if (outcome.done && !outcome.json.empty()) results.push_back(outcome.json);
    std::vector<report::LitmusFailure> failures;
    for (const Outcome& outcome : outcomes_)
      if (outcome.done && !outcome.answered && outcome.status != kExitVerified)
        failures.push_back({files_[outcome.file], outcome.status, outcome.complaint});
    return report::litmus_document(results, failures, FENCELINE_VERSION, failure_.for_json());
  }

 private:
  int work(WorkerChannel& channel) {
    LitmusWorker worker(options_, model_, channel);
    while (!interrupted()) {
      const size_t mine = next_.take();
      if (mine >= files_.size()) break;
      channel.send(to_bytes(worker.run_file(files_[mine], mine)));
    }
    return 0;
  }

  // A worker that was ended over a test is followed by another, if there are more.
  bool ended(const WorkerReport& report) {
    const bool finished = report.end == WorkerEnd::kFinished && report.status == 0;
    if (!finished && report.task.empty()) {
      status_ = std::max(status_, failure_.status_of(report));
      return false;
    }
    if (!finished) {
      Outcome& outcome = outcomes_[from_bytes(report.task).file];
      const auto reason = limit_of(report, options_);
      outcome.file = from_bytes(report.task).file;
      outcome.done = true;
      ++finished_;
      outcome.status = reason ? static_cast<int>(kExitUnknown) : failure_.status_of(report);
      outcome.complaint = fmt::format("{}: not complete: {}\n", files_[outcome.file],
                                      reason.value_or("the process that ran it has crashed"));
      if (!outcome.json.empty())
        outcome.json =
            report::litmus_result_not_complete(outcome.json, reason.value_or("crash"), report.seconds);
      print_what_is_next();
    }
    return !finished && next_.taken() < files_.size() && !interrupted();
  }

  void print_what_is_next() {
    for (; printed_ < outcomes_.size() && outcomes_[printed_].done; ++printed_) {
      progress_.clear();
      print_one(outcomes_[printed_]);
    }
  }

  void print_one(Outcome& outcome) {
    if (interrupted() && !outcome.answered) return;
    ++counts_.tests;
    print_error(outcome.complaint);
    // An unreadable file determines the exit status before a test that was too large.
    status_ = std::max(status_, outcome.status);
    if (outcome.status == kExitInput || outcome.status == kExitNoSuchFile) ++counts_.bad;
    if (outcome.status == kExitUnknown) ++counts_.not_complete;
    if (outcome.status == kExitBug) ++counts_.bugs;
    if (!outcome.answered) return;
    if (outcome.status == kExitVerified) ++(outcome.ok ? counts_.ok : counts_.no);
    if (options_.json != "-") print(outcome.block);
    outcome.block.clear();
  }

  const Options& options_;
  const MemoryModel* model_;
  const std::vector<std::string> files_;
  SharedCounter next_;
  std::vector<Outcome> outcomes_;
  WorkerFailure failure_;
  Progress progress_{isatty(STDERR_FILENO) != 0};
  Counts counts_;
  int status_ = kExitVerified;
  size_t printed_ = 0, finished_ = 0;
};

}  // namespace

int litmus_command(const CommandLine& line) {
  const Clock::time_point start = Clock::now();
  const Options& options = line.options;
  Models shelf(options.include_folders);
  const std::string& name = options.of<LitmusOptions>().model;
  const MemoryModel* model = name.empty() ? nullptr : &shelf.get(name);
  if (model != nullptr) axioms_of(*model);  // a table has none, which is no fault of any test
  std::vector<std::string> files = tests_of(line.files);
  const size_t count = files.size();
  std::optional<ResultFile> json = open_json(line);

  LitmusRun run(line, model, std::move(files));
  run.run();
  const Counts& counts = run.counts();
  if (count > 1)
    print_error(fmt::format("{}: {} Ok, {} No, {} not complete, {} bad{}; {:.2f} s\n",
                            counted(counts.tests, "test"), counts.ok, counts.no, counts.not_complete,
                            counts.bad,
                            counts.bugs > 0 ? fmt::format(", {} with an internal error", counts.bugs) : "",
                            seconds_since(start)));
  ignore_interrupts();
  if (json && (!interrupted() || json->is_standard_output())) json->write(run.json());
  return interrupted() ? status_of_interruption() : run.status();
}

}  // namespace fenceline::app
