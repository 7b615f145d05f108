// SPDX-License-Identifier: GPL-3.0-or-later
//
// Files and folders that must be removed when the program ends, however it ends. A process that is killed
// removes nothing, so names are recorded in memory shared with its supervisor: before the file exists, until it
// has been removed or renamed.
#pragma once

#include <string>

namespace fenceline {

// Call once, before the first process is forked that is to share the notes. Without it nothing is noted.
void share_temporary_names();

// Removes what is noted and still there although the process that has noted it is not.
void remove_temporaries();

// A note, as long as it lives. It removes nothing.
class TemporaryName {
 public:
  explicit TemporaryName(std::string path);
  ~TemporaryName();
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  TemporaryName& operator=(TemporaryName&&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int slot_ = -1;  // none: it is not noted
};

// A name that no other call gives, in this process or in another: `prefix` and some letters and digits.
std::string unique_name(const std::string& prefix);

}  // namespace fenceline
