// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory is polled more often the nearer it is to the limit: a process can touch new pages at a few gigabytes a
// second. Where that is not fast enough, the kernel denies allocation (RLIMIT_DATA), and the worker runs out of
// memory.
//
// The processes of a worker are found through the kernel, not through process groups: a program that the worker
// starts may make a group of its own. A process that loses its parent becomes a child of this process
// (PR_SET_CHILD_SUBREAPER), so none is missed.
#include "env/supervisor.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "env/bytes.h"
#include "env/child_process.h"
#include "env/limits.h"
#include "env/temporary.h"

namespace fenceline {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr char kBegin = 'b', kMessage = 't', kReturn = 'r';
// Engines poll the same limits and end by themselves, if they poll.
constexpr milliseconds kGrace{500};
constexpr milliseconds kGraceAfterStop{1000};
constexpr milliseconds kShortestWait{2}, kLongestWait{50};
constexpr uint64_t kBytesPerMillisecond = 4'000'000;  // as fast as memory can grow, more or less
constexpr uint64_t kStackBytes = (uint64_t{8} << 20) + (uint64_t{1} << 16);

uint64_t bytes_of_supervisor = 0;  // set in workers

// ---- Processes, as the kernel reports them

struct Pages {
  uint64_t resident = 0, data = 0;  // bytes
};

Pages pages_of(pid_t process) {
  Pages pages;
  std::FILE* file = std::fopen(fmt::format("/proc/{}/statm", process).c_str(), "re");
  if (file == nullptr) return pages;
  unsigned long total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  if (std::fscanf(file, "%lu %lu %lu %lu %lu %lu", &total, &resident, &shared, &text, &library, &data) == 6) {
    const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    pages = {resident * size, data * size};
  }
  std::fclose(file);
  return pages;
}

void add_children(pid_t process, std::vector<pid_t>& children) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  DIR* folder = opendir(tasks.c_str());
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::FILE* file = std::fopen(fmt::format("{}/{}/children", tasks, entry->d_name).c_str(), "re");
    if (file == nullptr) continue;
    for (int child = 0; std::fscanf(file, "%d", &child) == 1;) children.push_back(child);
    std::fclose(file);
  }
  closedir(folder);
}

// The process and all below it.
std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> processes = {process};
  for (size_t i = 0; i < processes.size(); ++i) add_children(processes[i], processes);
  return processes;
}

}  // namespace

// ---- The worker's side

void WorkerChannel::send(char kind, std::string_view text) {
  ByteWriter writer;
  writer(kind);
  writer(static_cast<uint32_t>(text.size()));
  writer.bytes += text;
  write_all(pipe_, writer.bytes);  // if that fails, there is no supervisor any more, and soon no worker
}

// The worker sends when it began, and all processes have the same clock: a message that is read late does not
// give it more time.
void WorkerChannel::begin(std::string_view task, double seconds) {
  ByteWriter writer;
  writer(int64_t{Clock::now().time_since_epoch().count()});
  writer(seconds);
  writer(std::string(task));
  send(kBegin, writer.bytes);
}

void WorkerChannel::send(std::string_view message) { send(kMessage, message); }

uint64_t supervisor_bytes() { return bytes_of_supervisor; }

// ---- Here

