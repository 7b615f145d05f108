// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/supervised.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "app/exit_status.h"
#include "app/failure.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "env/bytes.h"
#include "env/errors.h"
#include "env/limits.h"

namespace fenceline::app {
namespace {

constexpr char kFailed = '!';  // no other message begins like this

template <class Some, class Carrier>
void carry_failure(Some& failure, Carrier& carrier) {
  carrier(failure.status);
  carrier(failure.message);
}

}  // namespace

Supervision supervision_of(const Options& options) {
  Supervision supervision;
  if (options.memory_mb != 0) supervision.memory_bytes = std::max(options.memory_mb << 20, kLeastTotalMemory);
  supervision.threads = options.jobs;
  supervision.stops_wanted = interrupts;
  return supervision;
}

int in_worker(WorkerChannel& channel, const std::function<int()>& work) {
  try {
    const int status = work();
    finish_printing();
    return status;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  } catch (...) {
    const Failure failure = failure_at_hand();
    print_error(failure.message);
    const report::JsonFailure sent{failure.status, failure.message};
    ByteWriter writer;
    writer(kFailed);
    carry_failure(sent, writer);
    channel.send(writer.bytes);
    return failure.status;
  }
}

std::optional<std::string> limit_of(const WorkerReport& report, const Options& options) {
  const Limits limits(options.timeout, options.memory_mb << 20);
  switch (report.end) {
    case WorkerEnd::kTime:
      return limits.describe(LimitReached::kTime);
    case WorkerEnd::kMemory:
      return limits.describe(LimitReached::kMemory);
    case WorkerEnd::kInterrupt:
      return limits.describe(LimitReached::kInterrupt);
    case WorkerEnd::kFinished:
      if (report.status == kOutOfMemory) return limits.describe(LimitReached::kMemory);
      return std::nullopt;
    case WorkerEnd::kCrash:
      break;
  }
  return std::nullopt;
}

IsolatedResult run_isolated(const Options& options, const std::function<std::string()>& work) {
  std::optional<std::string> answer;
  Supervision supervision = supervision_of(options);
  // Of this process and of its copy only what they come to hold in addition.
  if (options.memory_mb != 0) supervision.memory_bytes = (options.memory_mb << 20) + 2 * resident_bytes();
  supervision.work = [&](WorkerChannel& channel) {
    channel.begin("", options.timeout);
    try {
      channel.send("+" + work());
      return 0;
    } catch (const std::bad_alloc&) {
      return kOutOfMemory;
    } catch (const std::exception& thrown) {
      channel.send(std::string("-") + thrown.what());
      return static_cast<int>(kExitBug);
    }
  };
  std::string thrown;
  supervision.on_message = [&](std::string_view message) {
    (message.front() == '+' ? answer.emplace() : thrown) = message.substr(1);
  };
  WorkerReport end;
  supervision.on_end = [&](const WorkerReport& report) {
    end = report;
    return false;
  };
  supervise(supervision);
  if (const auto limit = limit_of(end, options)) return {std::nullopt, *limit};
  if (end.end == WorkerEnd::kCrash) throw Bug("a worker process has crashed");
  if (!answer) throw Bug("in a worker process: " + thrown);
  return {std::move(answer), ""};
}

void clear_progress(const Options& options) {
  if (!options.quiet && isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
}

bool WorkerFailure::hear(std::string_view message) {
  if (!message.starts_with(kFailed)) return false;
  ByteReader reader(message.substr(1));
  carry_failure(failure_.emplace(), reader);
  return true;
}

int WorkerFailure::give_up(const std::string& reason) {
  failure_ = report::JsonFailure{kExitUnknown, fmt::format("fenceline: {}\n", reason)};
  print_error(failure_->message);
  return kExitUnknown;
}

int WorkerFailure::status_of(const WorkerReport& report) {
  if (report.end != WorkerEnd::kCrash) return report.status;
  if (report.signal == SIGPIPE) return 128 + SIGPIPE;  // the reader has closed the pipe, as `| head` does
  failure_ = report::JsonFailure{
      kExitBug,
      report.signal == 0
          ? std::string("fenceline: this is a bug: a worker process ended in the middle of its work\n")
          : fmt::format("fenceline: this is a bug: a worker process was ended by signal {} ({})\n",
                        report.signal, strsignal(report.signal))};
  print_error(failure_->message +
              "No verdict can be given. Please report it with the input, the options and "
              "`fenceline --version`.\n");
  return kExitBug;
}

}  // namespace fenceline::app
