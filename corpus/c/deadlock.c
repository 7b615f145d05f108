// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads take two mutexes, in opposite orders: each may hold one and wait for the other. That main waits
// for both of them changes nothing about it.
//
//   ORDERED   both take them in the same order
//   DETACHED  main returns without waiting, and that is the end of the program: no thread waits for ever
//   LEAVES    main ends, but as a thread does, and the program goes on
//   SELF      one thread, which takes a mutex that it has
//   CHAIN     a thread that waits for the first two, and main that waits for it
//   PRUNED    executions in which both threads hold a mutex do not count
//   AWAIT     a thread waits for what never happens; the condition is evaluated once, and that is not enough
//   SECTION   with that: it is part of the wait
//
// expect sc tso pso, property deadlock: violated
// expect sc tso pso, property deadlock, define ORDERED: verified
// expect sc tso pso, property deadlock, define DETACHED: verified
// expect sc tso pso, property deadlock, define LEAVES: violated
// expect sc tso pso, property deadlock, define SELF: violated
// expect sc tso pso, property deadlock, define CHAIN: violated
// expect sc tso pso, property deadlock, define CHAIN ORDERED: verified
// expect sc tso pso, property deadlock, define PRUNED: verified
// expect sc tso pso, property deadlock, define ORDERED AWAIT: unknown
// expect sc tso pso, property deadlock, define ORDERED AWAIT SECTION: violated
// expect rmo armv8 rc11, property deadlock: unknown
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define ORDERED: verified
// expect sc tso pso armv8 rc11, property liveness, define DETACHED: verified
// expect sc tso pso armv8 rc11, property liveness, define SELF: violated
// expect sc tso pso armv8 rc11, property liveness, define CHAIN: violated
// expect sc tso pso armv8 rc11, property liveness, define CHAIN ORDERED: verified
// expect sc tso pso armv8, property liveness, define PRUNED: verified
// expect rc11, property liveness, define PRUNED: unknown
// expect sc tso pso armv8 rc11, property liveness, define ORDERED AWAIT: violated
#include <fenceline.h>
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int held_a, held_b;
pthread_t threads[2];

void* first(void* unused) {
#ifdef SECTION
  fl_atomic(fl_await(held_b == 1););
#elif defined AWAIT
  fl_await(held_b == 1);
#endif
  pthread_mutex_lock(&a);
  held_a = 1;
#ifdef SELF
  pthread_mutex_lock(&a);
#endif
#ifdef PRUNED
  fl_fence("full");
  fl_assume(!held_b);
#endif
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  held_a = 0;
  pthread_mutex_unlock(&a);
  return unused;
}

#ifndef SELF
void* second(void* unused) {
#ifdef ORDERED
  return first(unused);
#else
  pthread_mutex_lock(&b);
  held_b = 1;
#ifdef PRUNED
  fl_fence("full");
  fl_assume(!held_a);
#endif
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  held_b = 0;
  pthread_mutex_unlock(&b);
  return unused;
#endif
}
#endif

#ifdef CHAIN
void* third(void* unused) {
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return unused;
}
#endif

int main(void) {
  pthread_create(&threads[0], 0, first, 0);
#ifndef SELF
  pthread_create(&threads[1], 0, second, 0);
#endif
#ifdef CHAIN
  pthread_t last;
  pthread_create(&last, 0, third, 0);
  pthread_join(last, 0);
#elif defined LEAVES
  pthread_exit(0);
#elif !defined DETACHED
  pthread_join(threads[0], 0);
#ifndef SELF
  pthread_join(threads[1], 0);
#endif
#endif
  return 0;
}
