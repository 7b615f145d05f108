// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs in assembly: one column per thread, one instruction per cell. The frame is the same for all
// architectures; what an instruction does is up to the class of each.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/litmus/code.h"
#include "frontend/litmus/sections.h"

namespace fenceline::frontend::litmus {

// The instruction of one cell, token by token.
class Cell {
 public:
  Cell(TestCode& test, std::vector<Token> tokens, SourcePos end)
      : test_(test), tokens_(std::move(tokens)), end_(end) {}

  bool done() const { return next_ == tokens_.size(); }
  Token peek(size_t ahead = 0) const;  // kEnd, at the position behind the cell, if there is none
  Token take();
  bool accept(std::string_view text);
  void expect(std::string_view text, std::string_view what);
  Token expect_name(std::string_view what);
  Value expect_number(std::string_view what);  // with '$' or '#' and a minus sign, if they are there
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(SourcePos pos, std::string message, std::string hint = {}) const {
    test_.fail(pos, std::move(message), std::move(hint));
  }
  TestCode& test() { return test_; }
  ProgramBuilder& program() { return test_.program(); }

 private:
  TestCode& test_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  SourcePos end_;
};

// A thread with its labels, as instructions see it.
class AssemblyThread {
 public:
  explicit AssemblyThread(ThreadCode& thread) : code(thread) {}

  ThreadCode& code;
  unsigned flags = 0;                // the flags that its instructions use, as of Architecture::flags_used()
  LabelId label(const Token& name);  // jumped to
  void bind(const Token& name, const TestCode& test);  // at the current position
  void require_bound(const TestCode& test) const;      // rejects the first label that is not bound

 private:
  struct Known {
    LabelId id;
    bool bound = false;
    SourcePos pos;
  };
  std::map<std::string, Known, std::less<>> labels_;
};

class Architecture : public Registers {
 public:
  // Reads the instruction that begins at `cell` (not a label) and appends what it does.
  virtual void instruction(Cell& cell, AssemblyThread& thread) = 0;

  // The condition flags that a word of an instruction (in lower case) uses, as bits of its own.
  virtual unsigned flags_used(std::string_view /*word*/) const { return 0; }

  // Reads a register; throws InputError if there is none.
  RegisterName expect_register(Cell& cell) const;
};

// `source_first`: the order of operands of X86_64.
std::unique_ptr<Architecture> make_x86(bool source_first);
std::unique_ptr<Architecture> make_aarch64();
std::unique_ptr<Architecture> make_riscv();
std::unique_ptr<Architecture> make_ppc();

// "P0 | P1 ; ... | ... ;" up to the final condition.
void read_assembly(Lexer& lexer, Architecture& architecture, TestCode& test);

std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

// The instruction is known, but has no meaning here.
[[noreturn]] void reject(const Cell& cell, const Token& instruction, std::string_view why);

}  // namespace fenceline::frontend::litmus
