// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads one function and appends what it does as it goes. Statements are in c.cpp, expressions in c_expr.cpp,
// the functions of <stdatomic.h> and the macros of the Linux kernel in c_calls.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/litmus/c.h"

namespace fenceline::litmus {

class CReader {
 public:
  CReader(Lexer& lexer, TestCode& test) : lexer_(lexer), test_(test) {}

  void read_function(uint32_t number);

 private:
  // c.cpp
  void parameters();
  void block();
  void statement();
  void declaration();
  void if_statement();
  void while_statement();
  void do_statement();
  void leave_loop(const Token& word);
  void assignment_or_call();
  void declare(const Token& name);
  bool at_type();
  void enter();

  // c_expr.cpp: what an expression is worth. Its memory accesses have been appended.
  ExprId expression();
  ExprId binary(unsigned level);
  ExprId lazy(ExprOp op, ExprId left, unsigned level);
  ExprId unary();
  ExprId primary();
  ExprId combine(ExprOp op, ExprId x, ExprId y, SourcePos pos);
  RegId truth(ExprId value, SourcePos pos);  // a fresh register with that value

  // c_calls.cpp
  ExprId call(const Token& name);                        // a function without a result is worth 0
  std::optional<ExprId> c11_call(const Token& name);     // none: it is no such function
  std::optional<ExprId> kernel_call(const Token& name);  // likewise
  ExprId compare_exchange(const Token& name, bool with_order);
  ExprId read_modify_write(std::string_view operation, ExprId address, ExprId operand, SourcePos pos,
                           const Strength& strength);
  ExprId next_argument();  // behind ','
  MemoryOrder order();     // behind ','
  ExprId lvalue();         // "*x": the address
  bool mentioned_later(std::string_view variable) const;

  ProgramBuilder& program() { return test_.program(); }
  ThreadCode& code() { return *code_; }

  struct Loop {
    LabelId again, end;
  };

  Lexer& lexer_;
  TestCode& test_;
  ThreadCode* code_ = nullptr;
  std::set<std::string, std::less<>> locals_;
  std::set<std::string, std::less<>> parameters_;
  std::vector<Loop> loops_;
  unsigned depth_ = 0;      // of nesting
  unsigned operators_ = 0;  // of the expression that is being read
  unsigned open_braces_ = 0;
};

// Of a C11 access or fence of that order; kPlain: of an access that is not atomic.
Strength c11(MemoryOrder order);

}  // namespace fenceline::litmus
