// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lazy inference: guess the fences, ask, learn from the run that goes wrong, guess again.
//
// The guess is always a cheapest set of places that hits every clause learned so far. A clause is the set of
// places that one wrong run passes while its thread has stores waiting. Why each correct placement F must
// contain one of them: suppose it does not. Then wherever the run passes a place of F, the buffers of its
// thread are empty, and a full fence at empty buffers does nothing. So the run is still possible with F, and
// F is not correct. Hence every correct placement hits every clause, a minimum hitting set costs no more than
// any correct placement, and one that is verified is a cheapest one: the first success is the end.
//
// A run of an abstraction that no real run follows makes a clause as well. It says that every placement which
// this abstraction can prove correct has a fence at one of these places. With such clauses the placement
// found is a minimum among those that can be proved; whether they mattered is found out at the end, by
// solving the real clauses alone: if they cost as much, the minimum is exact.
//
// After the first failure, fences at all places are tried. If that fails nothing helps, and this is the time
// to know it; if it is verified there is something to offer when a limit is reached later on.
#include "synth/lazy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "env/errors.h"
#include "synth/crossing.h"
#include "synth/hitting_set.h"

namespace fenceline {
namespace {

constexpr size_t kMostPlacements = 1000;  // that are listed

class LazyInference {
 public:
  explicit LazyInference(const InferenceTask& task)
      : task_(task), costs_(task.places.size(), fence_cost(FenceKinds::full())) {
    for (size_t p = 0; p < task.places.size(); ++p)
      for (const auto& point : task.places[p].points) place_of_.emplace(point, p);
    order_.resize(task.properties.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  Inference run() {
    for (bool first = true; !ended_; first = false) {
      const auto candidate = minimum_hitting_set(all_clauses(), costs_);
      require(candidate.has_value(), "an empty clause was learned");
      if (verified(*candidate)) {
        found(*candidate);
        break;
      }
      if (first && !ended_ && !task_.places.empty()) try_everywhere();
    }
    if (result_.outcome == Inference::Outcome::kFound && task_.all) find_all();
    if (result_.outcome == Inference::Outcome::kFound) weaken_all();
    result_.clauses = real_.size() + spurious_.size();
    result_.spurious_clauses = spurious_.size();
    return std::move(result_);
  }

 private:
  std::vector<Clause> all_clauses() const {
    std::vector<Clause> clauses = real_;
    clauses.insert(clauses.end(), spurious_.begin(), spurious_.end());
    return clauses;
  }

  Result ask(const FenceSet& fences, size_t property) {
    Result result = task_.ask(Task{task_.program, fences, task_.model, task_.properties[property]});
    ++result_.questions;
    result_.states += result.statistics.states;
    result_.transitions += result.statistics.transitions;
    return result;
  }

  // Do all properties hold with full fences at these places? If not, a clause has been learned or the search
  // has ended. The property that failed last is asked first: it will most likely fail again.
  bool verified(const HittingSet& places) {
    ++result_.rounds;
    const FenceSet fences = watched_and_fenced(places);
    std::vector<Result> results(task_.properties.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      const size_t property = order_[i];
      results[property] = ask(fences, property);
      if (results[property].verdict() == Verdict::kVerified) continue;
      std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(i),
                  order_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      learn(fences, property, std::move(results[property]));
      return false;
    }
    proofs_ = std::move(results);
    return true;
  }

  FenceSet watched_and_fenced(const HittingSet& places) const {
    FenceSet fences;
    for (size_t p = 0; p < task_.places.size(); ++p) {
      const bool fenced = std::binary_search(places.begin(), places.end(), p);
      add_fence(fences, task_.places[p], fenced ? FenceKinds::full() : FenceKinds());
    }
    return fences;
  }

  // What a failure teaches: a clause, or that this is the end.
  void learn(const FenceSet& fences, size_t property, Result result) {
    const Task query{task_.program, fences, task_.model, task_.properties[property]};
    Crossed crossed = result.violated_orderings();
    if (const TraceCounterexample* found = result.trace_counterexample()) {
      require(found->replay.ok, "an engine reports a violation that does not replay");
      // A run of the machine with queues does nothing early or late without need.
      if (!found->replay.queues)
        crossed = crossed_by(query, replay(query, with_early_flushes(query, found->trace)));
    }
    if (result.verdict() != Verdict::kViolated && !result.spurious()) {
      const std::string reason = result.reason;
      return end(Inference::Outcome::kUnknown, reason, property, std::move(result));
    }
    const Clause clause = clause_of(crossed);
    const bool real = result.verdict() == Verdict::kViolated;
    if (clause.empty()) {
      if (real) return nothing_helps(query, property, std::move(result));
      return nothing_proves(property, std::move(result));
    }
    (real ? real_ : spurious_).push_back(clause);
    result_.lessons.push_back({clause, !real});
  }

  Clause clause_of(const Crossed& crossed) const {
    Clause clause;
    for (const auto& point : crossed) {
      const auto found = place_of_.find(point);
      require(found != place_of_.end(), "a run crosses a place that is not watched");
      clause.push_back(found->second);
    }
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    return clause;
  }

  // A real run that no fence at these places stops. It is shown as a run of the program as it is.
  void nothing_helps(const Task& query, size_t property, Result result) {
    std::optional<Result> shown = as_run_without_fences(query, std::move(result));
    if (!shown) {
      Result unknown = unknown_result(
          UnknownReason::kUnsupported,
          "the property is violated by a thread that stands where a fence would be, and not without one");
      const std::string reason = unknown.reason;
      return end(Inference::Outcome::kUnknown, reason, property, std::move(unknown));
    }
    end(Inference::Outcome::kImpossible, "no fence at these places stops this run", property,
        std::move(*shown));
  }

  void nothing_proves(size_t property, Result result) {
    const std::string reason =
        "no placement of fences can be proved right with this abstraction" +
        (result.abstraction.empty() ? std::string() : fmt::format(" ({})", result.abstraction)) +
        ", and no real run was found that goes wrong";
    end(Inference::Outcome::kUnknown, reason, property, std::move(result));
  }

  void end(Inference::Outcome outcome, std::string reason, size_t property, Result result) {
    ended_ = true;
    result_.outcome = outcome;
    result_.reason = std::move(reason);
    result_.property = property;
    result_.results = {std::move(result)};
    result_.placements.clear();
    if (outcome == Inference::Outcome::kUnknown && sound_) result_.placements = {*sound_};
  }

  void try_everywhere() {
    HittingSet everywhere(task_.places.size());
    std::iota(everywhere.begin(), everywhere.end(), size_t{0});
    if (verified(everywhere)) sound_ = placement(everywhere);
  }

  static Placement placement(const HittingSet& places) {
    Placement result;
    for (const size_t place : places) result.push_back({place});
    return result;
  }

  void found(const HittingSet& places) {
    result_.outcome = Inference::Outcome::kFound;
    result_.reason = places.empty() ? "it is right without further fences" : "no placement costs less";
    result_.placements = {placement(places)};
    result_.results = std::move(proofs_);
    const auto real = minimum_hitting_set(real_, costs_);
    result_.exact = cost_of(*real, costs_) == cost_of(places, costs_);
  }

  // All placements that cost as little as the one that was found. A failure makes a new clause, which the
  // placements that were verified hit as well, so the least cost stays as it is.
  void find_all() {
    const HittingSet first = places_of(result_.placements.front());
    std::vector<HittingSet> right = {first};
    const std::vector<Result> proofs = result_.results;
    bool complete = false;
    while (!complete && !ended_) {
      const auto candidates = all_minimum_hitting_sets(all_clauses(), costs_, kMostPlacements);
      complete = true;
      for (const HittingSet& candidate : candidates) {
        if (std::find(right.begin(), right.end(), candidate) != right.end()) continue;
        if (!verified(candidate)) {
          complete = false;
          break;
        }
        right.push_back(candidate);
      }
      if (candidates.size() == kMostPlacements) break;
    }
    // A limit ends the listing, not what was found before.
    if (ended_) result_.reason = "not all placements are listed: " + result_.reason;
    result_.outcome = Inference::Outcome::kFound;
    result_.results = proofs;
    result_.property = 0;
    result_.all_listed = complete;
    if (complete && result_.exact)
      result_.exact = all_minimum_hitting_sets(real_, costs_, right.size() + 1).size() == right.size();
    std::sort(right.begin() + 1, right.end());
    result_.placements.clear();
    for (const HittingSet& places : right) result_.placements.push_back(placement(places));
  }

  static HittingSet places_of(const Placement& placement) {
    HittingSet places;
    for (const PlacedFence& fence : placement) places.push_back(fence.place);
    return places;
  }

  void weaken_all() {
    for (Placement& placement : result_.placements) {
      std::vector<Result> proofs = weaken(task_, placement, [this](const FenceSet& fences, size_t property) {
        return ask(fences, property);
      });
      if (&placement == &result_.placements.front() && !proofs.empty()) result_.results = std::move(proofs);
    }
  }

  const InferenceTask& task_;
  const std::vector<uint64_t> costs_;  // by place
  std::map<std::pair<ThreadId, Point>, size_t> place_of_;
  std::vector<size_t> order_;            // of the properties
  std::vector<Clause> real_, spurious_;  // from real runs, and from runs of the abstraction only
  std::vector<Result> proofs_;           // of the placement verified last, by property
  std::optional<Placement> sound_;       // fences everywhere, if that is verified
  bool ended_ = false;
  Inference result_;
};

}  // namespace

Inference infer_lazily(const InferenceTask& task) { return LazyInference(task).run(); }

}  // namespace fenceline
