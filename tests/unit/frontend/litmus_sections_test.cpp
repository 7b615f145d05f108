// SPDX-License-Identifier: GPL-3.0-or-later
//
// Headers, initial states, final conditions, and addresses that are values.
#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "unit/frontend/litmus_testing.h"

namespace fenceline::testing {
namespace {

constexpr const char* kStoreBuffering =
    "X86 SB\n"
    "\"Fre PodWR Fre PodWR\"\n"
    "(* a comment (* in a comment *) *)\n"
    "Com=Fr Fr\n"
    "Hash=0123\n"
    "{ x=0; int y=7; 1:EBX=3; }\n"
    " P0          | P1          ;\n"
    " MOV [x],$1  | MOV [y],$1  ;\n"
    " MOV EAX,[y] | MOV EAX,[x] ;\n";

frontend::LitmusTest with_condition(const std::string& condition) {
  return litmus(kStoreBuffering + condition + "\n");
}

std::vector<std::string> names(const frontend::LitmusTest& test) {
  std::vector<std::string> names;
  for (const frontend::Observable& observable : test.observables) names.push_back(observable.name);
  return names;
}

TEST(LitmusSections, Header) {
  const frontend::LitmusTest test = with_condition("exists (0:EAX=0)");
  EXPECT_EQ(test.name, "SB");
  EXPECT_EQ(test.arch, frontend::LitmusArch::kX86);
  EXPECT_EQ(test.hash, "0123");
  EXPECT_EQ(test.program.threads.size(), 2U);
  EXPECT_EQ(test.program.threads[1].name, "P1");
  EXPECT_EQ(test.program.objects[1].init, std::vector<Value>{7});
}

TEST(LitmusSections, QuantifiersAndTheProperty) {
  EXPECT_EQ(with_condition("exists (0:EAX=0)").quantifier, frontend::Quantifier::kExists);
  EXPECT_EQ(with_condition("(0:EAX=0)").quantifier, frontend::Quantifier::kExists);
  EXPECT_EQ(with_condition("~exists 0:EAX=0").quantifier, frontend::Quantifier::kNotExists);
  EXPECT_EQ(with_condition("forall 0:EAX=0").quantifier, frontend::Quantifier::kForall);
  const frontend::LitmusTest nothing = with_condition("");
  EXPECT_EQ(nothing.quantifier, frontend::Quantifier::kForall);
  EXPECT_EQ(nothing.condition_text, "(true)");
  ASSERT_EQ(nothing.program.properties.size(), 1U);
  EXPECT_EQ(nothing.program.properties[0].kind, PropertyKind::kFinally);
}

TEST(LitmusSections, ConditionsAsTheyArePrinted) {
  EXPECT_EQ(with_condition("exists (0:EAX=0 /\\ (1:EAX=0 /\\ x=1))").condition_text,
            "(0:EAX=0 /\\ 1:EAX=0 /\\ [x]=1)");
  EXPECT_EQ(with_condition("exists ((0:EAX=0 \\/ 1:EAX=0) /\\ [x]=1)").condition_text,
            "((0:EAX=0 \\/ 1:EAX=0) /\\ [x]=1)");
  EXPECT_EQ(with_condition("exists (0:EAX=0 /\\ 1:EAX=0 \\/ x=1)").condition_text,
            "(0:EAX=0 /\\ 1:EAX=0 \\/ [x]=1)");
  EXPECT_EQ(with_condition("exists (0:EAX != 0x10)").condition_text, "(not (0:EAX=16))");
  EXPECT_EQ(with_condition("exists (~(0:EAX=0 /\\ x=-1))").condition_text, "(not (0:EAX=0 /\\ [x]=-1))");
  EXPECT_EQ(with_condition("exists (not true \\/ false)").condition_text, "(not (true) \\/ false)");
  EXPECT_EQ(with_condition("exists (0:EAX=0 => x=1)").condition_text, "(0:EAX=0 => [x]=1)");
  EXPECT_EQ(with_condition("exists (0:EAX=1:EAX)").condition_text, "(0:EAX=1:EAX)");
}

TEST(LitmusSections, ObservablesAreSorted) {
  EXPECT_EQ(names(with_condition("locations [y; 1:EBX; 0:EAX;] exists (x=1 /\\ 1:EAX=0)")),
            (std::vector<std::string>{"0:EAX", "1:EAX", "1:EBX", "[x]", "[y]"}));
}

TEST(LitmusSections, AddressesInMemory) {
  const frontend::LitmusTest test = litmus(
      "AArch64 T\n{ y=x; 0:X1=y; 0:X2=z; }\n P0 ;\n LDR X0,[X1] ;\n STR X2,[X1] ;\n LDR X3,[X0] ;\n"
      "exists (0:X0=x /\\ y=z)\n");
  EXPECT_EQ(test.program.objects.size(), 1U);
  EXPECT_EQ(test.program.objects[0].size(), 3U);
  EXPECT_EQ(test.condition_text, "(0:X0=x /\\ [y]=z)");
  ASSERT_EQ(test.addresses.size(), 3U);
  EXPECT_EQ(test.program.objects[0].init[0], test.addresses[1].first);
  EXPECT_EQ(test.addresses[1].second, "x");
}

TEST(LitmusSections, AnAddressThatIsComputedStaysADependency) {
  EXPECT_EQ(
      code(one_thread("PPC", "0:r1=x; 0:r2=y;",
                      {"lwz r3,0(r1)", "xor r4,r3,r3", "add r5,r2,r4", "lwz r6,0(r5)"})),
      "load r3 = x\nassign r4 = (r3 ^ r3)\nassign r5 = (r2 + r4)\nload r6 = y[(r5 - 2305843013508661248)]\n");
}

TEST(LitmusSections, RegistersThatTestsNameThemselves) {
  EXPECT_EQ(code(one_thread("PPC", "%a=x; 0:%b=y;", {"lwz r1,0(%a)", "stw r1,0(%b)"})),
            "load r1 = x\nstore y = (r1 as u32)\n");
}

TEST(LitmusSections, AccessesOfOneLocationHaveOneSize) {
  const std::string head = "AArch64 T\n{ 0:X1=x; 1:X1=x; }\nP0 | P1 ;\n";
  expect_rejected(head + "STR X0,[X1] | LDR W0,[X1] ;\n", 4, 15, "location x has 8 bytes, and here 4");
  expect_rejected(head + "STR W0,[X1] | SWP X0,X2,[X1] ;\n", 4, 15, "location x has 4 bytes, and here 8");
  expect_rejected(head + "STR W0,[X1] | LDR W0,[X1,#4] ;\n", 4, 15,
                  "this access is to a part of x, at offset 4");
  expect_rejected("AArch64 T\n{ uint64_t x; 0:X1=x; }\nP0 ;\nLDR W0,[X1] ;\n", 4, 1,
                  "location x has 8 bytes, and here 4");
  expect_rejected("X86_64 T\n{ }\nP0 ;\nmovq $1,(x) ;\nmovl (x),%eax ;\n", 5, 1,
                  "location x has 8 bytes, and here 4");
  expect_rejected("RISCV T\n{ 0:x1=x; }\nP0 ;\nsd x5,0(x1) ;\nlw x6,0(x1) ;\n", 5, 1,
                  "location x has 8 bytes, and here 4");
  expect_rejected("PPC T\n{ 0:r1=x; }\nP0 ;\nstd r5,0(r1) ;\nlwz r6,0(r1) ;\n", 5, 1,
                  "location x has 8 bytes, and here 4");
  expect_rejected("AArch64 T\n{ x=0x100000000; 0:X1=x; }\nP0 ;\nLDR W0,[X1] ;\n", 2, 3,
                  "does not fit into 4 bytes");
  // A location that is reached through pointers only has the size that they have.
  const frontend::LitmusTest test =
      litmus("AArch64 T\n{ p=x; 0:X1=p; }\nP0 ;\nLDR X0,[X1] ;\nLDR W2,[X0] ;\nexists (0:X2=0)\n");
  EXPECT_EQ(test.program.objects[0].cell_bytes, (std::vector<uint8_t>{8, 4}));
}

TEST(LitmusSections, ConditionsAreAboutNumbersOfATypeToo) {
  const frontend::LitmusTest test = litmus(
      "X86 T\n{ x=0xffffffff; uint32_t y=-1; }\nP0 ;\nMOV EAX,[x] ;\nMOV EBX,[y] ;\n"
      "exists (0:EAX=0xffffffff /\\ x=-1 /\\ y=0xffffffff)\n");
  EXPECT_EQ(test.program.objects[0].init, std::vector<Value>{-1});
  EXPECT_EQ(test.program.objects[1].init, std::vector<Value>{-1});
  const std::string text = print_program(test.program);
  EXPECT_NE(text.find("P0.EAX == -1"), std::string::npos) << text;
  EXPECT_NE(text.find("y[0] as u32) == 4294967295"), std::string::npos) << text;
}

TEST(LitmusSections, Rejected) {
  expect_rejected("", 1, 1, "expected the name of an architecture");
  expect_rejected("Z80 T\n{}\n", 1, 1, "unknown architecture 'Z80'");
  expect_rejected("X86\n{}\n", 1, 4, "expected the name of the test");
  expect_rejected("X86 T\nfoo\n{}\n", 2, 1, "expected the initial state");
  expect_rejected("X86 T\nVariant=mixed\n{}\n", 2, 1, "not supported");
  expect_rejected("X86 T\n", 2, 1, "found the end of the file");
  expect_rejected("X86 T\n{ x=0;", 2, 7, "expected a location");
  expect_rejected("X86 T\n{ x=0; x=1; }\nP0;\n", 2, 8, "location x has two initial values");
  expect_rejected("X86 T\n{ int x[2]; }\nP0;\n", 2, 8, "arrays are not supported");
  expect_rejected("X86 T\n{ 0:FOO=1; }\nP0;\n", 2, 5, "'FOO' is not a register");
  expect_rejected("X86 T\n{ 1:EAX=1; }\nP0;\nNOP;\n", 2, 3, "there is no thread P1");
  expect_rejected("X86 T\n{}\nP1 ;\n", 3, 1, "expected P0");
  expect_rejected("X86 T\n{}\nP0 ;\nNOP | NOP ;\n", 4, 7, "more than 1 columns");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV EAX,$1", 4, 11, "expected '|' or ';'");
  expect_rejected("X86 T\n{}\nP0 ;\nMOV EAX,$99999999999999999999 ;", 4, 10, "does not fit into 64 bits");
  expect_rejected("X86 T\n{ x = 0x-5; }\nP0 ;\nMOV EAX,$1 ;", 2, 7, "expected hexadecimal digits");
  const std::string program = "X86 T\n{}\nP0 ;\nMOV EAX,[x] ;\n";
  expect_rejected(program + "exists (0:EBX=1)\n", 5, 11, "thread P0 has no register EBX");
  expect_rejected(program + "exists (1:EAX=1)\n", 5, 9, "there is no thread 1");
  expect_rejected(program + "exists (y=1)\n", 5, 9, "the test has no location y");
  expect_rejected(program + "exists (x=)\n", 5, 11, "expected a value");
  expect_rejected(program + "exists (x=1\n", 6, 1, "expected ')'");
  expect_rejected(program + "exists (x=1) x\n", 5, 14, "expected the end of the file");
  expect_rejected(program + "filter (x=1) exists (x=1)\n", 5, 1, "'filter' is not supported");
  expect_rejected(program + "exists (* x=1\n", 5, 8, "this comment does not end");
  std::string deep = program + "exists ";
  for (int i = 0; i < 1000; ++i) deep += "(";
  expect_rejected(deep, 5, 208, "nested more than 200 deep");
}

}  // namespace
}  // namespace fenceline::testing
