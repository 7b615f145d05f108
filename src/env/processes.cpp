// SPDX-License-Identifier: GPL-3.0-or-later
//
// A child sends one byte that says how it ended, and then its message.
#include "env/processes.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "env/child_process.h"
#include "env/errors.h"

namespace fenceline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kDone = '+', kThrown = '!';
constexpr int kPollMilliseconds = 50;
// Children poll the same limits and end on their own; those that do not within this time are killed.
constexpr std::chrono::seconds kGrace{2};

void do_work(int file, const std::function<std::string()>& work) {
  try {
    write_all(file, kDone + work());
  } catch (const std::exception& thrown) {
    write_all(file, kThrown + std::string(thrown.what()));
  }
}

// Precondition: the child is silent.
std::optional<std::string> answer_of(ForkedChild& child) {
  // If it was killed in the middle of a message, the message is dropped.
  const std::string& message = child.heard();
  if (child.wait().status != 0 || message.empty()) return std::nullopt;
  const std::string text = message.substr(1);
  if (message.front() == kThrown) throw Bug("in a process of its own: " + text);
  return text;
}

}  // namespace

std::vector<std::optional<std::string>> in_processes(size_t count,
                                                     const std::function<std::string(size_t)>& work,
                                                     Limits& limits) {
  std::vector<ForkedChild> children;
  children.reserve(count);
  for (size_t i = 0; i < count; ++i)
    children.emplace_back([&](int file) { do_work(file, [&] { return work(i); }); });
  std::optional<Clock::time_point> end;
  const auto running = [](const ForkedChild& child) { return !child.silent(); };
  while (std::any_of(children.begin(), children.end(), running)) {
    if (!end && limits.poll() != LimitReached::kNone) end = Clock::now() + kGrace;
    if (end && Clock::now() > *end) break;
    std::vector<pollfd> wanted;
    wanted.reserve(count);
    for (const ForkedChild& child : children) wanted.push_back({child.file(), POLLIN, 0});
    if (poll(wanted.data(), wanted.size(), kPollMilliseconds) <= 0) continue;
    for (size_t i = 0; i < count; ++i)
      if (wanted[i].revents != 0) children[i].listen();
  }
  std::vector<std::optional<std::string>> answers;
  answers.reserve(count);
  for (ForkedChild& child : children) answers.push_back(child.silent() ? answer_of(child) : std::nullopt);
  return answers;
}

}  // namespace fenceline
