// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads one function and appends what it does as it goes. Statements are in c.cpp, expressions in c_expr.cpp,
// the functions of <stdatomic.h> and the macros of the Linux kernel in c_calls.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/litmus/c.h"

namespace fenceline::frontend::litmus {

// The value of an expression: a number of its type. Integers wrap in two's complement, also where C leaves
// that undefined.
struct CValue {
  ExprId id;
  ValueType type = kInt;
};

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
  void declare(const Token& name, const ValueType& type);
  bool at_type();
  void enter();

  // c_expr.cpp: the value of an expression. Its memory accesses have been appended.
  CValue expression();
  CValue binary(unsigned level);
  CValue lazy(ExprOp op, CValue left, unsigned level);
  CValue unary();
  CValue primary();
  CValue literal();
  CValue combine(ExprOp op, const CValue& x, const CValue& y, SourcePos pos);
  CValue choose(const CValue& condition, SourcePos pos);  // behind '?'
  ExprId convert(const CValue& value, const ValueType& type);
  RegId truth(ExprId value, SourcePos pos);  // a fresh register with that value

  // c_calls.cpp
  CValue call(const Token& name);                        // the value of a function without a result is 0
  std::optional<CValue> c11_call(const Token& name);     // none: it is no such function
  std::optional<CValue> kernel_call(const Token& name);  // likewise
  std::optional<CValue> kernel_barrier(const Token& name);
  std::optional<CValue> kernel_access(const Token& name);
  std::optional<CValue> kernel_rmw(const Token& name);
  void full_barrier(SourcePos pos);
  CValue compare_exchange(const Token& name, bool with_order, bool weak);
  CValue read_modify_write(std::string_view operation, const CValue& address, const CValue& operand,
                           SourcePos pos, const Strength& strength);
  CValue loaded(const CValue& address, SourcePos pos, const Strength& strength);
  void store(const CValue& address, const CValue& value, SourcePos pos, const Strength& strength);
  CValue next_argument();  // behind ','
  MemoryOrder order();     // behind ','
  CValue lvalue();         // "*x": the address
  bool mentioned_later(std::string_view variable) const;

  // How many bytes of memory a pointer leads to; 0: as many as there are.
  uint8_t bytes_at(const CValue& address) const { return address.type.pointee().size(8); }
  // What was read there, which is as memory keeps it.
  CValue read(RegId reg, const CValue& address);
  void assign(const std::string& local, const CValue& value, SourcePos pos);

  ProgramBuilder& program() { return test_.program(); }
  ThreadCode& code() { return *code_; }

  struct Loop {
    LabelId again, end;
  };

  Lexer& lexer_;
  TestCode& test_;
  ThreadCode* code_ = nullptr;
  std::map<std::string, ValueType, std::less<>> locals_;
  std::map<std::string, ValueType, std::less<>> parameters_;
  std::vector<Loop> loops_;
  unsigned depth_ = 0;      // of nesting
  unsigned operators_ = 0;  // of the expression that is being read
  unsigned open_braces_ = 0;
};

// Of a C11 access or fence of that order; kPlain: of an access that is not atomic.
Strength c11(MemoryOrder order);

}  // namespace fenceline::frontend::litmus
