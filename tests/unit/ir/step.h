// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread's next instruction, executed by the plainest means: an oracle for the analyses. Memory is
// given by the test, so that a test can simulate any memory model.
#pragma once

#include <functional>
#include <vector>

#include "base/rng.h"
#include "ir/eval.h"
#include "ir/program.h"

namespace fenceline {

struct SingleThread {
  const Program& program;
  ThreadId thread;
  Rng rng;  // decides kChoose and kHavoc
  std::vector<Value> registers;
  Point point;
  std::function<Value(CellId)> read;
  std::function<void(CellId, Value)> write;

  enum class Outcome { kMoved, kEnded, kBlocked, kOverflow, kError };

  Outcome step();
};

}  // namespace fenceline
