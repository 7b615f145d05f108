// SPDX-License-Identifier: GPL-3.0-or-later
//
// Globals, sizes and calls of C: what is a constant because nothing writes it once threads run, and what is not;
// thread-local variables, results of threads, what main() gets.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

const char* const kHead = R"(
  #include <assert.h>
  #include <fenceline.h>
  #include <pthread.h>
  #include <stdatomic.h>
  #include <stdlib.h>
  #include <string.h>
  #include <threads.h>
  #include <unistd.h>
)";

// How many of its threads' instructions read or write memory, apart from starting and waiting.
size_t accesses(const Program& program, const std::string& thread) {
  size_t found = 0;
  for (const auto& one : program.threads)
    if (one.name == thread)
      for (const Instruction& instruction : one.code) found += instruction.kind == InstrKind::kLoad ? 1 : 0;
  return found;
}

size_t threads_of(const std::string& text) { return lower_c(kHead + text).program.threads.size(); }

std::string complaint(const std::string& text) { return complaint_about_c(kHead + text); }

void expect_result(const std::string& text, Value value) {
  const CRun run = run_c(kHead + text);
  EXPECT_EQ(run.error, "") << text;
  EXPECT_TRUE(run.all_ended) << text;
  EXPECT_EQ(run.at("result"), value) << text;
}

const char* const kThread = R"(
  atomic_int result;
  void* thread(void* unused) { result++; return 0; }
  void start(int n) {
    pthread_t t[8];
    for (int i = 0; i < n; i++) pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  }
)";

TEST(CGlobals, AVariableThatIsNeverWrittenIsAConstant) {
  EXPECT_EQ(threads_of(std::string("int n = 3;") + kThread + "int main() { start(n); }"), 1U + 3);
  EXPECT_EQ(
      threads_of(std::string("static const int n[] = {1, 2};") + kThread + "int main() { start(n[1]); }"),
      1U + 2);
  EXPECT_EQ(threads_of(std::string("struct { int a; struct { long b, c; } d; } s = {1, {2, 3}};") + kThread +
                       "int main() { start(s.d.c); }"),
            1U + 3);
  EXPECT_EQ(threads_of(std::string("int n = 2; int* const p = &n;") + kThread + "int main() { start(*p); }"),
            1U + 2);
}

TEST(CGlobals, WhatSetUpCodeLeavesIsAConstant) {
  expect_result(std::string("int n; struct { int k, mask; } s;") + kThread +
                    "void init(int k) { s.k = k; s.mask = s.k - 1; n += s.mask; }"
                    "int main() { init(4); start(n); assert(s.mask == 3); }",
                3);
  // On both paths.
  expect_result(
      std::string("int n;") + kThread + "int main() { if (fl_nondet(0, 1)) n = 2; else n = 2; start(n); }",
      2);
  // The last of several stores, a copy, and what memset leaves.
  expect_result(std::string("struct pair { int a, b; } x = {7, 8}, y;") + kThread +
                    "int main() { y = x; y.b -= 6; start(y.b); }",
                2);
  expect_result(std::string("struct pair { int a, b; } y = {7, 8};") + kThread +
                    "int main() { memset(&y, 0, sizeof y); start(y.b + 1); }",
                1);
}

TEST(CGlobals, WhatIsNotKnownIsNoConstant) {
  const auto rejected = [](const std::string& declarations, const std::string& code) {
    return complaint(declarations + kThread + "int main() { " + code + " start(n); }");
  };
  // Different on two paths, in a loop, through a pointer that may be to another, by another thread.
  EXPECT_NE(rejected("int n;", "n = fl_nondet(0, 1) ? 1 : 2;"), "");
  EXPECT_NE(rejected("int n, m;", "int* p = fl_nondet(0, 1) ? &n : &m; *p = 2;"), "");
  EXPECT_NE(rejected("int n = 1;", "for (int i = 0; i < fl_nondet(0, 2); i++) n++;"), "");
  EXPECT_NE(rejected("int n, m[2];", "m[fl_nondet(0, 1)] = 2; n = m[0];"), "");
  EXPECT_NE(rejected("atomic_int n = 1;", "n++;"), "");
  EXPECT_NE(rejected("volatile int n = 1;", ""), "");
}

