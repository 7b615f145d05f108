// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/progress.h"

#include <cstdio>

#include "env/terminal.h"

namespace fenceline {

bool Progress::due() {
  if (!enabled_) return false;
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(200);
  return true;
}

void Progress::show(const std::string& text) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  const std::string line = for_terminal(task_ + text, {utf8_locale(), false});
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace fenceline
