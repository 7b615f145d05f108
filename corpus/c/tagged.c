// SPDX-License-Identifier: GPL-3.0-or-later
//
// Treiber's stack with a pointer and a tag in one word, which are put together and taken apart through a union: the
// upper sixteen bits of an address are not used. One thread pops both nodes and pushes the first one back, while the
// other one pops. Without the tag (NO_TAG) the other one's exchange succeeds with an outdated successor.
//
// expect sc tso pso rc11 armv8: verified
// expect sc tso pso rc11 armv8, define NO_TAG: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct node {
  struct node* _Atomic next;
};

union word {
  uint64_t value;
  uint16_t parts[4];
};

static uint64_t pack(struct node* pointer, uint16_t tag) {
  union word word;
  word.value = (uint64_t)pointer;
  word.parts[3] = tag;
  return word.value;
}

static uint16_t tag_of(uint64_t value) {
  union word word;
  word.value = value;
  return word.parts[3];
}

static struct node* pointer_of(uint64_t value) { return (struct node*)(value & 0xffffffffffff); }

static struct node nodes[2];
static _Atomic uint64_t top;

static uint64_t with_next_tag(struct node* pointer, uint64_t old) {
#ifdef NO_TAG
  (void)old;
  return pack(pointer, 0);
#else
  return pack(pointer, (uint16_t)(tag_of(old) + 1));
#endif
}

// One try.
static struct node* pop(void) {
  uint64_t old = atomic_load(&top);
  struct node* node = pointer_of(old);
  if (node == 0) return 0;
  struct node* next = node->next;
  return atomic_compare_exchange_strong(&top, &old, with_next_tag(next, old)) ? node : 0;
}

static int push(struct node* node) {
  uint64_t old = atomic_load(&top);
  node->next = pointer_of(old);
  return atomic_compare_exchange_strong(&top, &old, with_next_tag(node, old));
}

static struct node *first, *second, *third;
static int back;

static void* pop_two(void* unused) {
  (void)unused;
  first = pop();
  second = pop();
  if (first != 0 && second != 0) back = push(first);
  return 0;
}

static void* pop_one(void* unused) {
  (void)unused;
  third = pop();
  return 0;
}

int main(void) {
  nodes[0].next = &nodes[1];
  atomic_store(&top, pack(&nodes[0], 0));
  pthread_t a, b;
  pthread_create(&a, 0, pop_two, 0);
  pthread_create(&b, 0, pop_one, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  // The node that was not pushed back belongs to one thread, and the stack does not have it.
  if (back && second != 0) {
    assert(third != second);
    for (struct node* node = pointer_of(top); node != 0; node = node->next) assert(node != second);
  }
}
