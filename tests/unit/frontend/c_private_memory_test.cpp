// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sizes that a thread computes: from what it has just set in an object of its own, from the low bits of addresses;
// and allocations of unknown size, which are rejected, or a limitation where they may not be reached.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

const char* const kHead = R"(
  #include <pthread.h>
  #include <stdatomic.h>
  #include <stdint.h>
  #include <stdlib.h>
  struct table { size_t capacity; int* slots; struct table* self; };
  _Atomic(struct table*) published;
  int result;
  volatile int flag;
)";

const char* const kMain = R"(
  int main() {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
  })";

std::string program(const std::string& body) {
  return std::string(kHead) + "void* thread(void* unused) {" + body + "return 0; }" + kMain;
}

void expect_result(const std::string& body, Value value) {
  const CRun run = run_c(program(body));
  EXPECT_EQ(run.error, "") << body;
  EXPECT_EQ(run.at("result"), value) << body;
}

TEST(CPrivateMemory, WhatAConstructorSetsAndReads) {
  expect_result(R"(
    struct table* t = malloc(sizeof *t);
    t->capacity = 2;
    t->self = t;
    t->capacity <<= 1;
    t->slots = malloc(t->capacity * sizeof(int));
    t->slots[3] = 7;
    published = t;
    result = t->slots[3];)",
                7);
}

// Another thread may change it then; so may the thread itself, through another pointer.
TEST(CPrivateMemory, NotOnceItIsPublished) {
  const char* const published = R"(
    struct table* t = malloc(sizeof *t);
    t->capacity = 2;
    published = t;
    t->slots = malloc(t->capacity * sizeof(int));)";
  EXPECT_NE(complaint_about_c(program(published)).find("an allocation whose size is not a constant"),
            std::string::npos);
  const char* const through_another = R"(
    struct table* t = malloc(sizeof *t);
    t->capacity = 2;
    t->self = t;
    t->self->capacity = flag;
    t->slots = malloc(t->capacity * sizeof(int));)";
  EXPECT_NE(complaint_about_c(program(through_another)).find("an allocation whose size is not a constant"),
            std::string::npos);
}

TEST(CPrivateMemory, AddressesAreRoundedUp) {
  expect_result(R"(
    char* raw = malloc(12 + 7 + 4 * sizeof(long));
    char* aligned = raw + 12 + (8 - ((uintptr_t)(raw + 12) % 8)) % 8;
    long* values = (long*)aligned;
    values[3] = 5;
    result = (int)values[3] + (raw == 0 ? 100 : 0);)",
                5);
}

TEST(CPrivateMemory, AnAllocationThatIsNotReached) {
  const char* const grows = R"(
    if (flag) { int* more = malloc(flag * sizeof(int)); more[0] = 1; result = more[0]; }
    result += 3;)";
  expect_result(grows, 3);
  const CRun reached = run_c(program("flag = 2;" + std::string(grows)));
  EXPECT_NE(reached.error.find("Fenceline does not support an allocation whose size is not a constant"),
            std::string::npos)
      << reached.error;
}

}  // namespace
}  // namespace fenceline::testing
