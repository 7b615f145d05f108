// SPDX-License-Identifier: GPL-3.0-or-later
//
// The context of a call: options, limits, statistics, progress. There are no globals, since synthesis runs
// engines a thousand times in one process.
#pragma once

#include "env/limits.h"
#include "env/options.h"
#include "env/progress.h"
#include "env/runtime_prediction.h"

namespace fenceline {

struct Env {
  const Options& options;
  Limits& limits;
  Progress& progress;
  std::atomic<RuntimePrediction>* prediction = nullptr;  // null: nothing reads it

  void expect(RuntimePrediction expected) const {
    if (prediction != nullptr) prediction->store(expected, std::memory_order_relaxed);
  }
};

}  // namespace fenceline
