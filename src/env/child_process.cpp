// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

#include "env/errors.h"

namespace fenceline {

// ---- Pipes

Pipe::Pipe() {
  if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw Unsupported("no pipe to a child process can be created");
}

Pipe::~Pipe() {
  close_reader();
  close_writer();
}

Pipe::Pipe(Pipe&& other) noexcept : ends_(std::exchange(other.ends_, {-1, -1})) {}

void Pipe::close_end(size_t end) {
  if (ends_[end] >= 0) close(std::exchange(ends_[end], -1));
}

bool read_some(int file, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(file, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
}

// ---- Processes

ProcessEnd wait_for(pid_t process) {
  ProcessEnd end;
  int status = 0;
  while (wait4(process, &status, 0, &end.used) < 0)
    if (errno != EINTR) return end;
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

clockid_t clock_of(pid_t process) {
  clockid_t clock{};
  return clock_getcpuclockid(process, &clock) == 0 ? clock : clockid_t{-1};
}

double processor_seconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

namespace {

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it was too late for that
}

// Nothing that is thrown may come back into what was copied with the process.
[[noreturn]] void be_child(pid_t parent, int file, const std::function<void(int)>& work) noexcept {
  die_with(parent);
  work(file);
  _exit(0);
}

}  // namespace

ForkedChild::ForkedChild(const std::function<void(int)>& work) {
  std::fflush(stdout);  // or the child could write it as well
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) be_child(parent, pipe_.to_write(), work);
  if (process_ < 0) throw Unsupported("no further process can be started");
  pipe_.close_writer();
}

std::optional<ForkedChild> ForkedChild::split(int& file) {
  std::fflush(stdout);
  ForkedChild child;
  const pid_t parent = getpid();
  child.process_ = fork();
  if (child.process_ < 0) throw Unsupported("no further process can be started");
  if (child.process_ > 0) {
    child.pipe_.close_writer();
    return child;
  }
  die_with(parent);
  child.process_ = -1;  // it is this one
  file = dup(child.pipe_.to_write());
  return std::nullopt;
}

void ForkedChild::end_child() { _exit(0); }

ForkedChild::~ForkedChild() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  wait();
}

ForkedChild::ForkedChild(ForkedChild&& other) noexcept
    : pipe_(std::move(other.pipe_)),
      process_(std::exchange(other.process_, -1)),
      heard_(std::move(other.heard_)) {}

void ForkedChild::listen() {
  if (!read_some(file(), heard_)) pipe_.close_reader();
}

ProcessEnd ForkedChild::wait() { return wait_for(std::exchange(process_, -1)); }

}  // namespace fenceline
