// SPDX-License-Identifier: GPL-3.0-or-later
//
// Enforces limits from outside. What an engine, a compiler or a library does between two polls of its limits is
// not known, so the work is done in a process of its own, and this one supervises it: it ends the worker, with
// all that the worker has started, when its time is over or when the memory of all its processes together
// reaches the limit. The polls of Limits stay: an engine that stops by itself can say how far it has come.
//
// A worker does one task after the other and reports when one begins. After a worker was ended, another can be
// started that continues with the next task: a copy of this process, which has all messages so far.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fenceline {

// The worker's side.
class WorkerChannel {
 public:
  explicit WorkerChannel(int pipe) : pipe_(pipe) {}

  // The worker now does `task`, for at most so many seconds; <= 0: no limit. The text is for the supervisor,
  // and comes back in WorkerReport.
  void begin(std::string_view task, double seconds);
  void send(std::string_view message);  // not more than 4 GiB

 private:
  friend class Worker;
  void send(char kind, std::string_view text);
  int pipe_;
};

enum class WorkerEnd : uint8_t {
  kFinished,  // it returned
  kTime,      // the task took longer than it may
  kMemory,    // the worker and what it has started exceeded the memory limit, or the system ran out of memory
  kInterrupt,  // the user interrupted, and it did not end by itself
  kCrash,
};

struct WorkerReport {
  WorkerEnd end = WorkerEnd::kFinished;
  int status = 0;      // kFinished: what the work returned
  int signal = 0;      // kCrash: by which it was ended; 0: it exited in the middle of its work
  std::string task;    // the last one that it has begun
  double seconds = 0;  // since then
};

struct Supervision {
  size_t workers = 1;         // at the same time
  uint64_t memory_bytes = 0;  // of each worker with what it starts, and of this process; 0: see Limits
  uint64_t threads = 1;       // that a worker may start: their stacks are reserved, but hardly used

  // In the worker. What it returns is WorkerReport::status. It must not throw.
  std::function<int(WorkerChannel&)> work;
  // In the supervisor, in the order in which workers send messages and end. True: start another worker in its
  // place.
  std::function<void(std::string_view message)> on_message;
  std::function<bool(const WorkerReport&)> on_end;
  // How often the user has interrupted (signals). The first request is passed on to the workers, which have
  // a second to end; with the second they are ended at once.
  std::function<unsigned()> stops_wanted = [] { return 0U; };
  std::function<void()> idle = [] {};  // now and then
};

// Returns when no worker is left; no process that they started is either. Precondition: no other thread runs
// here.
void supervise(const Supervision& supervision);

// In a worker: what the process that supervises it holds, which counts as well. Elsewhere 0.
uint64_t supervisor_bytes();

}  // namespace fenceline
