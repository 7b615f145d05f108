// SPDX-License-Identifier: GPL-3.0-or-later
//
// Statements, one after the other, as herd executes them. What differs:
//   - `show`, `unshow`, `debug` do nothing, and `instructions` declares nothing: programs are not annotated
//   here.
//   - herd's options ("variants") are all off.
//   - `with co from generate_cos(p)` means in herd: continue once for each choice of total orders, one per
//   location, that
//     contains p. An execution has such a choice already, the base relation co. So it means: co contains p.
//     Likewise generate_orders(S, p): the orders of the writes in S.
#include "model/cat/elaborator.h"

#include <fmt/format.h>

#include <algorithm>

namespace fenceline::cat {
namespace {

// The application of a function with this name? Then its argument.
const Expression* argument_of(const Expression& expression, std::string_view function) {
  if (expression.kind != ExpressionKind::kApply) return nullptr;
  const Expression& name = *expression.args[0];
  return name.kind == ExpressionKind::kName && name.text == function ? expression.args[1].get() : nullptr;
}

bool is_pair(const Expression& expression) {
  return expression.kind == ExpressionKind::kTuple && expression.args.size() == 2;
}

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string shortened(const std::string& text) {
  constexpr size_t kShown = 60;
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

// What orders of writes are generated: those of the writes `set` (null: of all) that contain `contained`.
struct Generated {
  const Expression* set = nullptr;
  const Expression* contained = nullptr;
};

Generated recognise(const Expression& expression) {
  if (const Expression* contained = argument_of(expression, "generate_cos")) return {nullptr, contained};
  if (const Expression* both = argument_of(expression, "generate_orders"); both != nullptr && is_pair(*both))
    return {both->args[0].get(), both->args[1].get()};
  if (const Expression* per_location = argument_of(expression, "cross")) {
    const Expression* both = argument_of(*per_location, "co_locs");
    if (both != nullptr && is_pair(*both))
      for (const std::string_view function : {"partition", "classes-loc"})
        if (const Expression* set = argument_of(*both->args[1], function)) return {set, both->args[0].get()};
  }
  return {};
}

}  // namespace

void Elaborator::run(const ParsedFile& file) {
  if (top_ == nullptr) top_ = &new_scope({});
  main_ = &file.source;
  run(file.tree.statements, *top_);
  files_.close();
  if (library_.scope == nullptr) library_ = top_->now();
}

void Elaborator::run(const std::vector<Statement>& statements, Scope& scope) {
  for (const Statement& statement : statements) run(statement, scope);
}

void Elaborator::run(const Statement& statement, Scope& scope) {
  count_step(statement.position);
  Value value;
  switch (statement.kind) {
    case StatementKind::kLet:
      define(statement.bindings, scope.now(), scope);
      return;
    case StatementKind::kLetRec:
      if (statement.has_test) statement.position.complain("'let rec ... when' is not supported");
      define_recursive(statement.bindings, scope.now(), scope);
      return;
    case StatementKind::kTest:
      test(statement.test, statement.position, scope.now());
      return;
    case StatementKind::kDrawing:
    case StatementKind::kInstructions:
      return;
    case StatementKind::kInclude:
      if (const ParsedFile* file = files_.include(statement.text, statement.position)) {
        run(file->tree.statements, scope);
        files_.close();
      }
      return;
    case StatementKind::kProcedure: {
      value.kind = Value::Kind::kProcedure;
      value.statement = &statement;
      value.environment = scope.now();
      if (statement.recursive) statement.position.complain("a recursive procedure is not supported");
      scope.bind(statement.text, value);
      return;
    }
    case StatementKind::kCall:
      call(statement, scope.now());
      return;
    case StatementKind::kForall:
      for_all(statement, scope);
      return;
    case StatementKind::kWithFrom:
      generate(statement, scope);
      return;
    case StatementKind::kEnum:
      value.kind = Value::Kind::kTags;
      value.tags = &statement.tags;
      scope.bind(statement.text, value);
      return;
    case StatementKind::kMatch:
      value = evaluate(*statement.value, scope.now());
      if (value.kind != Value::Kind::kTag)
        statement.value->position.complain(
            fmt::format("a tag is needed here, and this is {}", describe(value, terms_)));
      for (size_t i = 0; i < statement.tags.size(); ++i)
        if (statement.tags[i].empty() || statement.tags[i] == *value.tag)
          return run(statement.clauses[i], scope);
      statement.position.complain(fmt::format("no case for the tag '{}'", *value.tag));
    case StatementKind::kIf:
      run(decide(*statement.condition, scope.now()) ? statement.body : statement.otherwise, scope);
      return;
  }
}

void Elaborator::test(const Test& test, const Position& position, Environment environment) {
  Constraint constraint;
  constraint.negated = test.negated;
  constraint.flag = test.role != TestRole::kCheck;
  // A flag goes up when its test holds, the other two when it does not.
  if (constraint.flag && test.role != TestRole::kFlag) constraint.negated = !constraint.negated;
  constraint.pos = position.pos;
  constraint.name = !test.name.empty() ? test.name : !label_.empty() ? label_ : shortened(test.text);
  const Value value = evaluate(*test.value, environment);
  const bool is_set = value.kind == Value::Kind::kTerm && terms_[value.term].is_set;
  switch (test.kind) {
    case TestKind::kAcyclic:
      constraint.kind = ConstraintKind::kAcyclic;
      break;
    case TestKind::kIrreflexive:
      constraint.kind = ConstraintKind::kIrreflexive;
      break;
    case TestKind::kEmpty:
      constraint.kind = ConstraintKind::kEmpty;
      break;
  }
  constraint.term =
      test.kind == TestKind::kEmpty && is_set ? value.term : as_relation(value, test.value->position);
  constraints_.push_back(std::move(constraint));
}

void Elaborator::call(const Statement& statement, Environment environment) {
  const Value procedure = name(statement.text, statement.position, environment);
  if (procedure.kind != Value::Kind::kProcedure)
    statement.position.complain(
        fmt::format("'{}' is {}, not a procedure", statement.text, describe(procedure, terms_)));
  Scope& scope = new_scope(procedure.environment);
  bind(procedure.statement->pattern, evaluate(*statement.value, environment), statement.position, scope);
  const Deeper deeper(*this, statement.position);
  const std::string label = label_;
  if (!statement.name.empty()) label_ = statement.name;
  run(procedure.statement->body, scope);
  label_ = label;
}

void Elaborator::for_all(const Statement& statement, Scope& scope) {
  const Value value = evaluate(*statement.value, scope.now());
  if (value.kind == Value::Kind::kNothing) return;
  if (value.kind != Value::Kind::kTags)
    statement.position.complain("'forall' is not supported, except over tags",
                                "sets of events are not known while the model is read");
  for (const std::string& tag : *value.tags) {
    Value variable;
    variable.kind = Value::Kind::kTag;
    variable.tag = &tag;
    Scope& inner = new_scope(scope.now());
    inner.bind(statement.text, variable);
    run(statement.body, inner);
  }
}

void Elaborator::generate(const Statement& statement, Scope& scope) {
  const Position& position = statement.position;
  const Generated generated = recognise(*statement.value);
  if (generated.contained == nullptr)
    position.complain(fmt::format("'with {} from' is not supported here", statement.text),
                      "only coherence orders can be generated: with co from generate_cos(...)");
  // The function is known by its name, so its body must be the expected one.
  const std::string& function = statement.value->args[0]->text;
  const Value* definition = look_up(scope.now(), function);
  if (definition != nullptr && (definition->kind != Value::Kind::kFunction ||
                                file_name(definition->expression->position.file->name) != "cross.cat"))
    position.complain(fmt::format("this '{}' is not supported", function), "only that of cross.cat is");
  TermId orders = terms_.base("co", false);
  TermId contained = relation(*generated.contained, scope.now());
  // That co puts the initial write first and the final one last need not be required.
  const Value* known = look_up(library_, "co0");
  const bool always = known != nullptr && known->kind == Value::Kind::kTerm && known->term == contained;
  if (generated.set != nullptr) {
    const TermId ordered = set(*generated.set, scope.now());
    if (terms_[ordered].op == TermOp::kEmpty) return scope.bind(statement.text, of(terms_.empty(false)));
    if (ordered != terms_.base("W", true)) {
      const TermId pairs = terms_.product(ordered, ordered);
      orders = terms_.intersect(orders, pairs);
      contained = terms_.intersect(contained, pairs);
    }
  }
  if (generated_) position.complain("only one relation can be generated");
  generated_ = true;
  scope.bind(statement.text, of(orders));
  const TermId missing = terms_.minus(contained, orders);
  if (always || terms_[missing].op == TermOp::kEmpty) return;
  Constraint constraint;
  constraint.kind = ConstraintKind::kEmpty;
  constraint.term = missing;
  constraint.name = "with " + statement.text;
  constraint.pos = position.pos;
  constraints_.push_back(std::move(constraint));
}

bool Elaborator::decide(const Condition& condition, Environment environment) {
  using Kind = Condition::Kind;
  switch (condition.kind) {
    case Kind::kVariant:
      return false;
    case Kind::kNot:
      return !decide(*condition.parts[0], environment);
    case Kind::kAnd:
      return std::all_of(condition.parts.begin(), condition.parts.end(),
                         [&](const auto& part) { return decide(*part, environment); });
    case Kind::kOr:
      return std::any_of(condition.parts.begin(), condition.parts.end(),
                         [&](const auto& part) { return decide(*part, environment); });
    case Kind::kEqual:
    case Kind::kSubset:
    case Kind::kIn:
      break;
  }
  const Value left = evaluate(*condition.left, environment);
  const Value right = evaluate(*condition.right, environment);
  if (condition.kind == Kind::kEqual && left.kind == Value::Kind::kTag && right.kind == Value::Kind::kTag)
    return *left.tag == *right.tag;
  if (condition.kind == Kind::kIn && left.kind == Value::Kind::kTag && right.kind == Value::Kind::kTags)
    return std::find(right.tags->begin(), right.tags->end(), *left.tag) != right.tags->end();
  condition.position.reject("'if' is not supported, except on tags and on options",
                            "sets of events are not known while the model is read");
}

CatModel Elaborator::model(std::string name) const {
  // From the constraints down; variables of a `let rec` lead to their bodies.
  std::vector<bool> needed(terms_.size(), false);
  std::vector<TermId> open;
  const auto need = [&](TermId id) {
    if (!id.valid() || needed[id.index()]) return;
    needed[id.index()] = true;
    open.push_back(id);
  };
  for (const Constraint& constraint : constraints_) need(constraint.term);
  while (!open.empty()) {
    const Term& term = terms_[open.back()];
    open.pop_back();
    need(term.a);
    need(term.b);
    if (term.op == TermOp::kRecursive) need(recursive_[term.index]);
  }
  CatModel model;
  model.name = std::move(name);
  std::vector<TermId> renamed(terms_.size());
  std::vector<TermId> bodies;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (!needed[i]) continue;
    renamed[i] = TermId(model.terms.size());
    Term term = terms_[TermId(i)];
    if (term.a.valid()) term.a = renamed[term.a.index()];
    if (term.b.valid()) term.b = renamed[term.b.index()];
    if (term.op == TermOp::kRecursive) {
      bodies.push_back(recursive_[term.index]);
      term.index = static_cast<uint32_t>(bodies.size() - 1);
    }
    model.terms.push_back(std::move(term));
  }
  for (const TermId body : bodies) {
    require(body.valid(), "a variable of a 'let rec' without a body");
    model.recursive.push_back(renamed[body.index()]);
  }
  model.constraints = constraints_;
  for (Constraint& constraint : model.constraints) constraint.term = renamed[constraint.term.index()];
  return model;
}

}  // namespace fenceline::cat
