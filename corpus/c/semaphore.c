// Semaphores: two threads post what they have written, one takes both counts and reads it. With ONE it takes only one
// count, and one of the numbers may not be there yet. EXCLUSIVE: a semaphore of 1 is a lock.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect sc tso armv8 rc11, define ONE: violated
// expect sc tso pso armv8 power rc11, define EXCLUSIVE: verified
// expect sc tso, property deadlock: verified
// expect sc tso, define THREE, property deadlock: violated
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t count;
int first, second, both;

void* one(void* unused) {
#ifdef EXCLUSIVE
  sem_wait(&count);
  both++;
#else
  first = 1;
#endif
  sem_post(&count);
  return 0;
}

void* other(void* unused) {
#ifdef EXCLUSIVE
  sem_wait(&count);
  both++;
#else
  second = 1;
#endif
  sem_post(&count);
  return 0;
}

int main() {
  pthread_t a, b;
#ifdef EXCLUSIVE
  sem_init(&count, 0, 1);
#else
  sem_init(&count, 0, 0);
#endif
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
#ifndef EXCLUSIVE
  sem_wait(&count);
#ifndef ONE
  sem_wait(&count);
#endif
#ifdef THREE
  sem_wait(&count);
#endif
  assert(first + second == 2);
#ifndef ONE
  assert(sem_trywait(&count) == -1 && errno == EAGAIN);
#endif
#endif
  pthread_join(a, 0);
  pthread_join(b, 0);
#ifdef EXCLUSIVE
  int value;
  assert(both == 2 && sem_getvalue(&count, &value) == 0 && value == 1);
#endif
}
