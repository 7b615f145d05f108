// SPDX-License-Identifier: GPL-3.0-or-later
//
// The result of fence inference, as data: where fences may be put, which ones were chosen, and what is known
// about their being minimal. The methods (synth/) make it, reports render it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/program.h"
#include "task/result.h"

namespace fenceline {

// A position in the source text where a fence may be put: directly after a statement. A fence there is one in
// every thread of a declaration and in every call of a procedure.
struct CandidatePosition {
  StatementEnd statement;                          // its extent in the text; its point is meaningless
  SourcePos pos;                                   // of the statement's last step
  std::string after;                               // the statement: "flag[i] = 1;"
  std::vector<std::pair<ThreadId, Point>> points;  // the instructions it follows, sorted
};

// The threads that execute the statement, by name, in the order of the program.
std::vector<std::string> threads_of(const Program& program, const CandidatePosition& candidate);

struct PlacedFence {
  size_t position = 0;  // index of the candidate position
  FenceKinds kinds = FenceKinds::full();
  friend bool operator==(const PlacedFence&, const PlacedFence&) = default;
};
using Placement = std::vector<PlacedFence>;  // by position

// What a fence costs: store-store 1, store-load 2, full 3. docs/inference.md says why.
uint64_t fence_cost(FenceKinds kinds);
uint64_t cost_of(const Placement& placement);

// One thing that a method has learned from a failed query.
struct LearnedClause {
  enum class Kind : uint8_t {
    kViolatedOrderings,  // a counterexample passes `positions` with pending stores: one of them needs a fence
    kInsufficient,       // full fences at `positions` are not enough
    kReordering,         // `reordering` was prevented by a fence of `kinds` at the one position
  };
  // Accesses of a thread in the order in which they took effect, which is not program order.
  struct Reordering {
    ThreadId thread;
    Point first, second;
  };
  Kind kind = Kind::kViolatedOrderings;
  std::vector<size_t> positions;
  bool spurious = false;  // no execution of the exact machine shows it
  Reordering reordering = {};
  FenceKinds kinds = {};
};

// What is known about placements with fewer fences.
enum class Minimality : uint8_t {
  kProved,      // each has a counterexample
  kRelative,    // none was proved sufficient, but for some no counterexample is known
  kNotClaimed,  // the method does not look for a minimum
};

struct Synthesis {
  enum class Outcome : uint8_t {
    kFound,       // `placements` are sufficient
    kImpossible,  // no placement is: `results` has a counterexample that no fence prevents
    kUnknown,     // `reason`; `placements` has a sufficient one if any is known
  };
  Outcome outcome = Outcome::kUnknown;
  std::string reason;  // one sentence

  std::vector<Placement> placements;
  Minimality minimality = Minimality::kRelative;  // kFound
  bool all_listed = false;                        // no other placement is as good (in the same sense)
  // kUnknown: the placement was found, but the program with the fences written into its text could not be
  // verified again.
  bool patch_unverified = false;

  // kFound: the result for each property with the first placement. kImpossible and kUnknown: one result, that
  // of the query that ended the search, and the index of its property.
  std::vector<Result> results;
  size_t property = 0;

  struct Statistics {
    uint64_t queries = 0;     // verification tasks
    uint64_t iterations = 0;  // placements that were tried
    uint64_t clauses = 0, spurious_clauses = 0;
    uint64_t states = 0, transitions = 0;  // of all queries
  };
  Statistics statistics;
  std::vector<LearnedClause> learned;  // in the order in which they were learned

  bool minimal() const { return minimality == Minimality::kProved; }
  Verdict verdict() const;          // of the program with the first placement
  std::string abstraction() const;  // that the results needed; empty: none
};

}  // namespace fenceline
