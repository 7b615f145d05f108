// SPDX-License-Identifier: GPL-3.0-or-later
//
// What variables, their parts and threads are called, and what steps are to a reader. The names of random types are
// compared with the compiler by tests/fuzz/fuzz_member_names.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/memory.h"
#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

// The names of cells that begin so.
std::set<std::string> cells(const Program& program, const std::string& beginning) {
  std::set<std::string> found;
  for (const auto& [offset, name] : program.objects.front().cell_names)
    if (name.starts_with(beginning)) found.insert(name);
  return found;
}

std::set<std::string> cells_of(const std::string& text, const std::string& beginning,
                               const std::string& name = "test.c") {
  return cells(lower_c(text, name).program, beginning);
}

using Names = std::set<std::string>;

TEST(CNames, MembersOfNestedStructuresAndArrays) {
  EXPECT_EQ(cells_of(R"(
    struct { struct { unsigned head, tail; } prod, cons; struct { int sequence; short kind[2]; } slots[2]; } ring;
    int main() { ring.prod.head = 1; ring.slots[1].kind[1] = 2; })",
                     "ring"),
            Names({"ring.prod.head", "ring.prod.tail", "ring.cons.head", "ring.cons.tail",
                   "ring.slots[0].sequence", "ring.slots[0].kind[0]", "ring.slots[0].kind[1]",
                   "ring.slots[1].sequence", "ring.slots[1].kind[0]", "ring.slots[1].kind[1]"}));
}

TEST(CNames, TheMemberOfAUnionThatHasTheSize) {
  const std::string both = R"(
    union u { struct { unsigned short lo, hi; }; unsigned word; };
    union u x;
  )";
  EXPECT_EQ(cells_of(both + "int main() { x.word = 1; }", "x"), Names({"x.word"}));
  EXPECT_EQ(cells_of(both + "int main() { x.lo = 1; x.hi = 2; }", "x"), Names({"x.lo", "x.hi"}));
  // Halves are accessed, so the word is two cells.
  EXPECT_EQ(cells_of(both + "int main() { x.word = 1; return x.hi; }", "x"), Names({"x.lo", "x.hi"}));
}

TEST(CNames, AnonymousMembersHaveNoName) {
  EXPECT_EQ(cells_of(R"(
    struct { int before; union { struct { int a, b; }; long both; }; } s;
    int main() { s.a = 1; s.b = 2; })",
                     "s."),
            Names({"s.before", "s.a", "s.b"}));
  EXPECT_EQ(cells_of(R"(
    struct { int before; union { struct { int a, b; }; long both; }; } s;
    int main() { s.both = 1; })",
                     "s."),
            Names({"s.before", "s.both"}));
}

TEST(CNames, BitFieldsThatShareTheirBytes) {
  EXPECT_EQ(cells_of(R"(
    struct { unsigned ready : 1, mode : 3; int rest; } flags;
    int main() { flags.mode = 3; })",
                     "flags"),
            Names({"flags.{ready, mode}", "flags.rest"}));
  EXPECT_EQ(cells_of("struct { unsigned char only : 3; int rest; } f; int main() { f.only = 1; }", "f."),
            Names({"f.only", "f.rest"}));
}

TEST(CNames, PartsOfAMemberAndSeveralElements) {
  EXPECT_EQ(cells_of("unsigned word; int main() { *(char*)&word = 1; }", "word"),
            Names({"word+0", "word+1"}));
  EXPECT_EQ(
      cells_of("struct { int n; char text[12]; } s; int main() { *(int*)(s.text + 4) = 1; }", "s.text[4"),
      Names({"s.text[4..7]"}));
}

TEST(CNames, AllocationsHaveTheTypeOfWhatTheyAreFor) {
  const std::string head = R"(
    #include <stdlib.h>
    typedef struct node { struct node* next; union { struct { short lo, hi; }; int word; }; } node;
    struct queue { int size; node items[]; };
    node* top;
  )";
  EXPECT_EQ(
      cells_of(head + "int main() { node* n = malloc(sizeof(node)); n->word = 1; n->next = 0; }", "main.new"),
      Names({"main.new.next", "main.new.word"}));
  EXPECT_EQ(cells_of(head + "int main() { top = malloc(2 * sizeof(node)); top[1].hi = 1; }", "main.new[1].h"),
            Names({"main.new[1].hi"}));
  EXPECT_EQ(cells_of(head + R"(
    int main() { struct queue* q = malloc(sizeof(struct queue) + 2 * sizeof(node)); q->items[1].word = 1; })",
                     "main.new.items[1].w"),
            Names({"main.new.items[1].word"}));
  // Through a function of the program that returns memory for anything.
  EXPECT_EQ(cells_of(head + R"(
    void* allocate(size_t n) { return malloc(n); }
    int main() { node* n = allocate(sizeof(node)); n->word = 1; })",
                     "main.new"),
            Names({"main.new.next", "main.new.word"}));
}

