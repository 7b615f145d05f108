// SPDX-License-Identifier: GPL-3.0-or-later
//
// A child writes into a pipe: one byte that says how it went, and then what it has to say. It ends without
// any of the duties of a process that ends (what is in buffers of files belongs to the parent), and it does
// not outlive its parent.
#include "env/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <utility>

#include "env/errors.h"

namespace fenceline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kDone = '+', kThrown = '!';
constexpr int kPollMilliseconds = 50;
// Children poll the same limits and end on their own; those that do not within this time are killed.
constexpr std::chrono::seconds kGrace{2};

void write_all(int pipe, const std::string& text) {
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = write(pipe, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) written += static_cast<size_t>(count);
  }
}

[[noreturn]] void be_a_child(int pipe, pid_t parent, const std::function<std::string()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it was too late for that
  try {
    write_all(pipe, kDone + work());
  } catch (const std::exception& thrown) {
    write_all(pipe, kThrown + std::string(thrown.what()));
  }
  _exit(0);
}

class Child {
 public:
  explicit Child(const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Unsupported("there are no pipes left to talk to a process");
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) be_a_child(ends[1], parent, work);
    close(ends[1]);
    pipe_ = ends[0];
    if (process_ < 0) {
      close(pipe_);
      throw Unsupported("no further process can be started");
    }
  }
  ~Child() {
    if (pipe_ >= 0) close(pipe_);
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(Child&& other) noexcept
      : process_(std::exchange(other.process_, -1)),
        pipe_(std::exchange(other.pipe_, -1)),
        said_(std::move(other.said_)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child& operator=(Child&&) = delete;

  int pipe() const { return pipe_; }
  bool ended() const { return pipe_ < 0; }

  void listen() {
    std::array<char, 65536> buffer;
    const ssize_t count = read(pipe_, buffer.data(), buffer.size());
    if (count > 0) {
      said_.append(buffer.data(), static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      close(pipe_);
      pipe_ = -1;
    }
  }

  // Precondition: ended().
  std::optional<std::string> answer() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    // If it was killed in the middle of a sentence, the sentence means nothing.
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || said_.empty()) return std::nullopt;
    const std::string text = said_.substr(1);
    if (said_.front() == kThrown) throw Bug("in a process of its own: " + text);
    return text;
  }

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string said_;
};

}  // namespace

std::vector<std::optional<std::string>> in_processes(size_t count,
                                                     const std::function<std::string(size_t)>& work,
                                                     Limits& limits) {
  std::vector<Child> children;
  children.reserve(count);
  for (size_t i = 0; i < count; ++i) children.emplace_back([&] { return work(i); });
  std::optional<Clock::time_point> end;
  const auto running = [](const Child& child) { return !child.ended(); };
  while (std::any_of(children.begin(), children.end(), running)) {
    if (!end && limits.poll() != LimitReached::kNone) end = Clock::now() + kGrace;
    if (end && Clock::now() > *end) break;
    std::vector<pollfd> wanted;
    wanted.reserve(count);
    for (const Child& child : children) wanted.push_back({child.pipe(), POLLIN, 0});
    if (poll(wanted.data(), wanted.size(), kPollMilliseconds) <= 0) continue;
    for (size_t i = 0; i < count; ++i)
      if (wanted[i].revents != 0) children[i].listen();
  }
  std::vector<std::optional<std::string>> answers;
  answers.reserve(count);
  for (Child& child : children) answers.push_back(child.ended() ? child.answer() : std::nullopt);
  return answers;
}

}  // namespace fenceline
