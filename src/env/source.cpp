// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/source.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "env/errors.h"

namespace fenceline {

std::string_view SourceFile::line(uint32_t number) const {
  std::string_view rest = text;
  for (uint32_t current = 1; !rest.empty(); ++current) {
    const size_t end = rest.find('\n');
    std::string_view here = rest.substr(0, end);
    if (current == number) {
      if (!here.empty() && here.back() == '\r') here.remove_suffix(1);
      return here;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

SourceFile read_source_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw NoSuchFile(path + ": is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw NoSuchFile(path + ": " + std::strerror(errno));
  try {
    SourceFile file{path, {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}};
    if (!in.bad()) return file;
  } catch (const std::ios_base::failure&) {  // the stream buffer may throw where the stream would not
  }
  throw NoSuchFile(path + ": cannot be read");
}

}  // namespace fenceline