TEST(CNames, WhatIsNotKnownIsNumbered) {
  EXPECT_EQ(cells_of("#include <stdlib.h>\nint main() { char* p = malloc(24); *(long*)(p + 8) = 1; }",
                     "main.new[1]"),
            Names({"main.new[1]"}));
}

const char* const kClasses = R"(
  #include <atomic>
  #include <memory>
  #include <thread>
  struct Base { int x; };
  struct Other { int y; };
  struct Derived : Base, Other { int x; std::atomic<unsigned> count; };
  namespace app {
  template <class T> class Queue {
   public:
    void set(T* value) { head_.store(value); tail_ = value; flag_.test_and_set(); }
   private:
    std::atomic<T*> head_;
    T* tail_;
    std::atomic_flag flag_;
  };
  }
  struct Virtual { virtual ~Virtual() {} virtual void f() {} int n; };
)";

TEST(CNames, ClassesOfCpp) {
  const Program program = lower_c(std::string(kClasses) + R"(
    Derived d;
    namespace { app::Queue<int> queue; }
    static int counter;
    int value;
    int main() {
      static int calls;
      d.Base::x = d.x = d.y = 1;
      d.count = 2;
      queue.set(&value);
      counter = ++calls;
    })",
                                  "test.cpp")
                              .program;
  EXPECT_EQ(cells(program, "d."), Names({"d.Base::x", "d.y", "d.x", "d.count"}));
  EXPECT_EQ(cells(program, "queue."), Names({"queue.head_", "queue.tail_", "queue.flag_"}));
  EXPECT_EQ(cells(program, "counter"), Names({"counter"}));
  EXPECT_EQ(cells(program, "main::calls"), Names({"main::calls"}));
}

// `_M_start` and `_M_finish` of a vector are both needed; the members around them are not.
TEST(CNames, MembersOfTheLibraryAreLeftOutWhereTheySayNothing) {
  const Program program = lower_c(R"(
    #include <array>
    #include <memory>
    #include <mutex>
    #include <vector>
    std::array<int, 2> a;
    std::vector<int> v;
    std::mutex m;
    std::unique_ptr<int> p;
    int main() { a[1] = 1; m.lock(); m.unlock(); v.push_back(1); p.reset(new int(1)); })",
                                  "test.cpp")
                              .program;
  EXPECT_TRUE(cells(program, "a[1]").contains("a[1]"));
  EXPECT_TRUE(cells(program, "v.").contains("v._M_start"));
  EXPECT_TRUE(cells(program, "m").contains("m"));
  EXPECT_TRUE(cells(program, "p").contains("p"));
}

TEST(CNames, NoTwoCellsHaveTheSameName) {
  const Program program = lower_c(std::string(kClasses) + R"(
    struct Left : Base { int left; };
    struct Right : Base { int right; };
    struct Both : Left, Right { union { char c[4]; struct { short s[2]; }; int i; }; } both;
    int main() { both.Left::x = 1; both.Right::x = 2; both.s[1] = 1; both.c[0] = 2; })",
                                  "test.cpp")
                              .program;
  EXPECT_EQ(cells(program, "both"), Names({"both.Left::x", "both.left", "both.Right::x", "both.right",
                                           "both.c[0]", "both.c[1]", "both.s[1]"}));
}

std::vector<std::string> thread_names(const Program& program) {
  std::vector<std::string> names;
  for (const Thread& thread : program.threads) names.push_back(thread.name);
  return names;
}

