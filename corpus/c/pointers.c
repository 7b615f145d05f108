// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a thread does is in a structure: a trampoline calls it through a pointer, as libraries for threads do. All
// functions have the same type, the trampoline included. One thread hands a value over, the other one takes it.
//
// expect sc tso rc11 armv8: verified
// expect armv8 rc11, weaken 1: violated
// expect sc tso, define CLEARED: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct work {
  void* (*run)(void*);
  void* argument;
};

struct message {
  int value;
  atomic_int ready;
};

static void* put(void* argument) {
  struct message* message = argument;
  message->value = 42;
  atomic_store_explicit(&message->ready, 1, fl_order(1, memory_order_release));
  return 0;
}

static void* take(void* argument) {
  struct message* message = argument;
  if (atomic_load_explicit(&message->ready, memory_order_acquire)) assert(message->value == 42);
  return 0;
}

static void* clear(void* argument) {
  struct message* message = argument;
  message->value = 0;
  return 0;
}

static void* trampoline(void* argument) {
  struct work* work = argument;
  return work->run(work->argument);
}

static pthread_t start(void* (*run)(void*), void* argument) {
  pthread_t thread;
  struct work* work = malloc(sizeof(struct work));
  work->run = run;
  work->argument = argument;
  pthread_create(&thread, 0, trampoline, work);
  return thread;
}

static struct message message;
static void* (*const actions[])(void*) = {put, take, clear};

int main() {
#ifdef CLEARED
  pthread_t other = start(actions[2], &message);
#endif
  pthread_t first = start(actions[0], &message), second = start(actions[1], &message);
  pthread_join(first, 0);
  pthread_join(second, 0);
#ifdef CLEARED
  pthread_join(other, 0);
#endif
  return 0;
}
