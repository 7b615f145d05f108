// SPDX-License-Identifier: GPL-3.0-or-later
//
// Futures of the C++ library, and what they are made of: std::call_once, and pointers to member functions.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

CRun run(const std::string& text) {
  return run_c(R"(
    #include <future>
    #include <mutex>
    #include <thread>
    int result;
  )" + text,
               "test.cpp");
}

void expect_result(const std::string& text, Value value) {
  const CRun done = run(text);
  EXPECT_EQ(done.error, "") << text;
  EXPECT_TRUE(done.all_ended) << text;
  EXPECT_EQ(done.at("result"), value) << text;
}

TEST(CFutures, APromise) {
  expect_result(R"(
    int main() {
      std::promise<int> promise;
      auto future = promise.get_future();
      std::thread thread([&promise] { promise.set_value(3); });
      result = future.get();
      thread.join();
    })",
                3);
}

TEST(CFutures, ATask) {
  expect_result(R"(
    int main() {
      std::packaged_task<int(int)> task([](int x) { return x + 1; });
      auto future = task.get_future();
      std::thread thread(std::move(task), 4);
      thread.join();
      result = future.get();
    })",
                5);
}

TEST(CFutures, Async) {
  expect_result(R"(
    int twice(int x) { return 2 * x; }
    int main() { result = std::async(std::launch::async, twice, 3).get(); })",
                6);
}

TEST(CFutures, WhatIsMissingIsAnException) {
  const char* const thrown = "an exception is thrown and not caught: std::future_error";
  EXPECT_NE(run(R"(
    int main() {
      std::future<int> future;
      { std::promise<int> promise; future = promise.get_future(); }
      result = future.get();
    })")
                .error.find(thrown),
            std::string::npos);
  EXPECT_NE(run(R"(
    int main() {
      std::promise<int> promise;
      promise.set_value(1);
      promise.set_value(2);
    })")
                .error.find(thrown),
            std::string::npos);
}

TEST(CFutures, CallOnce) {
  expect_result(R"(
    std::once_flag flag, other;
    void add(int k) { result += k; }
    int main() {
      auto work = [] {
        std::call_once(flag, add, 2);
        std::call_once(other, [] { result += 10; });
      };
      std::thread a(work), b(work);
      a.join();
      b.join();
    })",
                12);
}

// The distance that belongs to a pointer to a member function, and virtual functions.
TEST(CFutures, PointersToMemberFunctions) {
  expect_result(R"(
    struct Counter { int before = 5, n = 1; void add(int k) { n += k; } };
    int main() {
      Counter counter;
      std::thread thread(&Counter::add, &counter, 2);
      thread.join();
      result = counter.n + 10 * counter.before;
    })",
                53);
  expect_result(R"(
    struct First { int x = 1; void a() { result += x; } };
    struct Second { int y = 2; void b() { result += 10 * y; } };
    struct Both : First, Second { int z = 3; virtual void c() { result += 100 * z; } };
    struct More : Both { void c() override { result += 1000 * z; } };
    int main() {
      More more;
      std::thread one(&First::a, &more); one.join();
      void (Both::*second)() = &Second::b;
      std::thread two(second, &more); two.join();
      std::thread three(&Both::c, &more); three.join();
    })",
                3021);
}

}  // namespace
}  // namespace fenceline::testing