TEST(CNames, ThreadsAreCalledAsTheirFunctions) {
  EXPECT_EQ(thread_names(lower_c(R"(
    #include <atomic>
    #include <pthread.h>
    #include <thread>
    struct Worker { void run() { n = 1; } std::atomic<int> n; static void* start(void*) { return nullptr; } };
    static void* consumer(void*) { return nullptr; }
    static std::atomic<int> x;
    static void produce(int n) { x = n; }
    int main() {
      Worker w;
      pthread_t a, b;
      pthread_create(&a, 0, consumer, 0);
      pthread_create(&b, 0, Worker::start, 0);
      std::thread c(produce, 1), d(produce, 2), e(&Worker::run, &w);
      std::thread f([] { produce(1); });
      pthread_join(a, 0);
      pthread_join(b, 0);
      c.join(), d.join(), e.join(), f.join();
    })",
                                 "test.cpp")
                             .program),
            (std::vector<std::string>{"main", "consumer#1", "start#1", "produce#1", "produce#2", "run#1",
                                      "lambda:15#1"}));
}

// ---- Steps ----

size_t count(const Program& program, const std::string& thread, StepRole role) {
  size_t found = 0;
  for (const Thread& one : program.threads)
    if (one.name == thread)
      found += static_cast<size_t>(
          std::ranges::count_if(one.code, [&](const Instruction& i) { return i.role == role; }));
  return found;
}

TEST(CSteps, StartsAndJoinsAreOneStepEach) {
  const char* const text = R"(
    #include <atomic>
    #include <thread>
    std::atomic<int> x;
    int main() {
      std::thread a([] { x.store(1, std::memory_order_release); });
      a.join();
    })";
  for (const CompilationScheme mapping : {CompilationScheme::kFences, CompilationScheme::kLanguage}) {
    const Program program = lower_c(text, "test.cpp", mapping).program;
    EXPECT_EQ(count(program, "main", StepRole::kStart), 1U);
    EXPECT_EQ(count(program, "main", StepRole::kJoin), 1U);
    // All that is left of the rest is the store.
    size_t seen = 0;
    for (const Thread& thread : program.threads)
      for (const Instruction& i : thread.code)
        if (i.role == StepRole::kProgram && i.is_memory_access()) {
          ++seen;
          EXPECT_EQ(i.order, MemoryOrder::kRelease);
          EXPECT_EQ(thread.name, "lambda:6#1");
        }
    EXPECT_EQ(seen, 1U);
    for (const auto& [cell, thread] : program.thread_cells)
      EXPECT_EQ(program.thread(thread).name, "lambda:6#1") << program.cell_name(cell);
  }
}

TEST(CSteps, FencesAreWhatTheSourceHas) {
  const Program program = lower_c(R"(
    #include <stdatomic.h>
    int main() {
      atomic_thread_fence(memory_order_release);
      __asm__ __volatile__("mfence" ::: "memory");
    })")
                              .program;
  std::vector<std::string> fences;
  for (const Instruction& i : program.threads.front().code)
    if (i.kind == InstrKind::kFence) fences.push_back(i.source_text);
  EXPECT_EQ(fences, (std::vector<std::string>{"fence(release)", "mfence"}));
}

// ---- Values ----

TEST(CValues, NumbersAreNoAddresses) {
  const Program program = lower_c(R"(
    struct { long n; unsigned u; int* p; long* q; struct { int a, b; } pair; } s;
    int main() { s.n = 1; s.u = 2; s.p = &s.pair.b; s.q = &s.n; s.pair.b = 3; })")
                              .program;
  std::map<std::string, CellId> by_name;
  std::map<std::string, Value> addresses;
  for (const auto& [offset, name] : program.objects.front().cell_names) {
    by_name[name] = CellId(program.objects.front().first_cell.index() + offset);
    addresses[name] = offset;
  }
  const auto text = [&](const std::string& cell, Value value) {
    return program.value_text(by_name.at(cell), value);
  };
  EXPECT_EQ(text("s.n", addresses.at("s.n")), std::to_string(addresses.at("s.n")));
  EXPECT_EQ(text("s.q", addresses.at("s.n")), "&s");
  EXPECT_EQ(text("s.p", addresses.at("s.pair.b")), "&s.pair.b");
  EXPECT_EQ(text("s.u", -1), "4294967295");
  EXPECT_EQ(text("s.n", -1), "-1");
  EXPECT_EQ(text("s.n", frontend::c::kUndefined), "undefined");
}

}  // namespace
}  // namespace fenceline::testing
