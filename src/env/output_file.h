// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file with a result, all of it or nothing: it is written under a temporary name in the same folder and
// renamed when it is complete. Until then what was there before is untouched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "env/temporary.h"

namespace fenceline {

class OutputFile {
 public:
  // Opens it, so that a path that cannot be written is known at once. Throws UsageError.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::string_view text);  // Throws UsageError.
  void publish();                     // once, when all is written. Throws UsageError.

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;                        // as given by the user
  std::string target_;                      // the file itself, where `path_` is a symbolic link
  std::optional<TemporaryName> temporary_;  // none: it is written where it is (a device, a pipe)
  int file_ = -1;
};

// For files that a worker writes, at any time and perhaps more than once: it gets a path in a temporary
// folder beside them, and what lies there in the end takes their place.
class StagedOutput {
 public:
  explicit StagedOutput(std::string path);  // Throws UsageError.
  ~StagedOutput();
  StagedOutput(const StagedOutput&) = delete;
  StagedOutput& operator=(const StagedOutput&) = delete;

  // Where to write; files beside it whose names continue its name come along.
  const std::string& path() const { return staged_; }
  void publish();  // Throws UsageError.

 private:
  std::string path_, target_, staged_;
  std::optional<TemporaryName> folder_;  // none: it is written where it is (a device, a pipe)
};

// Replaces the text of a file of the user's. The file stays the one it was: its owner, its mode, and the
// names and links that lead to it. Throws UsageError, also if the file is read-only.
void replace_text(const std::string& path, std::string_view text);

}  // namespace fenceline
