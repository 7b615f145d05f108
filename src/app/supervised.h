// SPDX-License-Identifier: GPL-3.0-or-later
//
// What commands share that do their work in a supervised process (env/supervisor.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "env/options.h"
#include "env/supervisor.h"
#include "report/report.h"

namespace fenceline::app {

// Returned by a worker that another one has to continue, since it holds memory that it cannot release.
inline constexpr int kFreshWorker = -1;
// Returned by a worker that ran out of memory.
inline constexpr int kOutOfMemory = -2;

// What the processes need by themselves, with some slack. A memory limit above this is one on all processes
// together; a smaller one is a limit on what an engine holds.
#ifdef __SANITIZE_ADDRESS__
inline constexpr uint64_t kLeastTotalMemory = uint64_t{2} << 30;  // with the sanitizer's own
#else
inline constexpr uint64_t kLeastTotalMemory = uint64_t{56} << 20;
#endif

// With the limits of the options, and the user's signals.
Supervision supervision_of(const Options& options);

// Does the work. What it throws becomes a message on standard error, a message to the supervisor, and the
// exit status that is returned.
int in_worker(WorkerChannel& channel, const std::function<int()>& work);

// Why there is no answer, if the worker was ended by a limit or by the user, or ran out of memory.
std::optional<std::string> limit_of(const WorkerReport& report, const Options& options);

// Runs the work in a process of its own within the limits of the options. Returns its result, or which limit
// was reached. Throws Bug for a crash, and for what the work throws.
struct IsolatedResult {
  std::optional<std::string> answer;
  std::string limit;  // if there is no answer
};
IsolatedResult run_isolated(const Options& options, const std::function<std::string()>& work);

// Clears the progress line of a worker that was ended.
void clear_progress(const Options& options);

// What a worker has failed with.
class WorkerFailure {
 public:
  // True if the message was about a failure.
  bool hear(std::string_view message);
  // The exit status. A crash is a bug of ours; it is reported here, since the worker could not do it.
  int status_of(const WorkerReport& report);
  // No answer at all, because of a limit: reports it, and returns the exit status.
  int give_up(const std::string& reason);
  std::optional<report::JsonFailure> for_json() const { return failure_; }

 private:
  std::optional<report::JsonFailure> failure_;
};

}  // namespace fenceline::app
