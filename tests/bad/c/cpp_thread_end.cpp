// error: the end of a thread in reach of destructors or handlers
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

int gone;
struct Counted {
  ~Counted() { ++gone; }
};

void leave() { pthread_exit(nullptr); }

void* run(void*) {
  Counted counted;
  leave();
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, run, nullptr);
  pthread_join(thread, nullptr);
  return gone;
}