// The thread that writes it may be started before or after the one that reads it.
TEST(CGlobals, AVariableThatAThreadWritesIsNoConstant) {
  const std::string text = R"(
    int n = 1, result;
    void* writer(void* unused) { n = 2; return 0; }
    int main() {
      pthread_t t;
      pthread_create(&t, 0, writer, 0);
      pthread_join(t, 0);
      result = n;
    })";
  expect_result(text, 2);
  const std::string through_argument = R"(
    int n = 1, result;
    void* writer(void* p) { *(int*)p = 2; return 0; }
    int main() {
      pthread_t t;
      pthread_create(&t, 0, writer, &n);
      pthread_join(t, 0);
      result = n;
    })";
  expect_result(through_argument, 2);
  const std::string through_memory = R"(
    struct node { struct node* next; int n; } a = {0, 1}, b = {&a, 1};
    int result;
    void* writer(void* p) { ((struct node*)p)->next->n = 2; return 0; }
    int main() {
      pthread_t t;
      pthread_create(&t, 0, writer, &b);
      pthread_join(t, 0);
      result = a.n;
    })";
  expect_result(through_memory, 2);
  const std::string by_copy = R"(
    struct pair { long a, b; } n = {1, 1}, other = {2, 2};
    int result;
    void* writer(void* p) { memcpy(&n, &other, sizeof n); return 0; }
    int main() {
      pthread_t t;
      pthread_create(&t, 0, writer, 0);
      pthread_join(t, 0);
      result = n.b;
    })";
  expect_result(by_copy, 2);
  const std::string by_main = R"(
    int n = 1, result;
    void* reader(void* p) { result = n; return 0; }
    int main() {
      pthread_t t, u;
      pthread_create(&t, 0, reader, 0);
      pthread_join(t, 0);
      n = 2;
      pthread_create(&u, 0, reader, 0);
      pthread_join(u, 0);
    })";
  expect_result(by_main, 2);
}

// A thread is started on one path only: behind it, other threads may run.
TEST(CGlobals, AThreadThatMayRunCounts) {
  expect_result(R"(
    int n = 1, result;
    void* writer(void* unused) { n = 2; return 0; }
    int main() {
      pthread_t t;
      if (fl_nondet(1, 1)) {
        pthread_create(&t, 0, writer, 0);
        pthread_join(t, 0);
      }
      result = n;
    })",
                2);
}

// Of an access that decides how often a loop iterates: one that can matter for an order stays.
TEST(CGlobals, OnlyLoadsThatOrderNothingDisappear) {
  const auto loads = [](const std::string& declaration, const std::string& access) {
    const std::string text = kHead + declaration +
                             "int x; void* thread(void* argument) { for (int i = 0; i < " + access +
                             "; i++) x = 1; return 0; } int main() { pthread_t t;"
                             "pthread_create(&t, 0, thread, 0); pthread_join(t, 0); }";
    return accesses(lower_c(text).program, "thread#1");
  };
  const size_t without = loads("", "1");
  EXPECT_EQ(loads("int n = 1;", "n"), without);
  EXPECT_EQ(loads("atomic_int n = 1;", "atomic_load_explicit(&n, memory_order_relaxed)"), without);
  EXPECT_GT(loads("atomic_int n = 1;", "atomic_load_explicit(&n, memory_order_acquire)"), without);
  EXPECT_GT(loads("atomic_int n = 1;", "n"), without);
  EXPECT_GT(loads("volatile int n = 1;", "n"), without);
  // A dependency on another load.
  EXPECT_EQ(loads("int n[2] = {1, 1}; volatile int i;", "(i, n[0])"), loads("volatile int i;", "(i, 1)"));
  EXPECT_GT(loads("int n[2] = {1, 1}; volatile int i;", "n[i & 0]"), loads("volatile int i;", "(i, 1)"));
  EXPECT_GT(loads("int n = 1; ", "(fl_fence(\"load-load\"), n)"), without);
  EXPECT_EQ(loads("int n = 1; ", "(fl_fence(\"load-load, load-store\"), n)"), without);
}

