// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "frontend/c/compiler.h"
#include "frontend/c/memory.h"
#include "frontend/c/process.h"
#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

// ---- Memory ----

// "queue.head:8 queue.lock:4": the cells of the variables whose names begin so.
std::string cells(const Program& program, const std::string& prefix) {
  const Object& object = program.objects.front();
  std::string text;
  for (const auto& [offset, name] : object.cell_names)
    if (name.starts_with(prefix))
      text += (text.empty() ? "" : " ") + name + ":" + std::to_string(object.cell_bytes[offset]);
  return text;
}

uint32_t offset_of(const Program& program, const std::string& name) {
  for (const auto& [offset, other] : program.objects.front().cell_names)
    if (other == name) return offset;
  ADD_FAILURE() << "there is no cell " << name;
  return 0;
}

// The accesses determine the layout of memory that has no other type, wherever its pointer is kept.
TEST(CMemory, LayoutsFollowAccesses) {
  const Program program = lower_c(
                              "#include <stdlib.h>\n"
                              "struct holder { long count; int *slots; short *small; } holder;\n"
                              "char arena[16];\n"
                              "_Atomic(struct { int index, tag; }) top;\n"
                              "int main(void) {\n"
                              "  holder.slots = malloc(12); holder.small = malloc(4);\n"
                              "  for (long i = 0; i < holder.count; i++) holder.slots[i] = 1;\n"
                              "  holder.small[1] = 2;\n"
                              "  *(int *)(arena + 4) = 3; *(long *)(arena + 8) = 4;\n"
                              "  top = top;\n"
                              "  return 0;\n"
                              "}\n")
                              .program;
  EXPECT_EQ(cells(program, "main.new"),
            "main.new[0]:4 main.new[1]:4 main.new[2]:4 main.new2[0]:2 main.new2[1]:2");
  EXPECT_NE(cells(program, "arena").find("arena[4..7]:4 arena[8..15]:8"), std::string::npos)
      << cells(program, "arena");
  EXPECT_EQ(cells(program, "top"), "top:8");
}

TEST(CMemory, Alignment) {
  const Program program = lower_c(
                              "#include <stdlib.h>\n"
                              "_Alignas(64) char line; char other;\n"
                              "int *p, *q;\n"
                              "int main(void) {\n"
                              "  _Alignas(128) int local; p = &local; q = aligned_alloc(256, 256);\n"
                              "  line = other; *p = *q = 1;\n"
                              "  return 0;\n"
                              "}\n")
                              .program;
  EXPECT_EQ(offset_of(program, "line") % 64, 0);
  EXPECT_EQ(offset_of(program, "main.local") % 128, 0);
  EXPECT_EQ(offset_of(program, "main.new[0]") % 256, 0);
}

TEST(CMemory, ShapesOfObjects) {
  const frontend::CProgram lowered = lower_c(
      "struct node { struct node *next; char mark; int value; short pair[2]; };\n"
      "struct queue { struct node dummy, *head; struct { int held; } lock; } queue;\n"
      "struct node nodes[2];\n"
      "long word; unsigned char byte; _Bool flag;\n"
      "int main(void) {\n"
      "  queue.head = &nodes[1]; word = byte + flag; return 0;\n"
      "}\n");
  const Program& program = lowered.program;
  EXPECT_EQ(
      cells(program, "queue"),
      "queue.dummy.next:8 queue.dummy.mark:1 queue.dummy.value:4 queue.dummy.pair[0]:2 queue.dummy.pair[1]:2 "
      "queue.head:8 queue.lock.held:4");
  EXPECT_EQ(cells(program, "nodes[1]"),
            "nodes[1].next:8 nodes[1].mark:1 nodes[1].value:4 nodes[1].pair[0]:2 nodes[1].pair[1]:2");
  EXPECT_EQ(cells(program, "word") + " " + cells(program, "byte") + " " + cells(program, "flag"),
            "word:8 byte:1 flag:1");
  // As C lays them out: the distances, and nothing in between.
  const uint32_t base = offset_of(program, "queue.dummy.next");
  EXPECT_EQ(offset_of(program, "queue.dummy.mark"), base + 8);
  EXPECT_EQ(offset_of(program, "queue.dummy.value"), base + 12);
  EXPECT_EQ(offset_of(program, "queue.dummy.pair[1]"), base + 18);
  EXPECT_EQ(offset_of(program, "queue.head"), base + 24);
  const Object& memory = program.objects.front();
  for (const uint32_t gap : {base - 1, base + 9, base + 10, base + 11, base + 13, base + 20, base + 40})
    EXPECT_FALSE(memory.admits(gap, 1)) << gap;
  EXPECT_TRUE(memory.admits(base + 8, 1));
  EXPECT_FALSE(memory.admits(base + 8, 4));
  EXPECT_FALSE(memory.admits(base, 4));
  for (uint32_t low = 0; low < static_cast<uint32_t>(frontend::c::kFirstObject); ++low)
    EXPECT_FALSE(memory.admits(low, 0));
  EXPECT_EQ(base % 16, 0U);
}

