// SPDX-License-Identifier: GPL-3.0-or-later
//
// What instructions of AArch64, RISC-V and POWER become.
#include <gtest/gtest.h>

#include "unit/frontend/litmus_testing.h"

namespace fenceline::testing {
namespace {

std::string aarch64(const std::vector<std::string>& instructions) {
  return code(one_thread("AArch64", "0:X1=x; 0:X2=y;", instructions));
}
std::string riscv(const std::vector<std::string>& instructions) {
  return code(one_thread("RISCV", "0:x1=x; 0:x2=y;", instructions));
}
std::string ppc(const std::vector<std::string>& instructions) {
  return code(one_thread("PPC", "0:r1=x; 0:r2=y;", instructions));
}

TEST(LitmusAArch64, Accesses) {
  EXPECT_EQ(aarch64({"LDR W0,[X1]", "LDAR W3,[X1]", "LDAPR W4,[X2]", "STR WZR,[X1]", "STLR W0,[X2]"}),
            "load X0 = x\nload X3 = x acquire {A}\nload X4 = y acquire {Q}\nstore x = 0\nstore y = (X0 as "
            "u32) release {L}\n");
  EXPECT_EQ(aarch64({"EOR W3,W0,W0", "LDR W4,[X2,W3,SXTW]"}),
            "assign X3 = ((X0 ^ X0) as u32)\nload X4 = y[(X3 as s32)]\n");
  EXPECT_EQ(aarch64({"LDR X0,[X1]", "STR X0,[X2]"}), "load X0 = x\nstore y = X0\n");
}

TEST(LitmusAArch64, HalvesOfRegisters) {
  EXPECT_EQ(aarch64({"ADD W3,W4,#1", "ADD X3,X4,#1", "MUL W5,W3,W4", "MOV W6,#-1", "MOV W7,W6"}),
            "assign X3 = ((X4 + 1) as u32)\nassign X3 = (X4 + 1)\nassign X5 = (((X3 as s32) * (X4 as s32)) "
            "as u32)\n"
            "assign X6 = 4294967295\nassign X7 = (X6 as u32)\n");
  EXPECT_EQ(aarch64({"ADD X3,X4,W5,UXTW #2"}), "assign X3 = (X4 + ((X5 as u32) * 4))\n");
  // A sum that overflows is zero, and its sign is that of the sum without a size.
  EXPECT_EQ(aarch64({"ADDS W3,W4,W5", "B.EQ L", "B.LT L", "L:"}),
            "assign $3 = ((X4 as s32) + (X5 as s32))\nassign $4 = (((X4 as s32) + (X5 as s32)) as s32)\n"
            "assign X3 = ((X4 + X5) as u32)\nbranch ($4 == 0)\nbranch ($3 < 0)\n");
}

TEST(LitmusAArch64, Barriers) {
  EXPECT_EQ(aarch64({"DMB SY", "DMB ISHLD", "DMB ST", "DSB ISH"}),
            "fence {DMB.SY}\nfence(load-load, load-store) {DMB.ISHLD}\nsfence {DMB.ST}\nfence {DSB.ISH}\n");
  const frontend::LitmusTest test = one_thread("AArch64", "", {"ISB"});
  EXPECT_TRUE(test.program.threads[0].code[0].fence.none());
  EXPECT_EQ(test.program.threads[0].code[0].tags, std::vector<std::string>{"ISB"});
}

TEST(LitmusAArch64, Control) {
  EXPECT_EQ(aarch64({"CBNZ W0,L", "CMP W0,#1", "B.NE L", "B L", "L:"}),
            "branch ((X0 as s32) != 0)\nassign $1 = ((X0 as s32) - 1)\nbranch ($1 != 0)\n");
}

TEST(LitmusAArch64, ReadModifyWrites) {
  EXPECT_EQ(aarch64({"SWPAL W3,W4,[X1]"}), "xchg X4 = x, (X3 as u32) acq_rel {A; L}\n");
  EXPECT_EQ(aarch64({"LDADDA W3,W4,[X1]"}), "fetch_add X4 = x, (X3 as u32) as u32 acquire {A}\n");
  EXPECT_EQ(aarch64({"LDADD X3,X4,[X1]"}), "fetch_add X4 = x, X3 as s64\n");
  EXPECT_EQ(aarch64({"LDSETA W3,W4,[X1]"}), "fetch_or X4 = x, (X3 as u32) as u32 acquire {A}\n");
}

TEST(LitmusAArch64, AtomicsWithoutAResultDoNotAcquire) {
  for (const char* instruction : {"STADDL W3,[X1]", "LDADDL W3,WZR,[X1]", "LDADDAL W3,WZR,[X1]"})
    EXPECT_EQ(aarch64({instruction}), "fetch_add x, (X3 as u32) as u32 release {NoRet; L}\n") << instruction;
  EXPECT_EQ(aarch64({"SWPA W3,WZR,[X1]"}), "xchg x, (X3 as u32) {NoRet}\n");
}

TEST(LitmusAArch64, CompareAndSwapIsNoBranch) {
  EXPECT_EQ(aarch64({"CASAL W3,W4,[X1]"}),
            "cas_value $3 = x, (X3 as u32), (X4 as u32) acq_rel {A; L}\nassign X3 = $3\n");
  EXPECT_EQ(aarch64({"CAS X3,X4,[X1]"}), "cas_value $3 = x, X3, X4\nassign X3 = $3\n");
}

TEST(LitmusAArch64, Rejected) {
  const std::string head = "AArch64 T\n{ 0:X1=x; }\nP0 ;\n";
  expect_rejected(head + "LDXR W0,[X1] ;\n", 4, 1, "'LDXR' is not supported");
  expect_rejected(head + "STXR W2,W0,[X1] ;\n", 4, 1, "'STXR' is not supported");
  expect_rejected(head + "LDRB W0,[X1] ;\n", 4, 1, "'LDRB' is not supported");
  expect_rejected(head + "LDR W0,[X1],#4 ;\n", 4, 12, "are not supported");
  expect_rejected(head + "DMB FOO ;\n", 4, 5, "not supported");
  expect_rejected(head + "B.CS L ;\n", 4, 1, "the condition 'CS' is not supported");
  expect_rejected(head + "LDR W0,X1 ;\n", 4, 8, "expected '['");
  expect_rejected(head + "MOV W0,foo ;\n", 4, 8, "expected a register or a number");
  expect_rejected(head + "LDR W0,[W1] ;\n", 4, 9, "an address needs a register of 64 bits");
  expect_rejected(head + "SWP W0,X2,[X1] ;\n", 4, 8, "expected a register of the same size");
  expect_rejected(head + "ADD W1,W1,#1 ;\n", 4, 1, "the address of x does not fit into 32 bits");
}

TEST(LitmusRiscV, Accesses) {
  EXPECT_EQ(
      riscv({"lw x5,0(x1)", "sw x0,0(x2)", "lw a0,(x1)", "lw.aq x6,0(x1)", "sw.rl x6,0(x2)"}),
      "load x5 = x\nstore y = 0\nload x10 = x\nload x6 = x acquire {Acq}\nstore y = (x6 as s32) release "
      "{Rel}\n");
  EXPECT_EQ(riscv({"ld x5,0(x1)", "sd x5,0(x2)"}), "load x5 = x\nstore y = x5\n");
  EXPECT_EQ(riscv({"lwu x5,0(x1)"}), "load $2 = x\nassign x5 = ($2 as u32)\n");
  EXPECT_EQ(riscv({"addiw x5,x6,1", "addi x5,x6,1", "subw x5,x6,x7"}),
            "assign x5 = ((x6 + 1) as s32)\nassign x5 = (x6 + 1)\nassign x5 = ((x6 - x7) as s32)\n");
}

TEST(LitmusRiscV, Fences) {
  EXPECT_EQ(riscv({"fence rw,rw", "fence", "fence w,w", "fence r,rw", "fence iorw,iorw", "fence.tso"}),
            "fence {Fence.rw.rw}\nfence {Fence.rw.rw}\nsfence {Fence.w.w}\nfence(load-load, load-store) "
            "{Fence.r.rw}\n"
            "fence {Fence.rw.rw}\nfence(store-store, load-load, load-store) {Fence.tso}\n");
}

TEST(LitmusRiscV, ReadModifyWritesAndControl) {
  EXPECT_EQ(riscv({"amoswap.w.aq.rl x5,x6,(x1)"}),
            "xchg x5 = x, (x6 as s32) acq_rel {AcqRel X AMO; AcqRel X AMO}\n");
  EXPECT_EQ(riscv({"amoadd.w.aq x5,x6,0(x1)"}),
            "fetch_add x5 = x, (x6 as s32) as s32 acquire {Acq X AMO; Acq X AMO}\n");
  EXPECT_EQ(riscv({"ori x5,x0,1", "bne x5,x0,L", "beqz x5,L", "j L", "L:"}),
            "assign x5 = 1\nbranch (x5 != 0)\nbranch (x5 == 0)\n");
}

TEST(LitmusRiscV, Rejected) {
  const std::string head = "RISCV T\n{ 0:x1=x; }\nP0 ;\n";
  expect_rejected(head + "lr.w x5,(x1) ;\n", 4, 1, "'lr.w' is not supported");
  expect_rejected(head + "sc.w x5,x6,(x1) ;\n", 4, 1, "'sc.w' is not supported");
  expect_rejected(head + "fence a,b ;\n", 4, 7, "expected r, w or rw");
  expect_rejected(head + "lw x32,0(x1) ;\n", 4, 4, "expected a register");
}

TEST(LitmusPpc, Accesses) {
  EXPECT_EQ(
      ppc({"li r3,1", "stw r3,0(r1)", "lwz r4,0(r2)", "xor r5,r4,r4", "lwzx r6,r5,r1", "stwx r3,r5,r2"}),
      "assign r3 = 1\nstore x = (r3 as u32)\nload r4 = y\nassign r5 = (r4 ^ r4)\nload r6 = x[r5]\nstore "
      "y[r5] = "
      "(r3 as u32)\n");
  EXPECT_EQ(ppc({"mullw r3,r4,r5", "std r3,0(r1)"}),
            "assign r3 = ((r4 as s32) * (r5 as s32))\nstore x = r3\n");
}

TEST(LitmusPpc, FencesAndControl) {
  EXPECT_EQ(ppc({"sync", "lwsync", "eieio"}),
            "fence {SYNC}\nfence(store-store, load-load, load-store) {LWSYNC}\nsfence {EIEIO}\n");
  EXPECT_NE(ppc({"isync"}).find("{ISYNC}"), std::string::npos);
  EXPECT_EQ(ppc({"cmpwi r3,1", "bne L", "cmpw r3,r4", "beq L", "b L", "L:"}),
            "assign $1 = ((r3 as s32) - 1)\nbranch ($1 != 0)\nassign $1 = ((r3 as s32) - (r4 as s32))\n"
            "branch ($1 == 0)\n");
  EXPECT_EQ(ppc({"cmpdi r3,1", "bne L", "L:"}), "assign $1 = (r3 - 1)\nbranch ($1 != 0)\n");
}

TEST(LitmusPpc, Rejected) {
  const std::string head = "PPC T\n{ 0:r1=x; }\nP0 ;\n";
  expect_rejected(head + "lwarx r3,r0,r1 ;\n", 4, 1, "'lwarx' is not supported");
  expect_rejected(head + "stwcx. r3,r0,r1 ;\n", 4, 1, "'stwcx.' is not supported");
  expect_rejected(head + "lwz r3,r1 ;\n", 4, 8, "expected a number");
}

}  // namespace
}  // namespace fenceline::testing
