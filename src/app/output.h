// SPDX-License-Identifier: GPL-3.0-or-later
//
// Standard output and result files. An answer that could not be written is a failure: a full disk must not look
// like `verified`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "env/output_file.h"

namespace fenceline::app {

// Ready for a terminal: control characters become \xNN, and so do bytes that are no UTF-8; where the locale
// is not UTF-8, all is ASCII (env/terminal.h). Everything that is printed goes through this.
void print(std::string_view text);
void print_error(std::string_view text);  // on standard error

// As it is: for what other programs read.
void print_raw(std::string_view text);

// Precondition: nothing is printed afterwards. Throws UsageError if anything printed so far could not be
// written.
void finish_printing();

// A result file that is opened before the work begins, so that a path that cannot be written is known at
// once. What was there before stays until the whole text is written.
class ResultFile {
 public:
  explicit ResultFile(const std::string& path);  // "-": standard output. Throws UsageError.
  void write(std::string_view text);             // once. Throws UsageError.
  bool is_standard_output() const { return !file_; }

 private:
  std::optional<OutputFile> file_;  // none: standard output
};

}  // namespace fenceline::app
