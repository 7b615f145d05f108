// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the program says on standard output, and where else results go. An answer that could not be written
// down must not look like one: a full disk is a failure, not `verified`.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace fenceline {

void print(std::string_view text);

// Precondition: nothing is printed afterwards. Throws UsageError if anything printed so far could not be
// written.
void finish_printing();

// A result file that is opened before the work begins, so that a path that cannot be written is known at
// once.
class ResultFile {
 public:
  explicit ResultFile(std::string path);  // "-": standard output. Throws UsageError.
  void write(std::string_view text);      // once. Throws UsageError.

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;  // none: standard output
};

}  // namespace fenceline
