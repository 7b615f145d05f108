// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the ring of three numbers for several producers and consumers, as a data type: what its threads
// observe could also be observed with the operations one after the other (ck_linear_ring.tests).
//
// options --volatile atomic
// expect sc tso armv8 rc11, tests T0 T1 T2 Tpc2, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, tests T0, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_STORE: violated
// expect sc tso, tests T0 T1 T2 Tpc2: verified
// expect sc tso, tests T2, define SPLIT_CAS: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
#include "ck_client.h"
//
#include <ck_ring.h>

struct number {
  int value;
};
CK_RING_PROTOTYPE(numbers, number)

typedef struct {
  ck_ring_t ring;
  struct number buffer[4];
} ring_t;

ring_t ring;

void init_ring(ring_t* ring) { ck_ring_init(&ring->ring, 4); }

int enqueue(ring_t* ring, int value) {
  struct number entry = {value};
  return CK_RING_ENQUEUE_MPMC(numbers, &ring->ring, ring->buffer, &entry);
}

int dequeue(ring_t* ring, int* value) {
  struct number entry;
  if (!CK_RING_DEQUEUE_MPMC(numbers, &ring->ring, ring->buffer, &entry)) return 0;
  *value = entry.value;
  return 1;
}
