// Memory from malloc, members through anonymous unions, bit fields, a wait in a loop.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct node {
  struct node* next;
  union {
    struct {
      uint16_t low, high;
    };
    uint32_t word;
  };
} node;

static _Atomic(node*) top;
static struct {
  unsigned ready : 1, mode : 3;
  uint64_t size;
} flags;

static void* pusher(void* unused) {
  node* fresh = malloc(sizeof *fresh);
  fresh->word = 5;
  fresh->next = atomic_load_explicit(&top, memory_order_relaxed);
  flags.mode = 3;
  flags.size = 80;
  atomic_store_explicit(&top, fresh, memory_order_relaxed);  // this should release
  return 0;
}

static void* popper(void* unused) {
  node* first;
  while (!(first = atomic_load_explicit(&top, memory_order_acquire)))
    ;
  assert(first->word == 5 && flags.size == 80);
  return 0;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, pusher, 0);
  pthread_create(&threads[1], 0, popper, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
