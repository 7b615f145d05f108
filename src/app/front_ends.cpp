// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/front_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "frontend/litmus/litmus.h"

namespace fenceline::app {
namespace {

constexpr std::array kFrontEnds = {
    FrontEnd{".fl", frontend::parse_fl},
    FrontEnd{".litmus",
             [](SourceFile source, const frontend::FrontEndParameters&) {
               return frontend::parse_litmus_program(std::move(source));
             }},
};

}  // namespace

bool is_c_file(const std::string& path) {
  static constexpr std::array<std::string_view, 5> kExtensions = {".c", ".cc", ".cpp", ".cxx", ".C"};
  const std::string extension = std::filesystem::path(path).extension();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

const FrontEnd& front_end_for(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  std::string known;
  for (const FrontEnd& front_end : kFrontEnds) {
    if (front_end.extension == extension) return front_end;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", front_end.extension);
  }
  if (is_c_file(path) || extension == ".tests")
    throw UsageError(
        fmt::format("{}: C and C++ are read by 'fenceline check' only; supported here: {}", path, known));
  throw UsageError(fmt::format("{}: unknown file type; supported: {}, .c, .cpp, .tests", path, known));
}

}  // namespace fenceline::app
