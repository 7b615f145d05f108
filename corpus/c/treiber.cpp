// SPDX-License-Identifier: GPL-3.0-or-later
//
// Treiber's stack in C++20, as a template over the type of its values. The orders and the verdicts are those
// of treiber.c.
//
// On Relaxed loads of one place may come in any order: a retry need not see anything new, so its loop has no
// bound, and only the test without retries is decided.
//
// expect sc tso rc11: verified
// expect sc tso, weaken 1 2: verified
// expect pso: verified
// expect relaxed, tests T0: verified
// expect relaxed, tests T0, weaken 1 2: violated
// expect rc11, tests T0, weaken 1 2: violated
#include <fenceline.h>

#include <atomic>

template <typename T>
class Stack {
 public:
  constexpr Stack() = default;

  void clear() { top_.store(nullptr, std::memory_order_relaxed); }

  void push(T value) {
    Node* node = new Node{value, top_.load(std::memory_order_relaxed)};
    while (!top_.compare_exchange_strong(node->next, node, fl_order(1, std::memory_order_release),
                                         std::memory_order_relaxed)) {
      fl_retry();
    }
  }

  bool pop(T& value) {
    Node* node = top_.load(fl_order(2, std::memory_order_acquire));
    while (node != nullptr) {
      if (top_.compare_exchange_strong(node, node->next, std::memory_order_relaxed,
                                       fl_order(2, std::memory_order_acquire))) {
        value = node->value;
        return true;
      }
      fl_retry();
    }
    return false;
  }

 private:
  struct Node {
    T value;
    Node* next;
  };

  std::atomic<Node*> top_{nullptr};
};

Stack<int> stack;

void init_stack(Stack<int>& stack) { stack.clear(); }

void push(Stack<int>& stack, int value) { stack.push(value); }

int pop(Stack<int>& stack, int* value) { return stack.pop(*value) ? 1 : 0; }
