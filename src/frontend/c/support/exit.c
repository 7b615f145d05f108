// SPDX-License-Identifier: GPL-3.0-or-later
//
// What runs when the process ends, the last one that was registered first: functions that were given to atexit(), and
// destructors of static variables (static_destructors.h), which have numbers from 1. What is registered while they run
// is next. main() calls fl_run_exit_handlers where it returns.
#include <stdlib.h>

enum { kMost = 32 };
static unsigned destructors[kMost];  // 0: a function
static void (*handlers[kMost])(void);
static unsigned registered;

void fl_destroy(unsigned destructor);

static void add_to_end(unsigned destructor, void (*handler)(void)) {
  release();
  fl_atomic_begin();
  unsigned number = get(&registered);
  fl_limit(number < kMost, "Fenceline does not support more than 32 functions and destructors at the end of the process");
  set(&destructors[number], destructor);
  set(&handlers[number], handler);
  add(&registered, 1);
  fl_atomic_end();
}

int atexit(void (*handler)(void)) {
  add_to_end(0, handler);
  return 0;
}

void fl_at_end(unsigned destructor) { add_to_end(destructor, 0); }

void fl_run_registered(void) {
  while (1) {
    unsigned destructor = 0;
    void (*handler)(void) = 0;
    fl_atomic_begin();
    unsigned number = get(&registered);
    if (number > 0) {
      destructor = get(&destructors[number - 1]);
      handler = get(&handlers[number - 1]);
      add(&registered, -1);
    }
    fl_atomic_end();
    if (number == 0) break;
    acquire();
    if (destructor > 0)
      fl_destroy(destructor);
    else
      handler();
  }
}

// Other destructors follow (static_destructors.cpp).
void fl_run_exit_handlers(void) { fl_run_registered(); }

void exit(int status) {
  fl_run_exit_handlers();
  _Exit(status);
}
