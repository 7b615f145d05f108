// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output.h"

#include <unistd.h>

#include <cstdio>

#include "env/errors.h"
#include "env/terminal.h"

namespace fenceline::app {
namespace {

// The text has colours only if the user enabled them, and only on a terminal.
TerminalKind kind_of(int stream) { return {utf8_locale(), isatty(stream) != 0}; }

}  // namespace

void print(std::string_view text) { print_raw(for_terminal(text, kind_of(STDOUT_FILENO))); }

void print_raw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);  // an answer is worth reading while the next one is worked on
}

void print_error(std::string_view text) {
  std::fputs(for_terminal(text, {utf8_locale(), false}).c_str(), stderr);
}

void finish_printing() {
  if (std::ferror(stdout) != 0) throw UsageError("standard output cannot be written");
}

ResultFile::ResultFile(const std::string& path) {
  if (path != "-") file_.emplace(path);
}

void ResultFile::write(std::string_view text) {
  if (!file_) return print_raw(text);
  file_->write(text);
  file_->publish();
}

}  // namespace fenceline::app
