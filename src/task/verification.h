// SPDX-License-Identifier: GPL-3.0-or-later
//
// A result, and the engines that the portfolio ran for it.
#pragma once

#include <string>
#include <vector>

#include "task/result.h"

namespace fenceline {

// The run of one engine.
struct EngineRun {
  std::string engine;
  double seconds = 0;   // of its own, the head start included
  std::string outcome;  // "verified", "violated", "stopped", "not started"; else the reason of its `unknown`
};

struct Verification {
  Result result;
  std::string
      engine;       // the one that answered; if none did, the last one tried; empty: none supports the task
  std::string why;  // why it was chosen
  std::vector<EngineRun> runs;  // all that support the task
};

}  // namespace fenceline
