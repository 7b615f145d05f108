// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions on bytes and strings. A name is copied into a slot and published with release; a reader that acquires it
// finds all of it. A comparison ends at the first difference: what comes after the names is never read.
//
// expect sc tso armv8 rc11: verified
// expect sc tso, weaken 1 2: verified
// expect armv8, weaken 1: violated
// expect rc11, weaken 1 2: violated
// expect sc, define TOO_SHORT: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct entry {
  int number;
  short kind;
} one = {1, 2}, two = {1, 3};

char name[4];
atomic_int published;

static void* writer(void* unused) {
  strcpy(name, "ab");
  atomic_store_explicit(&published, 1, fl_order(1, memory_order_release));
  return 0;
}

static void* reader(void* unused) {
  if (atomic_load_explicit(&published, fl_order(2, memory_order_acquire))) assert(strcmp(name, "ab") == 0);
  return 0;
}

static void check(void) {
  char buffer[8], unset[8];
#ifdef TOO_SHORT
  char copy[3];
#else
  char copy[4];
#endif
  assert(strlen(strcpy(copy, "abc")) == 3);
  assert(strcmp("abc", "abd") < 0 && strcmp("b", "abd") > 0 && strcmp("ab", "abc") < 0 && strcmp("", "") == 0);
  assert(strcmp("\x80", "a") > 0);
  assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
  strncpy(buffer, "q", sizeof buffer);
  assert(memchr(buffer, 1, sizeof buffer) == NULL && buffer[7] == 0);
  strcat(strcat(buffer, "uick"), "er");
  assert(strchr(buffer, 'c') == buffer + 3 && strchr(buffer, 'z') == NULL && strchr(buffer, 0) == buffer + 7);
  assert(strrchr("abab", 'b')[1] == 0 && strnlen(buffer, 5) == 5);
  assert(memcmp(&one, &two, 4) == 0 && memcmp(&one, &two, 6) < 0 && memcmp(&two, &one, 6) > 0);
  unset[0] = 'x';
  assert(memcmp(unset, "yz", 2) < 0);
}

int main(void) {
  check();
  pthread_t first, second;
  pthread_create(&first, 0, writer, 0);
  pthread_create(&second, 0, reader, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
}
