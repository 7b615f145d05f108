// SPDX-License-Identifier: GPL-3.0-or-later
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <utility>

#include "env/child_process.h"

namespace fenceline::bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// `work(write_end)` runs in the new process.
ProcessResult run_child(const std::function<void(int)>& work, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  ForkedChild child(work);
  ProcessResult result;
  while (!child.silent()) {
    if (!result.timed_out && seconds > 0 && elapsed() > seconds) {
      result.timed_out = true;
      kill(child.process(), SIGKILL);
    }
    pollfd waiting{child.file(), POLLIN, 0};
    if (poll(&waiting, 1, 100) > 0) child.listen();
  }
  const ProcessEnd end = child.wait();
  result.output = std::move(child.heard());
  result.wall_seconds = elapsed();
  result.cpu_seconds = seconds_of(end.used.ru_utime) + seconds_of(end.used.ru_stime);
  result.peak_mb = static_cast<double>(end.used.ru_maxrss) / 1024;
  result.status = end.signal == 0 ? end.status : 128 + end.signal;
  return result;
}

}  // namespace

ProcessResult run_command(const std::vector<std::string>& command, const std::string& directory,
                          double seconds) {
  // Made before the fork: after it, a child of a process with threads should not allocate memory.
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  return run_child(
      [&](int out) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0 &&
            (directory.empty() || chdir(directory.c_str()) == 0))
          execvp(arguments[0], arguments.data());
        _exit(127);
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
        write_all(out, text);
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

}  // namespace fenceline::bench
