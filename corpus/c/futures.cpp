// SPDX-License-Identifier: GPL-3.0-or-later
//
// Results that one thread computes and another one waits for: a promise, a task, and std::async. What a thread has done
// before it sets the value is seen by the one that gets it. With LATE it goes on afterwards, and that is not. With
// BROKEN the promise is destroyed without a value, which the future reports as an exception. With TWICE there are two
// values for one promise.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define LATE: violated
// expect sc tso armv8 rc11, define BROKEN: violated
// expect sc rc11, define TWICE: violated
// expect sc tso armv8 rc11, define TASK: verified
// expect sc tso armv8 rc11, define ASYNC: verified
#include <cassert>
#include <future>
#include <thread>

int data;

int compute(int number) {
  data = number;
  return number + 1;
}

int main() {
#ifdef TASK
  std::packaged_task<int(int)> task(compute);
  std::future<int> result = task.get_future();
  std::thread thread(std::move(task), 4);
#elif defined(ASYNC)
  std::future<int> result = std::async(std::launch::async, compute, 4);
#else
  std::promise<int> promise;
  std::future<int> result = promise.get_future();
  std::thread thread([promise = std::move(promise)]() mutable {
#ifdef LATE
    promise.set_value(5);
    data = 4;
#elif !defined(BROKEN)
    promise.set_value(compute(4));
#endif
#ifdef TWICE
    promise.set_value(6);
#endif
  });
#endif
  assert(result.get() == 5);
  assert(data == 4);
#ifndef ASYNC
  thread.join();
#endif
}