TEST(CMemory, InitialValues) {
  const CRun run = run_c(
      "int other; int table[4] = {1, -2}; struct pair { char c; int *p; } pair = {'x', &table[2]};\n"
      "unsigned char byte = 200; int *past = &other + 0; int (*same)[4] = &table;\n"
      "long keep; int main(void) {\n"
      "  keep = table[0] + pair.c + byte + (past == &other) + ((int *)same == table) + (pair.p == table + "
      "2); return 0; }\n");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("table[1]"), -2);
  EXPECT_EQ(run.at("table[3]"), 0);
  EXPECT_EQ(run.at("keep"), 1 + 'x' + 200 + 3);
}

TEST(CMemory, BlocksDoNotTouch) {
  const frontend::c::TemporaryFolder folder;
  folder.write("unit.c", "int main(void) { return 0; }\n");
  const frontend::c::CompilerInput input{folder.path() + "/unit.c", std::nullopt, frontend::c::Language::kC};
  frontend::c::Unit unit(input.name, frontend::c::compile_to_bitcode(input, {}));
  frontend::c::Memory memory(unit);
  const Value a = memory.allocate("a", 16, 1, {{0, 8, ""}, {8, 8, ""}}, 3),
              b = memory.allocate("b", 1, 64, {{0, 1, ""}}, 0);
  EXPECT_EQ(b % 64, 0);
  EXPECT_GT(b, a + 16);
  EXPECT_EQ(memory.cells()[static_cast<size_t>(a) + 8], 3);
  ASSERT_NE(memory.block(a + 8, 8), nullptr);
  EXPECT_EQ(memory.block(a + 8, 8)->name, "a");
  EXPECT_EQ(memory.block(a + 8, 9), nullptr);
  EXPECT_NE(memory.block(a + 16, 0), nullptr);  // its end
  EXPECT_EQ(memory.block(a + 17, 0), nullptr);
  EXPECT_EQ(memory.block(0, 1), nullptr);
  EXPECT_EQ(memory.block(b, 1)->name, "b");
  EXPECT_EQ(memory.block(b + 1000, 1), nullptr);
  EXPECT_EQ(memory.block(-8, 8), nullptr);
  EXPECT_FALSE(memory.has_room(frontend::c::kMostBytes));
  EXPECT_FALSE(memory.has_room(~uint64_t{0}));
}

// ---- Errors at run time ----

std::string error_in(const std::string& body, const std::string& before = "") {
  return run_c("#include <fenceline.h>\n#include <stdlib.h>\n#include <stdint.h>\n" + before +
               "\nint main(void) {\n" + body + "\nreturn 0;\n}\n")
      .error;
}

TEST(CErrors, BadPointers) {
  const std::string node =
      "struct node { struct node *next; int value; } node, *list; int x[4], r, i = 4; int *p;";
  EXPECT_NE(error_in("r = *p;", node), "");           // null
  EXPECT_NE(error_in("r = list->value;", node), "");  // a part of null
  EXPECT_NE(error_in("r = x[i];", node), "");         // past its end
  EXPECT_NE(error_in("r = x[-1];", node), "");
  EXPECT_NE(error_in("r = x[4];", node), "");
  EXPECT_NE(error_in("x[i] = 1;", node), "");
  EXPECT_EQ(error_in("i = 3; x[i] = 1; r = x[i];", node), "");
  // A pointer with a mark in it.
  EXPECT_NE(error_in("list = (struct node *)((uintptr_t)&node | 1); r = list->value;", node), "");
  EXPECT_EQ(error_in("list = (struct node *)((uintptr_t)&node | 1);\n"
                     "list = (struct node *)((uintptr_t)list & ~(uintptr_t)1); r = list->value;",
                     node),
            "");
  // A part of a pointer is a number.
  EXPECT_EQ(error_in("list = &node; p = (int *)&list; r = *p;", node + "long l;"), "");
  EXPECT_NE(error_in("char *c = (char *)malloc(8); free(c); r = ((int **)c)[0][0];", node), "");
}

