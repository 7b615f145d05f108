// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory models of a request: by name, or from the user's own `.cat` and `.table` files.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "model/cat/relational.h"
#include "model/memory_model.h"

namespace fenceline::app {

class Models {
 public:
  // Includes are also looked for in `folders`.
  explicit Models(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  // `name` is that of a shipped model or the path of a `.cat` or `.table` file, which is read once. The model
  // lives as long as this. Throws UsageError for an unknown name, NoSuchFile, and InputError for a file with
  // mistakes.
  const MemoryModel& get(const std::string& name);

 private:
  struct FromFile {
    std::string path;
    CatModel axioms;
    ReorderTable table;
    MemoryModel model;
  };

  std::vector<std::string> folders_;
  std::deque<FromFile> files_;
};

}  // namespace fenceline::app
