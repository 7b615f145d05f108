// SPDX-License-Identifier: GPL-3.0-or-later
//
// `let` and `let rec`. A definition that cannot be evaluated (it uses what is not supported, or a name that
// is not known) is no error yet: libraries define much that a model never uses. Its name is bound to the
// error, which is thrown when the name is used.
//
// The variables of a `let rec` become terms of their own, and their bodies mention them. Whether each is a
// set or a relation is found out first: evaluated with `{}` in place of the variables, which is either, a
// body determines its sort unless it is made of variables only; those follow in further iterations. The least
// solution exists if no variable is below a complement or on the right of a difference, which is checked.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/cat/elaborator.h"

namespace fenceline::cat {

const Value* look_up(Environment environment, const std::string& name) {
  for (; environment.scope != nullptr; environment = environment.scope->parent) {
    const auto found = environment.scope->names.find(name);
    if (found == environment.scope->names.end()) continue;
    const std::vector<Scope::Bound>& bound = found->second;
    const auto behind =
        std::lower_bound(bound.begin(), bound.end(), environment.before,
                         [](const Scope::Bound& b, uint32_t number) { return b.number < number; });
    if (behind != bound.begin()) return &std::prev(behind)->value;
  }
  return nullptr;
}

Scope& Elaborator::new_scope(Environment parent) {
  Scope& scope = scopes_.emplace_back();
  scope.parent = parent;
  return scope;
}

Value Elaborator::keep_tuple(std::vector<Value> items) {
  Value value;
  value.kind = Value::Kind::kTuple;
  value.items = &tuples_.emplace_back(std::move(items));
  return value;
}

Value Elaborator::put_off(const InputError& error, const Position& position) {
  if (dynamic_cast<const TooMuch*>(&error) != nullptr) throw;
  if (position.file == main_ && dynamic_cast<const NotSupported*>(&error) == nullptr) throw;
  Value value;
  value.kind = Value::Kind::kBroken;
  value.error = &errors_.emplace_back(std::current_exception());
  return value;
}

void Elaborator::bind(const Pattern& pattern, const Value& value, const Position& position, Scope& scope) {
  if (!pattern.tuple || value.kind == Value::Kind::kBroken) {
    for (const std::string& name : pattern.names)
      if (!name.empty()) scope.bind(name, value);
    return;
  }
  if (value.kind != Value::Kind::kTuple)
    position.complain(fmt::format("a tuple of {} is needed, and this is {}", pattern.names.size(),
                                  describe(value, terms_)));
  if (value.items->size() != pattern.names.size())
    position.complain(
        fmt::format("{} values are needed, and there are {}", pattern.names.size(), value.items->size()));
  for (size_t i = 0; i < pattern.names.size(); ++i)
    if (!pattern.names[i].empty()) scope.bind(pattern.names[i], (*value.items)[i]);
}

void Elaborator::define(const std::vector<Binding>& bindings, Environment environment, Scope& scope) {
  std::vector<Value> values;
  for (const Binding& binding : bindings) {
    try {
      values.push_back(evaluate(*binding.value, environment));
    } catch (const InputError& error) {
      values.push_back(put_off(error, binding.position));
    }
  }
  for (size_t i = 0; i < bindings.size(); ++i)
    bind(bindings[i].pattern, values[i], bindings[i].value->position, scope);
}

void Elaborator::define_recursive(const std::vector<Binding>& bindings, Environment environment,
                                  Scope& scope) {
  std::vector<Value> values;
  try {
    values = solve(bindings, environment);
  } catch (const InputError& error) {
    values.assign(bindings.size(), put_off(error, bindings[0].position));
  }
  for (size_t i = 0; i < bindings.size(); ++i)
    bind(bindings[i].pattern, values[i], bindings[i].position, scope);
}

std::vector<Value> Elaborator::solve(const std::vector<Binding>& bindings, Environment environment) {
  const size_t count = bindings.size();
  const auto is_function = [&](size_t i) { return bindings[i].value->kind == ExpressionKind::kFunction; };
  std::vector<uint32_t> indices;
  for (const Binding& binding : bindings) {
    if (binding.pattern.tuple)
      binding.position.complain("a recursive definition of a tuple is not supported");
    indices.push_back(static_cast<uint32_t>(recursive_.size()));
    recursive_.emplace_back();
  }
  std::vector<std::optional<bool>> is_set(count);
  // Evaluates all bodies; `variables` are what the names represent.
  const auto evaluate_all = [&](std::vector<Value> variables) {
    Scope& inner = new_scope(environment);
    const Environment inside{&inner, static_cast<uint32_t>(count)};  // functions see all of them
    for (size_t i = 0; i < count; ++i) {
      if (is_function(i)) variables[i] = evaluate(*bindings[i].value, inside);
      inner.bind(bindings[i].pattern.names[0], variables[i]);
    }
    for (size_t i = 0; i < count; ++i)
      if (!is_function(i)) variables[i] = evaluate(*bindings[i].value, inside);
    return variables;
  };
  const auto variables = [&] {
    std::vector<Value> values(count);
    for (size_t i = 0; i < count; ++i)
      if (is_set[i]) values[i] = of(terms_.recursive(indices[i], *is_set[i]));
    return values;
  };
  for (bool learned = true; learned;) {
    learned = false;
    const std::vector<Value> bodies = evaluate_all(variables());
    for (size_t i = 0; i < count; ++i) {
      if (is_function(i) || is_set[i] || bodies[i].kind != Value::Kind::kTerm) continue;
      is_set[i] = terms_[bodies[i].term].is_set;
      learned = true;
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (!is_set[i]) is_set[i] = false;
  std::vector<Value> result = variables();
  const std::vector<Value> bodies = evaluate_all(result);
  for (size_t i = 0; i < count; ++i) {
    const Position& position = bindings[i].value->position;
    if (is_function(i))
      result[i] = bodies[i];
    else
      recursive_[indices[i]] = *is_set[i] ? as_set(bodies[i], position) : as_relation(bodies[i], position);
  }
  check_monotone(bindings, indices);
  return result;
}

void Elaborator::check_monotone(const std::vector<Binding>& bindings,
                                const std::vector<uint32_t>& indices) const {
  for (size_t i = 0; i < bindings.size(); ++i) {
    const TermId body = recursive_[indices[i]];
    if (!body.valid()) continue;
    // Operands come before what is built from them: one pass from the body down marks what is below it.
    std::vector<uint8_t> signs(body.index() + 1, 0);  // 1: somewhere as it is; 2: somewhere negated
    signs[body.index()] = 1;
    for (size_t t = body.index() + 1; t-- > 0;) {
      const Term& term = terms_[TermId(t)];
      const uint8_t sign = signs[t];
      if (sign == 0) continue;
      const auto flipped = static_cast<uint8_t>(((sign & 1) << 1) | (sign >> 1));
      if (term.op == TermOp::kRecursive && (sign & 2) != 0)
        bindings[i].position.complain(
            fmt::format("'{}' has no least solution: a recursive name is below '~' or behind '\\'",
                        bindings[i].pattern.names[0]));
      if (term.a.valid()) signs[term.a.index()] |= term.op == TermOp::kComplement ? flipped : sign;
      if (term.b.valid()) signs[term.b.index()] |= term.op == TermOp::kMinus ? flipped : sign;
    }
  }
}

}  // namespace fenceline::cat