TEST(CErrors, WhatWasNeverSet) {
  const std::string used = "a value that was never set is used";
  EXPECT_EQ(error_in("int x; if (x) r = 1;", "int r;"), used);
  EXPECT_EQ(error_in("int x; r = x + 1;", "int r;"), used);
  EXPECT_EQ(error_in("int x; r = 2 * x;", "int r;"), used);
  EXPECT_EQ(error_in("int x; r = x; ", "int r;"), "");  // a copy
  EXPECT_EQ(error_in("int x; r = x; if (r == 3) r = 4;", "int r;"), used);
  EXPECT_EQ(error_in("int *x; r = *x;", "int r;"), used);
  EXPECT_EQ(error_in("int *x = malloc(4); p = x; r = *p + 1;", "int r, *p;"), used);
  EXPECT_EQ(error_in("int *x = calloc(1, 4); p = x; r = *p + 1;", "int r, *p;"), "");
  EXPECT_EQ(error_in("int x; if (fl_nondet(0, 1)) x = 1; if (x) r = 1;", "int r;"), used);  // the first path
  EXPECT_EQ(error_in("struct { int a, b; } x; x.a = 1; r = x.a + x.b;", "int r;"), used);
}

// Nothing is concluded from what C leaves undefined.
TEST(CErrors, SignedNumbersWrap) {
  const std::string fails = "the assertion does not hold", most = "int x = 2147483647, *p, r;";
  EXPECT_EQ(error_in("int y = x; fl_assert(y + 1 > y);", most), fails);
  EXPECT_EQ(error_in("int y = x; fl_assert(y + 1 < y);", most), "");
  EXPECT_EQ(error_in("int y = x; fl_assert(y * 2 / 2 == y);", most), fails);
  EXPECT_EQ(error_in("int y = x + 1; fl_assert(y < 0 ? -y > 0 : 1);", most), fails);
  EXPECT_EQ(error_in("int y = x; for (int i = y - 1; i > 0; i++) r++; fl_assert(r == 2);", most), "");
  // A null pointer is compared like any other.
  EXPECT_EQ(error_in("int *q = p; fl_assert(q + 1 > q - 1);", most), fails);
}

TEST(CErrors, DeclaredByTheProgram) {
  EXPECT_EQ(error_in("fl_assert(x == 0);", "int x;"), "");
  EXPECT_EQ(error_in("fl_assert(x == 1);", "int x;"), "the assertion does not hold");
  EXPECT_EQ(error_in("assert(x == 1);", "#include <assert.h>\nint x;"),
            "the assertion does not hold: x == 1");
  EXPECT_EQ(error_in("abort();", ""), "abort() is called");
  EXPECT_EQ(error_in("reach_error();", "void reach_error(void) {}"), "reach_error() is called");
  EXPECT_NE(error_in("__builtin_trap();", ""), "");
  EXPECT_EQ(error_in("if (x == 0) __builtin_unreachable();", "int x;"),
            "a point is reached that the program declares unreachable");
  EXPECT_EQ(error_in("__builtin_assume(x == 1);", "int x;"),
            "an assumption of the program (__builtin_assume) does not hold");
}

// ---- Programs ----

// What `r` is in the end.
Value result_of(const std::string& before, const std::string& body, const std::string& name = "test.c") {
  const CRun run = run_c(
      "#include <fenceline.h>\n" + before + "\nlong r;\nint main() {\n" + body + "\nreturn 0;\n}\n", name);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.all_ended);
  return run.at("r");
}

TEST(CLowering, Switch) {
  const std::string before =
      "int x; long f(int v) { switch (v) { case -1: return 10; case 0: x = 1; case 1: return 20 + x; case 7: "
      "x = 5; break; "
      "default: return 40; } return x; }";
  EXPECT_EQ(
      result_of(before, "int v[5] = {-1, 0, 1, 7, 8}; for (int i = 0; i < 5; i++) r = r * 100 + f(v[i]);"),
      1021210540);
}

