// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files that a model is made of: where `include` finds them, each read and parsed once.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "model/cat/cat.h"
#include "model/cat/syntax.h"

namespace fenceline::cat {

struct ParsedFile {
  SourceFile source;
  std::string identity;  // the same for the same file, however it was named
  bool shipped = false;
  SyntaxTree tree;
};

class Files {
 public:
  explicit Files(CatSearchPath path) : path_(std::move(path)) {}

  // The file that the user named.
  const ParsedFile& add(const SourceFile& file);
  // A shipped file: "tso.cat". Precondition: there is one.
  const ParsedFile& add_shipped(std::string_view name);
  // The file that `include "name"`, at `position`, means; null: it was included before. Throws
  // InputError if there is no such file, or if it is a file that is still open: it includes itself.
  const ParsedFile* include(const std::string& name, const Position& position);
  // The file opened last is done.
  void close() { open_.pop_back(); }

 private:
  const ParsedFile& open(SourceFile source, std::string identity, bool shipped);
  bool is_shipped(const SourceFile* file) const;

  CatSearchPath path_;
  std::deque<ParsedFile> files_;
  std::set<std::string> seen_;
  std::vector<const ParsedFile*> open_;
};

}  // namespace fenceline::cat
