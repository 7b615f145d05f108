// SPDX-License-Identifier: GPL-3.0-or-later
//
// From tokens to the syntax tree, by recursive descent. An error inside a statement or declaration is thrown
// as SyntaxError up to the loop over statements or declarations, which skips to where the next one seems to
// start and goes on. Nesting is counted, so no text can exhaust the stack.
#pragma once

#include <string>
#include <vector>

#include "frontend/fl/ast.h"
#include "frontend/fl/diagnostics.h"
#include "frontend/fl/lexer.h"

namespace fenceline::fl {

class Parser {
 public:
  // Both must outlive the parser and the tree.
  Parser(const SourceFile& source, Diagnostics& diagnostics);

  // The whole file. Complaints are in the diagnostics; if there are any, the tree has holes.
  File parse_file();

 private:
  struct SyntaxError {};  // already reported
  class Nesting;          // counts a level while it lives

  // Tokens.
  const Token& peek(size_t ahead = 0);
  bool at(Tok kind) { return peek().kind == kind; }
  Token take();
  bool accept(Tok kind);
  Token expect(Tok kind, const char* what);  // "expected `what`, found ..."
  void expect_semicolon(const char* after);
  Name expect_name(const char* what);
  [[noreturn]] void fail(SourcePos pos, std::string message, std::string hint = {});
  [[noreturn]] void fail_expected(const std::string& what, std::string hint = {});
  std::string hint_for_foreign();  // how to say in .fl what the token here says in C
  [[noreturn]] void refuse_transactions();
  void skip_to_declaration();
  void skip_to_statement(size_t tokens_before);

  // Declarations.
  void declaration(File& file);
  void constants(File& file);
  VariableList variable_list(bool shared);
  Type type();
  Variable variable();
  Procedure procedure();
  ThreadFamily thread();
  PropertyText property();

  // Statements.
  StmtPtr block();
  void block_items(Statement& into);
  bool starts_declaration();
  StmtPtr statement();
  StmtPtr statement_here();
  StmtPtr only_statement();
  StmtPtr labelled();
  StmtPtr assignment_or_call();
  [[noreturn]] void refuse_as_statement(const Token& first, const Expression& expr);
  StmtPtr if_statement();
  StmtPtr while_statement();
  StmtPtr do_while_statement();
  StmtPtr fence_statement();
  FenceKinds fence_kind();
  StmtPtr choose_statement();
  StmtPtr havoc_statement();
  StmtPtr keyword_statement(StmtKind kind, const char* after);
  StmtPtr condition_statement(StmtKind kind, const char* after);
  ExprPtr condition(const char* after);

  // Expressions.
  ExprPtr expression();
  ExprPtr binary(int min_precedence);
  ExprPtr unary();
  ExprPtr primary();
  ExprPtr named();
  ExprPtr rmw();
  ExprPtr place();
  void indices(Expression& into, std::vector<ExprPtr>& list);
  void add_arg(Expression& into, std::vector<ExprPtr>& list, ExprPtr arg);

  Lexer lexer_;
  Diagnostics& diagnostics_;
  std::vector<Token> ahead_;  // tokens looked at but not taken
  Token last_;                // the token taken last
  size_t taken_ = 0;
  unsigned expression_depth_ = 0;
  unsigned statement_depth_ = 0;
};

}  // namespace fenceline::fl
