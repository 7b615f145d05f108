// SPDX-License-Identifier: GPL-3.0-or-later
//
// One line on stderr that updates, only when stderr is a terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace fenceline {

class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled) {}
  ~Progress() { clear(); }

  // Prefix of every line until the next call: which file, which model.
  void set_task(std::string task) { task_ = std::move(task); }
  bool due();                          // is it time for another line? cheap, at most five a second
  void show(const std::string& text);  // callable from any thread
  void clear();                        // clears the line
  void be_silent() { enabled_ = false; }

 private:
  bool enabled_;
  bool shown_ = false;
  std::string task_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

}  // namespace fenceline
