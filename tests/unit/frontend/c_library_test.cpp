// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions of the libraries of C and C++, called by one thread. What they mean between threads is in corpus/c.
#include <gtest/gtest.h>

#include <string>

#include "c_testing.h"

namespace fenceline::testing {
namespace {

std::string error_in_c(const std::string& headers, const std::string& body) {
  return run_c("#include <assert.h>\n" + headers + "\nint main(void) {\n" + body + "\nreturn 0;\n}\n").error;
}

std::string error_in_cpp(const std::string& before, const std::string& body) {
  return run_c("#include <cassert>\n" + before + "\nint main() {\n" + body + "\n}\n", "test.cpp").error;
}

TEST(CLibrary, Strings) {
  const std::string header = "#include <string.h>\nchar text[8];";
  EXPECT_EQ(error_in_c(header,
                       "strcpy(text, \"ab\"); strcat(text, \"cd\"); assert(strlen(text) == 4);\n"
                       "assert(strcmp(text, \"abce\") < 0 && strncmp(text, \"abx\", 2) == 0);\n"
                       "assert(strchr(text, 'c') == text + 2 && strrchr(text, 'z') == NULL);\n"
                       "assert(memcmp(text, \"abcd\", 5) == 0 && memchr(text, 'd', 3) == NULL);"),
            "");
  EXPECT_NE(error_in_c(header, "strcpy(text, \"12345678\");"), "") << "one byte too many";
}

TEST(CLibrary, Allocation) {
  EXPECT_EQ(error_in_c("#include <stdint.h>\n#include <stdlib.h>\n",
                       "void* p; assert(posix_memalign(&p, 64, 16) == 0 && (uintptr_t)p % 64 == 0);\n"
                       "int* a = aligned_alloc(32, 32); assert((uintptr_t)a % 32 == 0); a[7] = 1;\n"
                       "long* z = calloc(2, sizeof(long)); assert(z[1] == 0); free(z);"),
            "");
  EXPECT_NE(error_in_c("#include <stdlib.h>\n", "int* p = malloc(8); p[2] = 1;"), "");
  EXPECT_NE(error_in_c("#include <stdlib.h>\n", "int* p = malloc(8); if (p[1]) abort();"), "") << "never set";
}

TEST(CLibrary, Bits) {
  EXPECT_EQ(
      error_in_c("#include <stdint.h>\n#include <strings.h>\nunsigned x = 40; uint64_t y = 1ull << 63;",
                 "assert(__builtin_clz(x) == 26 && __builtin_ctz(x) == 3 && __builtin_popcount(x) == 2);\n"
                 "assert(__builtin_clzll(y) == 0 && __builtin_ctzll(y) == 63 && ffs(x) == 4);\n"
                 "unsigned m = 7; assert(__atomic_fetch_max(&m, 9, __ATOMIC_RELAXED) == 7 && m == 9);\n"
                 "assert(__atomic_fetch_min(&m, 3, __ATOMIC_RELAXED) == 9 && m == 3);"),
      "");
  EXPECT_NE(error_in_c("unsigned zero;", "return __builtin_clz(zero);"), "");
}

TEST(CLibrary, NamesOfOtherVerifiers) {
  EXPECT_EQ(error_in_c("#include <genmc.h>\n", "__VERIFIER_assume(1); assert(1);"), "");
  EXPECT_EQ(error_in_c("#include <dat3m.h>\n", "__VERIFIER_loop_bound(4);"), "");
  EXPECT_EQ(error_in_c("#include <lkmm.h>\nint x; int y;",
                       "WRITE_ONCE(x, 3); smp_mb(); assert(READ_ONCE(x) == 3); smp_store_release(&y, 4);\n"
                       "assert(smp_load_acquire(&y) == 4 && xchg(&x, 5) == 3 && cmpxchg(&x, 5, 6) == 5);"),
            "");
}

TEST(CLibrary, PlacementNew) {
  const std::string slots =
      "#include <new>\n#include <type_traits>\nstruct item { int a; short b; item(int x) : a(x), b(x + 1) {} "
      "};\n"
      "alignas(item) unsigned char raw[2 * sizeof(item)];\n"
      "std::aligned_storage_t<sizeof(item), alignof(item)> storage[2];";
  EXPECT_EQ(
      error_in_cpp(slots,
                   "item* first = new (raw) item(1); item* second = new (raw + sizeof(item)) item(5);\n"
                   "assert(first->b == 2 && second->a == 5);\n"
                   "item* other = new (&storage[1]) item(*second); assert(other->b == 6); other->~item();"),
      "");
  EXPECT_NE(error_in_cpp(slots, "item* p = new (raw + 2) item(1);"), "") << "not aligned";
}

TEST(CLibrary, AtomicStructures) {
  EXPECT_EQ(error_in_cpp("#include <atomic>\nstruct pair { int a, b; };\nstruct wide { long a, b; };\n"
                         "std::atomic<pair> p; std::atomic<wide> w;",
                         "p.store({1, 2}); pair e = p.load(); assert(e.b == 2);\n"
                         "assert(p.compare_exchange_strong(e, {3, 4}) && p.load().a == 3);\n"
                         "assert(!p.compare_exchange_strong(e, {5, 6}) && e.a == 3 && e.b == 4);"),
            "");
}

TEST(CLibrary, CopiesOfVariableSize) {
  const std::string buffers =
      "#include <string.h>\nint n = 2; struct { short from[4], to[4]; } s = {{1, 2, 3, 4}};";
  EXPECT_EQ(
      error_in_c(buffers,
                 "n = n + 1; memcpy(s.to, s.from, n * sizeof(short));\n"
                 "assert(s.to[0] == 1 && s.to[2] == 3 && s.to[3] == 0);\n"
                 "memmove(s.from + 1, s.from, n * sizeof(short)); assert(s.from[1] == 1 && s.from[3] == 3);\n"
                 "memset(s.to, 0xff, n * sizeof(short)); assert(s.to[2] == -1 && s.to[3] == 0);"),
      "");
  // Sizes that are only known when the copy is executed.
  const std::string bytes =
      "#include <string.h>\nvolatile int n = 3, none; char b[8] = \"abcdefg\"; struct e { int* p; int k; } "
      "e[3], f[3]; int x;";
  EXPECT_EQ(error_in_c(bytes,
                       "memcpy(b + 4, b, n); assert(!memcmp(b, \"abcdabc\", 8));\n"
                       "memmove(b + 1, b, n); assert(!memcmp(b, \"aabcabc\", 8));\n"
                       "memmove(b, b + 1, n); assert(!memcmp(b, \"abccabc\", 8));\n"
                       "memset(b, 'x', n); memset(b, 'y', none); assert(!memcmp(b, \"xxxcabc\", 8));\n"
                       "e[1].p = &x; e[1].k = 4; memcpy(f, e, (n - 1) * sizeof *e); *f[1].p = 5;\n"
                       "assert(x == 5 && f[1].k == 4);"),
            "");
  EXPECT_NE(error_in_c(bytes, "n = 9; memset(b, 0, n);"), "");
  EXPECT_NE(error_in_c(bytes, "char small[2]; memcpy(small, b, n);"), "");
}

}  // namespace
}  // namespace fenceline::testing
