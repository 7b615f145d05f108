// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values that are known although they come from pointers and from memory: how often a loop over addresses iterates, how
// far a masked index goes, what is behind a pointer that was acquired. And what has to stay although they are known.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

const char* const kHead = R"(
  #include <pthread.h>
  #include <stdatomic.h>
  #include <stdlib.h>
  int result, any;
)";

std::string program(const std::string& before, const std::string& set_up, const std::string& thread) {
  return kHead + before + "void* thread(void* unused) {" + thread + "return 0; } int main() {" + set_up +
         "pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0); }";
}

void expect_result(const std::string& text, Value value) {
  const CRun run = run_c(text);
  EXPECT_EQ(run.error, "") << text;
  EXPECT_EQ(run.at("result"), value) << text;
}

// The size of an allocation is how often the loop iterates.
TEST(CKnownValues, LoopsOverAddresses) {
  for (const char* loop :
       {"int a[3]; for (int* p = a; p != a + 3; ++p) n++;", "int a[3]; for (int* p = a; p < a + 3; ++p) n++;",
        "int* a = malloc(12); for (int* p = a + 3; p != a; --p) n++;",
        "for (int* p = array; p <= &array[2]; p += 1) n++;"})
    expect_result(program("int array[4];", "",
                          "int n = 0;" + std::string(loop) +
                              "int* m = malloc(n * sizeof(int)); m[n - 1] = 7; result = m[n - 1] + n;"),
                  10);
}

TEST(CKnownValues, ArraysOfObjectsAreConstructedInLoops) {
  const CRun run = run_c(R"(
    #include <atomic>
    #include <cstdlib>
    #include <new>
    struct block { block() : next(nullptr) {} std::atomic<bool> flags[3]; std::atomic<block*> next; };
    block* volatile result;
    int main() {
      block* b = new (std::malloc(sizeof(block))) block;
      b->next = b;
      result = b->next;
    })",
                         "test.cpp");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("result"), run.at("main.new.next"));
  EXPECT_EQ(run.at("main.new.flags[2]"), 0);
}

// It is an error to compare a pointer that was never set, also with itself.
TEST(CKnownValues, AnUnsetPointerIsNoAddress) {
  const CRun run = run_c(program("", "", "int* a; int n = 0; for (int* p = a; p != a + 2; ++p) n++;"));
  EXPECT_NE(run.error, "");
}

const char* const kTable = R"(
  struct entry { long key, value; };
  struct table {
    unsigned long capacity;
    struct entry* entries;
    struct table* previous;
    struct entry first[2];
    char flag;
  } table;
  _Atomic(struct table*) current;
)";
const char* const kSetUp = R"(
  table.capacity = 2;
  table.entries = table.first;
  table.flag = 1;
  atomic_store(&current, &table);
)";

// Only the two entries are accessed, not what is behind them: it has a cell of its own, and they have one each.
TEST(CKnownValues, AMaskedIndexEndsWithItsMask) {
  for (const char* index : {"any & (t->capacity - 1)", "any % t->capacity", "any & 1"}) {
    const CRun run =
        run_c(program(kTable, kSetUp,
                      "any = 3; struct table* t = atomic_load_explicit(&current, memory_order_acquire);"
                      "t->entries[" +
                          std::string(index) + "].key = 5; table.flag = 2;"));
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.at("table.first[1].key"), 5) << index;
    EXPECT_EQ(run.at("table.flag"), 2) << index;
  }
}

// Such a pointer was acquired, and what is behind it does not change any more.
TEST(CKnownValues, BehindAPointerThatWasAcquired) {
  const std::string body =
      "struct table* t = atomic_load_explicit(&current, memory_order_acquire);"
      "long* m = malloc(t->capacity * sizeof(long)); m[1] = 4; result = m[1];";
  expect_result(program(kTable, kSetUp, body), 4);
  // A relaxed load and a dependency order what an address that is a constant would not.
  const std::string relaxed =
      "struct table* t = atomic_load_explicit(&current, memory_order_relaxed);"
      "long* m = malloc(t->capacity * sizeof(long)); m[1] = 4;";
  const std::string other =
      std::string(kTable) + "void* other(void* unused) { atomic_store(&current, &table); return 0; }";
  const std::string start = std::string(kSetUp) + "pthread_t o; pthread_create(&o, 0, other, 0);";
  EXPECT_NE(complaint_about_c(program(other, start, relaxed)), "");
}

// What is read there is known. Whether there is something to read is not.
TEST(CKnownValues, ANullPointerIsStillDereferenced) {
  const std::string behind = "for (unsigned long i = 0; i < pointer->capacity; i++) result++;";
  const std::string before = std::string(kTable) + "struct table* pointer; volatile int choice;";
  const std::string set_up = std::string(kSetUp) + "if (choice) pointer = &table;";
  expect_result(program(before, "choice = 1;" + set_up, behind), 2);
  EXPECT_NE(run_c(program(before, set_up, behind)).error, "");
}

// free() is not called for variables; where it might be, they stay what they are.
TEST(CKnownValues, VariablesAreNotFreed) {
  const std::string body =
      "struct table* t = atomic_load(&current);"
      "if (t != &table) free(t);"
      "long* m = malloc(table.capacity * sizeof(long)); m[1] = 4; result = m[1];";
  expect_result(program(kTable, kSetUp, body), 4);
}

// An atomic pointer is loaded as a number, in memory that no other thread knows of.
TEST(CKnownValues, APointerThatIsLoadedAsANumber) {
  expect_result(program("struct node { _Atomic(struct node*) next; unsigned long size; };", "",
                        "struct node* n = malloc(sizeof *n); atomic_init(&n->next, 0); n->size = 3;"
                        "struct node* next = atomic_load_explicit(&n->next, memory_order_relaxed);"
                        "unsigned long size = next == 0 ? n->size : next->size;"
                        "long* m = malloc(size * sizeof(long)); m[2] = 6; result = m[2];"),
                6);
}

}  // namespace
}  // namespace fenceline::testing