TEST(CLowering, CallsInsideOfCalls) {
  EXPECT_EQ(result_of("int a = 3; static int twice(int x) { return 2 * x; } static int f(int *p) { return "
                      "twice(*p) + twice(a); }\n"
                      "static void set(int *p, int v) { *p = v; }",
                      "int x; set(&x, 5); r = f(&x) + twice(twice(1));"),
            20);
}

TEST(CLowering, Loops) {
  EXPECT_EQ(result_of("int t[8];",
                      "for (int i = 0; i < 8; i++) t[i] = i * i; for (int i = 7; i >= 0; i -= 2) r += t[i];"),
            84);
  EXPECT_EQ(result_of("volatile int n = 5;",
                      "int i = 0; while (i < n) { if (i == 3) { i += 2; continue; } r = r * 10 + i++; }"),
            12);
  EXPECT_EQ(result_of("volatile int n = 3;", "do { r += n; } while (--n);"), 6);
  // More iterations than are unrolled.
  EXPECT_EQ(result_of("", "for (int i = 0; i < 100; i++) r += i;"), 4950);
  EXPECT_EQ(
      result_of(
          "",
          "for (int i = 0; i < 5; i++) { if (i == 3) break; for (int j = 0; j <= i; j++) r += 10 * i + j; }"),
      0 + 10 + 11 + 20 + 21 + 22);
  // Values that are exchanged in every iteration.
  EXPECT_EQ(
      result_of(
          "volatile int n = 6;",
          "int a = 1, b = 2; for (int i = 0; i < n; i++) { int c = a; a = b; b = c + b; } r = a * 1000 + b;"),
      21034);
}

TEST(CLowering, AllocationInALoop) {
  const std::string before =
      "#include <stdlib.h>\nstruct node { struct node *next; int value; } *list; volatile int n = 3;\n";
  EXPECT_EQ(result_of(before,
                      "for (int i = 0; i < n; i++) { struct node *x = malloc(sizeof *x); x->value = i + 1; "
                      "x->next = list; list = x; }\n"
                      "for (struct node *x = list; x; x = x->next) r = r * 10 + x->value;"),
            321);
  EXPECT_EQ(
      run_c(before +
            "int main(void) { n = 9; for (int i = 0; i < n; i++) list = malloc(sizeof *list); return 0; }")
          .error,
      "Fenceline does not support more than 4 allocations in a loop");
}

TEST(CLowering, WholeStructures) {
  const std::string before =
      "#include <string.h>\nstruct pair { int a; char c; long b; } x = {1, 'c', 3}, y; int t[4] = {1, 2, 3, "
      "4};";
  EXPECT_EQ(result_of(before, "y = x; y.a = 7; r = y.a * 1000 + y.b * 100 + y.c + x.a;"),
            7000 + 300 + 'c' + 1);
  EXPECT_EQ(result_of(before, "memset(&x, 0, sizeof x); r = x.a + x.b + x.c;"), 0);
  EXPECT_EQ(result_of(before, "memset(&t[1], 0, 8); r = t[0] * 1000 + t[1] * 100 + t[2] * 10 + t[3];"), 1004);
  EXPECT_EQ(result_of(before, "memcpy(&y, &x, sizeof x); r = y.b;"), 3);
  EXPECT_EQ(result_of(before, "memmove(&t[1], &t[0], 12); r = t[0] * 1000 + t[1] * 100 + t[2] * 10 + t[3];"),
            1123);
  EXPECT_EQ(result_of(before, "memmove(&t[0], &t[1], 12); r = t[0] * 1000 + t[1] * 100 + t[2] * 10 + t[3];"),
            2344);
  EXPECT_EQ(result_of(before, "int u[3] = {4, 5}; r = u[0] * 100 + u[1] * 10 + u[2];"), 450);
}

TEST(CLowering, OwnFunctionsWithNamesOfTheLibrary) {
  EXPECT_EQ(
      result_of("static int sleep(int x) { return x + 1; } void free(void *p) { *(int *)p = 4; } int a;",
                "free(&a); r = sleep(2) * 10 + a;"),
      34);
}

TEST(CLowering, ConstructorsRunFirst) {
  EXPECT_EQ(result_of("int a; __attribute__((constructor)) static void first(void) { a = 5; }", "r = a;"), 5);
  EXPECT_EQ(
      result_of("struct Counter { long value; Counter(int v) : value(v + 1) {} }; int start() { return 6; }\n"
                "Counter counter(start()); long twice = counter.value * 2;",
                "r = counter.value * 100 + twice;", "test.cpp"),
      714);
}

