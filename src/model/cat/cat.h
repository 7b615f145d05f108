// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads `.cat` files: from text to relational algebra.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/source.h"
#include "model/cat/relational.h"

namespace fenceline {

// Where `include "x.cat"` is looked for: beside the including file, then in these directories in order (-I),
// then among the shipped models.
struct CatSearchPath {
  std::vector<std::string> directories;
};

// Throws InputError with the position (in the file that has it) for errors, and for what is not supported, by
// name.
CatModel load_cat(const SourceFile& file, const CatSearchPath& path = {});

// The shipped model `name` ("tso"), models/name.cat, which is part of the executable. Precondition: there is
// one.
CatModel shipped_cat(std::string_view name);

// "sc", "tso", ... in the order of the documentation.
std::span<const std::string_view> shipped_cat_names();

// The text of a shipped file, "tso.cat"; empty if there is none of that name.
std::string_view shipped_cat_text(std::string_view file_name);

}  // namespace fenceline
