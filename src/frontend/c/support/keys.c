// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values of a thread's own, by keys.
#include <threads.h>

enum { kKeys = 8, kThreads = 18 };
static void* values[kKeys][kThreads];
static unsigned keys;

static int create(unsigned* key, void (*destructor)(void*)) {
  fl_limit(destructor == NULL, "Fenceline does not support destructors of thread-specific data");
  unsigned number = add(&keys, 1);
  fl_limit(number < kKeys, "Fenceline does not support more than 8 keys of thread-specific data");
  *key = number;
  return 0;
}
int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) { return create(key, destructor); }
int pthread_key_delete(pthread_key_t key) { return 0; }
void* pthread_getspecific(pthread_key_t key) { return values[key][fl_thread_self()]; }
int pthread_setspecific(pthread_key_t key, const void* value) {
  values[key][fl_thread_self()] = (void*)value;
  return 0;
}
int tss_create(tss_t* key, tss_dtor_t destructor) {
  create(key, destructor);
  return thrd_success;
}
void tss_delete(tss_t key) {}
void* tss_get(tss_t key) { return values[key][fl_thread_self()]; }
int tss_set(tss_t key, void* value) {
  values[key][fl_thread_self()] = value;
  return thrd_success;
}