// ---- Threads ----

TEST(CThreads, Posix) {
  const std::string before =
      "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2; long sum;\n"
      "void *work(void *p) { for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); sum += *(int *)p; "
      "pthread_mutex_unlock(&m); }\n"
      "  if (*(int *)p == 2) pthread_exit(0); sum += 100; return 0; }";
  EXPECT_EQ(result_of(before,
                      "pthread_t t[3]; int v[3] = {1, 2, 3}; pthread_mutex_init(&m2, 0);\n"
                      "for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, &v[i]);\n"
                      "for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n"
                      "r = sum * 100 + pthread_mutex_trylock(&m2) + pthread_mutex_trylock(&m2);"),
            21216);
  EXPECT_EQ(
      run_c("#include <pthread.h>\npthread_mutex_t m; int main(void) { pthread_mutex_unlock(&m); return 0; }")
          .error,
      "a mutex is unlocked that is not locked");
  const CRun twice = run_c(
      "#include <pthread.h>\npthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); "
      "pthread_mutex_lock(&m); return 0; }");
  EXPECT_EQ(twice.error, "");
  EXPECT_FALSE(twice.all_ended);
}

TEST(CThreads, C11) {
  const std::string before =
      "#include <threads.h>\nmtx_t m; long sum;\n"
      "int work(void *p) { mtx_lock(&m); sum += (long)p; mtx_unlock(&m); return 0; }";
  EXPECT_EQ(
      result_of(before,
                "thrd_t a, b; mtx_init(&m, mtx_plain);\n"
                "if (thrd_create(&a, work, (void *)5) != thrd_success) r = 1;\n"
                "thrd_create(&b, work, (void *)6); thrd_join(a, 0); thrd_join(b, 0);\n"
                "r += sum; if (mtx_trylock(&m) == thrd_success && mtx_trylock(&m) == thrd_busy) r += 100;"),
      111);
}

TEST(CThreads, Cpp) {
  EXPECT_EQ(result_of("#include <thread>\n#include <mutex>\nstd::mutex m; long sum;\n",
                      "int a = 3; std::thread t([&] { std::lock_guard<std::mutex> lock(m); sum += a; });\n"
                      "std::jthread u([](int x) { std::unique_lock lock(m); sum += x; }, 4);\n"
                      "{ std::scoped_lock lock(m); sum += 10; } t.join(); u.join();\n"
                      "r = sum + (m.try_lock() ? 100 : 0) + (m.try_lock() ? 1000 : 0);",
                      "test.cpp"),
            117);
  EXPECT_NE(run_c("#include <thread>\nint main() { std::thread t([] {}); }", "test.cpp").error, "");
}

