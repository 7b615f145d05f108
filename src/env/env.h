// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one context object. Whatever a part needs from its surroundings comes through here; there are no
// globals, since synthesis runs engines a thousand times in one process.
#pragma once

#include "env/limits.h"
#include "env/options.h"
#include "env/progress.h"

namespace fenceline {

struct Env {
  const Options& options;
  Limits& limits;
  Progress& progress;
};

}  // namespace fenceline
