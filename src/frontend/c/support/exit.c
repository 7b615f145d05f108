// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions that run when the process ends: the last one that was registered first. main() calls fl_run_exit_handlers
// where it returns.
#include <stdlib.h>

enum { kHandlers = 32 };
static void (*handlers[kHandlers])(void);
static unsigned registered;

int atexit(void (*handler)(void)) {
  fl_atomic_begin();
  unsigned number = get(&registered);
  fl_limit(number < kHandlers, "Fenceline does not support more than 32 functions for atexit()");
  set(&handlers[number], handler);
  set(&registered, number + 1);
  fl_atomic_end();
  release();
  return 0;
}

void fl_run_exit_handlers(void) {
  unsigned number = get(&registered);
  acquire();
  for (; number > 0; number--) {
    void (*handler)(void) = get(&handlers[number - 1]);
    handler();
  }
}

void exit(int status) {
  fl_run_exit_handlers();
  _Exit(status);
}
