// SPDX-License-Identifier: GPL-3.0-or-later
//
// Interruption by the user: Ctrl-C (SIGINT), SIGTERM, or a closed terminal (SIGHUP). The first signal stops the
// running engine through its Limits, so that results so far can be printed; the second one ends all workers at
// once (env/supervisor.h).
#pragma once

#include "env/limits.h"

namespace fenceline::app {

void catch_interrupts();  // call once, before anything that takes long
bool interrupted();
unsigned interrupts();         // how many signals came
int status_of_interruption();  // 130 for SIGINT, 143 for SIGTERM. Precondition: interrupted()

// From here on signals are ignored: what was begun is finished.
void ignore_interrupts();

// While it lives, an interrupt reaches `limits`. One at a time.
class Interruptible {
 public:
  explicit Interruptible(Limits& limits);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  Limits* before_;
};

}  // namespace fenceline::app
