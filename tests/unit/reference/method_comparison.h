// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fence inference by three methods with the same abstraction, so that they can be compared: by
// counterexamples (synth/lazy.h), over the whole graph (reference/avoid), and by trying all sets of
// positions. The verifier is always the coherence engine with that abstraction.
//
// Trying all sets is correct by definition. The lazy method must find the same sets. The whole-graph method
// may only find sufficient sets, and need not find the smallest: a constraint counts as enforced only with a
// fence on every path from the store to the access, while one on the path of the counterexample would
// suffice.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "env/limits.h"
#include "env/options.h"
#include "synth/inference.h"
#include "task/labelled_graph.h"

namespace fenceline::testing {

using PositionSet = std::vector<size_t>;  // sorted

// The result of one method.
struct Smallest {
  enum class Outcome : uint8_t {
    kFound,    // `sets`
    kNothing,  // no set of positions can be proved sufficient
    kOpen,     // a limit was reached
    kWrong,    // a set was proposed that cannot be proved right
  };
  Outcome outcome = Outcome::kOpen;
  std::set<PositionSet> sets;  // all with the fewest positions
  bool exact = false;          // lazy only
  std::string reason;          // of the method or the verifier; kOpen and kWrong

  size_t count() const { return sets.begin()->size(); }  // of positions. Precondition: kFound
};

// One program, model and abstraction. Does not move: tasks point into it.
class MethodComparison {
 public:
  // `most_bytes` bounds each single search, `most_seconds` all of one method together; 0: no limit.
  MethodComparison(const SourceFile& file, const std::string& model, const std::string& abstraction,
                   synth::Positions positions, uint64_t most_bytes = 0, double most_seconds = 0);
  MethodComparison(const MethodComparison&) = delete;
  MethodComparison& operator=(const MethodComparison&) = delete;

  // Before the first method is tried: restricts it to this property.
  void only_property(const std::string& name);

  const std::vector<CandidatePosition>& candidates() const { return candidates_; }

  Smallest lazily();
  Smallest by_avoiding();
  Smallest by_trying_all();

  // With full fences at these positions: the first answer that is not `verified`, or the last one.
  Result with_fences(const PositionSet& positions);

 private:
  Result verify(const Task& query);
  synth::SynthesisTask task();
  static Smallest summary_of(const Synthesis& inference);

  Options options_;
  Program program_;
  const MemoryModel& model_;
  std::vector<Property> properties_;
  std::vector<CandidatePosition> candidates_;
  uint64_t most_bytes_;
  double most_seconds_;
  std::unique_ptr<Limits> clock_;  // of the method being tried
};

// "2: {0 3} {1 3}", "nothing", "open: ...", for messages.
std::string to_string(const Smallest& smallest);

// Empty if the lazy method agrees with trying all sets, or if one of the two was not finished.
std::string difference(const Smallest& lazy, const Smallest& all);

}  // namespace fenceline::testing
