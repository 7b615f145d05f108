// A queue of bytes for one producer and one consumer: each message is its length and as many bytes, copied with memcpy of
// a size that is known when the message is read. RELAXED publishes it too early, LONG copies more than the buffer has.
//
// expect sc tso armv8 rc11: verified
// expect sc tso, define RELAXED: verified
// expect armv8 rc11, define RELAXED: violated
// expect sc tso armv8 rc11, define LONG: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#ifdef RELAXED
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif
#ifdef LONG
#define ROOM 2
#else
#define ROOM 4
#endif

unsigned char bytes[8];
atomic_uint head;

void send(const void* message, unsigned char length) {
  unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
  bytes[at] = length;
  memcpy(bytes + at + 1, message, length);
  atomic_store_explicit(&head, at + 1 + length, PUBLISH);
}

void* producer(void* unused) {
  send("abc", 3);
  send("d", 1);
  return 0;
}

void* consumer(void* unused) {
  unsigned char buffer[ROOM];
  unsigned end = atomic_load_explicit(&head, memory_order_acquire);
  for (unsigned at = 0; at < end; at += 1 + bytes[at]) {
    memcpy(buffer, bytes + at + 1, bytes[at]);
    assert(buffer[0] == (at == 0 ? 'a' : 'd'));
    if (at == 0) assert(buffer[2] == 'c');
  }
  return 0;
}

int main() {
  pthread_t p, c;
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
}
