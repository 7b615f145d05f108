// SPDX-License-Identifier: GPL-3.0-or-later
//
// From the syntax tree to instructions, for one thread. docs/language.md has the table of the steps each
// construct makes; this is its implementation. Three functions do most of it:
//
//   value(e)        emits the steps of e and returns what is left, an expression over registers. Operands are
//                   lowered left to right. An operand that is a local variable needs no copy: nothing that
//                   follows inside the same expression can assign it, because procedures see only their own.
//   into(dest, e)   the same, with the value in a given register; a load or rmw writes it directly.
//   condition(e, t, f)  emits branches that lead to t or f. Lazy operators become control flow here, not
//   values.
//
// A condition that is constant makes no branch, and what it excludes is lowered muted (see code.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/fl/ast.h"
#include "frontend/fl/code.h"
#include "frontend/fl/diagnostics.h"
#include "frontend/fl/expressions.h"
#include "frontend/fl/globals.h"

namespace fenceline::frontend::fl {

// A bound on the work where inlining explodes without making instructions, and on the recursion.
constexpr size_t kMaxVisits = 5'000'000;
constexpr unsigned kMaxLoweringDepth = 600;

// A local variable, parameter of a procedure, or number of the thread.
struct Local {
  RegId first;
  Shape shape;
  std::optional<Range> range;
  std::optional<Value> number;  // a constant: the thread's number, or that of a transaction's variable
  SourcePos pos;
  bool stamp = false;
  bool index = false;
  bool structure = false;  // no variable by itself: its fields are
};

using Locals = std::unordered_map<std::string_view, Local>;

// One thread and the names that properties can use.
struct ThreadInstance {
  const ThreadDeclaration* declaration = nullptr;
  std::vector<Value> numbers;
  ThreadId id;
  Locals registers;
  std::unordered_map<std::string_view, Code::Label> labels;
};

// What the lowerings of all threads share.
struct LoweringContext {
  const Globals& globals;
  Expressions& expressions;
  Diagnostics& diagnostics;
  Effort effort;
  std::unordered_set<const Procedure*> lowered;  // procedures whose bodies have been looked at
  bool has_assertions = false;
  bool has_ranges = false;
  bool checking = false;  // only complaints are wanted: no procedure needs to be lowered twice
};

class ThreadLowering {
 public:
  // Both must outlive this object.
  ThreadLowering(LoweringContext& context, ThreadBuilder& builder);

  // The thread of the declaration with these numbers. Returns what properties need.
  ThreadInstance lower_thread(const ThreadDeclaration& declaration, const std::vector<Value>& numbers);

  // Thread number `self` of a transactional memory.
  ThreadInstance lower_client(const Transaction& transaction, Value self);

  // A procedure that is never called, for the complaints only.
  void check_procedure(const Procedure& procedure);

 private:
  using Label = Code::Label;

  // A loop around the statement being lowered.
  struct Loop {
    Label on_continue, on_break;
  };
  struct LabelInfo {
    Label label;
    SourcePos pos;
  };
  // The thread's body, or one inlined copy of a procedure.
  struct Frame {
    const Procedure* procedure = nullptr;  // null: the thread's body
    bool program = false;                  // of a transaction: it sees the thread's variables
    SourcePos call;
    size_t first_scope = 0;
    std::string prefix;  // of the names of its registers and labels
    Label end;
    std::optional<RegId> value;  // where `return e` puts it
    bool inside_atomic = false;  // the call is inside an atomic section
    std::vector<Loop> loops;
    std::unordered_map<std::string_view, LabelInfo> labels;
  };
  // An lvalue after its indices have been lowered.
  struct Lvalue {
    enum class Kind : uint8_t { kUnknown, kRegister, kMemory } kind = Kind::kUnknown;
    Dest dest;
    Address address;
    std::optional<Range> range;
    bool stamp = false;
    bool index = false;
    bool transactional = false;
  };
  class Depth;