// What decides nothing stays an access.
TEST(CGlobals, OtherLoadsStay) {
  const std::string text = std::string(kHead) +
                           "int n = 1, x; void* thread(void* argument) { x = n; return 0; }"
                           "int main() { pthread_t t; pthread_create(&t, 0, thread, 0); }";
  const std::string without = std::string(kHead) +
                              "int x; void* thread(void* argument) { x = 1; return 0; }"
                              "int main() { pthread_t t; pthread_create(&t, 0, thread, 0); }";
  EXPECT_EQ(accesses(lower_c(text).program, "thread#1"), accesses(lower_c(without).program, "thread#1") + 1);
}

TEST(CGlobals, SizesOfAllocations) {
  expect_result(R"(
    struct ring { unsigned size, mask; atomic_int head; int slots[]; };
    struct ring* ring;
    int result;
    struct ring* make(unsigned size) {
      struct ring* r = calloc(1, sizeof *r + size * sizeof(int));
      r->size = size;
      r->mask = r->size - 1;
      int* extra = malloc(r->size * sizeof *extra);
      extra[r->size - 1] = 5;
      r->slots[3] = extra[3];
      return r;
    }
    int main() { ring = make(4); result = ring->slots[ring->mask]; })",
                5);
}

// A thread writes elements of an array behind a header: not the header, if no index is negative.
TEST(CGlobals, AnArrayBehindAHeader) {
  const auto text = [](const std::string& index) {
    return R"(
      struct ring { unsigned size, mask; atomic_uint head; int slots[]; };
      struct ring* ring;
      int result;
      void* thread(void* p) {
        unsigned head = ring->head;
        ring->slots[)" +
           index + R"(] = 3;
        int* copy = malloc(ring->size * sizeof *copy);
        copy[ring->mask] = 7;
        result = copy[3] + ring->slots[1];
        return 0;
      }
      int main() {
        ring = calloc(1, sizeof *ring + 4 * sizeof(int));
        ring->size = 4;
        ring->mask = 3;
        ring->head = 1;
        pthread_t t;
        pthread_create(&t, 0, thread, ring);
        pthread_join(t, 0);
      })";
  };
  EXPECT_EQ(complaint(text("(int)head - 1")).find("depends on 'ring->size'") == std::string::npos, false);
  expect_result(text("head & ring->mask"), 10);
}

TEST(CGlobals, ASizeThatIsNotKnownIsNamed) {
  const std::string text = complaint(R"(
    struct config { int n, k; } config;
    int* values;
    void* thread(void* unused) { config.k = 2; return 0; }
    int main() {
      pthread_t t;
      pthread_create(&t, 0, thread, 0);
      values = malloc(config.k * sizeof(int));
    })");
  EXPECT_NE(text.find("an allocation whose size is not a constant (malloc): it depends on 'config.k'"),
            std::string::npos)
      << text;
  const std::string nondet = complaint("int main() { int a[fl_nondet(1, 2)]; a[0] = 1; }");
  EXPECT_NE(nondet.find("an array whose size is not a constant"), std::string::npos) << nondet;
  EXPECT_NE(nondet.find("what fl_nondet() returns"), std::string::npos) << nondet;
  const std::string threads =
      complaint(std::string("int n;") + kThread + "int main() { n = fl_nondet(0, 3); start(n); }");
  EXPECT_NE(threads.find("starting threads in a loop"), std::string::npos) << threads;
}

TEST(CGlobals, ArraysOfVariableLength) {
  expect_result(R"(
    int result, n = 3;
    int sum(int k) {
      int values[k];
      for (int i = 0; i < k; i++) values[i] = i;
      int all = 0;
      for (int i = 0; i < k; i++) all += values[i];
      return all;
    }
    int main() { result = sum(n) + sum(n + 1); })",
                3 + 6);
  const CRun run = run_c(std::string(kHead) + "int n = 3, x; int main() { int a[n]; a[x + 3] = 1; }");
  EXPECT_NE(run.error, "");
  const CRun unset = run_c(std::string(kHead) + "int n = 3, x; int main() { int a[n]; x = a[2] + 1; }");
  EXPECT_NE(unset.error, "");
}

