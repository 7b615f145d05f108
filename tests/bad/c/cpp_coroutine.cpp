// error: coroutine
// line: 18
// SPDX-License-Identifier: GPL-3.0-or-later
#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

int x;

Task work() {
  x = 1;
  co_await std::suspend_always{};
  x = 2;
}

int main() {
  work();
  return 0;
}
