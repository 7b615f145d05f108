// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one place that knows all engines by name, and the rule by which one is picked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace fenceline {

class Registry {
 public:
  Registry();  // all engines there are, in the order in which `auto` asks them

  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }

  // Throws UsageError, naming the engines, unless `name` is one of them or "auto".
  void require_known(const std::string& name) const;

  struct Choice {
    const Engine* engine = nullptr;  // none: nobody can decide this problem, and `why` says why not
    std::string why;                 // one sentence
  };
  // The engine called `name` if it takes the problem; for "auto" the first that does. Precondition: `name` is
  // known.
  Choice choose(const std::string& name, const Problem& problem) const;

 private:
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace fenceline
