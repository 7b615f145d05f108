// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values of expressions of a `.cat` file while it is read, and where names are looked up. Values are
// small and copied freely; whatever they point at belongs to the elaborator (elaborator.h) and lives as long
// as it does.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/cat/relational.h"
#include "model/cat/syntax.h"

namespace fenceline::cat {

struct Scope;

// All that was bound in a scope before number `before`, and what encloses it.
struct Environment {
  const Scope* scope = nullptr;
  uint32_t before = 0;
};

enum class Builtin : uint8_t { kDomain, kRange };

struct Value {
  enum class Kind : uint8_t {
    kTerm,       // a set or relation
    kNothing,    // `{}`: the empty set or relation, whichever is needed
    kUniverse,   // `_`: likewise
    kTag,        // 'name
    kTags,       // a set of tags
    kTuple,      // items
    kFunction,   // expression, environment
    kProcedure,  // statement, environment
    kBuiltin,
    kBroken,  // a definition that could not be evaluated: using it throws `error`
  };
  Kind kind = Kind::kNothing;
  Builtin builtin = Builtin::kDomain;
  TermId term;
  const std::string* tag = nullptr;
  const std::vector<std::string>* tags = nullptr;
  const std::vector<Value>* items = nullptr;
  const Expression* expression = nullptr;
  const Statement* statement = nullptr;
  const std::exception_ptr* error = nullptr;
  Environment environment;
};

// Names may be bound again, and what was defined in between keeps its meaning: each binding has a number, and
// an environment sees the last one before its own.
struct Scope {
  struct Bound {
    uint32_t number = 0;
    Value value;
  };
  Environment parent;
  uint32_t next = 0;
  std::unordered_map<std::string, std::vector<Bound>> names;

  Environment now() const { return {this, next}; }
  void bind(const std::string& name, const Value& value) { names[name].push_back({next++, value}); }
};

// Null if the name is not bound.
const Value* look_up(Environment environment, const std::string& name);

// The name is not bound and no base name either; `try` catches this one.
class UnknownName : public InputError {
 public:
  using InputError::InputError;
};

// The text is fine, but cannot be evaluated here.
class NotSupported : public InputError {
 public:
  using InputError::InputError;
};

// The model is too large or recurses without end: never put off.
class TooMuch : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace fenceline::cat
