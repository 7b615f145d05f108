// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ios>
#include <string_view>

#include "app/front_ends.h"
#include "env/errors.h"
#include "property/properties.h"

namespace fenceline::app {
namespace {

// A file may open and still not be readable (a device, a broken disk); the stream then throws an exception of
// its own.
SourceFile read_file(const std::string& path) {
  try {
    return read_source_file(path);
  } catch (const std::ios_base::failure&) {
    throw NoSuchFile(path + ": cannot be read");
  }
}

}  // namespace

Input read_input(const std::string& path, const Options& options) {
  const FrontEnd& front_end = front_end_for(path);
  Input input{front_end.parse(read_file(path), parameters_of(options)), {}};
  const bool transactional = std::ranges::any_of(input.program.objects, &Object::transactional);
  if (!transactional) reject_parameters(path, options);
  input.properties = property::properties_to_check(input.program, options);
  return input;
}

frontend::FrontEndParameters parameters_of(const Options& options) {
  return {options.threads, options.variables};
}

void reject_parameters(const std::string& path, const Options& options) {
  if (options.threads == 0 && options.variables == 0) return;
  throw UsageError(fmt::format("--{} is for transactional memories, and {} is none",
                               options.threads > 0 ? "threads" : "variables", path));
}

std::optional<ResultFile> open_json(const CommandLine& line) {
  const std::string& path = line.options.json;
  if (path.empty()) return std::nullopt;
  for (const std::string& input : line.files) {
    std::error_code ignored;
    if (path != "-" && std::filesystem::equivalent(path, input, ignored))
      throw UsageError(fmt::format("--json {}: that would overwrite an input", path));
  }
  return std::optional<ResultFile>(std::in_place, path);
}

report::TextStyle text_style(const Options& options) {
  report::TextStyle style;
  style.quiet = options.quiet;
  style.verbose = options.verbose;
  if (isatty(STDOUT_FILENO) == 0) return style;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  style.colour = (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
                 std::string_view(terminal) != "dumb";
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) style.width = size.ws_col;
  return style;
}

}  // namespace fenceline::app