  // lower_expr.cpp
  ExprId value(const Expression& expr);
  void into(Dest dest, const std::optional<Range>& range, std::string_view name, const Expression& expr,
            SourcePos pos);
  std::optional<bool> condition(const Expression& expr, Label if_true, Label if_false);
  ExprId lvalue_value(const Expression& expr);
  ExprId unary_value(const Expression& expr);
  ExprId binary_value(const Expression& expr);
  ExprId lazy_value(const Expression& expr);
  ExprId conditional_value(const Expression& expr);
  std::optional<bool> lazy_condition(const Expression& expr, Label if_true, Label if_false);
  std::optional<bool> conditional_condition(const Expression& expr, Label if_true, Label if_false);
  ExprId truth(const Expression& expr, ExprId id);
  Lvalue lvalue(const Expression& expr, bool writing);
  std::vector<Index> indices(const Expression& expr);
  bool indices_fit(const Expression& expr, const Shape& shape);
  void rmw(const Expression& expr, Dest dest, bool temporary = false);
  void dead(const Expression& expr);
  std::optional<bool> outcome(const Expression& expr);
  bool has_effects(const Expression& expr) const;
  bool is_control_flow(const Expression& expr) const;
  bool is_field(const Expression& expr) const;
  Lvalue rejected_lvalue(const Expression& expr);

  // lower_call.cpp
  ExprId call(const Expression& expr, bool want_value);
  void inline_body(const Procedure& procedure, Frame frame, Locals parameters);
  Local parameter(const std::string& prefix, const Name& name);
  void call_program(const Procedure& program, const Expression& expr);

  // lower_stmt.cpp
  void statement(const Statement& statement);
  void steps_of(const Statement& statement);
  void end_statement(const Statement& statement, SourcePos end);
  void block(const Statement& block);
  void dead(const Statement& statement);
  void declaration(const Statement& statement);
  void declare(const VariableList& list);
  void declare(const Variable& variable, const std::optional<Range>& range, const VariableList& list);
  RegId registers(const Variable& variable, const Shape& shape, const std::vector<Value>& init,
                  const std::optional<Range>& range);
  void label(const Statement& statement);
  void assign(const Statement& statement);
  void if_else(const Statement& statement);
  void while_loop(const Statement& statement);
  void do_while_loop(const Statement& statement);
  void jump(const Statement& statement);
  void leave_loop(const Statement& statement);
  void leave_procedure(const Statement& statement);
  void atomic(const Statement& statement);
  // Any one of the statements in it; `alternative` lowers each.
  void choose(const Statement& statement, const std::function<void(const Statement&)>& alternative);
  void havoc(const Statement& statement);
  void rollback(const Statement& statement);
  bool rejected_in_atomic(SourcePos pos, const char* what, const char* hint = "");
  void collect_labels(const Statement& statement, Frame& frame);

  // lower_transaction.cpp
  void most_general_client(const Transaction& transaction);
  void client(const Statement& body);
  void client_steps(const Statement& statement);
  void command(const Procedure& program, std::optional<Value> variable, SourcePos pos);
  bool check_variable(Value variable, SourcePos pos);
  void history(const Statement& statement);
  void check_index(const Name& name, const Expression& value);

  // lower_stamps.cpp
  enum class Sort : uint8_t { kInt, kStamp, kConstant };
  void check_stamps(const Statement& statement);
  void check_assigned(const Name& name, bool stamp, const Expression& value);
  Sort sort(const Expression& expr);
  Sort sort_of_binary(const Expression& expr);
  Sort sort_of_rmw(const Expression& expr);
  bool no_stamp(const Expression& expr, const char* what);
  void check_added(const Expression& constant);

  // names.cpp
  const Local* find_local(std::string_view name) const;
  void complain_unknown(const Name& name) const;
  std::optional<Value> lookup_constant(const Name& name) const;
  ConstantLookup constant_lookup() const;
  bool is_constant(const Expression& expr) const;
  bool is_index(const Expression& expr) const;
  bool is_made_of(const Expression& expr, const std::function<bool(const Local&)>& allowed) const;
  std::string unique_name(const std::string& name);
  void visit(SourcePos pos);

  Expressions& expressions() { return context_.expressions; }

  LoweringContext& context_;
  Code code_;
  std::vector<Locals> scopes_;
  Frame* frame_ = nullptr;
  std::optional<SourcePos> atomic_;  // the atomic section around the statement being lowered
  bool at_top_ = false;              // no statement of the thread's body has been lowered yet
  unsigned depth_ = 0;
  Label after_command_, after_abort_;                // of a transaction: where the client goes on
  std::string_view line_;                            // how the statement being lowered is numbered
  std::unordered_map<std::string, unsigned> names_;  // how often each register's or label's name was wanted
};

}  // namespace fenceline::frontend::fl
