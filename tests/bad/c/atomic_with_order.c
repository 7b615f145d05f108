// error: an access with a memory order inside of an atomic section
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <stdatomic.h>

atomic_int x;

int main(void) {
  fl_atomic_begin();
  atomic_store(&x, 1);
  fl_atomic_end();
  return 0;
}
