// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses that are computed: elements of buffers inside of objects, indices that are not known, addresses that are
// rounded up, and what may be concluded from all of that.
#include <gtest/gtest.h>

#include <string>

#include "c_testing.h"

namespace fenceline::testing {
namespace {

std::string error_in(const std::string& before, const std::string& body) {
  return run_c("#include <assert.h>\n#include <stdlib.h>\n#include <stdint.h>\n#include <string.h>\n" +
               before + "\nint main(void) {\n" + body + "\nreturn 0;\n}\n")
      .error;
}

// The index lies before the buffer, and what is stored into the buffer does not change it.
TEST(CAddresses, BufferBehindItsIndices) {
  const std::string ring =
      "struct ring { size_t head, tail; char storage[4 * sizeof(int*)]; } r;\n"
      "int items[3] = {1, 2, 3};\n"
      "size_t next(size_t i) { size_t n = i + 1; while (n >= 4) n -= 4; return n; }\n"
      "void put(int* item) { int** all = (int**)r.storage; all[r.head] = item; r.head = next(r.head); }\n"
      "int* take(void) { int** all = (int**)r.storage; int* item = all[r.tail]; r.tail = next(r.tail); "
      "return item; }";
  EXPECT_EQ(error_in(ring,
                     "for (int k = 0; k < 3; ++k) put(&items[k]);\n"
                     "for (int k = 0; k < 3; ++k) assert(*take() == k + 1);\n"
                     "assert(r.head == r.tail);"),
            "");
  EXPECT_EQ(error_in(ring, "put(&items[2]); assert(*take() == 2);"),
            "the assertion does not hold: *take() == 2");
}

TEST(CAddresses, NegativeIndices) {
  const std::string numbers = "struct { int before, all[4]; } s = {9, {1, 2, 3, 4}}; volatile long i;";
  EXPECT_EQ(error_in(numbers, "int* p = s.all + 2; i = 1; assert(p[i] == 4); assert(p[-1] == 2);"), "");
  EXPECT_EQ(error_in(numbers, "int* p = s.all + 2; i = 2; assert(*(p - i) == 1);"), "");
  EXPECT_NE(
      error_in(numbers, "int* p = s.all + 2; i = -1; assert(p[i] == 2);").find("does not support a negative"),
      std::string::npos);
}

// Of global variables these are constants.
TEST(CAddresses, HalvesOfAddresses) {
  EXPECT_EQ(error_in("int x = 4; struct { uint32_t low, high; } halves; uintptr_t flipped = ~(uintptr_t)0;",
                     "halves.low = (uint32_t)(uintptr_t)&x; halves.high = (uint32_t)((uintptr_t)&x >> 32);\n"
                     "int* p = (int*)((uintptr_t)halves.high << 32 | halves.low);\n"
                     "assert(p == &x); *p = 5; assert(x == 5);\n"
                     "assert((uint16_t)(uintptr_t)&x == ((uintptr_t)p & 0xffff));\n"
                     "flipped ^= (uintptr_t)&x; *(int*)~flipped = 6; assert(x == 6);"),
            "");
}

TEST(CAddresses, AddressesThatAreRoundedUp) {
  const std::string align =
      "char* align_for(char* p) { return p + (8 - (uintptr_t)p % 8) % 8; }\n"
      "char* align_up(char* p) { return (char*)(((uintptr_t)p + 63) & ~(uintptr_t)63); }\n"
      "struct queue { char *raw, *data; } q;";
  EXPECT_EQ(error_in(align,
                     "q.raw = malloc(23); q.data = align_for(q.raw);\n"
                     "long** all = (long**)q.data; long x = 7; volatile int i = 1;\n"
                     "all[i] = &x; assert(*all[1] == 7);"),
            "");
  EXPECT_EQ(error_in(align,
                     "q.raw = malloc(28); long* p = (long*)align_for(q.raw + 4); p[0] = 5; p[1] = 6;\n"
                     "assert((char*)p == q.raw + 8); assert(((long*)q.raw)[1] == 5);"),
            "");
  EXPECT_EQ(
      error_in(align + " char buffer[160];",
               "struct node { short next, tag; long* value; }* nodes = (struct node*)align_up(buffer);\n"
               "long x = 3; volatile unsigned i = 1;\n"
               "nodes[i].next = 4; nodes[i].value = &x; nodes[0].next = 1;\n"
               "assert(nodes[nodes[0].next].next == 4 && *nodes[1].value == 3);\n"
               "assert((uintptr_t)nodes % 64 == 0 && (char*)nodes - buffer < 64);"),
      "");
}

// What is stored there is not taken for what is stored somewhere else: the loops have the right bounds.
TEST(CAddresses, StoresWhoseTargetIsNotExact) {
  EXPECT_EQ(error_in("char buffer[160]; int first(int at) { return *(int*)(buffer + at); }",
                     "int* p = (int*)(((uintptr_t)buffer + 63) & ~(uintptr_t)63);\n"
                     "*p = 3; int count = 0;\n"
                     "for (int k = 0; k < first(0); ++k) ++count;\n"
                     "for (int k = 0; k < first(16); ++k) ++count;\n"
                     "for (int k = 0; k < first(32); ++k) ++count;\n"
                     "for (int k = 0; k < first(48); ++k) ++count;\n"
                     "assert(count == 3);"),
            "");
  // The last array of a structure is as long as the memory behind it.
  EXPECT_EQ(error_in("struct numbers { int n, all[1]; };",
                     "struct numbers* p = malloc(sizeof *p + 12); volatile int i = 1; int count = 0;\n"
                     "p->all[0] = 1; p->all[i] = 5;\n"
                     "for (int k = 0; k < p->all[0]; ++k) ++count;\n"
                     "assert(count == 1);"),
            "");
}

}  // namespace
}  // namespace fenceline::testing