// The fences that an access gets, and its name, by all orders.
std::string shape(const frontend::CProgram& program, size_t thread) {
  std::string text;
  for (const Instruction& instruction : program.program.threads.at(thread).code) {
    std::string one;
    if (instruction.kind == InstrKind::kFence) one = to_string(instruction.fence);
    if (instruction.kind == InstrKind::kLoad) one = "load";
    if (instruction.kind == InstrKind::kStore) one = "store";
    if (instruction.kind == InstrKind::kRmw) one = "rmw";
    if (one.empty()) continue;
    for (const std::string& tag : instruction.tags) one += " " + tag;
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

TEST(CThreads, AtomicsOfAllOrders) {
  struct Row {
    const char* statement;
    const char* fences;  // on machines
    const char* names;   // in models of C11
  };
  const std::vector<Row> rows = {
      {"x.load(std::memory_order_relaxed);", "load", "load RLX"},
      {"x.load(std::memory_order_acquire);", "load, fence(load-load, load-store)", "load ACQ"},
      {"x.load();", "load, fence(load-load, load-store)", "load SC"},
      {"x.store(1, std::memory_order_relaxed);", "store", "store RLX"},
      {"x.store(1, std::memory_order_release);", "fence(store-store, load-store), store", "store REL"},
      {"x.store(1);", "fence(store-store, load-store), store, fence(store-load)", "store SC"},
      {"x.fetch_add(1, std::memory_order_relaxed);", "rmw", "rmw RLX"},
      {"x.exchange(1, std::memory_order_acquire);", "rmw, fence(load-load, load-store)", "rmw ACQ"},
      {"x.fetch_sub(1, std::memory_order_release);", "fence(store-store, load-store), rmw", "rmw REL"},
      {"x.fetch_or(1, std::memory_order_acq_rel);",
       "fence(store-store, load-store), rmw, fence(load-load, load-store)", "rmw ACQ_REL"},
      {"std::atomic_thread_fence(std::memory_order_seq_cst);", "fence", "fence SC"},
      {"std::atomic_thread_fence(std::memory_order_acquire);", "fence(load-load, load-store)",
       "fence(load-load, load-store) ACQ"},
      {"std::atomic_signal_fence(std::memory_order_seq_cst);", "", ""},
      {"plain = 1;", "store", "store NA"},
  };
  // All at once: the compiler takes its time.
  std::string text = "#include <atomic>\nstd::atomic<int> x; int plain;\nint main() {\n", fences, names;
  for (const Row& row : rows) {
    text += row.statement;
    if (row.fences[0] == '\0') continue;
    fences += (fences.empty() ? "" : ", ") + std::string(row.fences);
    names += (names.empty() ? "" : ", ") + std::string(row.names);
  }
  EXPECT_EQ(shape(lower_c(text + "}\n", "test.cpp"), 0), fences);
  EXPECT_EQ(shape(lower_c(text + "}\n", "test.cpp", CompilationScheme::kLanguage), 0), names);
}

TEST(CThreads, FailuresHaveAnOrderOfTheirOwn) {
  const auto lowered = [](const std::string& orders, CompilationScheme mapping) {
    return shape(lower_c("#include <stdatomic.h>\natomic_int x;\nint main(void) { int e = 0; "
                         "atomic_compare_exchange_strong_explicit(&x, &e, 1, " +
                             orders + "); return 0; }\n",
                         "test.c", mapping),
                 0);
  };
  const std::string same = "memory_order_seq_cst, memory_order_seq_cst",
                    weaker = "memory_order_acq_rel, memory_order_relaxed",
                    stronger = "memory_order_release, memory_order_acquire";
  EXPECT_EQ(lowered(same, CompilationScheme::kLanguage), "rmw SC");
  EXPECT_EQ(lowered(weaker, CompilationScheme::kLanguage), "rmw ACQ_REL, load RLX");
  EXPECT_EQ(lowered(stronger, CompilationScheme::kLanguage), "rmw REL, load ACQ");
  EXPECT_EQ(lowered(weaker, CompilationScheme::kFences),
            "fence(store-store, load-store), rmw, fence(load-load, load-store)");
}

TEST(CThreads, AtomicsCompute) {
  EXPECT_EQ(result_of("#include <atomic>\nstd::atomic<int> x{5}; std::atomic<bool> b; std::atomic_flag f; "
                      "std::atomic<int *> p; int t[3];",
                      "int e = 4; r = x.compare_exchange_strong(e, 9) ? 1 : e * 10;\n"      // 50
                      "if (x.compare_exchange_weak(e, 9)) r += x.load();\n"                 // 59
                      "r += x++ + ++x + x.exchange(2);\n"                                   // 9 + 11 + 11
                      "x |= 5; x &= 6; x ^= 1;\n"                                           // 7, 6, 7
                      "r = r * 10 + x.fetch_sub(3);\n"                                      // 907
                      "r += b.exchange(true) + f.test_and_set() + b + f.test_and_set();\n"  // 909
                      "p = t; p++; r = r * 10 + (p.load() - t) + x;",
                      "test.cpp"),
            9095);
  EXPECT_EQ(result_of("#include <stdatomic.h>\natomic_schar c = 127; atomic_uchar u = 255; atomic_uint n;",
                      "r = atomic_fetch_add(&c, 1) * 1000 + c + atomic_fetch_add(&u, 2);\n"  // 127000 + 127
                      "atomic_fetch_sub(&n, 1); r += u * 1000000 + (n == 0xffffffffu);"),
            1127128);
}

TEST(CRefusals, NameThePosition) {
  EXPECT_NE(complaint_about_c("int x;\nint main(void) {\n  return x();\n}").find("test.c:3:"),
            std::string::npos);
  EXPECT_NE(complaint_about_c("double d;\nint main(void) {\n  d = d + 1;\n}")
                .find("test.c:3:7: error: not supported: floating-point"),
            std::string::npos);
}

}  // namespace
}  // namespace fenceline::testing