TEST(CGlobals, MoreThreadsThanThereMayBe) {
  const std::string text = complaint(R"(
    int n = 17;
    void* thread(void* unused) { return 0; }
    int main() {
      pthread_t t;
      for (int i = 0; i < n; i++) pthread_create(&t, 0, thread, 0);
    })");
  EXPECT_NE(text.find("more than 16 threads"), std::string::npos) << text;
}

TEST(CGlobals, ThreadLocalVariables) {
  expect_result(R"(
    _Thread_local int mine = 1;
    int result;
    int* address;
    void add(int n) { mine += n; }
    void* thread(void* p) { add(10); *address += mine; return 0; }
    int main() {
      pthread_t t, u;
      add(1);
      address = &mine;
      pthread_create(&t, 0, thread, 0);
      pthread_join(t, 0);
      pthread_create(&u, 0, thread, 0);
      pthread_join(u, 0);
      result = mine;
    })",
                2 + 11 + 11);
}

TEST(CGlobals, WhatAThreadReturns) {
  expect_result(R"(
    int result, x;
    void* first(void* p) { x = 5; return &x; }
    void* second(void* p) { if (p) pthread_exit((void*)7); return (void*)8; }
    int main() {
      pthread_t t;
      void* value;
      int* pointer;
      pthread_create(&t, 0, first, 0);
      pthread_join(t, (void**)&pointer);
      result = *pointer;
      pthread_create(&t, 0, second, &x);
      pthread_join(t, &value);
      result = 10 * result + (int)(long)value;
      pthread_create(&t, 0, second, 0);
      pthread_join(t, &value);
      result = 10 * result + (int)(long)value;
    })",
                578);
  expect_result(R"(
    int result;
    int thread(void* p) { if (p) thrd_exit(-3); return 4; }
    int main() {
      thrd_t t;
      int a, b;
      thrd_create(&t, thread, &t);
      thrd_join(t, &a);
      thrd_create(&t, thread, 0);
      thrd_join(t, &b);
      result = a * b;
    })",
                -12);
}

TEST(CGlobals, RecursionWithABound) {
  expect_result(
      "int result; int f(int n) { return n == 0 ? 1 : n * f(n - 1); } int main() { result = f(5); }", 120);
  expect_result(
      "int result; int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int main() { result = f(8); }",
      21);
  expect_result(R"(
    int result;
    int odd(int n);
    int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    int main() { result = even(6) * 10 + even(7); })",
                10);
  // Accesses to memory on each level, a thread that is recursive itself, and started twice.
  expect_result(R"(
    int tree[8], result;
    void fill(int node, int depth) {
      tree[node] = depth;
      if (depth == 3) return;
      fill(2 * node, depth + 1);
      fill(2 * node + 1, depth + 1);
    }
    void walk(int depth) {
      if (depth > 0) walk(depth - 1);
      result += tree[1 << depth];
    }
    void* thread(void* p) { walk(2); return 0; }
    int main() {
      fill(1, 1);
      pthread_t t;
      pthread_create(&t, 0, thread, 0);
      pthread_join(t, 0);
      pthread_create(&t, 0, thread, 0);
      pthread_join(t, 0);
    })",
                2 * (1 + 2 + 3));
  // Locals of each level are others.
  expect_result(R"(
    int result;
    int* outer;
    int f(int n) {
      int local = n;
      if (n == 2) outer = &local;
      if (n > 0) f(n - 1);
      else *outer += 10;
      return local;
    }
    int main() { result = f(2) * 100 + 3; })",
                1203);
}

// The last thing that a function does is a call of itself: a loop, with or without a bound.
// The call through the pointer is one of a function once variables have left memory.
TEST(CGlobals, RecursionBesideAPointerCall) {
  const CRun run = run_c(
      "int r; static void add(int k) { r += k; }\n"
      "struct job { void (*f)(int); int k; }; static void work(struct job j) { j.f(j.k); }\n"
      "static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }\n"
      "int main(void) { void (*f)(int) = add; struct job j = {f, 3}; work(j); r += depth(5); }");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("r"), 8);
}

