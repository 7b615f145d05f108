// SPDX-License-Identifier: GPL-3.0-or-later
//
// A memory model as relational algebra: what is left of a `.cat` file when its includes are read, its
// functions and procedures called, its names looked up. A model is a list of constraints over terms; a term
// is a set of events or a relation between events, built from the base sets and relations that an execution
// has (docs/models.md lists them). Evaluators of models (sat/ with literals, check/ with bits) use only this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "env/source.h"

namespace fenceline {

using TermId = Id<struct TermTag>;  // CatModel::terms

enum class TermOp : uint8_t {
  kBase,        // `name`: a set or relation of the execution
  kEmpty,       // the empty set or relation
  kUnion,       // a | b
  kIntersect,   // a & b
  kMinus,       // a \ b
  kComplement,  // ~a, among all events or all pairs of events
  kSequence,    // a ; b
  kInverse,     // a^-1
  kTransitive,  // a+
  kReflexive,   // a?     (with the identity on all events)
  kClosure,     // a*     (likewise)
  kProduct,     // a * b, of sets
  kIdentity,    // [a], of a set
  kDomain,      // domain(a): a set
  kRange,       // range(a): a set
  kRecursive,   // the least solution of a `let rec`: variable number `index` of CatModel::recursive
};

// Equal terms are one term: the loader shares them. Operands come before what is built from them, except that
// the bodies of a `let rec` come after its variables.
struct Term {
  TermOp op = TermOp::kEmpty;
  bool is_set = false;  // else a relation
  TermId a, b;
  std::string name;    // kBase
  uint32_t index = 0;  // kRecursive

  friend bool operator==(const Term&, const Term&) = default;
};

enum class ConstraintKind : uint8_t { kAcyclic, kIrreflexive, kEmpty };

struct Constraint {
  ConstraintKind kind = ConstraintKind::kAcyclic;
  bool negated = false;  // `~acyclic r`: r must have a cycle
  // `flag`: executions where it holds are allowed and reported under `name` (a data race), not forbidden.
  bool flag = false;
  TermId term;
  std::string name;  // `as name`; else made from the text: "acyclic (po | rf)"
  SourcePos pos;
};

struct CatModel {
  std::string name;      // the text in quotes at its top, or the file's name
  bool shipped = false;  // it is one of models/, and no user's
  std::vector<Term> terms;
  std::vector<TermId> recursive;  // body of each variable of a `let rec`; least solutions of all together
  std::vector<Constraint> constraints;

  const Term& term(TermId id) const { return terms[id.index()]; }
  bool uses(std::string_view base) const;  // does some constraint depend on this base set or relation?
  // As in a `.cat` file, with few parentheses; variables of a `let rec` are called x0, x1, ... Long ones are
  // cut.
  std::string text(TermId id) const;
};

// The base sets and relations that every execution has. Any other name must be a tag: a set of events that
// front ends mark ("MFENCE", "ACQ"); the known ones are listed too, so that a misspelt name is an error.
enum class BaseSort : uint8_t { kNone, kSet, kRelation };
BaseSort base_sort(std::string_view name);

// A set of events that no program has; models name it, and reading them makes it the empty set.
bool always_empty(std::string_view name);

// All of them.
std::vector<std::string_view> base_names();

}  // namespace fenceline
