// SPDX-License-Identifier: GPL-3.0-or-later
//
// From tokens to the syntax tree, by recursive descent. An error inside a statement or declaration is thrown
// as SyntaxError up to the loop over statements or declarations, which skips to where the next one seems to
// start and goes on. Nesting is counted, so no text can exhaust the stack.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/fl/ast.h"
#include "frontend/fl/diagnostics.h"
#include "frontend/fl/lexer.h"

namespace fenceline::frontend::fl {

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
  std::string hint_for_foreign();  // the .fl equivalent of the C token here
  [[noreturn]] void reject_outside_transaction();
  void skip_to_declaration();
  void skip_to_statement(size_t tokens_before);

  // Declarations.
  void declaration(File& file);
  void constants(File& file);
  void shared_variables(File& file);
  std::vector<VariableList> variable_lists(bool shared);
  std::vector<VariableList> structures();
  struct Field {
    Name name;
    size_t list;  // the number of the list of its type
  };
  void fields(std::vector<Field>& fields, std::vector<VariableList>& lists);
  void skip_to_semicolon();
  bool at_word(std::string_view word) { return at(Tok::kName) && peek().text == word; }
  Type type(const char* what);
  Variable variable();
  Procedure procedure();
  ThreadDeclaration thread();
  PropertyText property();

  // Transactions.
  void transaction(File& file);
  void transaction_item(File& file, Transaction& transaction);
  void skip_to_item(size_t tokens_before);
  Procedure program();
  StmtPtr client_block();
  StmtPtr client_statement();
  VariableList transactional();
  VariableList index_variables();

  // Statements.
  StmtPtr block();
  void block_items(Statement& into);
  bool starts_declaration();
  StmtPtr statement();
  StmtPtr statement_here();
  StmtPtr only_statement();
  StmtPtr labelled();
  StmtPtr numbered();
  StmtPtr assignment_or_call();
  [[noreturn]] void reject_as_statement(const Token& first, const Expression& expr);
  StmtPtr if_statement();
  StmtPtr while_statement();
  StmtPtr do_while_statement();
  StmtPtr fence_statement();
  FenceKinds fence_kind();
  StmtPtr choose_statement();
  StmtPtr havoc_statement();
  StmtPtr rollback_statement();
  StmtPtr goto_statement();
  StmtPtr return_statement();
  StmtPtr atomic_statement();
  StmtPtr program_call_statement();
  [[noreturn]] void no_statement();
  StmtPtr history_statement();
  StmtPtr keyword_statement(StmtKind kind, const char* after);
  StmtPtr condition_statement(StmtKind kind, const char* after);
  ExprPtr condition(const char* after);

  // Expressions.
  ExprPtr expression();
  ExprPtr binary(int min_precedence);
  ExprPtr unary();
  ExprPtr primary();
  ExprPtr named();
  void member(Expression& into, const char* what);
  void arguments(Expression& into);
  ExprPtr program_call();
  ExprPtr rmw();
  ExprPtr lvalue();
  void indices(Expression& into, std::vector<ExprPtr>& list);
  void add_arg(Expression& into, std::vector<ExprPtr>& list, ExprPtr arg);

  Lexer lexer_;
  Diagnostics& diagnostics_;
  std::vector<Token> ahead_;  // tokens looked at but not taken
  Token last_;                // the token taken last
  size_t taken_ = 0;
  unsigned expression_depth_ = 0;
  unsigned statement_depth_ = 0;
  bool in_program_ = false;  // of a transaction
  bool has_stamps_ = false;
  size_t open_braces_ = 0;  // of a client; they are skipped after an error
  std::deque<std::string> made_names_;
};

}  // namespace fenceline::frontend::fl
