// error: a mutex of another kind than the plain one
// line: 8
// SPDX-License-Identifier: GPL-3.0-or-later
#include <threads.h>

mtx_t mutex;
int main(void) {
  mtx_init(&mutex, mtx_plain | mtx_recursive);
  mtx_lock(&mutex);
  mtx_lock(&mutex);
  return 0;
}
