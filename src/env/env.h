// SPDX-License-Identifier: GPL-3.0-or-later
//
// The context of a call: options, limits, statistics, progress. There are no globals, since synthesis runs
// engines a thousand times in one process.
#pragma once

#include "env/limits.h"
#include "env/options.h"
#include "env/outlook.h"
#include "env/progress.h"

namespace fenceline {

struct Env {
  const Options& options;
  Limits& limits;
  Progress& progress;
  std::atomic<Outlook>* outlook = nullptr;  // none: nobody is interested

  void expect(Outlook expected) const {
    if (outlook != nullptr) outlook->store(expected, std::memory_order_relaxed);
  }
};

}  // namespace fenceline
