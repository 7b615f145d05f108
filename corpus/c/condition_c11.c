// The same with the condition variables of C11, whose waiting may also end after some time: with TIMED the consumer
// does not look at what cnd_timedwait() returns. With SILENT there is no signal: the consumer gives up.
//
// expect sc tso armv8 rc11: verified
// expect sc tso, property deadlock: verified
// expect sc tso, define SILENT, property deadlock: verified
// expect sc tso armv8 rc11, define TIMED: violated
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t mutex;
cnd_t filled;
int ready, data;

int produce(void* unused) {
  mtx_lock(&mutex);
  data = 42;
  ready = 1;
#ifndef SILENT
  cnd_signal(&filled);
#endif
  mtx_unlock(&mutex);
  return 0;
}

int consume(void* unused) {
  struct timespec until = {1, 0};
  mtx_lock(&mutex);
#ifdef TIMED
  if (!ready) cnd_timedwait(&filled, &mutex, &until);
#else
  while (!ready)
    if (cnd_timedwait(&filled, &mutex, &until) == thrd_timedout) break;
  if (ready)
#endif
  assert(data == 42);
  mtx_unlock(&mutex);
  return 0;
}

int main() {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&filled);
  thrd_t producer, consumer;
  thrd_create(&producer, produce, 0);
  thrd_create(&consumer, consume, 0);
  thrd_join(producer, 0);
  thrd_join(consumer, 0);
}
