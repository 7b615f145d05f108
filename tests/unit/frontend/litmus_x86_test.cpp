// SPDX-License-Identifier: GPL-3.0-or-later
//
// What instructions of X86 and X86_64 become.
#include <gtest/gtest.h>

#include "unit/frontend/litmus_testing.h"

namespace fenceline::testing {
namespace {

std::string x86(const std::vector<std::string>& instructions, const std::string& initial = "") {
  return code(one_thread("X86", initial, instructions));
}

std::string x86_64(const std::vector<std::string>& instructions, const std::string& initial = "") {
  return code(one_thread("X86_64", initial, instructions));
}

TEST(LitmusX86, Moves) {
  EXPECT_EQ(x86({"MOV [x],$1", "MOV EAX,[x]", "mov EBX,EAX", "MOV ECX,2", "MOV [y],ECX", "NOP"}),
            "store x = 1\nload EAX = x\nassign EBX = EAX\nassign ECX = 2\nstore y = (ECX as s32)\n");
}

TEST(LitmusX86, TheSourceIsFirstInX86_64) {
  EXPECT_EQ(x86_64({"movl $1,(x)", "movq (%rcx),%rax", "movl %eax,x(%rip)", "movq %rax,(%rcx)"}, "0:rcx=y;"),
            "store x = 1\nload rax = y\nstore x = (rax as u32)\nstore y = rax\n");
}

TEST(LitmusX86, Fences) {
  EXPECT_EQ(x86({"MFENCE", "SFENCE", "LFENCE"}),
            "fence {MFENCE}\nsfence {SFENCE}\nfence(load-load, load-store) {LFENCE}\n");
}

TEST(LitmusX86, ExchangeAndLockedInstructionsAreFences) {
  EXPECT_EQ(x86({"XCHG [x],EAX"}), "fence\nxchg EAX = x, (EAX as s32) {X LK; X LK}\nfence\n");
  EXPECT_EQ(x86({"LOCK INC [x]"}), "fence\nfetch_add x, 1 as s32 {X LK; X LK}\nfence\n");
  EXPECT_EQ(x86({"LOCK SUB [x],EAX"}), "fence\nfetch_add x, ((- EAX) as s32) as s32 {X LK; X LK}\nfence\n");
  EXPECT_EQ(x86({"LOCK ; DEC [x]"}), "fence\nfetch_add x, -1 as s32 {X LK; X LK}\nfence\n");
  EXPECT_EQ(x86({"LOCK OR [x],$1"}), "fence\nfetch_or x, 1 as s32 {X LK; X LK}\nfence\n");
  EXPECT_NE(x86({"LOCK CMPXCHG [x],EBX"}).find("cas_value $"), std::string::npos);
  EXPECT_NE(x86({"LOCK XADD [x],EBX"}).find("fetch_add"), std::string::npos);
}

TEST(LitmusX86, PlainReadModifyWritesAreTwoAccesses) {
  EXPECT_EQ(x86({"INC [x]"}).find("atomic"), std::string::npos);
  EXPECT_EQ(x86({"INC [x]"}).find("fence"), std::string::npos);
}

TEST(LitmusX86, RegistersHaveTwoNames) {
  const frontend::LitmusTest test =
      one_thread("X86_64", "", {"movl $1,%eax"}, "forall (0:rax=1 /\\ 0:eax=1)");
  ASSERT_EQ(test.observables.size(), 2U);
  // EAX is the low half of RAX.
  const Expr& half = test.program.expr(test.observables[0].value);
  const Expr& whole = test.program.expr(test.observables[1].value);
  ASSERT_EQ(half.op, ExprOp::kWrap);
  EXPECT_EQ(half.imm, 32);
  EXPECT_EQ(test.program.expr(half.a).reg, whole.reg);
}

TEST(LitmusX86, JumpsAndFlags) {
  EXPECT_EQ(x86({"L0: MOV EAX,[x]", "CMP EAX,$0", "JE L0", "JMP L1", "MOV [x],$5", "L1:"}),
            "load EAX = x\nassign $1 = (EAX - 0)\nbranch ($1 == 0)\n");
  // Nothing reads the flags: they are not there.
  EXPECT_EQ(x86({"ADD EAX,$1"}), "assign EAX = ((EAX + 1) as s32)\n");
  EXPECT_EQ(x86({"ADD EAX,$1", "JE L", "JL L", "JS L", "L:"}),
            "assign $1 = (EAX + 1)\nassign $2 = ((EAX + 1) as s32)\nassign $3 = ((EAX + 1) as s32)\n"
            "assign EAX = ((EAX + 1) as s32)\nbranch ($2 == 0)\nbranch ($1 < 0)\nbranch ($3 < 0)\n");
}

TEST(LitmusX86, SizesOfX86_64) {
  EXPECT_EQ(x86_64({"addl $1,%eax", "addq $1,%rax", "movl %ebx,%eax", "movq %rbx,%rax"}),
            "assign rax = ((rax + 1) as u32)\nassign rax = (rax + 1)\nassign rax = (rbx as u32)\n"
            "assign rax = rbx\n");
  EXPECT_EQ(
      x86_64({"lock addl $1,(x)", "lock addq $1,(y)"}),
      "fence\nfetch_add x, 1 as u32 {X LK; X LK}\nfence\nfence\nfetch_add y, 1 as s64 {X LK; X LK}\nfence\n");
}

TEST(LitmusX86, DependenciesStay) {
  EXPECT_EQ(x86({"MOV EAX,[x]", "XOR EAX,EAX", "MOV EBX,[EAX+ECX]"}, "0:ECX=y;"),
            "load EAX = x\nassign EAX = (EAX ^ EAX)\nload EBX = y[EAX]\n");
}

TEST(LitmusX86, Rejected) {
  expect_rejected("X86 T\n{}\nP0 ;\nMOVSD ;\n", 4, 1, "'MOVSD' is not supported");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV $1,[x] ;\n", 4, 5, "a number cannot be changed");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV [x],[y] ;\n", 4, 9, "only one operand");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV [x] ;\n", 4, 9, "expected ','");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV EAX,[EBX] ;\n", 4, 1, "this address is a number");
  expect_rejected("X86 T\n{}\nP0 ;\nMOVB [x],$1 ;\n", 4, 1, "'MOVB' is not supported");
  expect_rejected("X86_64 T\n{}\nP0 ;\nmovq %eax,(x) ;\n", 4, 6, "this register has not 64 bits");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV RAX,[x] ;\n", 4, 5, "expected a register");
  expect_rejected("X86 T\n{}\nP0 ;\nSETE [x] ;\n", 4, 1, "'SETE' is not supported");
  expect_rejected("X86 T\n{}\nP0 ;\nJB L ;\nL: ;\n", 4, 1, "'JB' is not supported");
  expect_rejected("X86 T\n{}\nP0 ;\nJMP L ;\n", 4, 5, "there is no label L");
  expect_rejected("X86 T\n{}\nP0 ;\nL: ;\nL: ;\n", 5, 1, "label L is in this thread twice");
  expect_rejected("X86 T\n{}\nP0 ;\nLOCK MOV [x],$1 ;\n", 4, 6, "lock 'MOV' is not supported");
  expect_rejected("X86 T\n{}\nP0 ;\nLOCK INC EAX ;\n", 4, 10, "lock needs an operand in memory");
}

}  // namespace
}  // namespace fenceline::testing
