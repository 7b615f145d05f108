// SPDX-License-Identifier: GPL-3.0-or-later
//
// What statements of C become.
#include <gtest/gtest.h>

#include "unit/frontend/litmus_testing.h"

namespace fenceline::testing {
namespace {

std::string body(const std::string& statements, const std::string& condition = "") {
  return code(litmus("C T\n{}\nP0(atomic_int* x, int* y) {\n" + statements + "\n}\n" + condition + "\n"));
}

TEST(LitmusC, Accesses) {
  EXPECT_EQ(body("*y = 1; int r0 = *y; atomic_store(x, r0 + 1); int r1 = atomic_load(x);"),
            "store y = 1 {NA}\nload r0 = y {NA}\nstore x = ((r0 + 1) as s32) seq_cst {SC}\nload r1 = x "
            "seq_cst {SC}\n");
  EXPECT_EQ(body("int r0 = atomic_load_explicit(x, memory_order_acquire);"
                 "atomic_store_explicit(x, 2, memory_order_release);"),
            "load r0 = x acquire {ACQ}\nstore x = 2 release {REL}\n");
}

TEST(LitmusC, Fences) {
  EXPECT_EQ(body("atomic_thread_fence(memory_order_seq_cst);"), "fence {SC}\n");
  EXPECT_EQ(body("atomic_thread_fence(memory_order_acquire);"), "fence(load-load, load-store) {ACQ}\n");
  EXPECT_NE(body("atomic_thread_fence(memory_order_release);").find("{REL}"), std::string::npos);
  EXPECT_NE(body("atomic_thread_fence(memory_order_relaxed);").find("{RLX}"), std::string::npos);
}

TEST(LitmusC, ReadModifyWrites) {
  EXPECT_EQ(body("int r0 = atomic_exchange_explicit(x, 1, memory_order_acq_rel);"),
            "xchg r0 = x, 1 acq_rel {ACQ_REL; ACQ_REL}\n");
  EXPECT_EQ(body("int r0 = atomic_fetch_sub(x, 2);"), "fetch_add r0 = x, -2 as s32 seq_cst {SC; SC}\n");
  EXPECT_EQ(body("int r0 = atomic_fetch_or(x, 2);"), "fetch_or r0 = x, 2 as s32 seq_cst {SC; SC}\n");
}

TEST(LitmusC, CompareAndExchange) {
  EXPECT_EQ(body("int e = 0; int r0 = atomic_compare_exchange_strong(x, &e, 1);", "exists (0:r0=1)"),
            "assign e = 0\ncas r0 = x, (e as s32), 1 seq_cst {SC; SC}\n");
  // What was found is looked at, and the orders are the same.
  EXPECT_EQ(body("int e = 0; int r0 = atomic_compare_exchange_strong(x, &e, 1);", "exists (0:e=1)"),
            "assign e = 0\ncas_value $3 = x, (e as s32), 1 seq_cst {SC; SC}\nassign $2 = ($3 == (e as s32))\n"
            "assign e = $3\nassign r0 = $2\n");
  const std::string other = body(
      "int r0 = atomic_compare_exchange_weak_explicit(x, y, 1, memory_order_acquire, memory_order_relaxed);");
  EXPECT_NE(other.find("load $1 = y {NA}"), std::string::npos) << other;
  EXPECT_NE(other.find("= x, ($1 as s32), 1 acquire {ACQ; ACQ}"), std::string::npos) << other;
  EXPECT_NE(other.find("= x relaxed {RLX}"), std::string::npos) << other;
  // A weak one may fail with what it expects: no assumption excludes it.
  EXPECT_EQ(std::string_view(other).find("guess"), other.rfind("guess")) << other;
  EXPECT_NE(other.find("&& 0)"), std::string::npos) << other;
  const std::string kernel = body("int r0 = cmpxchg(x, 0, 1);");
  EXPECT_EQ(kernel.find("choose\nfence {Mb SC}\ncas"), 0U) << kernel;
  // It is one instruction: nothing is control-dependent on it.
  EXPECT_EQ(kernel.find("assume"), std::string::npos) << kernel;
  EXPECT_NE(kernel.find("guess"), std::string::npos) << kernel;
}

TEST(LitmusC, Control) {
  EXPECT_EQ(body("int r0 = *y; if (r0 == 1) *y = 2; else { *y = 3; }"),
            "load r0 = y {NA}\nbranch (! (r0 == 1))\nstore y = 2 {NA}\nstore y = 3 {NA}\n");
  EXPECT_EQ(body("while (*y) ; do { *y = 1; break; } while (1);"),
            "load $0 = y {NA}\nbranch (! $0)\nstore y = 1 {NA}\n");
}

TEST(LitmusC, WhatIsLazyStaysLazy) {
  EXPECT_EQ(body("int r0 = 1; int r1 = r0 && r0 == 2;"), "assign r0 = 1\nassign r1 = (r0 && (r0 == 2))\n");
  const std::string text = body("int r1 = *y && atomic_load(x);");
  EXPECT_LT(text.find("branch"), text.find("load $3 = x"));
}

TEST(LitmusC, Kernel) {
  EXPECT_EQ(body("WRITE_ONCE(*y, 1); smp_wmb(); smp_store_release(y, 2); int r0 = READ_ONCE(*y); smp_rmb();"
                 "int r1 = smp_load_acquire(y); smp_mb();"),
            "store y = 1 relaxed {RLX Once}\nsfence {Wmb}\nstore y = 2 release {REL Release}\n"
            "load r0 = y relaxed {RLX Once}\nlfence {Rmb}\nload r1 = y acquire {ACQ Acquire}\n"
            "fence {Mb SC}\n");
  EXPECT_EQ(body("int r0 = xchg(y, 1);"),
            "fence {Mb SC}\nxchg $1 = y, 1 relaxed {RLX Once; RLX Once}\nfence {Mb SC}\nassign r0 = $1\n");
  EXPECT_EQ(body("atomic_inc(x);"), "fetch_add $0 = x, 1 as s32 relaxed {RLX Noreturn; RLX Once}\n");
}

TEST(LitmusC, Types) {
  const auto typed = [](const std::string& declarations, const std::string& statements) {
    return code(litmus("C T\n{}\nP0(" + declarations + ") {\n" + statements + "\n}\n\n"));
  };
  EXPECT_EQ(
      body("int r0 = 2147483647; r0++; int r1 = -r0 * 3;"),
      "assign r0 = 2147483647\nassign r0 = ((r0 + 1) as s32)\nassign r1 = ((((- r0) as s32) * 3) as s32)\n");
  EXPECT_EQ(body("unsigned r0 = -1; int r1 = r0 > 0; long r2 = r0 + 1;"),
            "assign r0 = 4294967295\nassign r1 = (r0 > 0)\nassign r2 = ((r0 + 1) as u32)\n");
  EXPECT_EQ(body("uint8_t r0 = 300; int r1 = r0 + 1; r0 += 1;"),
            "assign r0 = 44\nassign r1 = ((r0 + 1) as s32)\nassign r0 = (((r0 + 1) as s32) as u8)\n");
  EXPECT_EQ(body("long r0 = 1; long r1 = r0 + 1; int r2 = (int)r1;"),
            "assign r0 = 1\nassign r1 = (r0 + 1)\nassign r2 = (r1 as s32)\n");
  EXPECT_EQ(typed("atomic_uint* x", "unsigned r0 = atomic_fetch_sub(x, 1);"),
            "fetch_add $1 = x, -1 as s32 seq_cst {SC; SC}\nassign r0 = ($1 as u32)\n");
  EXPECT_EQ(typed("atomic_long* x", "long r0 = atomic_fetch_add(x, 1);"),
            "fetch_add r0 = x, 1 as s64 seq_cst {SC; SC}\n");
  expect_rejected("C T\n{}\nP0(int* x) { *x = 1; }\nP1(long* x) { *x = 1; }\n", 4, 10,
                  "location x has 4 bytes, and here 8");
}

TEST(LitmusC, Rejected) {
  const std::string head = "C T\n{}\nP0(int* x) {\n";
  expect_rejected(head + "foo(x);\n}\n", 4, 1, "the function 'foo' is not supported");
  expect_rejected(head + "r0 = 1;\n}\n", 4, 1, "there is no variable r0");
  expect_rejected(head + "x = 1;\n}\n", 4, 1, "x is a pointer");
  expect_rejected(head + "int r0 = 1\n}\n", 5, 1, "expected ';'");
  expect_rejected(head + "int r0[2];\n}\n", 4, 7, "arrays are not supported");
  expect_rejected(head + "for (;;) ;\n}\n", 4, 1, "'for' is not supported");
  expect_rejected(head + "break;\n}\n", 4, 1, "'break' outside of a loop");
  expect_rejected(head + "*x = 1;\n", 5, 1, "expected a statement");
  expect_rejected(head + "*5 = 1;\n}\n", 4, 1, "this address is a number");
  expect_rejected(head + "atomic_store_explicit(x, 1, relaxed);\n}\n", 4, 29, "expected a memory order");
  expect_rejected(head + "spin_lock(x);\n}\n", 4, 1, "'spin_lock' is not supported");
  expect_rejected("C T\n{}\nP0(int x) { }\n", 3, 8, "'x' is not a pointer");
  expect_rejected("C T\n{}\nP0(int* x, int* x) { }\n", 3, 17, "two parameters");
  expect_rejected("C T\n{}\nvoid f() { }\n", 3, 1, "expected P0");
}

}  // namespace
}  // namespace fenceline::testing
