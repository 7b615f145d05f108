// error: an allocation whose size is not a constant (calloc): it depends on 'config->slots'
// line: 24
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>
#include <stdlib.h>

struct config {
  int threads, slots;
} first, *config;
int *values;

static void *thread(void *unused) {
  (void)unused;
  config->slots = 8;  // so it is not what main() has set
  return NULL;
}

int main(void) {
  pthread_t t;
  config = &first;
  config->slots = 4;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  values = calloc((size_t)config->slots, sizeof(int));
  return 0;
}
