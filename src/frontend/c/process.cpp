// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "env/child_process.h"
#include "env/errors.h"

extern char** environ;

namespace fenceline::frontend::c {
namespace {

using Clock = std::chrono::steady_clock;

// False if there is no time left.
bool talk(Pipe& in, Pipe& out, Pipe& err, const std::string& input, Clock::time_point end,
          Finished& finished) {
  size_t written = 0;
  if (input.empty()) in.close_writer();
  while (in.to_write() >= 0 || out.to_read() >= 0 || err.to_read() >= 0) {
    std::array<pollfd, 3> wanted = {
        {{in.to_write(), POLLOUT, 0}, {out.to_read(), POLLIN, 0}, {err.to_read(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    const int ready =
        poll(wanted.data(), wanted.size(), static_cast<int>(std::min<int64_t>(left, 1'000'000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    if (wanted[0].revents != 0) {
      const ssize_t count = write(in.to_write(), input.data() + written, input.size() - written);
      if (count > 0) written += static_cast<size_t>(count);
      if (written == input.size() || (count < 0 && errno != EINTR)) in.close_writer();
    }
    if (wanted[1].revents != 0 && !read_some(out.to_read(), finished.out)) out.close_reader();
    if (wanted[2].revents != 0 && !read_some(err.to_read(), finished.err)) err.close_reader();
  }
  return true;
}

// What a program may use even if no process is left to end it.
void limit(pid_t child, double seconds, uint64_t address_bytes) {
  const auto time = static_cast<rlim_t>(seconds) + 2;
  const rlimit cpu{time, time + 1};
  prlimit(child, RLIMIT_CPU, &cpu, nullptr);
  if (address_bytes == 0) return;
  const rlimit memory{address_bytes, address_bytes};
  prlimit(child, RLIMIT_AS, &memory, nullptr);
}

// While it lives, what this process may use is no limit for those that it starts: the memory of all of them
// together is supervised from outside.
class NoDataLimit {
 public:
  NoDataLimit() : known_(getrlimit(RLIMIT_DATA, &before_) == 0) {
    rlimit none = before_;
    none.rlim_cur = none.rlim_max;
    if (known_) setrlimit(RLIMIT_DATA, &none);
  }
  ~NoDataLimit() {
    if (known_) setrlimit(RLIMIT_DATA, &before_);
  }
  NoDataLimit(const NoDataLimit&) = delete;
  NoDataLimit& operator=(const NoDataLimit&) = delete;

 private:
  rlimit before_{};
  bool known_;
};

// The number of the process, or none.
std::optional<pid_t> start(const std::vector<std::string>& command, const Pipe& in, const Pipe& out,
                           const Pipe& err) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.to_read(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.to_write(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.to_write(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const NoDataLimit unlimited;
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return std::nullopt;
  return child;
}

}  // namespace

Finished run_program(const std::vector<std::string>& command, const std::string& input, double seconds,
                     uint64_t address_bytes) {
  Pipe in, out, err;
  const std::optional<pid_t> child = start(command, in, out, err);
  Finished finished;
  if (!child) return finished;
  limit(*child, seconds, address_bytes);
  in.close_reader();
  out.close_writer();
  err.close_writer();
  // A program that does not read its input must not end this process (SIGPIPE).
  using Handler = void (*)(int);
  const Handler before = std::signal(SIGPIPE, SIG_IGN);
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  finished.too_long = !talk(in, out, err, input, end, finished);
  if (finished.too_long) kill(-*child, SIGKILL);
  std::signal(SIGPIPE, before);
  const ProcessEnd ended = wait_for(*child);
  finished.started = ended.status != 127;
  finished.status = ended.status;
  finished.signal = ended.signal;
  finished.used = ended.used;
  return finished;
}

// The name is recorded before the folder is created.
TemporaryFolder::TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::path base = std::filesystem::temp_directory_path(ignored);
  if (ignored) base = "/tmp";
  for (int tries = 0; tries < 100; ++tries) {
    name_.emplace(unique_name((base / "fenceline-").string()));
    if (mkdir(name_->path().c_str(), 0700) == 0) return;
    name_.reset();
    if (errno != EEXIST) break;
  }
  throw Unsupported("cannot make a folder for temporary files in " + base.string());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path(), ignored);
}

void TemporaryFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = std::filesystem::path(this->path()) / name;
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Unsupported("cannot write temporary files to " + this->path());
}

}  // namespace fenceline::frontend::c
