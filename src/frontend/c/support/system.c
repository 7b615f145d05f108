// SPDX-License-Identifier: GPL-3.0-or-later
//
// Time and chance: any value. Time does not even pass in order, since nothing says that clocks of processors agree.
#include <poll.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int* __errno_location(void) {
  static int numbers[18];
  return &numbers[fl_thread_self()];
}

int rand(void) { return (int)fl_nondet(0, RAND_MAX); }
int rand_r(unsigned* seed) {
  *seed = *seed + 1;
  return (int)fl_nondet(0, RAND_MAX);
}
long random(void) { return fl_nondet(0, 2147483647); }
long lrand48(void) { return fl_nondet(0, 2147483647); }

int clock_gettime(clockid_t clock, struct timespec* now) {
  now->tv_sec = fl_nondet(0, 1099511627775);
  now->tv_nsec = fl_nondet(0, 999999999);
  return 0;
}
int timespec_get(struct timespec* now, int base) {
  clock_gettime(CLOCK_REALTIME, now);
  return base;
}
int gettimeofday(struct timeval* now, void* zone) {
  now->tv_sec = fl_nondet(0, 1099511627775);
  now->tv_usec = fl_nondet(0, 999999);
  return 0;
}
time_t time(time_t* now) {
  time_t value = fl_nondet(0, 1099511627775);
  if (now) *now = value;
  return value;
}
clock_t clock(void) { return fl_nondet(0, 1099511627775); }

int poll(struct pollfd* files, nfds_t number, int timeout) {
  fl_limit(number == 0, "Fenceline does not support poll() of files");
  return 0;
}
pid_t getpid(void) { return 4242; }
pid_t gettid(void) { return 4242 + (pid_t)fl_thread_self(); }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

int ffs(int value) { return __builtin_ffs(value); }
int ffsl(long value) { return __builtin_ffsl(value); }
int ffsll(long long value) { return __builtin_ffsll(value); }
