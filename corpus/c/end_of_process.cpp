// SPDX-License-Identifier: GPL-3.0-or-later
//
// A log that is a variable of a function: the constructor of the first user makes it, so it outlives all users, and a
// function for atexit() that a user registers runs before that user ends. With LATE, users begin to log when they end: the
// first one that does makes the log, which is gone when the next one logs. With LEAVES, the constructor of the
// second user ends the process: it is never destroyed, nor is the log destroyed too early.
//
// expect sc tso rc11: verified
// expect sc tso rc11, define LATE: violated
// expect sc, define LEAVES: verified
// expect sc, define LEAVES WRONG: violated
#include <cassert>
#include <cstdlib>
#include <thread>

struct Log {
  bool open = true;
  int users = 0;
  ~Log() { open = false; }
};

Log& log_of_all() {
  static Log log;
  return log;
}

void ends() {
#ifndef LATE
  assert(log_of_all().open);
#endif
}

struct User {
  int number;
  explicit User(int n) : number(n) {
#ifndef LATE
    log_of_all().users++;
#endif
#ifdef LEAVES
    if (number == 2) std::exit(0);
#endif
    std::atexit(ends);
  }
  ~User() {
    assert(log_of_all().open);
#ifdef LEAVES
#ifdef WRONG
    assert(number == 2);
#else
    assert(number == 1 && log_of_all().users == 2);
#endif
#endif
  }
};

User first(1), second(2);

int main() {
#ifdef LEAVES
  assert(false);
#endif
  std::thread other(log_of_all);
  other.join();
}
