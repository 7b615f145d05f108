// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of all front ends, by file extension.
#pragma once

#include <string>
#include <string_view>

#include "env/source.h"
#include "frontend/parameters.h"
#include "ir/program.h"

namespace fenceline::app {

// A language programs can be written in, known by how file names end.
struct FrontEnd {
  std::string_view extension;  // ".fl"
  Program (*parse)(SourceFile source, const frontend::FrontEndParameters& parameters);
};

// The front end for the file. Throws UsageError, naming the extensions there are, if there is none.
const FrontEnd& front_end_for(const std::string& path);

// Is it C or C++, by its name?
bool is_c_file(const std::string& path);

}  // namespace fenceline::app
