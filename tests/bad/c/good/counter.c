// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the broken .tests files beside this folder are about. Nothing is wrong with it.
#include <fenceline.h>

typedef struct {
  int value;
  fl_lock_t lock;
} counter_t;

counter_t counter;

void init_counter(counter_t *counter) {
  counter->value = 0;
  counter->lock.held = 0;
}

int increment(counter_t *counter) {
  fl_lock(&counter->lock);
  int value = counter->value + 1;
  counter->value = value;
  fl_unlock(&counter->lock);
  return value;
}

void set_to(counter_t *counter, int value) {
  fl_lock(&counter->lock);
  counter->value = value;
  fl_unlock(&counter->lock);
}

void get(counter_t *counter, int *value) {
  fl_lock(&counter->lock);
  *value = counter->value;
  fl_unlock(&counter->lock);
}