TEST(CGlobals, RecursionAtTheEnd) {
  const std::string list = R"(
    struct node { int key; struct node* next; } *first;
    int result, steps;
    struct node* find(struct node* node, int key) {
      struct node* here = node;
      ++steps;
      if (here == 0) return 0;
      if (here->key == key) return here;
      int next = here->key + 1;
      if (next > 0) return find(here->next, key);
      return first;
    }
    void count(struct node* node) {
      if (node == 0) return;
      ++result;
      count(node->next);
    }
    void push(int key) {
      struct node* node = malloc(sizeof *node);
      node->key = key;
      node->next = first;
      first = node;
    })";
  expect_result(list + R"(
    int main() {
      for (int i = 1; i <= 3; ++i) push(10 * i);
      result = find(first, 10)->key + (find(first, 40) == 0) + 100 * steps;
    })",
                711);
  expect_result(list + "int main() { push(1); push(2); count(first); }", 2);
  // What it returns is not what the call returns, and a variable of the caller is still in use.
  for (const char* text : {"int f(int n) { int r = f(n + fl_nondet(0, 1)); return n > 5 ? n : r; }",
                           "int f(int n) { if (n > 5) return n; return f(n + fl_nondet(0, 1)) + 0; }"})
    EXPECT_NE(complaint(text + std::string("int main() { return f(0); }")).find("recursion"),
              std::string::npos);
  expect_result(R"(
    int result;
    int f(int n, int* outer) {
      int local = n;
      if (n == 0) return *outer;
      return f(n - 1, n == 3 ? &local : outer);
    }
    int main() { result = f(3, 0); })",
                3);
}

TEST(CGlobals, RecursionWithoutABound) {
  for (const char* text :
       {"int f(int n) { return n == 0 ? 1 : n * f(n - 1); } int main() { return f(fl_nondet(0, 3)); }",
        "void f(void) { f(); } int main() { f(); }",
        "int f(int n) { return n == 100 ? 0 : f(n + 1); } int main() { return f(0); }",
        "int f(int n) { return n == 30 ? 1 : f(n + 1) + f(n + 1); } int main() { return f(0); }"}) {
    const std::string message = complaint(text);
    EXPECT_NE(message.find("recursion: 'f' ends up calling itself"), std::string::npos) << message;
  }
}

// The last one that was registered comes first, when main() returns or exit() is called, by any thread.
TEST(CGlobals, FunctionsAtTheEndOfTheProcess) {
  const std::string handlers = R"(
    int result;
    void two(void) { result = 10 * result + 2; }
    void three(void) { result = 10 * result + 3; }
    void* thread(void* p) { exit(0); }
  )";
  const auto ends = [&](const std::string& code) {
    return run_c(kHead + handlers + "int main() { atexit(two); result = 1; atexit(three); " + code + " }")
        .at("result");
  };
  EXPECT_EQ(ends(""), 132);
  EXPECT_EQ(ends("if (result == 1) return 0; result = 5;"), 132);
  EXPECT_EQ(ends("result = 7; exit(1);"), 732);
  EXPECT_EQ(ends("_exit(1);"), 1);
  EXPECT_EQ(ends("pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0);"), 132);
  EXPECT_EQ(ends("if (fl_nondet(0, 0)) atexit(two);"), 132);
  // What is registered meanwhile is next.
  EXPECT_EQ(run_c(kHead + handlers +
                  "void four(void) { result = 10 * result + 4; atexit(three); }\n"
                  "int main() { atexit(two); atexit(four); result = 1; }")
                .at("result"),
            1432);
  // Without a call of exit().
  EXPECT_EQ(
      run_c(std::string(kHead) + "int result; void two(void) { result = 2; } int main() { atexit(two); }")
          .at("result"),
      2);
}

TEST(CGlobals, ArgumentsOfMain) {
  expect_result(R"(
    int result;
    int main(int argc, char** argv) {
      int n = argc > 1 ? atoi(argv[1]) : 2;
      int* values = malloc(n * sizeof(int));
      values[n - 1] = 6;
      result = values[1] + (argv[argc] == 0) + (argv[0][0] == 'p');
    })",
                8);
}

}  // namespace
}  // namespace fenceline::testing
