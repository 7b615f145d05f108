// SPDX-License-Identifier: GPL-3.0-or-later
//
// exit() ends the process: nothing behind it happens, other threads may do anything that they could do before. abort() is an
// error, unless the program says by a name of the verification competitions what an error is: then it ends an execution that does not count.
//
// expect sc tso rc11: verified
// expect sc tso pso, property deadlock: verified
// expect sc tso rc11, define BEFORE: violated
// expect sc tso rc11, define OTHER: violated
// expect sc tso rc11, define ABORT: violated
// expect sc tso rc11, define ASSUMED: verified
// expect sc tso rc11, define ASSUMED WRONG: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int ready;

#ifdef ASSUMED
extern int __VERIFIER_nondet_uchar(void);
void reach_error(void) { assert(0); }
void assume_abort_if_not(int condition) {
  if (!condition) abort();
}
#endif

void *worker(void *argument) {
#ifdef OTHER
  if (atomic_load(&ready)) assert(0);
#endif
  exit(0);
  assert(0);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  atomic_store(&ready, 1);
#ifdef ABORT
  abort();
#endif
#ifdef ASSUMED
  int n = __VERIFIER_nondet_uchar() & 15;
  assume_abort_if_not(n > 3 && n < 9);
#ifdef WRONG
  if (n == 8) reach_error();
#else
  if (n == 3) reach_error();
#endif
#endif
#ifdef BEFORE
  assert(!atomic_load(&ready));
#endif
  pthread_join(thread, 0);
  assert(0);
}
