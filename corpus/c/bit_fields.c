// Bit fields that are set one by one, in a structure without initial values: the bits around them stay as they are, set
// or not. What is read must have been set.
//
// expect sc tso armv8 rc11: verified
// expect sc armv8, define UNSET: violated
// expect sc, define COUNTED: violated
// expect sc armv8 rc11, define SHARED: violated
// expect sc, define ANY: violated
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct packet {
  unsigned version : 4, flag : 1;
  int delta : 3;
  unsigned bytes : 8, rest : 16;
};
typedef struct {
  uint16_t low : 4, high : 4;
  uint8_t data;
} __attribute__((packed)) tight;

struct whole {
  int all : 8;
};

int __VERIFIER_nondet_int(void);

struct packet made(int delta) {
  struct packet p;
  p.delta = delta;
  p.version = delta + 17;
  return p;
}

struct packet counted(struct packet p) {
  p.delta--;
  return p;
}

void* writer(void* argument) {
  struct packet* p = argument;
  assert(p->version == 6);
  p->rest = 999;
  return 0;
}

int main() {
  struct whole w;
  w.all = -5;
  assert(w.all == -5);
  struct packet a = counted(made(-3));
  assert(a.delta == -4 && a.version == 14);
  struct packet* b = malloc(sizeof *b);
  b->version = 6;
  b->delta = 1;
  pthread_t thread;
  pthread_create(&thread, 0, writer, b);
  pthread_join(thread, 0);
  assert(b->rest == 999 && b->delta == 1);
#ifdef SHARED
  assert(b->flag <= 1);
#endif
  b->flag = 1;
  b->bytes = 255;
  unsigned whole;
  memcpy(&whole, b, sizeof whole);
  assert(whole == 0x3e7ff36u);
  tight k;
  k.low = 1;
  k.high = 2;
  k.data = 9;
  assert(k.low == 1 && k.high == 2 && k.data == 9);
#ifdef UNSET
  return a.flag;
#endif
#ifdef COUNTED
  struct packet c;
  c.version = 1;
  c.bytes++;
#endif
  struct packet d;
  int n = __VERIFIER_nondet_int();
  if (n > 5) d.flag = 1;
  d.rest = n;
#ifndef ANY
  if (n > 5)
#endif
    assert(d.flag == 1);
  assert(d.rest == (uint16_t)n);
}
