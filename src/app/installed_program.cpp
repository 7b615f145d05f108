// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/installed_program.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "env/errors.h"

namespace fenceline::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  std::error_code none;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", none); !none)
    result.push_back(self.parent_path());
  result.emplace_back(FENCELINE_INSTALL_FOLDER);
  return result;
}

}  // namespace

std::string installed_program(std::string_view name, std::string_view purpose) {
  std::string searched;
  for (const fs::path& folder : folders()) {
    const fs::path program = folder / name;
    if (std::error_code none; fs::is_regular_file(program, none)) return program.string();
    searched += fmt::format("{}{}", searched.empty() ? "" : ", ", folder.string());
  }
  throw Unavailable(
      fmt::format("{} needs the program {}, which is not there (searched: {}); it is built and installed "
                  "with fenceline",
                  purpose, name, searched));
}

}  // namespace fenceline::app
