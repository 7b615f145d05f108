// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace fenceline::c {

struct Finished {
  bool started = false;   // false: there is no such program
  bool too_long = false;  // it was ended because it took more time than it had
  int status = -1;        // what it returned; -1: a signal ended it
  std::string out, err;
};

// Runs a program found on the search path, without a shell, with `input` as its standard input, for so many
// seconds at most.
Finished run_program(const std::vector<std::string>& command, const std::string& input, double seconds);

// A folder that is there as long as this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace fenceline::c
