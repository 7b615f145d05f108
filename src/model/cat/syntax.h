// SPDX-License-Identifier: GPL-3.0-or-later
//
// The syntax tree of a `.cat` file, and the parser that makes it. The tree holds the whole language, also
// what is only for drawing and what is for listing coherence orders; which of it can be evaluated is not
// decided here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "env/errors.h"
#include "env/source.h"

namespace fenceline::cat {

// A position in a file. The loader keeps all files as long as it works on them.
struct Position {
  const SourceFile* file = nullptr;
  SourcePos pos;

  [[noreturn]] void complain(std::string message, std::string hint = "") const {
    throw InputError(*file, {{pos, std::move(message), std::move(hint)}});
  }
  // The text is fine, but "this construct" is not supported.
  [[noreturn]] void reject(std::string message, std::string hint = "") const;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// What a definition or a parameter list binds: one name, or the parts of a tuple. An empty name is `_`.
struct Pattern {
  bool tuple = false;
  std::vector<std::string> names;
};

// `x = e`, `(x, y) = e`; of a function `f x = e` the expression is a kFunction.
struct Binding {
  Position position;
  Pattern pattern;
  ExpressionPtr value;
};

enum class ExpressionKind : uint8_t {
  kName,           // text
  kTag,            // 'text
  kEmptyRelation,  // 0
  kUniverse,       // _
  kSet,            // { args }
  kTuple,          // args
  kUnion,          // args: two or more
  kIntersect,      // two or more
  kSequence,       // two or more
  kMinus,          // two, as the following
  kProduct,        // a * b
  kAdd,            // a ++ b
  kComplement,     // one, as the following
  kInverse,
  kTransitive,
  kClosure,
  kReflexive,
  kIdentity,  // [a]
  kApply,     // args: function, argument
  kFunction,  // pattern, args: body; text: the name it was given
  kLet,       // bindings, args: body
  kLetRec,    // likewise
  kTry,       // args: what to try, what else
  kIf,        // condition, args: then, else
  kMatchTag,  // args: what is matched, one per clause; tags: one per clause, "" for `_`
  kMatchSet,  // args: what is matched, the case of the empty set, the other case
};

// `if`: either something about herd's options (a "variant", always off here), or about two values.
struct Condition {
  enum class Kind : uint8_t { kVariant, kNot, kAnd, kOr, kEqual, kSubset, kIn };
  Kind kind = Kind::kVariant;
  Position position;
  std::string variant;
  std::vector<std::unique_ptr<Condition>> parts;  // kNot, kAnd, kOr
  ExpressionPtr left, right;                      // kEqual, kSubset, kIn
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kName;
  Position position;
  std::string text;
  std::vector<ExpressionPtr> args;
  Pattern pattern;
  std::vector<Binding> bindings;
  std::vector<std::string> tags;
  std::unique_ptr<Condition> condition;
};

enum class TestKind : uint8_t { kAcyclic, kIrreflexive, kEmpty };
enum class TestRole : uint8_t { kCheck, kFlag, kUndefinedUnless, kAssert };

struct Test {
  TestKind kind = TestKind::kAcyclic;
  TestRole role = TestRole::kCheck;
  bool negated = false;
  ExpressionPtr value;
  std::string name;  // `as name`, or empty
  std::string text;  // as written: "acyclic (po | rf)"
};

enum class StatementKind : uint8_t {
  kLet,           // bindings
  kLetRec,        // bindings; with `when`: test
  kTest,          // test
  kDrawing,       // show, unshow, debug: nothing of it matters
  kInclude,       // text
  kProcedure,     // text, pattern, body; recursive
  kCall,          // text, value; name
  kForall,        // text, value, body
  kWithFrom,      // text, value
  kInstructions,  // instructions, default: for Bell files
  kEnum,          // text, tags
  kMatch,         // value, tags, clauses
  kIf,            // condition, body, otherwise
};

struct Statement {
  StatementKind kind = StatementKind::kLet;
  Position position;
  std::string text;
  std::string name;  // kCall: `as name`
  std::vector<Binding> bindings;
  Test test;
  bool has_test = false;
  bool recursive = false;
  Pattern pattern;
  ExpressionPtr value;
  std::vector<Statement> body, otherwise;
  std::vector<std::string> tags;
  std::vector<std::vector<Statement>> clauses;
  std::unique_ptr<Condition> condition;
};

struct SyntaxTree {
  std::string title;         // the first line, or empty
  std::string architecture;  // the word before the title: C "RC11"
  std::vector<Statement> statements;
};

// Throws InputError. The tree refers to `file`.
SyntaxTree parse(const SourceFile& file);

}  // namespace fenceline::cat
