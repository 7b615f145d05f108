// SPDX-License-Identifier: GPL-3.0-or-later
//
// What no thread can execute is never rejected: functions that are not called, branches that constants exclude, what
// headers define and nothing uses.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

const char* const kUnsupported = R"(
  #include <fenceline.h>
  #include <math.h>
  #include <setjmp.h>
  #include <stdarg.h>
  double real(double d) { return sqrt(d) * 2; }
  static inline float unused_inline(float f) { return f + 1; }
  int variadic(int n, ...) { va_list a; va_start(a, n); int r = va_arg(a, int); va_end(a); return r; }
  void* computed(int i) { static void* t[] = {&&a, &&b}; goto *t[i]; a: return 0; b: return t; }
  extern void elsewhere(void);
  typedef int v4 __attribute__((vector_size(16)));
  v4 vectors(v4 a) { return a + a; }
  __int128 wide(__int128 a, __int128 b) { return a / b; }
  double global_double = 1.5;
  v4 global_vector;
  jmp_buf environment;
  static int mode = 2;
  int x;
)";

TEST(CUnreachable, FunctionsThatAreNotCalled) {
  EXPECT_EQ(complaint_about_c(std::string(kUnsupported) + "int main() { x = 1; }"), "");
}

TEST(CUnreachable, BranchesThatConstantsExclude) {
  for (const char* call : {"variadic(1, 2)", "real(1.5)", "computed(x)", "elsewhere()", "x = (int)(x * 1.5)",
                           "x = (int)wide(x, 3)", "global_vector = vectors(global_vector)"}) {
    const std::string text = std::string(kUnsupported) + "void f() { " + call + "; }\n";
    EXPECT_EQ(complaint_about_c(text + "int main() { if (0) f(); x = 1; }"), "") << call;
    EXPECT_EQ(complaint_about_c(text + "int main() { const int debug = 0; if (debug) f(); x = 1; }"), "")
        << call;
    // A variable that nothing writes.
    EXPECT_EQ(
        complaint_about_c(text + "int main() { switch (mode) { case 2: x = 1; break; default: f(); } }"), "")
        << call;
    // The same code is rejected where it can be executed.
    EXPECT_NE(complaint_about_c(text + "int main() { if (fl_nondet(0, 1)) f(); x = 1; }"), "") << call;
  }
}

TEST(CUnreachable, AssemblyInABranchThatIsNeverTaken) {
  EXPECT_EQ(complaint_about_c("int x; int main() { if (0) __asm__(\"cpuid\"); x = 1; }"), "");
}

TEST(CUnreachable, ArgumentsWithoutANameThatAreNotRead) {
  EXPECT_EQ(complaint_about_c(
                "static int first(int n, ...) { return n; } int x; int main() { x = first(1, &x, 2); }"),
            "");
}

TEST(CUnreachable, WhatIsRejectedHasAName) {
  EXPECT_NE(complaint_about_c(std::string(kUnsupported) + "int main() { return variadic(1, 2); }")
                .find("'variadic', a function with a variable number of arguments"),
            std::string::npos);
}

}  // namespace
}  // namespace fenceline::testing
