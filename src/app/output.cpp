// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "env/errors.h"

namespace fenceline {
namespace {

[[noreturn]] void cannot_write(std::string_view what) {
  throw UsageError(fmt::format("{} cannot be written: {}", what, std::strerror(errno)));
}

}  // namespace

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);  // an answer is worth reading while the next one is worked on
}

void finish_printing() {
  if (std::ferror(stdout) != 0) throw UsageError("standard output cannot be written");
}

ResultFile::ResultFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") return;
  file_.reset(std::fopen(path_.c_str(), "w"));
  if (!file_) cannot_write(path_);
}

void ResultFile::write(std::string_view text) {
  if (!file_) return print(text);
  const bool written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (!written || std::fclose(file_.release()) != 0) cannot_write(path_);
}

}  // namespace fenceline
