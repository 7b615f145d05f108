// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory by bytes: accesses of different sizes to the same bytes, and integers of 64 and 128 bits.
#include <gtest/gtest.h>

#include <string>

#include "c_testing.h"
#include "ir/analysis/constructs.h"

namespace fenceline::testing {
namespace {

std::string error_in(const std::string& before, const std::string& body) {
  return run_c("#include <assert.h>\n#include <stdlib.h>\n#include <stdint.h>\n#include <string.h>\n" +
               before + "\nint main(void) {\n" + body + "\nreturn 0;\n}\n")
      .error;
}

TEST(CBytes, Unions) {
  const std::string word = "union word { uint64_t whole; uint32_t halves[2]; uint8_t bytes[8]; } w;";
  EXPECT_EQ(
      error_in(
          word,
          "w.whole = 0x1122334455667788u; assert(w.halves[0] == 0x55667788); assert(w.bytes[7] == 0x11);\n"
          "w.bytes[1] = 0xff; assert(w.whole == 0x112233445566ff88u);\n"
          "w.halves[1] = 0xffffffff; assert(w.whole == 0xffffffff5566ff88u);\n"
          "uint64_t copy = w.whole; w.whole = 0; w.whole = copy; assert(w.bytes[0] == 0x88);"),
      "");
  EXPECT_NE(error_in(word, "w.halves[0] = 1; w.halves[1] = 2; assert(w.whole != 0x200000001u);"), "");
  // The index is not known when the program is read.
  EXPECT_EQ(error_in(word + " int i = 2;", "w.whole = 0xaabbccdd; assert(w.bytes[i] == 0xbb);"), "");
}

TEST(CBytes, BitFields) {
  EXPECT_EQ(error_in("struct { unsigned a : 3, b : 7, c : 13; int d : 9; unsigned char e; } f;",
                     "f.e = 200; f.a = 5; f.b = 100; f.c = 8000; f.d = -200;\n"
                     "assert(f.a == 5 && f.b == 100 && f.c == 8000 && f.d == -200 && f.e == 200);\n"
                     "f.b = 1000; assert(f.b == 1000 % 128 && f.a == 5 && f.c == 8000);"),
            "");
}

// The bits around them stay as they are, set or not.
TEST(CBytes, BitFieldsThatAreSetOneByOne) {
  const std::string type =
      "struct s { signed a : 3; signed b : 6; unsigned c : 7; unsigned d : 16; };\n"
      "struct t { unsigned a : 15, b : 1, c : 16; }; struct w { unsigned long a : 40, b : 24; };\n"
      "static struct s copy(struct s s) { s.b = -1; return s; }";
  EXPECT_EQ(error_in(type,
                     "struct s s; s.a = -2; s.c = 100; struct s r = copy(s);\n"
                     "assert(r.a == -2 && r.b == -1 && r.c == 100);"),
            "");
  EXPECT_EQ(error_in(type,
                     "struct s* s = malloc(sizeof *s); s->a = 1; s->a++; s->b = s->a = 0; s->b |= 3;\n"
                     "assert(s->b == 3);"),
            "");
  EXPECT_EQ(error_in(type,
                     "struct t m; m.c = 3; m.b = 1; m.a = 9; struct t k = m; unsigned u;\n"
                     "memcpy(&u, &k, 4); assert(u == (3u << 16 | 1 << 15 | 9));"),
            "");
  const std::string unset = "a value that was never set is used";
  EXPECT_EQ(error_in(type, "struct s s; s.a = -2; struct s r = copy(s); return r.d;"), unset);
  EXPECT_EQ(error_in(type, "struct s s; s.b |= 3;"), unset);
  EXPECT_EQ(error_in(type, "struct s s[2]; for (int i = 0; i < 2; i++) s[i].c = i; return s[1].d;"), unset);
  EXPECT_NE(error_in(type, "struct t m; m.c = 3; unsigned u; memcpy(&u, &m, 4); assert(u);"), "");
  EXPECT_NE(error_in(type, "struct w w; w.a = 5; assert(w.a == 5);"), "");
}

TEST(CBytes, NumbersOfOneBit) {
  const std::string choose =
      "int r = 0; switch (b) { case 0: r = 10; break; case 1: r = 20; break; default: r = 30; }";
  EXPECT_EQ(error_in("unsigned _BitInt(1) b = 1;", choose + " assert(r == 20);"), "");
  EXPECT_NE(error_in("unsigned _BitInt(1) b = 1;", choose + " assert(r != 20);"), "");
  EXPECT_EQ(error_in("struct { int b : 1; } s = {-1};",
                     "int r = 0; switch (s.b) { case 0: r = 1; break; case -1: r = 2; } assert(r == 2);"),
            "");
}

TEST(CBytes, PaddingIsNotSet) {
  const std::string type = "struct s { char c; int i; };";
  EXPECT_EQ(error_in(type,
                     "struct s a, b; a.c = b.c = 1; a.i = b.i = 2;\n"
                     "assert(memcmp(&a, &b, sizeof a) == 0);"),
            "a value that was never set is used");
  EXPECT_EQ(error_in(type,
                     "struct s a, b; memset(&a, 0, sizeof a); memset(&b, 0, sizeof b);\n"
                     "a.c = b.c = 1; a.i = b.i = 2; assert(memcmp(&a, &b, sizeof a) == 0);"),
            "");
  const std::string copied = "a.c = 1; a.i = 2; g = a; return ((char*)&g)[1];";
  EXPECT_EQ(error_in(type + " struct s g;", "struct s a; " + copied), "a value that was never set is used");
  EXPECT_EQ(error_in(type + " struct s g;", "struct s a; memset(&a, 0, sizeof a); " + copied), "");
}

// A number that is computed may be one of those that mark what was never set.
TEST(CBytes, NumbersThatAreMarks) {
  EXPECT_EQ(error_in("unsigned long g; int i = 0x5a3c;",
                     "unsigned long x = (unsigned long)++i << 32; assert(x >> 32 == i);"),
            "");
  EXPECT_NE(
      error_in("unsigned long g; int i = 0x5a3c;", "g = (unsigned long)++i << 32; assert(g >> 32 == i);"),
      "a value that was never set is used");
  EXPECT_NE(error_in("union { uint64_t w; uint16_t h[4]; } g; uint16_t i = 0x5a3c;",
                     "g.h[2] = ++i; assert(g.w >> 32 == i);"),
            "a value that was never set is used");
}

TEST(CBytes, NothingInTheMiddleOfACell) {
  EXPECT_EQ(
      error_in("long a, b;",
               "memset((char*)&a + 3, 1, 0); memmove((char*)&a + 3, (char*)&b + 5, 0); assert(a == 0);"),
      "");
}

// Their bytes may be 5 to 7, and arithmetic on them leaves 64 bits in between.
TEST(CBytes, NumbersOf33To63Bits) {
  EXPECT_EQ(
      error_in("struct __attribute__((packed)) { int a : 5; unsigned b : 28; int c : 23; } p = {-3, 7, -9};",
               "assert(p.a == -3 && p.b == 7 && p.c == -9); p.a = 11; p.c = 4000000;\n"
               "assert(p.a == 11 && p.b == 7 && p.c == 4000000);"),
      "");
  EXPECT_EQ(
      error_in("volatile unsigned _BitInt(48) a = 0xffffffffffffu; volatile _BitInt(40) b = -0x7fffffffffll; "
               "volatile int by = 20;",
               "assert(a * a == 1); assert((uint64_t)(a << by) == 0xfffffff00000u);\n"
               "assert(a + 1 == 0); assert(b * -1 == 0x7fffffffffll); assert(a / 3 == 0x555555555555u);\n"
               "assert(b >> by == -0x80000); assert(a % 10 == 5);"),
      "");
}

TEST(CBytes, PackedStructures) {
  EXPECT_EQ(error_in("struct __attribute__((packed)) { char c; int i; long l; } p;",
                     "p.c = 1; p.i = -2; p.l = 3; assert(p.c == 1 && p.i == -2 && p.l == 3);"),
            "");
}

TEST(CBytes, Alignment) {
  EXPECT_NE(error_in("char b[16]; int i = 1;", "*(int *)(b + i) = 1;"), "");
  EXPECT_NE(error_in("char b[16];", "*(int *)(b + 2) = 1;"), "");
  EXPECT_EQ(error_in("char b[16]; int i = 4;", "*(int *)(b + 4) = 7; assert(b[i] == 7);"), "");
}

TEST(CBytes, Copies) {
  const std::string pair = "struct pair { int a; short b; char c; } p = {1, 2, 3}, q; char buffer[32];";
  EXPECT_EQ(error_in(pair, "q = p; assert(q.a == 1 && q.b == 2 && q.c == 3);"), "");
  EXPECT_EQ(error_in(pair, "memcpy(&q, &p, 5); assert(q.a == 1 && q.b == 2 && q.c == 0);"), "");
  EXPECT_EQ(error_in(pair,
                     "memcpy(buffer, &p, sizeof p); assert(buffer[4] == 2 && buffer[6] == 3);\n"
                     "p.b = 9; memcpy(buffer + 8, &p, sizeof p); memcpy(&q, buffer + 8, sizeof q);\n"
                     "assert(q.b == 9);"),
            "");
  EXPECT_EQ(error_in(pair,
                     "memset(&p, 0x5a, sizeof p); assert(p.a == 0x5a5a5a5a && p.b == 0x5a5a);\n"
                     "memset(&p.b, -1, 1); assert(p.b == 0x5aff);"),
            "");
  EXPECT_EQ(error_in(pair, "int x[4] = {1, 2, 3, 4}; memmove(x + 1, x, 12); assert(x[1] == 1 && x[3] == 3);"),
            "");
  // A part that was never set may be copied, and not used.
  EXPECT_EQ(error_in("struct two { int a, b; } *g, h;",
                     "g = malloc(sizeof *g); g->a = 1; h = *g; assert(h.a == 1);"),
            "");
  EXPECT_NE(error_in("struct two { int a, b; } *g, h;",
                     "g = malloc(sizeof *g); g->a = 1; h = *g; assert(h.b == 1);"),
            "");
  EXPECT_EQ(error_in("", "int *p = malloc(8); p[0] = 1; p[1] = 2; assert(*(uint64_t *)p == 0x200000001u);"),
            "");
}

TEST(CBytes, StructuresByValue) {
  EXPECT_EQ(error_in("struct big { long a, b, c; int d; }; struct small { short a; char b; };\n"
                     "struct big make(long x) { struct big r = {x, x + 1, x + 2, 4}; return r; }\n"
                     "long sum(struct big s) { s.a++; return s.a + s.b + s.c + s.d; }\n"
                     "struct small half(struct small s) { s.b *= 2; return s; }",
                     "struct big b = make(10); assert(sum(b) == 11 + 11 + 12 + 4 && b.a == 10);\n"
                     "struct small s = {1, 2}; assert(half(s).b == 4);"),
            "");
}

TEST(CBytes, NumbersOf64Bits) {
  EXPECT_EQ(
      error_in("uint64_t a = UINT64_MAX, b = 3; int64_t s = INT64_MAX; unsigned by = 3;",
               "assert(a + 1 == 0); assert(a * b == UINT64_MAX - 2); assert(a / b == 0x5555555555555555u);\n"
               "assert(a % 10 == 5); assert(a % (a - 1) == 1); assert((a - 1) / a == 0);\n"
               "assert(a >> by == 0x1fffffffffffffffu); assert(a << by == UINT64_MAX - 7);\n"
               "s = (int64_t)((uint64_t)s + 1); assert(s == INT64_MIN); by = 0; assert(a >> by == a);"),
      "");
}

// None of them is taken for a mark of memory that was never set or is freed.
TEST(CBytes, EachBitOfABitmap) {
  EXPECT_EQ(
      error_in("#include <stdatomic.h>\n_Atomic uint64_t map, all; volatile int n = 64;",
               "for (int i = 0; i < n; ++i) { uint64_t bit = 1ull << i; map = bit; assert(map >> i == 1);\n"
               "  assert(atomic_fetch_or(&all, bit) == bit - 1); assert((map | map >> 1) >= bit); }\n"
               "assert(all == UINT64_MAX);"),
      "");
}

TEST(CBytes, NumbersOf128Bits) {
  EXPECT_EQ(error_in("unsigned __int128 w; uint64_t low = 9, high = 7;",
                     "w = ((unsigned __int128)high << 64) | low; assert((uint64_t)(w >> 64) == 7);\n"
                     "assert((uint64_t)w == 9); w = w >> 1; assert((uint64_t)w == 0x8000000000000004u);\n"
                     "w = w << 1; assert((uint64_t)w == 8 && (uint64_t)(w >> 64) == 7);\n"
                     "unsigned __int128 v = w; assert(v == w); v ^= 1; assert(v != w);"),
            "");
}

TEST(CBytes, CompareExchangeOfTwoWords) {
  const std::string pair = "#include <stdatomic.h>\nstruct pair { long a, b; }; _Atomic struct pair p;";
  EXPECT_EQ(
      error_in(pair,
               "struct pair e = {0, 0}, d = {1, 2}; assert(atomic_compare_exchange_strong(&p, &e, d));\n"
               "assert(!atomic_compare_exchange_strong(&p, &e, d)); assert(e.a == 1 && e.b == 2);\n"
               "struct pair n = {3, 4}; e = atomic_exchange(&p, n); assert(e.b == 2);\n"
               "e = p; assert(e.a == 3 && e.b == 4);"),
      "");
}

// Padding has unspecified values in C, so such an operation may fail without a reason.
TEST(CBytes, CompareExchangeOfPadding) {
  const auto is_weak = [](const std::string& members, const std::string& name = "test.c") {
    const std::string begin = name == "test.c"
                                  ? "#include <stdatomic.h>\n"
                                  : "#include <atomic>\nusing std::atomic_compare_exchange_strong;\n";
    const std::string type = name == "test.c" ? "_Atomic struct s" : "std::atomic<s>";
    const Program program = lower_c(begin + "struct s { " + members + " }; " + type +
                                        " x; int r;\nint main(void) { struct s e = {0}, d = {1};\n"
                                        "r = atomic_compare_exchange_strong(&x, &e, d); }",
                                    name)
                                .program;
    for (const Thread& thread : program.threads)
      for (const Instruction& instruction : thread.code)
        if (instruction.kind == InstrKind::kChoose) return true;
    return false;
  };
  EXPECT_TRUE(is_weak("int a; short b;"));
  EXPECT_TRUE(is_weak("char a, b, c;"));
  EXPECT_TRUE(is_weak("long a; int b;"));
  EXPECT_FALSE(is_weak("int a, b;"));
  EXPECT_FALSE(is_weak("int a; short b, c;"));
  EXPECT_FALSE(is_weak("int a; short b;", "test.cpp"));
}

TEST(CBytes, AtomicOperationsOnHalves) {
  const std::string word =
      "#include <stdatomic.h>\nunion { _Atomic uint32_t whole; _Atomic uint16_t halves[2]; } w;";
  EXPECT_EQ(error_in(word,
                     "assert(atomic_fetch_add(&w.whole, 0x1ffff) == 0); assert(w.halves[0] == 0xffff);\n"
                     "assert(atomic_fetch_add(&w.halves[0], 1) == 0xffff); assert(w.whole == 0x10000);\n"
                     "uint32_t e = 0x10000; assert(atomic_compare_exchange_strong(&w.whole, &e, 5));\n"
                     "assert(w.halves[0] == 5 && w.halves[1] == 0);"),
            "");
}

// Where other threads may look, an access of several cells is one access; where none can, it need not say so.
TEST(CBytes, AccessesOfSeveralCells) {
  const std::string text =
      "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n"
      "union { _Atomic uint32_t whole; _Atomic uint16_t halves[2]; } w; uint32_t r;\n"
      "void *store(void *x) { atomic_store(&w.whole, 0x10001); return x; }\n"
      "int main(void) {\n"
      "  atomic_store(&w.whole, 0x20002); pthread_t t; pthread_create(&t, 0, store, 0);\n"
      "  r = w.halves[0]; pthread_join(t, 0); return 0;\n}\n";
  for (const CompilationScheme scheme : {CompilationScheme::kFences, CompilationScheme::kLanguage}) {
    const Program program = lower_c(text, "test.c", scheme).program;
    size_t in_main = 0, in_thread = 0;
    for (const Instruction& i : program.threads[0].code) in_main += i.one_access ? 1 : 0;
    for (const Instruction& i : program.threads[1].code) in_thread += i.one_access ? 1 : 0;
    EXPECT_EQ(in_main, 0U);
    EXPECT_EQ(in_thread, 1U);
    EXPECT_TRUE(has_wide_stores(Overlay(program, {})));
  }
}

// Nodes whose halves are accessed, and beside them the word that says which of them is free.
std::string pool_text(const std::string& body) {
  return "#include <assert.h>\n#include <atomic>\n#include <pthread.h>\n#include <stdint.h>\n"
         "struct index { uint16_t at, tag; };\n"
         "struct pool { struct node { index next; } nodes[3]; std::atomic<index> free; uint16_t last;\n"
         "  pool() : free(index{2, 7}) {\n"
         "    for (uint16_t i = 0; i < 3; ++i) { nodes[i].next.at = i; nodes[i].next.tag = 0; } last = 3; } "
         "};\n"
         "pool p; int r;\n"
         "void* take(void* x) {\n  pool::node* nodes = p.nodes; index i = p.free.load();\n  " +
         body +
         "\n  return x;\n}\n"
         "int main() { pthread_t t; pthread_create(&t, 0, take, 0); pthread_join(t, 0); return 0; }\n";
}

size_t accesses_of_several_cells(const Program& program) {
  size_t result = 0;
  for (const Thread& thread : program.threads)
    for (const Instruction& i : thread.code) result += i.one_access ? 1 : 0;
  return result;
}

// What is found by an index that is not known does not cut what lies behind its array, nor do the halves that a
// constructor copies.
TEST(CBytes, WordsBesideAnArrayStayWhole) {
  const Program program = lower_c(pool_text("r = nodes[i.at].next.at + i.tag;"), "test.cpp").program;
  EXPECT_EQ(accesses_of_several_cells(program), 0U);
  const CRun run = run_c(program);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("r"), 9);
  // An index that goes there nevertheless is noticed.
  EXPECT_EQ(run_c(pool_text("i.at = nodes[i.at].next.at; assert(i.at == 2);"), "test.cpp").error, "");
  EXPECT_NE(run_c(pool_text("nodes[*(volatile uint16_t*)&p.last].next.at = 1;"), "test.cpp").error, "");
}

TEST(CBytes, WordsWithAnArrayInsideAreCut) {
  const std::string word =
      "#include <stdatomic.h>\nunion { _Atomic uint32_t whole; uint8_t bytes[4]; } w; int i = 2;";
  EXPECT_EQ(error_in(word, "atomic_store(&w.whole, 0xaabbccdd); i = w.bytes[i]; assert(i == 0xbb);"), "");
  EXPECT_EQ(error_in(word, "uint8_t *p = (uint8_t *)&w; p[i] = 1; assert(atomic_load(&w.whole) == 0x10000);"),
            "");
  // All bytes of an object, one after the other.
  const std::string object =
      "#include <stdatomic.h>\nstruct { uint16_t h[4]; _Atomic uint32_t w; } s; volatile int i = 10;";
  EXPECT_EQ(
      error_in(object, "atomic_store(&s.w, 0x01020304); uint8_t *p = (uint8_t *)&s; assert(p[i] == 2);"), "");
  // Parts of what is accessed at a known address, too.
  const Program program =
      lower_c(pool_text("uint16_t* half = (uint16_t*)&p.free; r = half[1];"), "test.cpp").program;
  EXPECT_GT(accesses_of_several_cells(program), 0U);
  EXPECT_EQ(run_c(program).at("r"), 7);
}

}  // namespace
}  // namespace fenceline::testing
