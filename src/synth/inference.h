// SPDX-License-Identifier: GPL-3.0-or-later
//
// What it means to infer fences: the question, and the answer. The methods (lazy.h, foil.h,
// lattice_inference.h, avoid/) are functions from one to the other; they ask engines through a function, so
// that they can be tested without any.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "synth/places.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline {

// Everything is borrowed.
struct InferenceTask {
  const Program& program;
  const MemoryModel& model;
  const std::vector<Property>& properties;  // the fences must mend all of them
  const std::vector<Place>& places;
  std::function<Result(const Task&)> ask;
  bool all = false;  // every minimum placement, not just one
  // Kinds that may take the place of full fences once the places are settled, the cheapest first.
  std::vector<FenceKinds> weaker = {};
};

struct PlacedFence {
  size_t place = 0;  // index into the task's places
  FenceKinds kinds = FenceKinds::full();
  friend bool operator==(const PlacedFence&, const PlacedFence&) = default;
};
using Placement = std::vector<PlacedFence>;  // by place

// What a fence costs: store-store 1, store-load 2, full 3. docs/inference.md says why.
uint64_t fence_cost(FenceKinds kinds);
uint64_t cost_of(const Placement& placement);

FenceSet fence_set(const std::vector<Place>& places, const Placement& placement);

// One fence after the other becomes the cheapest of task.weaker with which everything is still verified. The
// result cannot be weakened further in one place; a cheaper mix may exist. What was said about each property
// in the end; empty if nothing changed.
using AskAbout = std::function<Result(const FenceSet&, size_t property)>;
std::vector<Result> weaken(const InferenceTask& task, Placement& placement, const AskAbout& ask);

// A violation found with the fences of `query`, as a run of the program without them. None if the property
// is violated only by a thread that stands at such a fence. Precondition: the result is one of the query.
std::optional<Result> as_run_without_fences(const Task& query, Result result);

struct Inference {
  enum class Outcome : uint8_t {
    kFound,       // `placements` are right, and the method knows none with fewer places
    kImpossible,  // no placement helps: `failure` is a run that no fence at these places stops
    kUnknown,     // `reason`; `placements` has a sound one if any is known
  };
  Outcome outcome = Outcome::kUnknown;
  std::string reason;  // one sentence

  std::vector<Placement> placements;
  // kFound: that fewer places are not enough follows from real runs alone. Otherwise it was also concluded
  // from runs of an abstraction that no real run follows, so that fewer places might be enough but cannot be
  // proved to be.
  bool exact = false;
  bool fewest = true;       // kFound: the method looks for the fewest places; if not, fewer may do
  bool all_listed = false;  // no other placement is as good (in the same sense)

  // kFound: what was said about each property with the first placement. kImpossible and kUnknown: one result,
  // the one that ended it, and which property it is about.
  std::vector<Result> results;
  size_t property = 0;

  uint64_t questions = 0;  // to engines
  uint64_t rounds = 0;     // placements that were tried
  uint64_t clauses = 0, spurious_clauses = 0;
  // The clauses, in the order in which they were learned: places of which one has to have a fence. Methods
  // that learn something else say it in words.
  struct Lesson {
    std::vector<size_t> places;
    bool spurious = false;
    std::string words = {};
  };
  std::vector<Lesson> lessons;
  uint64_t states = 0, transitions = 0;  // of all questions
};

}  // namespace fenceline
