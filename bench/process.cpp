// SPDX-License-Identifier: GPL-3.0-or-later
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <system_error>

namespace fenceline {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// `child(write_end)` runs in the new process and does not return.
ProcessResult run_child(const std::function<void(int)>& child, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::array<int, 2> ends{};
  // Closed on exec: a child that another thread starts meanwhile must not keep this pipe open.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  std::fflush(nullptr);
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    close(ends[0]);
    child(ends[1]);
    _exit(127);
  }
  close(ends[1]);
  ProcessResult result;
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::array<char, 4096> bytes{};
  for (;;) {
    if (!result.timed_out && seconds > 0 && elapsed() > seconds) {
      result.timed_out = true;
      kill(pid, SIGKILL);
    }
    pollfd waiting{ends[0], POLLIN, 0};
    if (poll(&waiting, 1, 100) <= 0) continue;
    const ssize_t count = read(ends[0], bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    result.output.append(bytes.data(), static_cast<size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0)
    if (errno != EINTR) fail("wait4");
  result.wall_seconds = elapsed();
  result.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  result.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace

ProcessResult run_command(const std::vector<std::string>& command, const std::string& directory,
                          double seconds) {
  // Made before the fork: after it, a child of a process with threads should not ask for memory.
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  return run_child(
      [&](int out) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) return;
        close(out);
        if (!directory.empty() && chdir(directory.c_str()) != 0) return;
        execvp(arguments[0], arguments.data());
      },
      seconds);
}

ProcessResult run_here(const std::function<std::string()>& work, double seconds) {
  return run_child(
      [&](int out) {
        int status = 0;
        std::string text;
        try {
          text = work();
        } catch (const std::exception& error) {
          text = error.what();
          status = 1;
        }
        for (size_t done = 0; done < text.size();) {
          const ssize_t count = write(out, text.data() + done, text.size() - done);
          if (count < 0 && errno != EINTR) _exit(1);
          if (count > 0) done += static_cast<size_t>(count);
        }
        _exit(status);
      },
      seconds);
}

bool installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace fenceline
