// SPDX-License-Identifier: GPL-3.0-or-later
//
// Objects are used while they are there, and inside of their bounds. Without a definition the program is right: a thread works
// on a variable of main, a list of nodes lies on the stack, a pointer one past the end is formed, an array at the end of a
// structure is longer than it says. Each definition adds one fault.
//
// expect sc tso rc11: verified
// expect sc tso rc11, define RETURNED: violated
// expect sc tso rc11, define WRITTEN: violated
// expect sc tso rc11, define KEPT: violated
// expect sc tso rc11, define THREAD: violated
// expect sc tso rc11, define BLOCK: violated
// expect sc tso rc11, define AGAIN: violated
// expect sc tso rc11, define CONSTANT: violated
// expect sc tso rc11, define LITERAL: violated
// expect sc tso rc11, define MEMBER: violated
// expect sc tso rc11, define INDEX: violated
// expect sc tso rc11, define FAR: violated
// expect sc tso rc11 armv8, define ENDED_MUTEX: violated
// expect sc tso rc11 armv8, define FREED_MUTEX, property use-after-free: violated
// expect sc rc11, define CONSTANT_MUTEX: violated
// expect sc tso rc11 armv8, property use-after-free: verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *next; };
struct flexible { int length; int items[1]; };
struct pair { int a[2]; int b; } pair;

int *kept;
const int limit = 3;
volatile int two = 2, twenty = 20;

int *local(void) {
  int x = 3;
  int *p = &x;
  return p;
}

void keep(void) {
  int x = 3;
  kept = &x;
}

pthread_mutex_t *kept_mutex;
const pthread_mutex_t constant_mutex = PTHREAD_MUTEX_INITIALIZER;

void keep_mutex(void) {
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, 0);
  kept_mutex = &mutex;
  pthread_mutex_lock(kept_mutex);
  pthread_mutex_unlock(kept_mutex);
}

void set(int *p, int c) {
  if (c) *p = 1;
}

int total(struct node *first) {
  int sum = 0;
  for (struct node *n = first; n; n = n->next) sum += n->value;
  return sum;
}

void *worker(void *argument) {
  int own = 5;
  (*(int *)argument)++;
#ifdef THREAD
  kept = &own;
#endif
  return 0;
}

int main(void) {
  int x = 1, sum = 0;
  pthread_t thread;
  pthread_create(&thread, 0, worker, &x);
  pthread_join(thread, 0);
  assert(x == 2);
  struct node last = {2, 0}, first = {1, &last};
  assert(total(&first) == 3);
  struct flexible *f = malloc(sizeof(struct flexible) + 2 * sizeof(int));
  f->items[two] = 4;
  int array[2] = {1, 2};
  for (int *p = array; p != &array[2]; p++) sum += *p;
  assert(sum == 3 && f->items[2] == 4);
  for (int i = 0; i < 2; i++) {
    int y;
    set(&y, 1);
    sum += y;
  }
#ifdef RETURNED
  return *local();
#endif
#ifdef WRITTEN
  *local() = 1;
#endif
#ifdef KEPT
  keep();
  return *kept;
#endif
#ifdef THREAD
  return *kept;
#endif
#ifdef BLOCK
  {
    int inner = 1;
    kept = &inner;
  }
  *kept = 2;
#endif
#ifdef AGAIN
  for (int i = 0; i < two; i++) {
    int y;
    set(&y, i == 0);
    sum += y;
  }
#endif
#ifdef CONSTANT
  *(int *)&limit = 4;
#endif
#ifdef LITERAL
  char *text = "abc";
  text[1] = 'x';
#endif
#ifdef MEMBER
  return pair.a[2];
#endif
#ifdef INDEX
  pair.a[two] = 1;
#endif
  keep_mutex();
#ifdef ENDED_MUTEX
  pthread_mutex_lock(kept_mutex);
#endif
  kept_mutex = malloc(sizeof *kept_mutex);
  pthread_mutex_init(kept_mutex, 0);
  pthread_mutex_lock(kept_mutex);
  pthread_mutex_unlock(kept_mutex);
  free(kept_mutex);
#ifdef FREED_MUTEX
  pthread_mutex_lock(kept_mutex);
#endif
#ifdef CONSTANT_MUTEX
  pthread_mutex_lock((pthread_mutex_t *)&constant_mutex);
#endif
#ifdef FAR
  int *near = malloc(8), *other = malloc(400);
  other[0] = near[twenty];
#endif
  return 0;
}
