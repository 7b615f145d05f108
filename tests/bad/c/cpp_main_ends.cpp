// error: with functions for atexit() or static destructors
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

struct Counted {
  int number = 0;
  ~Counted() { ++number; }
} counted;

int main() {
  pthread_exit(nullptr);
}
