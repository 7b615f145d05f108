// SPDX-License-Identifier: GPL-3.0-or-later
//
// The user's Ctrl-C. The first one asks the running engine to stop, through its Limits, so that results so
// far can be printed; the second one ends the program as usual, whatever it is doing.
#pragma once

#include "env/limits.h"

namespace fenceline {

void catch_interrupts();  // call once, before anything that takes long
bool interrupted();

// While it lives, an interrupt reaches `limits`. One at a time.
class Interruptible {
 public:
  explicit Interruptible(Limits& limits);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

}  // namespace fenceline
