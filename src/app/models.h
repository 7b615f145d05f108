// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory models of a request: by name, or from the user's own `.cat` and `.table` files.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "env/options.h"
#include "model/cat/relational.h"
#include "model/memory_model.h"

namespace fenceline::app {

class Models {
 public:
  // Includes are also looked for in `folders`. Where races are ignored, models do not report them: they have no
  // flag `race`.
  explicit Models(std::vector<std::string> folders, Races races = Races::kError)
      : folders_(std::move(folders)), races_(races) {}

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

  const MemoryModel& named(const std::string& name);
  const MemoryModel& without_races(const MemoryModel& model);

  std::vector<std::string> folders_;
  Races races_;
  std::deque<FromFile> files_;
  std::deque<FromFile> without_races_;  // `path` is the name of the model
};

}  // namespace fenceline::app
