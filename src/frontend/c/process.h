// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/temporary.h"

namespace fenceline::frontend::c {

struct Finished {
  bool started = false;   // false: there is no such program
  bool too_long = false;  // it was ended because it took more time than it had
  int status = -1;        // what it returned; -1: a signal ended it
  int signal = 0;         // which one
  std::string out, err;
  rusage used{};  // by it, and by what it has started and waited for
};

// Runs a program found on the search path, without a shell, with `input` as its standard input, for so many
// seconds at most. It is ended with all that it has started: they are a process group of their own. Each of them may
// have so many bytes of addresses; 0: no limit.
inline constexpr uint64_t kCompilerBytes = uint64_t{8} << 30;
Finished run_program(const std::vector<std::string>& command, const std::string& input, double seconds,
                     uint64_t address_bytes = kCompilerBytes);

// A folder that is there as long as this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return name_->path(); }
  void write(const std::string& name, const std::string& text) const;

 private:
  std::optional<TemporaryName> name_;
};

}  // namespace fenceline::frontend::c
