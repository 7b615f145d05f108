// SPDX-License-Identifier: GPL-3.0-or-later
//
// An Env for callers that have no user to show progress to.
#pragma once

#include "env/env.h"

namespace fenceline {

// A base of SilentEnv, since what an Env refers to must be there before it.
struct SilentProgress {
  Progress silent{false};
};

// The options and the limits are borrowed.
class SilentEnv : private SilentProgress, public Env {
 public:
  SilentEnv(const Options& chosen, Limits& kept) : Env{chosen, kept, silent} {}
};

}  // namespace fenceline
