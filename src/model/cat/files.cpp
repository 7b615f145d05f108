// SPDX-License-Identifier: GPL-3.0-or-later
//
// A shipped file includes shipped files only: what lies in the user's directories does not change what `tso`
// means.
#include "model/cat/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "env/errors.h"

namespace fenceline::cat {
namespace {

constexpr size_t kMostOpen = 50;

std::string identity_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path.lexically_normal().string() : canonical.string();
}

std::string shipped_identity(std::string_view name) { return fmt::format("shipped:{}", name); }

std::optional<std::filesystem::path> existing(const std::filesystem::path& directory,
                                              const std::string& name) {
  std::error_code error;
  std::filesystem::path path = directory / name;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  return path;
}

}  // namespace

const ParsedFile& Files::open(SourceFile source, std::string identity, bool shipped) {
  ParsedFile& file = files_.emplace_back();
  file.source = std::move(source);
  file.identity = std::move(identity);
  file.shipped = shipped;
  file.tree = parse(file.source);
  seen_.insert(file.identity);
  open_.push_back(&file);
  return file;
}

const ParsedFile& Files::add(const SourceFile& file) { return open(file, identity_of(file.name), false); }

const ParsedFile& Files::add_shipped(std::string_view name) {
  const std::string_view text = shipped_cat_text(name);
  require(!text.empty(), "a shipped model is missing");
  return open({std::string(name), std::string(text)}, shipped_identity(name), true);
}

bool Files::is_shipped(const SourceFile* file) const {
  const auto at =
      std::find_if(files_.begin(), files_.end(), [&](const ParsedFile& f) { return &f.source == file; });
  return at != files_.end() && at->shipped;
}

const ParsedFile* Files::include(const std::string& name, const Position& position) {
  std::optional<std::filesystem::path> path;
  if (!is_shipped(position.file)) {
    path = existing(std::filesystem::path(position.file->name).parent_path(), name);
    for (size_t i = 0; !path && i < path_.directories.size(); ++i)
      path = existing(path_.directories[i], name);
  }
  if (!path && shipped_cat_text(name).empty())
    position.complain(
        fmt::format("there is no file '{}'", name),
        "it is looked for beside this file, in the directories of -I, and among the shipped models");
  const std::string identity = path ? identity_of(*path) : shipped_identity(name);
  for (const ParsedFile* file : open_)
    if (file->identity == identity) position.complain(fmt::format("'{}' includes itself", name));
  if (seen_.contains(identity)) return nullptr;
  if (open_.size() >= kMostOpen) position.complain("files include each other too deeply");
  if (!path) return &add_shipped(name);
  try {
    return &open(read_source_file(path->string()), identity, false);
  } catch (const NoSuchFile&) {
    position.complain(fmt::format("the file '{}' cannot be read", path->string()));
  }
}

}  // namespace fenceline::cat
