// SPDX-License-Identifier: GPL-3.0-or-later
//
// A set of the numbers 0 and 1 for one thread: what lazylist.c and harris.c should look like from outside.
#include <fenceline.h>

typedef struct {
  int has[2];
} set_t;

set_t set;

void init_set(set_t* set) { set->has[0] = set->has[1] = 0; }

int add(set_t* set, int key) {
  int had = set->has[key];
  set->has[key] = 1;
  return !had;
}

int remove_key(set_t* set, int key) {
  int had = set->has[key];
  set->has[key] = 0;
  return had;
}

int contains(set_t* set, int key) { return set->has[key]; }
