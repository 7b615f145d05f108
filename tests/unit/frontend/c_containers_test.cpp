// SPDX-License-Identifier: GPL-3.0-or-later
//
// Containers of the C++ library: what they allocate is known where one thread alone lets them grow, and one of a few
// sizes elsewhere; distances of addresses, and what stays an access.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

const char* const kHead = R"(
  #include <atomic>
  #include <memory>
  #include <mutex>
  #include <string>
  #include <thread>
  #include <vector>
  int result;
)";

void expect_result(const std::string& text, Value value) {
  const CRun run = run_c(kHead + text, "test.cpp");
  EXPECT_EQ(run.error, "") << text;
  EXPECT_TRUE(run.all_ended) << text;
  EXPECT_EQ(run.at("result"), value) << text;
}

TEST(CContainers, ThreadsInAVector) {
  expect_result(R"(
    std::atomic<int> sum;
    int main() {
      std::vector<std::thread> threads;
      for (int i = 0; i < 3; i++) threads.emplace_back([i] { sum += i; });
      for (auto& thread : threads) thread.join();
      result = sum + 10 * threads.size();
    })",
                33);
  expect_result(R"(
    int a[2];
    std::vector<std::thread> threads;
    int main() {
      for (int i = 0; i < 2; i++) threads.push_back(std::thread([i] { a[i] = i + 1; }));
      for (size_t i = 0; i < threads.size(); i++) threads[i].join();
      result = a[0] + a[1];
    })",
                3);
}

// The object that has the vector is known to the threads; they do not write the vector.
TEST(CContainers, AVectorThatThreadsMaySee) {
  expect_result(R"(
    struct Pool {
      std::vector<std::thread> threads;
      std::vector<int> values;
      Pool(int n) : values(n) {
        for (int i = 0; i < n; i++) threads.emplace_back([this, i] { values[i] = i + 1; });
      }
      ~Pool() {
        for (auto& thread : threads) thread.join();
        for (int value : values) result += value;
      }
    };
    int main() { Pool pool(3); })",
                6);
}

TEST(CContainers, GrowInAThread) {
  expect_result(R"(
    int main() {
      std::thread first([](int n) {
        std::vector<int> own;
        for (int i = 0; i < n; i++) own.push_back(i);
        own.insert(own.begin(), 7);
        own.erase(own.begin() + 1);
        for (int x : own) result = 10 * result + x;
      }, 3);
      first.join();
      std::thread second([](int n) {
        std::vector<std::unique_ptr<int>> own;
        for (int i = 0; i < n; i++) own.push_back(std::make_unique<int>(i));
        result += *own[1];
      }, 2);
      second.join();
    })",
                713);
}

// Its size when it grows is that of this execution.
TEST(CContainers, GrowWhereSeveralThreadsAppend) {
  expect_result(R"(
    std::vector<int> shared;
    std::mutex mutex;
    void append(int x) { std::lock_guard<std::mutex> guard(mutex); shared.push_back(x); }
    int main() {
      std::thread a(append, 1), b(append, 2), c(append, 3);
      a.join(); b.join(); c.join();
      for (int x : shared) result += x;
      result += 10 * shared.size();
    })",
                36);
}

// A number of elements that no case is made for.
TEST(CContainers, GrowTooFar) {
  const CRun run = run_c(std::string(kHead) + R"(
    std::vector<int> shared;
    std::mutex mutex;
    void append(int n) { std::lock_guard<std::mutex> guard(mutex); for (int i = 0; i < n; i++) shared.push_back(i); }
    int main() {
      std::thread a(append, 9), b(append, 9);
      a.join(); b.join();
    })",
                         "test.cpp");
  EXPECT_NE(run.error.find("Fenceline does not support"), std::string::npos) << run.error;
}

TEST(CContainers, Strings) {
  expect_result(R"(
    std::string text;
    int main() {
      std::thread thread([] { text = "hello"; text += '!'; });
      thread.join();
      result = text.size() * 100 + (text[5] - ' ');
    })",
                601);
}

// Distances and comparisons of addresses in one object are constants, wherever it lies.
TEST(CContainers, DistancesOfAddresses) {
  const CRun run = run_c(R"(
    #include <stdlib.h>
    int result;
    int main() {
      int *begin = malloc(5 * sizeof(int)), *end = begin + 5, *other = malloc(4);
      int* table = malloc((end - begin) * sizeof(int));
      for (int* at = begin; at < end; at++) table[at - begin] = 1;
      for (int* at = table; at != table + 5; at++) result += *at;
      result += 10 * (begin != other) + 100 * ((char*)end > (char*)begin);
    })");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("result"), 115);
}

// An address of the last iteration is not that of this one.
TEST(CContainers, AllocationsOfDifferentIterationsDiffer) {
  const CRun run = run_c(R"(
    #include <stdlib.h>
    volatile int more = 2;
    int result;
    int main() {
      int* last = 0;
      while (more) {
        int* now = malloc(sizeof(int));
        if (last == now) result += 1;
        if (last && last != now) result += 10;
        last = now;
        more--;
      }
    })");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("result"), 10);
}

// What another thread writes is no memory of main's own.
TEST(CContainers, WhatThreadsWriteIsRead) {
  const CRun run = run_c(R"(
    #include <pthread.h>
    #include <stdlib.h>
    struct { int count; int* slots; } table = {2, 0};
    int result;
    void* thread(void* unused) { table.count = 3; return 0; }
    int main() {
      pthread_t t;
      table.count = 1;
      pthread_create(&t, 0, thread, 0);
      pthread_join(t, 0);
      for (int i = 0; i < table.count; i++) result++;
    })");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("result"), 3);
}

// A thread finds what was there at its own start, unless it changes that itself before.
TEST(CContainers, WhatAThreadBeginsWith) {
  const CRun run = run_c(R"(
    #include <pthread.h>
    #include <stdlib.h>
    struct argument { int count, factor; };
    int result, late = 1;
    void* thread(void* p) {
      struct argument* a = p;
      int* values = calloc(a->count, sizeof(int));
      for (int i = 0; i < a->count; i++) values[i] = a->factor;
      for (int i = 0; i < a->count; i++) result += values[i];
      a->factor++;
      for (int i = 0; i < a->factor; i++) result += 100;
      for (int i = 0; i < late; i++) result += 1000;
      return 0;
    }
    int main() {
      pthread_t t;
      struct argument first = {2, 1}, second;
      pthread_create(&t, 0, thread, &first);
      pthread_join(t, 0);
      second.count = 3;
      second.factor = 2;
      late = 2;
      pthread_create(&t, 0, thread, &second);
      pthread_join(t, 0);
    })");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("result"), 2 + 200 + 1000 + 6 + 300 + 2000);
}

// The same with copies of what another thread may have written meanwhile.
TEST(CContainers, CopiesOfWhatThreadsWrite) {
  const CRun run = run_c(R"(
    #include <pthread.h>
    #include <string.h>
    struct pair { int a, b; } from = {1, 1}, to;
    int result;
    void* writer(void* unused) { from.a = 4; return 0; }
    void* reader(void* unused) { for (int i = 0; i < to.a; i++) result++; return 0; }
    int main() {
      pthread_t t;
      pthread_create(&t, 0, writer, 0);
      pthread_join(t, 0);
      memcpy(&to, &from, sizeof to);
      pthread_create(&t, 0, reader, 0);
      pthread_join(t, 0);
    })");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("result"), 4);
}

}  // namespace
}  // namespace fenceline::testing
