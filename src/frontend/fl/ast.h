// SPDX-License-Identifier: GPL-3.0-or-later
//
// The syntax tree: what the user wrote, before any name is looked up. One struct for expressions and one for
// statements, with a table of what each kind uses, because the lowering is a switch over kinds anyway.
// Names are views into the source text, which outlives the tree.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.h"
#include "env/source.h"
#include "ir/expr.h"
#include "ir/instruction.h"
#include "ir/program.h"

namespace fenceline::frontend::fl {

// Expressions and statements may each be nested this deep. So may everything that recurs over them.
constexpr unsigned kMaxNesting = 200;

struct Expression;
struct Statement;
using ExprPtr = std::unique_ptr<Expression>;
using StmtPtr = std::unique_ptr<Statement>;

struct Name {
  std::string_view text;
  SourcePos pos;
};

enum class ExprKind : uint8_t {
  kNumber,       // number
  kLvalue,       // name, args: the indices
  kUnary,        // op, args[0]
  kBinary,       // op, args[0], args[1]; && and || too
  kConditional,  // args[0] ? args[1] : args[2]
  kCall,         // name, args
  kRmw,          // rmw, args[0] a kLvalue, then the operands
  kThreadAt,     // name, args: the thread's indices; member: the label
  // name, args: the thread's indices; member: the register, member_args: its indices. Or the field of a
  // structure: that turns out when names are looked up.
  kThreadRegister
};

struct Expression {
  ExprKind kind = ExprKind::kNumber;
  ExprOp op = ExprOp::kConst;
  RmwOp rmw = RmwOp::kCas;
  unsigned depth = 1;      // of this tree
  SourcePos pos;           // where it starts
  SourcePos operator_pos;  // kUnary, kBinary, kConditional
  Value number = 0;
  Name name, member;
  Name field;  // kThreadRegister: `name.member`, which is how a field of a structure is called
  std::vector<ExprPtr> args, member_args;

  // Does evaluating it touch memory or execute a procedure's body? Found out once by the lowering.
  mutable std::optional<bool> has_effects;
};

// The variable that a kLvalue, or a kThreadRegister that is a field, is about.
inline const Name& variable_of(const Expression& expr) {
  return expr.kind == ExprKind::kThreadRegister ? expr.field : expr.name;
}

enum class StmtKind : uint8_t {
  kBlock,        // body
  kDeclaration,  // declarations
  kLabel,        // name, body[0]
  kAssign,       // exprs[0] a kLvalue, exprs[1]
  kEvaluate,     // exprs[0]: a kCall or kRmw whose value is dropped
  kIf,           // exprs[0], body[0], body[1] if there is an else
  kWhile,        // exprs[0], body[0]
  kDoWhile,      // exprs[0], body[0]
  kGoto,         // name
  kBreak,
  kContinue,
  kHalt,
  kReturn,  // exprs[0] if there is a value
  kAtomic,  // body[0]
  kChoose,  // body: the branches
  kFence,   // fence
  kAwait,
  kAssume,
  kAssert,  // exprs[0]
  kHavoc,   // exprs[0] a kLvalue, exprs[1] .. exprs[2]
  // Of transactions.
  kRollback,  // exprs[0] a kLvalue, exprs[1]
  kHistory,   // history: rfin, commit, abort
  kCommand,   // of a client; name, exprs[0] if it has a variable
};

// `int 0..3`; both null if no range was given. Or `stamp`.
struct Type {
  ExprPtr lo, hi;
  bool stamp = false;
};

// A field of a structure is a variable of its own: `struct { int a, b; } s[2];` is two arrays, called s.a and
// s.b, and s[1].a is a cell of the first.
struct Variable {
  Name name;
  Name structure, field;  // both empty if it is not part of a structure
  std::vector<ExprPtr> sizes;
  std::vector<ExprPtr> init;
  bool braces = false;  // the initial values are between { }
  SourcePos init_pos;
};

struct VariableList {
  Type type;
  std::vector<Variable> variables;
  bool transactional = false;
  bool index = false;
};

struct Statement {
  StmtKind kind = StmtKind::kBlock;
  FenceKinds fence;
  HistoryOp history = HistoryOp::kRfin;
  bool has_label = false;  // there is a kLabel in it
  SourcePos pos;
  SourcePos end;          // right behind its last character
  SourcePos colon_end;    // kLabel: right behind the colon
  SourcePos open, close;  // from where to where braces would go, if it is where only one statement may be
  Name name;
  std::vector<ExprPtr> exprs;
  std::vector<StmtPtr> body;
  std::vector<VariableList> declarations;
  std::string_view line;  // of a transaction's program: how it is numbered, "07"; mostly empty
};

StmtPtr make_statement(StmtKind kind, SourcePos pos);

struct Constant {
  Name name;
  ExprPtr value;
};

struct Procedure {
  Name name;
  std::vector<Name> parameters;
  StmtPtr body;
};

struct ThreadParameter {
  Name name;
  ExprPtr lo, hi;
};

struct ThreadDeclaration {
  Name name;
  std::vector<ThreadParameter> parameters;
  StmtPtr body;
};

struct PropertyText {
  Name name;
  PropertyKind kind = PropertyKind::kNever;
  SourcePos kind_pos;
  ExprPtr formula;
};

// A constant or a list of shared variables; both can refer to constants before them, so their order counts.
struct Global {
  std::optional<Constant> constant;
  std::optional<VariableList> shared;
};

// A transactional memory: what it keeps, the programs behind `read`, `write`, `end` and `abort`, and the
// clients that call them. What is shared is among the file's globals.
struct Transaction {
  Name name;
  std::vector<VariableList> locals;
  std::vector<Procedure> programs;
  std::vector<StmtPtr> clients;  // blocks of kCommand and kChoose; none: the most general client
};

struct File {
  std::vector<Global> globals;
  std::vector<Procedure> procedures;
  std::vector<ThreadDeclaration> threads;
  std::vector<PropertyText> properties;
  std::optional<Transaction> transaction;
  bool has_stamps = false;
  std::deque<std::string> made_names;  // names that are not in the text: those of fields
  SourcePos end;                       // where the text ends
};

}  // namespace fenceline::frontend::fl
