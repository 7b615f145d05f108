// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions. Evaluation is by value, as in herd: arguments first, a function's body once per call. What
// comes out is a term, since base sets and relations are symbols here; so whatever must look into a relation
// to go on (`match` on a set, `if a = b`) is rejected. Sets and relations are different things, as in herd,
// except `{}` and `_`, which are whatever is needed.
#include <fmt/format.h>

#include <algorithm>

#include "model/cat/elaborator.h"

namespace fenceline::cat {
namespace {

constexpr size_t kMostSteps = 200'000;
constexpr size_t kMostTerms = 50'000;
constexpr size_t kDeepest = 1'000;

[[noreturn]] void give_up(const Position& position, const std::string& message) {
  throw TooMuch(*position.file, {{position.pos, message, ""}});
}

}  // namespace

void Position::reject(std::string message, std::string hint) const {
  throw NotSupported(*file, {{pos, std::move(message), std::move(hint)}});
}

std::string_view describe(const Value& value, const Terms& terms) {
  switch (value.kind) {
    case Value::Kind::kTerm:
      return terms[value.term].is_set ? "a set" : "a relation";
    case Value::Kind::kNothing:
      return "the empty set";
    case Value::Kind::kUniverse:
      return "the set of all events";
    case Value::Kind::kTag:
      return "a tag";
    case Value::Kind::kTags:
      return "a set of tags";
    case Value::Kind::kTuple:
      return "a tuple";
    case Value::Kind::kFunction:
    case Value::Kind::kBuiltin:
      return "a function";
    case Value::Kind::kProcedure:
      return "a procedure";
    case Value::Kind::kBroken:
      break;
  }
  return "an invalid definition";
}

void Elaborator::count_step(const Position& position) {
  if (++steps_ > kMostSteps || terms_.size() > kMostTerms)
    give_up(position, "this model becomes too large when its functions are called");
}

Elaborator::Deeper::Deeper(Elaborator& elaborator, const Position& position) : depth_(elaborator.depth_) {
  if (depth_ >= kDeepest) give_up(position, "functions call each other too deeply here");
  ++depth_;
}

Value Elaborator::of(TermId term) const {
  Value value;
  value.kind = Value::Kind::kTerm;
  value.term = term;
  return value;
}

TermId Elaborator::as_set(const Value& value, const Position& position) {
  if (value.kind == Value::Kind::kNothing) return terms_.empty(true);
  if (value.kind == Value::Kind::kUniverse) return terms_.universe(true);
  if (value.kind != Value::Kind::kTerm || !terms_[value.term].is_set)
    position.complain(fmt::format("a set of events is needed here, and this is {}", describe(value, terms_)));
  return value.term;
}

TermId Elaborator::as_relation(const Value& value, const Position& position) {
  if (value.kind == Value::Kind::kNothing) return terms_.empty(false);
  if (value.kind == Value::Kind::kUniverse) return terms_.universe(false);
  if (value.kind == Value::Kind::kTerm && !terms_[value.term].is_set) return value.term;
  const bool is_set = value.kind == Value::Kind::kTerm;
  position.complain(fmt::format("a relation is needed here, and this is {}", describe(value, terms_)),
                    is_set ? "[S] is the identity on a set S" : "");
}

TermId Elaborator::relation(const Expression& expression, Environment environment) {
  return as_relation(evaluate(expression, environment), expression.position);
}

TermId Elaborator::set(const Expression& expression, Environment environment) {
  return as_set(evaluate(expression, environment), expression.position);
}

Value Elaborator::name(const std::string& name, const Position& position, Environment environment) {
  if (const Value* value = look_up(environment, name)) {
    if (value->kind == Value::Kind::kBroken) std::rethrow_exception(*value->error);
    return *value;
  }
  if (always_empty(name)) return of(terms_.empty(true));
  const BaseSort sort = base_sort(name);
  if (sort != BaseSort::kNone) return of(terms_.base(name, sort == BaseSort::kSet));
  Value builtin;
  builtin.kind = Value::Kind::kBuiltin;
  builtin.builtin = name == "domain" ? Builtin::kDomain : Builtin::kRange;
  if (name == "domain" || name == "range") return builtin;
  complain_unknown(name, position, environment);
}

Value Elaborator::apply(const Value& function, const Value& argument, const Position& position) {
  if (function.kind == Value::Kind::kBuiltin) {
    const TermId operand = as_relation(argument, position);
    return of(function.builtin == Builtin::kDomain ? terms_.domain(operand) : terms_.range(operand));
  }
  if (function.kind != Value::Kind::kFunction)
    position.complain(fmt::format("this is {}, not a function", describe(function, terms_)),
                      "an operator may be missing behind it");
  const Expression& definition = *function.expression;
  Scope& scope = new_scope(function.environment);
  bind(definition.pattern, argument, position, scope);
  return evaluate(*definition.args[0], scope.now());
}

// Union, intersection, difference, sequence: of two or more operands of one sort.
Value Elaborator::combine(const Expression& expression, Environment environment) {
  std::vector<Value> values;
  for (const ExpressionPtr& arg : expression.args) values.push_back(evaluate(*arg, environment));
  using Op = ExpressionKind;
  const auto first = std::find_if(values.begin(), values.end(), [](const Value& value) {
    return value.kind != Value::Kind::kNothing && value.kind != Value::Kind::kUniverse;
  });
  const bool needs_relation = expression.kind == Op::kSequence;
  const bool is_set = !needs_relation && (first == values.end() ||
                                          (first->kind == Value::Kind::kTerm && terms_[first->term].is_set));
  TermId result;
  for (size_t i = 0; i < values.size(); ++i) {
    const Position& position = expression.args[i]->position;
    const TermId operand = is_set ? as_set(values[i], position) : as_relation(values[i], position);
    if (i == 0)
      result = operand;
    else if (expression.kind == Op::kUnion)
      result = terms_.unite(result, operand);
    else if (expression.kind == Op::kIntersect)
      result = terms_.intersect(result, operand);
    else if (expression.kind == Op::kMinus)
      result = terms_.minus(result, operand);
    else
      result = terms_.sequence(result, operand);
  }
  if (first != values.end() || needs_relation) return of(result);
  // Of `{}` and `_` alone: still whatever is needed.
  Value value;
  value.kind = terms_[result].op == TermOp::kEmpty ? Value::Kind::kNothing : Value::Kind::kUniverse;
  return value;
}

Value Elaborator::match(const Expression& expression, Environment environment) {
  const Value value = evaluate(*expression.args[0], environment);
  if (expression.kind == ExpressionKind::kMatchSet) {
    if (value.kind == Value::Kind::kNothing) return evaluate(*expression.args[1], environment);
    expression.position.reject("'match' on the elements of a set is not supported",
                               "sets of events are not known while the model is read");
  }
  if (value.kind != Value::Kind::kTag)
    expression.args[0]->position.complain(
        fmt::format("a tag is needed here, and this is {}", describe(value, terms_)));
  for (size_t i = 0; i < expression.tags.size(); ++i)
    if (expression.tags[i].empty() || expression.tags[i] == *value.tag)
      return evaluate(*expression.args[i + 1], environment);
  expression.position.complain(fmt::format("no case for the tag '{}'", *value.tag));
}

Value Elaborator::explicit_set(const Expression& expression, Environment environment) {
  Value result;
  if (expression.args.empty()) return result;
  std::vector<std::string> tags;
  for (const ExpressionPtr& arg : expression.args) {
    const Value value = evaluate(*arg, environment);
    if (value.kind != Value::Kind::kTag)
      arg->position.reject("a set that lists its elements is not supported, except of tags");
    tags.push_back(*value.tag);
  }
  result.kind = Value::Kind::kTags;
  result.tags = &tag_sets_.emplace_back(std::move(tags));
  return result;
}

Value Elaborator::tuple(const Expression& expression, Environment environment) {
  std::vector<Value> items;
  for (const ExpressionPtr& item : expression.args) items.push_back(evaluate(*item, environment));
  return keep_tuple(std::move(items));
}

Value Elaborator::complement(const Expression& operand, Environment environment) {
  Value value = evaluate(operand, environment);
  if (value.kind == Value::Kind::kNothing || value.kind == Value::Kind::kUniverse) {
    const bool all = value.kind == Value::Kind::kNothing;
    value.kind = all ? Value::Kind::kUniverse : Value::Kind::kNothing;
    return value;
  }
  if (value.kind == Value::Kind::kTerm) return of(terms_.complement(value.term));
  return of(as_relation(value, operand.position));  // complains
}

Value Elaborator::evaluate(const Expression& expression, Environment environment) {
  count_step(expression.position);
  const Deeper deeper(*this, expression.position);
  return evaluate_inside(expression, environment);
}

Value Elaborator::evaluate_inside(const Expression& expression, Environment environment) {
  const auto arg = [&](size_t i) -> const Expression& { return *expression.args[i]; };
  Value value;
  switch (expression.kind) {
    case ExpressionKind::kName:
      return name(expression.text, expression.position, environment);
    case ExpressionKind::kTag:
      value.kind = Value::Kind::kTag;
      value.tag = &expression.text;
      return value;
    case ExpressionKind::kEmptyRelation:
      return of(terms_.empty(false));
    case ExpressionKind::kUniverse:
      value.kind = Value::Kind::kUniverse;
      return value;
    case ExpressionKind::kSet:
      return explicit_set(expression, environment);
    case ExpressionKind::kTuple:
      return tuple(expression, environment);
    case ExpressionKind::kUnion:
    case ExpressionKind::kIntersect:
    case ExpressionKind::kMinus:
    case ExpressionKind::kSequence:
      return combine(expression, environment);
    case ExpressionKind::kProduct: {
      const TermId left = set(arg(0), environment);
      return of(terms_.product(left, set(arg(1), environment)));
    }
    case ExpressionKind::kAdd:
      expression.position.reject("'++' is not supported");
    case ExpressionKind::kComplement:
      return complement(arg(0), environment);
    case ExpressionKind::kInverse:
      return of(terms_.inverse(relation(arg(0), environment)));
    case ExpressionKind::kTransitive:
      return of(terms_.transitive(relation(arg(0), environment)));
    case ExpressionKind::kClosure:
      return of(terms_.closure(relation(arg(0), environment)));
    case ExpressionKind::kReflexive:
      return of(terms_.reflexive(relation(arg(0), environment)));
    case ExpressionKind::kIdentity:
      return of(terms_.identity_on(set(arg(0), environment)));
    case ExpressionKind::kApply: {
      const Value function = evaluate(arg(0), environment);
      return apply(function, evaluate(arg(1), environment), arg(0).position);
    }
    case ExpressionKind::kFunction:
      value.kind = Value::Kind::kFunction;
      value.expression = &expression;
      value.environment = environment;
      return value;
    case ExpressionKind::kLet:
    case ExpressionKind::kLetRec: {
      Scope& scope = new_scope(environment);
      if (expression.kind == ExpressionKind::kLet)
        define(expression.bindings, environment, scope);
      else
        define_recursive(expression.bindings, environment, scope);
      return evaluate(arg(0), scope.now());
    }
    case ExpressionKind::kTry:
      try {
        return evaluate(arg(0), environment);
      } catch (const UnknownName&) {
        return evaluate(arg(1), environment);
      }
    case ExpressionKind::kIf:
      return evaluate(arg(decide(*expression.condition, environment) ? 0 : 1), environment);
    case ExpressionKind::kMatchTag:
    case ExpressionKind::kMatchSet:
      return match(expression, environment);
  }
  throw Bug("an expression of no kind");
}

}  // namespace fenceline::cat
