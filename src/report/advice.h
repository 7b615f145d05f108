// SPDX-License-Identifier: GPL-3.0-or-later
//
// What came of a search for fences, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace fenceline {

// One fence, in one place of the source text.
struct AdvisedFence {
  SourcePos pos;                     // of the statement it stands behind
  std::vector<std::string> threads;  // that run it
  std::string after;                 // the statement
  std::string kind;                  // as it is written: "fence", "sfence"
  uint64_t cost = 0;
};
using AdvisedPlacement = std::vector<AdvisedFence>;

struct Advice {
  std::string file, model;
  std::string method;  // "lazy"
  std::string engine;  // that was asked
  // kVerified: the first of `placements` mends the program. kViolated: nothing does. kUnknown: `reason`;
  // there may be a placement that is enough, if not the best.
  Verdict verdict = Verdict::kUnknown;
  std::string reason;
  std::vector<AdvisedPlacement> placements;
  bool all_asked = false, all_listed = false;
  bool exact = false;        // kVerified: real runs show that fewer places are not enough
  bool fewest = true;        // kVerified: the method has looked for the fewest places
  bool written_down = true;  // kUnknown: not because the placement could not be verified once it was written
  std::string abstraction;   // that the proof needed, if any
  uint64_t candidates = 0;   // places where fences could have been
  uint64_t rounds = 0, questions = 0, clauses = 0, spurious_clauses = 0;
  std::vector<std::string> lessons;  // one line on each clause
  double seconds = 0;
  std::string change;  // the lines of the text that change, see report/patch.h
};

// Ends in a newline. For kViolated, the report of the run follows it (text_report).
std::string text_advice(const Advice& advice, const TextStyle& style);

}  // namespace fenceline
