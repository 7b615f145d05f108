// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/fl/globals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "frontend/fl/token.h"

namespace fenceline::frontend::fl {
namespace {

using ExprVisitor = std::function<void(const Expression&)>;

void for_each_part(const Expression& expr, const ExprVisitor& visit) {
  visit(expr);
  for (const ExprPtr& arg : expr.args) for_each_part(*arg, visit);
  for (const ExprPtr& arg : expr.member_args) for_each_part(*arg, visit);
}

void for_each_part(const Statement& statement, const std::function<void(const Statement&)>& visit_statement,
                   const ExprVisitor& visit) {
  visit_statement(statement);
  for (const ExprPtr& expr : statement.exprs) for_each_part(*expr, visit);
  for (const VariableList& list : statement.declarations)
    for (const Variable& variable : list.variables)
      for (const ExprPtr& expr : variable.init) for_each_part(*expr, visit);
  for (const StmtPtr& part : statement.body) for_each_part(*part, visit_statement, visit);
}

// "s[0].a", "s[1][0].a", by offset.
std::map<uint32_t, std::string> cell_names(const Variable& variable, const Shape& shape) {
  std::map<uint32_t, std::string> names;
  for (uint32_t cell = 0; cell < shape.cells(); ++cell)
    names.emplace(cell, field_name(variable, shape, cell));
  return names;
}

}  // namespace

std::string field_name(const Variable& variable, const Shape& shape, uint32_t cell) {
  std::string indices;
  for (auto size = shape.sizes.rbegin(); size != shape.sizes.rend(); ++size) {
    indices = fmt::format("[{}]{}", cell % *size, indices);
    cell /= *size;
  }
  return fmt::format("{}{}.{}", variable.structure.text, indices, variable.field.text);
}

std::string complaint_about(EvalStatus status) {
  switch (status) {
    case EvalStatus::kOk:
      return {};
    case EvalStatus::kOverflow:
      return "this value does not fit into 64 bits";
    case EvalStatus::kDivisionByZero:
      return "division by zero";
    case EvalStatus::kIndexOutOfBounds:
      return "an index outside the array";
    case EvalStatus::kShiftOutOfRange:
      return "a shift by a negative number";
  }
  throw Bug("unknown EvalStatus");
}

Globals::Globals(const File& file, ProgramBuilder& builder, Diagnostics& diagnostics,
                 const FrontEndParameters& parameters)
    : file_(file), diagnostics_(diagnostics) {
  if (file.transaction) declare_parameters(parameters);
  for (const Global& global : file.globals) {
    if (global.constant) declare_constant(*global.constant);
    if (global.shared) declare_shared(*global.shared, builder);
  }
  for (const Procedure& procedure : file.procedures)
    if (declare(procedure.name, "procedure")) procedures_.emplace(procedure.name.text, &procedure);
  for (const ThreadDeclaration& thread : file.threads)
    if (declare(thread.name, "thread")) threads_.emplace(thread.name.text, &thread);
  if (file.transaction) check_transaction();
  check_parameters();
  examine_procedures();
}

// `threads` and `variables` are constants of every transactional memory. The file can set them itself, and
// the user has the last word.
void Globals::declare_parameters(const FrontEndParameters& parameters) {
  const SourcePos pos = file_.transaction->name.pos;
  if (parameters.threads > 0) given_.emplace("threads", static_cast<Value>(parameters.threads));
  if (parameters.variables > 0) given_.emplace("variables", static_cast<Value>(parameters.variables));
  for (const std::string_view name : {"threads", "variables"}) {
    const auto is_it = [&](const Global& global) {
      return global.constant && global.constant->name.text == name;
    };
    if (std::ranges::any_of(file_.globals, is_it)) continue;
    constexpr Value kDefault = 2;
    const Value* given = find(given_, name);
    declare({name, pos}, "constant of the transaction");
    constants_.emplace(name, given ? *given : kDefault);
  }
  declare({"self", pos}, "thread's number");
}

void Globals::check_transaction() {
  const Transaction& transaction = *file_.transaction;
  if (!file_.threads.empty())
    diagnostics_.error(file_.threads.front().name.pos, "a thread beside a transaction block",
                       "the threads of a transactional memory are made from its clients");
  if (!transactional_)
    diagnostics_.error(transaction.name.pos, "the transaction block has no transactional variables",
                       "write transactional int g[variables];");
  for (const Procedure& program : transaction.programs) {
    const auto [it, fresh] = programs_.emplace(program.name.text, &program);
    if (!fresh)
      diagnostics_.error(program.name.pos, fmt::format("a second program '{}'", program.name.text),
                         fmt::format("the first is in line {}", it->second->name.pos.line));
  }
  for (const char* name : {"read", "write", "end"})
    if (!program(name))
      diagnostics_.error(transaction.name.pos,
                         fmt::format("the transaction block has no program '{}'", name));
  const auto clients = static_cast<Value>(transaction.clients.size());
  if (clients > threads())
    diagnostics_.error(
        transaction.clients[static_cast<size_t>(threads())]->pos,
        fmt::format("{} clients, but {} thread{}", clients, threads(), threads() == 1 ? "" : "s"));
}

// After a complaint the constant may be missing, or be anything.
Value Globals::parameter(std::string_view name, Value most) const {
  const Value* value = constant(name);
  return value ? std::clamp(*value, Value{1}, most) : 1;
}

// Exactly one array with a cell for each variable that transactions are about.
void Globals::check_transactional(const VariableList& list, const Shape& shape) {
  const Name& name = list.variables.front().name;
  if (transactional_)
    return diagnostics_.error(name.pos, "transactional variables are declared for the second time",
                              fmt::format("they are the array of line {}", transactional_->line));
  transactional_ = name.pos;
  const Value* variables = constant("variables");
  if (variables && (shape.sizes.size() != 1 || shape.cells() != static_cast<uint64_t>(*variables)))
    diagnostics_.error(name.pos,
                       fmt::format("'{}' must have one cell for each variable", shortened(name.text)),
                       fmt::format("write {}[variables]", shortened(name.text)));
}

bool Globals::declare(const Name& name, const char* what) {
  const auto [it, fresh] = declared_.emplace(name.text, Declared{name.pos, what});
  if (!fresh)
    diagnostics_.error(name.pos, fmt::format("'{}' is already declared", shortened(name.text)),
                       fmt::format("it is the {} of line {}", it->second.what, it->second.pos.line));
  return fresh;
}

void Globals::declare_constant(const Constant& constant) {
  const auto value = evaluate(*constant.value, [&](const Name& name) { return lookup_constant(name); });
  if (!declare(constant.name, "constant")) return;
  const Value* given = find(given_, constant.name.text);
  constants_.emplace(constant.name.text, given ? *given : value.value_or(0));
  const Value most = !file_.transaction                  ? 0
                     : constant.name.text == "threads"   ? kMaxTransactionThreads
                     : constant.name.text == "variables" ? kMaxTransactionVariables
                                                         : 0;
  if (most > 0 && value && (*value < 1 || *value > most))
    diagnostics_.error(constant.value->pos,
                       fmt::format("{} {}; from 1 to {} are possible", *value, constant.name.text, most));
}

void Globals::declare_shared(const VariableList& list, ProgramBuilder& builder) {
  const ConstantLookup lookup = [&](const Name& name) { return lookup_constant(name); };
  bool ok = true;
  const std::optional<Range> range = evaluate_type(list.type, lookup, ok);
  has_ranges_ |= range.has_value();
  for (const Variable& variable : list.variables) {
    const bool field = !variable.structure.text.empty();
    if (field && structures_.emplace(variable.structure.text, variable.structure.pos).second)
      declare(variable.structure, "structure");
    Shape shape = evaluate_shape(variable, lookup).value_or(Shape{});
    if (cells_ + shape.cells() > kMaxCells)
      diagnostics_.fatal(variable.name.pos, fmt::format("more than {} cells of shared memory", kMaxCells));
    cells_ += shape.cells();
    std::vector<Value> init(shape.cells(), default_value(range));
    if (check_initial_values(variable, shape)) {
      for (size_t i = 0; i < variable.init.size(); ++i) {
        const auto value = evaluate(*variable.init[i], lookup);
        if (value && range && !range->contains(*value))
          diagnostics_.error(variable.init[i]->pos,
                             fmt::format("range overflow: {} is outside the range {}..{} of '{}'", *value,
                                         range->lo, range->hi, shortened(variable.name.text)));
        else if (value)
          init[i] = *value;
      }
    }
    if (!declare(variable.name, "shared variable")) continue;
    SharedVariable shared;
    shared.object =
        builder.object(std::string(variable.name.text), init, range, variable.name.pos, shape.is_array());
    if (field && shape.is_array())
      builder.set_cells(shared.object, std::move(init), {}, cell_names(variable, shape));
    if (list.type.stamp) builder.stamp(shared.object);
    if (list.transactional) {
      builder.transactional(shared.object);
      check_transactional(list, shape);
    }
    shared.shape = std::move(shape);
    shared.range = range;
    shared.stamp = list.type.stamp;
    shared.transactional = list.transactional;
    shared_.emplace(variable.name.text, std::move(shared));
  }
}

void Globals::suggest_variables(std::vector<std::string_view>& into) const {
  for (const auto& [name, value] : constants_) into.push_back(name);
  for (const auto& [name, variable] : shared_) into.push_back(name);
}

std::vector<std::string_view> Globals::procedure_names() const {
  std::vector<std::string_view> names;
  for (const Procedure& procedure : file_.procedures) names.push_back(procedure.name.text);
  return names;
}

std::vector<std::string_view> Globals::thread_names() const {
  std::vector<std::string_view> names;
  for (const ThreadDeclaration& thread : file_.threads) names.push_back(thread.name.text);
  return names;
}

void Globals::complain_unknown(const Name& name, std::vector<std::string_view> candidates) const {
  const std::string_view shown = shortened(name.text);
  if (procedure(name.text))
    return diagnostics_.error(name.pos, fmt::format("'{}' is a procedure, not a variable", shown),
                              fmt::format("call it: {}(...)", shown));
  if (thread(name.text))
    return diagnostics_.error(name.pos, fmt::format("'{}' is a thread, not a variable", shown),
                              fmt::format("in properties write {}@label or {}.variable", shown, shown));
  if (is_structure(name.text))
    return diagnostics_.error(name.pos, fmt::format("'{}' is a structure: a field is missing", shown));
  suggest_variables(candidates);
  diagnostics_.error(name.pos, fmt::format("unknown name '{}'", shown), did_you_mean(name.text, candidates));
}

// -------------------------------------------------------------------------------- constant expressions

std::optional<Value> Globals::lookup_constant(const Name& name) const {
  if (const Value* value = constant(name.text)) return *value;
  if (shared(name.text)) {
    diagnostics_.error(
        name.pos, fmt::format("'{}' is a shared variable; a constant is needed here", shortened(name.text)));
    return std::nullopt;
  }
  for (const Global& global : file_.globals) {
    if (!global.constant || global.constant->name.text != name.text) continue;
    diagnostics_.error(name.pos,
                       fmt::format("constant '{}' is used before it is declared", shortened(name.text)),
                       fmt::format("move its declaration up from line {}", global.constant->name.pos.line));
    return std::nullopt;
  }
  complain_unknown(name, {});
  return std::nullopt;
}

std::optional<Value> Globals::evaluate(const Expression& expr, const ConstantLookup& lookup) const {
  switch (expr.kind) {
    case ExprKind::kNumber:
      return expr.number;
    case ExprKind::kLvalue:
      if (expr.args.empty()) return lookup(expr.name);
      diagnostics_.error(expr.pos, "an array element is not a constant; a constant is needed here");
      return std::nullopt;
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kConditional:
      return evaluate_operator(expr, lookup);
    case ExprKind::kCall:
    case ExprKind::kRmw:
      diagnostics_.error(expr.pos, "a call is not a constant; a constant is needed here");
      return std::nullopt;
    case ExprKind::kThreadAt:
    case ExprKind::kThreadRegister:
      diagnostics_.error(expr.pos, "the state of a thread is not a constant; a constant is needed here");
      return std::nullopt;
  }
  throw Bug("unknown kind of expression");
}

std::optional<Value> Globals::evaluate_operator(const Expression& expr, const ConstantLookup& lookup) const {
  const auto first = evaluate(*expr.args[0], lookup);
  if (expr.kind == ExprKind::kConditional)
    return first ? evaluate(*expr.args[*first != 0 ? 1 : 2], lookup) : std::nullopt;
  if (first && expr.op == ExprOp::kAnd && *first == 0) return 0;
  if (first && expr.op == ExprOp::kOr && *first != 0) return 1;
  const auto second = expr.kind == ExprKind::kBinary ? evaluate(*expr.args[1], lookup) : Value{0};
  if (!first || !second) return std::nullopt;
  const Evaluated result = apply(expr.op, *first, *second);
  if (result.ok()) return result.value;
  diagnostics_.error(expr.operator_pos, complaint_about(result.status));
  return std::nullopt;
}

std::optional<Range> Globals::evaluate_type(const Type& type, const ConstantLookup& lookup, bool& ok) const {
  if (!type.lo) return std::nullopt;
  const auto lo = evaluate(*type.lo, lookup), hi = evaluate(*type.hi, lookup);
  ok = lo && hi;
  if (!ok) return std::nullopt;
  if (*lo > *hi) {
    diagnostics_.error(type.lo->pos, fmt::format("the range {}..{} is empty", *lo, *hi));
    ok = false;
    return std::nullopt;
  }
  return Range{*lo, *hi};
}

std::optional<Shape> Globals::evaluate_shape(const Variable& variable, const ConstantLookup& lookup) const {
  Shape shape;
  size_t cells = 1;
  for (const ExprPtr& size : variable.sizes) {
    const auto value = evaluate(*size, lookup);
    if (!value) return std::nullopt;
    if (*value < 1 || *value > static_cast<Value>(kMaxCells) ||
        (cells *= static_cast<size_t>(*value)) > kMaxCells) {
      diagnostics_.error(
          size->pos, *value < 1
                         ? fmt::format("an array of size {}; at least 1 is needed", *value)
                         : fmt::format("the array is too large; at most {} cells are allowed", kMaxCells));
      return std::nullopt;
    }
    shape.sizes.push_back(static_cast<uint32_t>(*value));
  }
  return shape;
}

bool Globals::check_initial_values(const Variable& variable, const Shape& shape) const {
  if (variable.init.empty()) return true;
  const std::string_view name = shortened(variable.name.text);
  if (variable.braces && !shape.is_array()) {
    diagnostics_.error(variable.init_pos, fmt::format("'{}' is not an array", name),
                       "write the value without { }");
    return false;
  }
  if (!variable.braces && shape.is_array()) {
    diagnostics_.error(variable.init_pos,
                       fmt::format("'{}' is an array: its values are written between {{ }}", name));
    return false;
  }
  if (variable.init.size() > shape.cells()) {
    diagnostics_.error(variable.init[shape.cells()]->pos,
                       fmt::format("{} initial values for '{}', which has {} cell{}", variable.init.size(),
                                   name, shape.cells(), shape.cells() == 1 ? "" : "s"));
    return false;
  }
  return true;
}

// -------------------------------------------------------------------------------------------- procedures

// What needs no values: each parameter a name of its own that hides no memory; is there a `return e`?
void Globals::check_parameters() const {
  const auto check = [&](const Name& name, std::unordered_set<std::string_view>& seen) {
    if (!seen.insert(name.text).second)
      diagnostics_.error(name.pos, fmt::format("two parameters are called '{}'", shortened(name.text)));
    if (shared(name.text))
      diagnostics_.error(
          name.pos,
          fmt::format("parameter '{}' would hide the shared variable of that name", shortened(name.text)),
          "memory accesses must be visible as such; rename the parameter");
  };
  for (const Procedure& procedure : file_.procedures) {
    std::unordered_set<std::string_view> seen;
    for (const Name& name : procedure.parameters) check(name, seen);
  }
  for (const auto& [name, program] : programs_) {
    std::unordered_set<std::string_view> seen;
    for (const Name& parameter : program->parameters) check(parameter, seen);
  }
  for (const ThreadDeclaration& thread : file_.threads) {
    std::unordered_set<std::string_view> seen;
    for (const ThreadParameter& parameter : thread.parameters) check(parameter.name, seen);
  }
}

// Depth first over the calls, callees before callers, with a stack of its own: chains of calls can be longer
// than ours is deep. Recursion ends the reading, since the lowering would not end.
void Globals::examine_procedures() {
  std::vector<const Procedure*> all;
  for (const Procedure& procedure : file_.procedures) all.push_back(&procedure);
  if (file_.transaction)
    for (const Procedure& program : file_.transaction->programs) all.push_back(&program);
  for (const Procedure* procedure : all) {
    Facts& facts = facts_[procedure];
    for_each_part(
        *procedure->body,
        [&](const Statement& statement) {
          ++facts.inlined_size;
          facts.returns_value |= statement.kind == StmtKind::kReturn && !statement.exprs.empty();
        },
        [&](const Expression& expr) {
          ++facts.inlined_size;
          if (expr.kind != ExprKind::kCall) return;
          const Procedure* callee = this->procedure(expr.name.text);
          if (!callee) callee = program(expr.name.text);
          if (callee) facts.calls.push_back({callee, expr.pos});
        });
  }

  enum class Colour : uint8_t { kNew, kOpen, kDone };
  std::unordered_map<const Procedure*, Colour> colour;
  bool recursive = false;
  for (const Procedure* root : all) {
    if (colour[root] != Colour::kNew) continue;
    std::vector<const Procedure*> path{root};
    std::vector<size_t> next{0};  // of the calls of path's elements
    colour[root] = Colour::kOpen;
    while (!path.empty()) {
      Facts& facts = facts_.at(path.back());
      if (next.back() == facts.calls.size()) {
        for (const Call& call : facts.calls)
          facts.inlined_size = std::min(kHuge, facts.inlined_size + facts_.at(call.callee).inlined_size);
        colour[path.back()] = Colour::kDone;
        path.pop_back();
        next.pop_back();
        continue;
      }
      const Call& call = facts.calls[next.back()++];
      if (colour[call.callee] == Colour::kOpen) {
        recursive = true;
        complain_recursion(path, call);
      } else if (colour[call.callee] == Colour::kNew) {
        colour[call.callee] = Colour::kOpen;
        path.push_back(call.callee);
        next.push_back(0);
      }
    }
  }
  if (recursive) throw StopReading{};
}

void Globals::complain_recursion(const std::vector<const Procedure*>& path, const Call& call) const {
  constexpr size_t kShown = 8;
  std::string cycle;
  size_t shown = 0;
  for (auto step = std::ranges::find(path, call.callee); step != path.end() && shown < kShown;
       ++step, ++shown)
    cycle += fmt::format("{} -> ", shortened((*step)->name.text));
  if (shown == kShown) cycle += "... -> ";
  diagnostics_.error(call.pos, fmt::format("recursion: {}{}", cycle, shortened(call.callee->name.text)),
                     "procedures are inlined, so they cannot call themselves; use a loop");
}

}  // namespace fenceline::frontend::fl
