// SPDX-License-Identifier: GPL-3.0-or-later
//
// From syntax to relational algebra: runs the statements of a model, with the base sets and relations as
// symbols.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "model/cat/files.h"
#include "model/cat/terms.h"
#include "model/cat/values.h"

namespace fenceline::cat {

class Elaborator {
 public:
  explicit Elaborator(Files& files) : files_(files) {}

  void run(const ParsedFile& file);
  // What the constraints so far depend on, and nothing else. `name` is the model's.
  CatModel model(std::string name) const;

 private:
  // Statements (elaborator.cpp).
  void run(const std::vector<Statement>& statements, Scope& scope);
  void run(const Statement& statement, Scope& scope);
  void test(const Test& test, const Position& position, Environment environment);
  void call(const Statement& statement, Environment environment);
  void generate(const Statement& statement, Scope& scope);
  void for_all(const Statement& statement, Scope& scope);
  bool decide(const Condition& condition, Environment environment);

  // Definitions (definitions.cpp).
  void define(const std::vector<Binding>& bindings, Environment environment, Scope& scope);
  void define_recursive(const std::vector<Binding>& bindings, Environment environment, Scope& scope);
  std::vector<Value> solve(const std::vector<Binding>& bindings, Environment environment);
  void check_monotone(const std::vector<Binding>& bindings, const std::vector<uint32_t>& indices) const;
  void bind(const Pattern& pattern, const Value& value, const Position& position, Scope& scope);

  // Expressions (evaluate.cpp).
  Value evaluate(const Expression& expression, Environment environment);
  Value evaluate_inside(const Expression& expression, Environment environment);
  Value name(const std::string& name, const Position& position, Environment environment);
  [[noreturn]] void complain_unknown(const std::string& name, const Position& position,
                                     Environment environment);
  Value apply(const Value& function, const Value& argument, const Position& position);
  Value combine(const Expression& expression, Environment environment);
  Value match(const Expression& expression, Environment environment);
  Value tuple(const Expression& expression, Environment environment);
  Value complement(const Expression& operand, Environment environment);
  Value explicit_set(const Expression& expression, Environment environment);
  Value of(TermId term) const;
  TermId as_set(const Value& value, const Position& position);
  TermId as_relation(const Value& value, const Position& position);
  TermId relation(const Expression& expression, Environment environment);
  TermId set(const Expression& expression, Environment environment);

  // What values point at.
  Scope& new_scope(Environment parent);
  const std::string* keep(std::string text) { return &texts_.emplace_back(std::move(text)); }
  Value keep_tuple(std::vector<Value> items);
  // Called while `error` is being handled: throws it on, or keeps it until the value is used.
  Value put_off(const InputError& error, const Position& position);
  void count_step(const Position& position);

  // One of these lives in each call that can lead to itself: the depth of the recursion is bounded.
  class Deeper {
   public:
    Deeper(Elaborator& elaborator, const Position& position);
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    size_t& depth_;
  };

  Files& files_;
  Terms terms_;
  std::vector<TermId> recursive_;
  std::vector<Constraint> constraints_;
  std::string label_;  // of the procedure call being executed: the name of its tests
  bool generated_ = false;
  std::deque<Scope> scopes_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string>> tag_sets_;
  std::deque<std::vector<Value>> tuples_;
  std::deque<std::exception_ptr> errors_;
  size_t steps_ = 0;
  size_t depth_ = 0;
  size_t hints_ = 0;
  const SourceFile* main_ = nullptr;  // the file that runs, not those that it includes
  Scope* top_ = nullptr;
  Environment library_;  // what the standard library defines, before the model does
};

// A word in lower case for messages: "a set", "a function".
std::string_view describe(const Value& value, const Terms& terms);

}  // namespace fenceline::cat