class Worker {
 public:
  Worker(const Supervision& supervision, uint64_t memory_bytes)
      : supervision_(supervision),
        memory_bytes_(memory_bytes),
        child_([this](int pipe) { be_worker(pipe); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int pipe() const { return child_.file(); }
  bool silent() const { return child_.silent(); }

  void listen();
  // Looks at the limits: why the worker is to be ended, if it is.
  std::optional<WorkerEnd> over_limit(uint64_t own_bytes);
  bool too_late() const { return deadline_ && Clock::now() >= *deadline_; }
  // How long it may run until the next check.
  milliseconds patience() const;
  void pass_on_stop() const { kill(child_.process(), SIGINT); }
  // Ends it, if it has not ended by itself.
  WorkerReport end(std::optional<WorkerEnd> why);

 private:
  void be_worker(int pipe) const;
  void understand();

  const Supervision& supervision_;
  const uint64_t memory_bytes_;
  std::optional<int> returned_;
  std::string task_;
  Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> deadline_;
  uint64_t held_ = 0, most_held_ = 0, most_data_ = 0;
  ForkedChild child_;  // the last one: it has a copy of the others

  // Memory that sanitizers reserve is no measure of anything.
  bool is_plausible(uint64_t data) const { return data < memory_bytes_ + (uint64_t{1} << 32); }
};

void Worker::be_worker(int pipe) const {
  bytes_of_supervisor = pages_of(getppid()).resident;
  const Pages now = pages_of(getpid());
  rlimit data{};
  const uint64_t taken = now.resident + bytes_of_supervisor;
  if (memory_bytes_ > taken && is_plausible(now.data) && getrlimit(RLIMIT_DATA, &data) == 0) {
    const rlim_t most = now.data + (memory_bytes_ - taken) + supervision_.threads * kStackBytes;
    data.rlim_cur = std::min(data.rlim_max, most);
    setrlimit(RLIMIT_DATA, &data);
  }
  WorkerChannel channel(pipe);
  const int status = supervision_.work(channel);
  std::fflush(stdout);
  ByteWriter writer;
  writer(status);
  channel.send(kReturn, writer.bytes);
}

void Worker::listen() {
  child_.listen();
  understand();
}

void Worker::understand() {
  std::string& heard = child_.heard();
  uint32_t size = 0;
  constexpr size_t kHead = 1 + sizeof size;
  size_t at = 0;
  for (;; at += kHead + size) {
    if (heard.size() - at < kHead) break;
    ByteReader head(std::string_view(heard).substr(at + 1));
    head(size);
    if (heard.size() - at - kHead < size) break;
    const std::string_view text = std::string_view(heard).substr(at + kHead, size);
    if (heard[at] == kMessage) {
      supervision_.on_message(text);
    } else if (heard[at] == kReturn) {
      ByteReader reader(text);
      reader(returned_.emplace());
    } else {
      int64_t begun = 0;
      double seconds = 0;
      ByteReader reader(text);
      reader(begun);
      reader(seconds);
      reader(task_);
      begun_ = Clock::time_point(Clock::duration(begun));
      deadline_.reset();
      if (seconds > 0)
        deadline_ = begun_ + kGrace +
                    std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    }
  }
  heard.erase(0, at);
}

std::optional<WorkerEnd> Worker::over_limit(uint64_t own_bytes) {
  held_ = own_bytes;
  for (const pid_t process : descendants_of(child_.process())) {
    const Pages pages = pages_of(process);
    held_ += pages.resident;
    if (process == child_.process() && is_plausible(pages.data))
      most_data_ = std::max(most_data_, pages.data);
  }
  most_held_ = std::max(most_held_, held_);
  if (held_ > memory_bytes_) return WorkerEnd::kMemory;
  if (too_late()) return WorkerEnd::kTime;
  return std::nullopt;
}

milliseconds Worker::patience() const {
  const uint64_t room = memory_bytes_ > held_ ? memory_bytes_ - held_ : 0;
  auto wait = std::clamp(milliseconds(room / kBytesPerMillisecond), kShortestWait, kLongestWait);
  if (deadline_)
    wait = std::clamp(std::chrono::ceil<milliseconds>(*deadline_ - Clock::now()), milliseconds(0), wait);
  return wait;
}

WorkerReport Worker::end(std::optional<WorkerEnd> why) {
  WorkerReport report;
  report.task = task_;
  report.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  // Also processes that outlive the worker: a compiler that it has not waited for.
  const std::vector<pid_t> processes = descendants_of(child_.process());
  if (why)
    for (const pid_t process : processes) kill(process, SIGKILL);
  const ProcessEnd ended = child_.wait();
  for (size_t i = 1; i < processes.size(); ++i) {
    kill(processes[i], SIGKILL);
    wait_for(processes[i]);  // a child of ours by now
  }
  if (returned_) {
    report.status = *returned_;
    return report;
  }
  if (why) {
    report.end = *why;
    return report;
  }
  report.signal = ended.signal;
  // Some libraries abort when they get no memory. And it is for want of memory that the system kills.
  const uint64_t peak = std::max(most_held_, static_cast<uint64_t>(ended.used.ru_maxrss) * 1024);
  const bool out_of_memory =
      report.signal == SIGKILL || peak > memory_bytes_ / 4 * 3 || most_data_ > memory_bytes_ / 4 * 3;
  report.end = report.signal != 0 && out_of_memory ? WorkerEnd::kMemory : WorkerEnd::kCrash;
  return report;
}

namespace {

// Messages sent before count: it may have begun another task in time.
void drain_messages(Worker& worker, std::optional<WorkerEnd>& why) {
  while (!worker.silent()) {
    pollfd left{worker.pipe(), POLLIN, 0};
    if (poll(&left, 1, 0) <= 0) break;
    worker.listen();
  }
  if (why == WorkerEnd::kTime && !worker.too_late()) why.reset();
}

// No process is left that could have started it, but it may have been started just then.
void end_what_is_left() {
  const std::vector<pid_t> left = descendants_of(getpid());
  for (size_t i = 1; i < left.size(); ++i) {
    kill(left[i], SIGKILL);
    wait_for(left[i]);
  }
}

}  // namespace

void supervise(const Supervision& supervision) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const uint64_t memory = supervision.memory_bytes != 0 ? supervision.memory_bytes : most_memory_bytes();
  std::deque<Worker> workers;
  for (size_t i = 0; i < supervision.workers; ++i) workers.emplace_back(supervision, memory);
  std::vector<Worker*> running;
  for (Worker& worker : workers) running.push_back(&worker);
  std::optional<Clock::time_point> end_of_patience;
  while (!running.empty()) {
    if (!end_of_patience && supervision.stops_wanted() > 0) {
      end_of_patience = Clock::now() + kGraceAfterStop;
      for (const Worker* worker : running) worker->pass_on_stop();
    }
    const bool no_patience =
        end_of_patience && (Clock::now() >= *end_of_patience || supervision.stops_wanted() > 1);
    const uint64_t own_bytes = resident_bytes();
    std::vector<Worker*> still;
    milliseconds wait = kLongestWait;
    for (Worker* worker : running) {
      std::optional<WorkerEnd> why;
      if (no_patience)
        why = WorkerEnd::kInterrupt;
      else if (!worker->silent())
        why = worker->over_limit(own_bytes);
      if (why) drain_messages(*worker, why);
      if (why || worker->silent()) {
        const bool again = supervision.on_end(worker->end(why)) && supervision.stops_wanted() == 0;
        if (again) still.push_back(&workers.emplace_back(supervision, memory));
      } else {
        still.push_back(worker);
        wait = std::min(wait, worker->patience());
      }
    }
    running = std::move(still);
    if (running.empty()) break;
    std::vector<pollfd> wanted;
    for (const Worker* worker : running) wanted.push_back({worker->pipe(), POLLIN, 0});
    if (poll(wanted.data(), wanted.size(), static_cast<int>(wait.count())) > 0)
      for (size_t i = 0; i < running.size(); ++i)
        if (wanted[i].revents != 0) running[i]->listen();
    supervision.idle();
  }
  end_what_is_left();
  remove_temporaries();
}

}  // namespace fenceline
