// error: with functions for atexit() or static destructors
// line: 13
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>
#include <stdlib.h>

int x;

static void last(void) { x = 1; }

int main(void) {
  atexit(last);
  pthread_exit(0);
}
