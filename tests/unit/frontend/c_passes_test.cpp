// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the passes over a C function keep: every access, and every operation that can fail, in all code that
// can be reached.
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "env/errors.h"
#include "frontend/c/compiler.h"
#include "frontend/c/unit.h"

namespace fenceline::testing {
namespace {

using frontend::c::Ledger;
using frontend::c::PassCounts;
using frontend::c::Unit;

Unit compiled(const std::string& text) {
  return Unit("test.c", frontend::c::compile_to_bitcode({"test.c", text, frontend::c::Language::kC}, {}));
}

// By opcode, and whether a global variable of that name is accessed.
size_t number_of(llvm::Function& function, unsigned opcode, const std::string& variable = "") {
  size_t found = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.getOpcode() != opcode) continue;
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (variable.empty() || (pointer != nullptr && pointer->getName() == variable)) ++found;
  }
  return found;
}

llvm::Function& flat(Unit& unit, const char* name = "f") { return unit.flat(*unit.find(name)); }

const char* const kProgram = R"(
  struct pair { int first; long second; };
  int x, zero, array[4];
  volatile int v;
  static int divide(int by) { int unused = 7 % by; return 5 / by; }
  void f(void) {
    int d = x;
    struct pair pair, copy;
    pair.first = x;
    copy = pair;
    for (int i = 0; i < 3; i++) { d = x; divide(zero); d = 1 << x; }
    for (int i = 0; i < 4; i++) for (int j = i; j < 4; j++) { array[j] = x >> j; if (x ^ x) d = v; }
    if (1 / zero == 5) d = x;
    if (0 * x) d = x - x;
  }
)";

// Nothing but the accesses to variables, computations with constants, and code that is not reached.
TEST(CPasses, EachPassKeepsWhatItDoesNotName) {
  Unit unit = compiled(kProgram);
  flat(unit);
  std::set<std::string> passes;
  for (const PassCounts& pass : unit.passes()) {
    SCOPED_TRACE(pass.pass);
    passes.insert(pass.pass);
    const size_t removed = pass.of_variables + pass.constant + pass.unreachable;
    if (pass.pass == "variables" || pass.pass == "constants")
      EXPECT_EQ(pass.after, pass.before - removed);
    else
      EXPECT_GE(pass.after, pass.before);
  }
  EXPECT_EQ(passes, (std::set<std::string>{"calls", "constants", "unrolling", "variables"}));
}

TEST(CPasses, AccessesAndOperationsAreCounted) {
  Unit unit = compiled(kProgram);
  llvm::Function& function = flat(unit);
  EXPECT_EQ(number_of(function, llvm::Instruction::Load, "zero"), 3U + 1);
  EXPECT_EQ(number_of(function, llvm::Instruction::SDiv), 3U + 1);
  EXPECT_EQ(number_of(function, llvm::Instruction::SRem), 3U);
  EXPECT_EQ(number_of(function, llvm::Instruction::Shl), 3U);
  EXPECT_EQ(number_of(function, llvm::Instruction::AShr), 10U);
  EXPECT_EQ(number_of(function, llvm::Instruction::Xor), 10U);
  EXPECT_EQ(number_of(function, llvm::Instruction::Load, "v"), 10U);
  // 1 + 1, 2 in each of 3, 3 in each of 10, then 1, then 1 and 2.
  EXPECT_EQ(number_of(function, llvm::Instruction::Load, "x"), 2U + 6 + 30 + 1 + 3);
  EXPECT_EQ(number_of(function, llvm::Instruction::Store), 10U);
  EXPECT_EQ(number_of(function, llvm::Instruction::Alloca), 0U);
}

// An error that Clang has folded away.
TEST(CPasses, OperationsOnConstantsThatFail) {
  Unit unit = compiled("void f(int c) { int a = 1 / 0, b = 1 << 32, d = c ? 2 : 5 % 0; }");
  size_t found = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(flat(unit)))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      found += call->getCalledFunction()->getName().starts_with(frontend::c::kUndefinedOperation) ? 1 : 0;
  EXPECT_EQ(found, 3U);
}

// Copies of a function that is flat already keep what they have.
TEST(CPasses, AFlatFunctionThatIsCalled) {
  Unit unit =
      compiled("int x, y; void g(void) { int r = x; y = r ^ r; int d = 1 / r; } void f(void) { g(); g(); }");
  flat(unit, "g");
  llvm::Function& function = flat(unit);
  EXPECT_EQ(number_of(function, llvm::Instruction::Xor), 2U);
  EXPECT_EQ(number_of(function, llvm::Instruction::SDiv), 2U);
  EXPECT_EQ(number_of(function, llvm::Instruction::Load, "x"), 2U);
}

// Loops end where their conditions do, and not only those of the simplest form.
TEST(CPasses, LoopsWithAConstantNumberOfIterations) {
  const auto stores = [](const std::string& body) {
    Unit unit = compiled("int x, y; void f(void) { " + body + " }");
    return number_of(flat(unit), llvm::Instruction::Store, "y");
  };
  EXPECT_EQ(stores("for (int i = 0; i < 64; i++) y = i;"), 64U);
  EXPECT_EQ(stores("for (int i = 0; i < 65; i++) y = i;"), 1U);
  EXPECT_EQ(stores("int i = 0; do { y = i; i += 2; } while (i < 10);"), 5U);
  EXPECT_EQ(stores("for (int i = 1; i; i <<= 4) { if (x) continue; y = i; }"), 8U);
  EXPECT_EQ(stores("int i = 0; while (1) { if (i++ == 3) break; y = i; if (x) break; }"), 3U);
  EXPECT_EQ(stores("for (unsigned i = 3; i-- > 0;) switch (i) { case 1: y = 1; break; default: y = 2; }"),
            3U);
  EXPECT_EQ(stores("for (int i = 0; i < x; i++) y = i;"), 1U);
  EXPECT_EQ(stores("for (int i = 0; i < 4; i++) for (int j = 0; j < i; j++) y = j;"), 6U);
}

TEST(CPasses, ALedgerNoticesWhatIsMissing) {
  Unit unit = compiled("int x; void f(void) { int d = x; x = 1; }");
  llvm::Function& function = flat(unit);
  Ledger ledger(function);
  EXPECT_EQ(ledger.total(), 2U);
  ledger.check(function, "no pass");
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::LoadInst>(instruction)) {
      instruction.eraseFromParent();
      break;
    }
  EXPECT_THROW(ledger.check(function, "a pass"), Bug);
}

}  // namespace
}  // namespace fenceline::testing
