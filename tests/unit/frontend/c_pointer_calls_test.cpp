// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls through pointers: which functions they may reach.
#include <gtest/gtest.h>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

// What `r` is in the end, and that there was no error.
Value result_of(const std::string& text, const std::string& name = "test.c") {
  const CRun run = run_c(text, name);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.all_ended);
  return run.at("r");
}

TEST(CPointerCalls, TrampolineOfAThread) {
  // All functions have the type of the trampoline itself.
  EXPECT_EQ(result_of("#include <pthread.h>\n#include <stdlib.h>\n"
                      "struct work { void* (*run)(void*); void* data; };\n"
                      "int r, three = 3;\n"
                      "void* add(void* p) { r += *(int*)p; return 0; }\n"
                      "void* twice(void* p) { r *= 2; return 0; }\n"
                      "void* trampoline(void* p) { struct work* w = p; return w->run(w->data); }\n"
                      "void spawn(pthread_t* t, void* (*f)(void*), void* data) {\n"
                      "  struct work* w = malloc(sizeof *w); w->run = f; w->data = data;\n"
                      "  pthread_create(t, 0, trampoline, w);\n"
                      "}\n"
                      "int main() { pthread_t t; spawn(&t, add, &three); pthread_join(t, 0);\n"
                      "  spawn(&t, twice, 0); pthread_join(t, 0); }"),
            6);
}

TEST(CPointerCalls, TableOfFunctions) {
  EXPECT_EQ(result_of("int r; int one(void) { return 1; } int ten(void) { return 10; }\n"
                      "struct ops { int (*get)(void); int (*other)(void); };\n"
                      "struct ops table[2] = {{one, ten}, {ten, one}};\n"
                      "int main() { for (int i = 0; i < 2; ++i) r = 10 * r + table[i].get(); }"),
            20);
}

TEST(CPointerCalls, FunctionThatAnotherOneBrings) {
  // Only when the code of the first is there it is known that the second one is called.
  EXPECT_EQ(result_of("int r; void (*next)(void); void last(void) { r = r * 10 + 2; }\n"
                      "void first(void) { r = 1; next = last; }\n"
                      "int main() { next = first; next(); next(); }"),
            12);
}

TEST(CPointerCalls, FunctionOfTheLibrary) {
  EXPECT_EQ(result_of("#include <stdlib.h>\nint r; struct box { void (*drop)(void*); void* what; };\n"
                      "struct box b;\n"
                      "int main() { b.drop = free; b.what = malloc(4); b.drop(b.what); r = 7; }"),
            7);
}

TEST(CPointerCalls, ThreadWhoseFunctionIsInMemory) {
  EXPECT_EQ(result_of("#include <pthread.h>\nint r;\n"
                      "void* a(void* p) { r += 1; return 0; } void* b(void* p) { r += 10; return 0; }\n"
                      "void* (*start[2])(void*) = {a, b};\n"
                      "int main() { pthread_t t; for (int i = 0; i < 2; ++i) {\n"
                      "  pthread_create(&t, 0, start[i], 0); pthread_join(t, 0); } }"),
            11);
}

TEST(CPointerCalls, NoneOfThem) {
  EXPECT_NE(run_c("int one(void) { return 1; } int (*volatile f)(void) = one;\n"
                  "int main() { f = 0; return f(); }")
                .error,
            "");
  // A function of another type: calling it so is an error.
  EXPECT_NE(run_c("int one(void) { return 1; } long two(int x) { return x; } int (*f)(void) = one;\n"
                  "int main() { f = (int (*)(void))two; return f(); }")
                .error,
            "");
}

TEST(CPointerCalls, Recursion) {
  const std::string complaint = complaint_about_c(
      "int (*f)(int); int g(int n) { return n ? f(n - 1) : 0; }\nint main() { f = g; return f(3); }");
  EXPECT_NE(complaint.find("recursion: 'g'"), std::string::npos) << complaint;
}

TEST(CPointerCalls, VirtualFunctions) {
  EXPECT_EQ(result_of("int r;\n"
                      "struct Shape { virtual int area() const = 0; virtual ~Shape() { r += 1000; } };\n"
                      "struct Square : Shape { int side; Square(int s) : side(s) {}\n"
                      "  int area() const override { return side * side; } };\n"
                      "struct Pair : Shape { Shape *a, *b; Pair(Shape* x, Shape* y) : a(x), b(y) {}\n"
                      "  int area() const override { return 100 + a->area() + b->area(); } };\n"
                      "int main() { Square s(3), t(2); Shape* first = &s; Shape* second = new Square(4);\n"
                      "  r = first->area() + second->area(); delete second; }",
                      "test.cpp"),
            3025);
}

TEST(CPointerCalls, MembersByPointer) {
  EXPECT_EQ(result_of("int r; struct A { int x = 3; int get() { return x; }\n"
                      "  virtual int twice() { return 2 * x; } };\n"
                      "int call(A& a, int (A::*f)()) { return (a.*f)(); }\n"
                      "int main() { A a; r = 10 * call(a, &A::get) + call(a, &A::twice); }",
                      "test.cpp"),
            36);
}

}  // namespace
}  // namespace fenceline::testing
