// SPDX-License-Identifier: GPL-3.0-or-later
//
// counter.c for one thread.
typedef struct {
  int value;
} counter_t;

counter_t counter;

void init_counter(counter_t *counter) { counter->value = 0; }

int increment(counter_t *counter) {
  counter->value = counter->value + 1;
  return counter->value;
}

void set_to(counter_t *counter, int value) { counter->value = value; }

void get(counter_t *counter, int *value) { *value = counter->value; }
