// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one place that knows all front ends and engines by name, and the rules by which one is picked.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "env/source.h"
#include "frontend/parameters.h"
#include "ir/program.h"

namespace fenceline {

// A language programs can be written in, known by how file names end.
struct FrontEnd {
  std::string_view extension;  // ".fl"
  Program (*parse)(SourceFile source, const FrontEndParameters& parameters);
};

// The front end for the file. Throws UsageError, naming the extensions there are, if there is none.
const FrontEnd& front_end_for(const std::string& path);

// Is it C or C++, by its name?
bool is_c_file(const std::string& path);

class Registry {
 public:
  Registry();  // all engines there are, in the order in which `auto` asks them

  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }

  // Throws UsageError, naming the engines, unless `name` is one of them or "auto".
  void require_known(const std::string& name) const;

  struct Choice {
    const Engine* engine = nullptr;  // none: nobody can decide this task, and `why` says why not
    std::string why;                 // one sentence
  };
  // The engine called `name` if it takes the task; for "auto" all that do, in the order in which to ask
  // them until one knows. At least one choice. Precondition: `name` is known.
  std::vector<Choice> choices(const std::string& name, const Task& task) const;
  // The first of them.
  Choice choose(const std::string& name, const Task& task) const { return choices(name, task).front(); }

 private:
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace fenceline
