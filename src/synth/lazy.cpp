// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lazy inference: choose fences, verify, learn a clause from the counterexample, choose again.
//
// The choice is always a cheapest set of candidate positions that hits every clause learned so far. A clause
// is the set of positions that one counterexample passes while its thread has pending stores. Why each
// sufficient placement F must contain one of them: suppose it does not. Then wherever the counterexample
// passes a position of F, the buffers of its thread are empty, and a full fence at empty buffers does nothing.
// So the execution is still possible with F, and F is not sufficient. Hence every sufficient placement hits
// every clause, a minimum hitting set costs no more than any sufficient placement, and one that is verified is
// a cheapest one: the first success ends the search.
//
// A spurious counterexample of an abstraction makes a clause as well. It says that every placement which this
// abstraction can prove sufficient has a fence at one of these positions. With such clauses the placement
// found is a minimum among those that can be proved; whether they mattered is found out at the end, by solving
// the other clauses alone: if they cost as much, the minimum is proved.
//
// After the first failure, fences at all positions are tried. If that fails no placement is sufficient, and
// the search ends early; if it is verified, there is a placement to report when a limit is reached.
#include "synth/lazy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "env/errors.h"
#include "synth/hitting_set.h"
#include "synth/violated_orderings.h"

namespace fenceline::synth {
namespace {

constexpr size_t kMostPlacements = 1000;  // that are listed

class LazyInference {
 public:
  explicit LazyInference(const SynthesisTask& task)
      : task_(task), costs_(task.candidates.size(), fence_cost(FenceKinds::full())) {
    for (size_t p = 0; p < task.candidates.size(); ++p)
      for (const auto& point : task.candidates[p].points) position_of_.emplace(point, p);
    order_.resize(task.properties.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  Synthesis run() {
    for (bool first = true; !ended_; first = false) {
      const auto candidate = minimum_hitting_set(all_clauses(), costs_);
      require(candidate.has_value(), "an empty clause was learned");
      if (verified(*candidate)) {
        found(*candidate);
        break;
      }
      if (first && !ended_ && !task_.candidates.empty()) try_everywhere();
    }
    if (result_.outcome == Synthesis::Outcome::kFound && task_.all) find_all();
    if (result_.outcome == Synthesis::Outcome::kFound) weaken_all();
    result_.statistics.clauses = real_.size() + spurious_.size();
    result_.statistics.spurious_clauses = spurious_.size();
    return std::move(result_);
  }

 private:
  std::vector<Clause> all_clauses() const {
    std::vector<Clause> clauses = real_;
    clauses.insert(clauses.end(), spurious_.begin(), spurious_.end());
    return clauses;
  }

  Result verify(const FenceSet& fences, size_t property) {
    Result result = task_.verify(Task{task_.program, fences, task_.model, task_.properties[property]});
    ++result_.statistics.queries;
    result_.statistics.states += result.statistics.states;
    result_.statistics.transitions += result.statistics.transitions;
    return result;
  }

  // Do all properties hold with full fences at these positions? If not, a clause has been learned or the search
  // has ended. The property that failed last is verified first: it will most likely fail again.
  bool verified(const HittingSet& positions) {
    ++result_.statistics.iterations;
    const FenceSet fences = monitored_and_fenced(positions);
    std::vector<Result> results(task_.properties.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      const size_t property = order_[i];
      results[property] = verify(fences, property);
      if (results[property].verdict() == Verdict::kVerified) continue;
      std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(i),
                  order_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      learn(fences, property, std::move(results[property]));
      return false;
    }
    proofs_ = std::move(results);
    return true;
  }

  FenceSet monitored_and_fenced(const HittingSet& positions) const {
    FenceSet fences;
    for (size_t p = 0; p < task_.candidates.size(); ++p) {
      const bool fenced = std::binary_search(positions.begin(), positions.end(), p);
      add_fence(fences, task_.candidates[p], fenced ? FenceKinds::full() : FenceKinds());
    }
    return fences;
  }

  // Learns a clause from the failure, or ends the search.
  void learn(const FenceSet& fences, size_t property, Result result) {
    const Task query{task_.program, fences, task_.model, task_.properties[property]};
    std::vector<ViolatedOrdering> orderings = result.violated_orderings();
    if (const TraceCounterexample* found = result.trace_counterexample()) {
      require(found->replay.ok, "an engine reports a violation that does not replay");
      // A trace of the deferral-queue machine reorders nothing without need.
      if (!found->replay.queues)
        orderings = violated_orderings(query, check::replay(query, with_early_flushes(query, found->trace)));
    }
    if (result.verdict() != Verdict::kViolated && !result.spurious()) {
      const std::string reason = result.reason;
      return end(Synthesis::Outcome::kUnknown, reason, property, std::move(result));
    }
    const Clause clause = clause_of(orderings);
    const bool real = result.verdict() == Verdict::kViolated;
    if (clause.empty()) {
      if (real) return nothing_helps(query, property, std::move(result));
      return nothing_proves(property, std::move(result));
    }
    (real ? real_ : spurious_).push_back(clause);
    result_.learned.push_back({.positions = clause, .spurious = !real});
  }

  Clause clause_of(const std::vector<ViolatedOrdering>& orderings) const {
    Clause clause;
    for (const ViolatedOrdering& point : orderings) {
      const auto found = position_of_.find(point);
      require(found != position_of_.end(), "a violated ordering at a position that is not monitored");
      clause.push_back(found->second);
    }
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    return clause;
  }

  // A counterexample that no fence at these positions prevents. It is shown without the fences.
  void nothing_helps(const Task& query, size_t property, Result result) {
    std::optional<Result> shown = without_fences(query, std::move(result));
    if (!shown) {
      Result unknown = unknown_result(UnknownReason::kUnsupported,
                                      "the property is violated only while a thread is at an added fence");
      const std::string reason = unknown.reason;
      return end(Synthesis::Outcome::kUnknown, reason, property, std::move(unknown));
    }
    end(Synthesis::Outcome::kImpossible, "no fence at a candidate position prevents this counterexample",
        property, std::move(*shown));
  }

  void nothing_proves(size_t property, Result result) {
    const std::string reason =
        "no placement of fences can be proved sufficient with this abstraction" +
        (result.abstraction.empty() ? std::string() : fmt::format(" ({})", result.abstraction)) +
        ", and no counterexample was found";
    end(Synthesis::Outcome::kUnknown, reason, property, std::move(result));
  }

  void end(Synthesis::Outcome outcome, std::string reason, size_t property, Result result) {
    ended_ = true;
    result_.outcome = outcome;
    result_.reason = std::move(reason);
    result_.property = property;
    result_.results = {std::move(result)};
    result_.placements.clear();
    if (outcome == Synthesis::Outcome::kUnknown && sound_) result_.placements = {*sound_};
  }

  void try_everywhere() {
    HittingSet everywhere(task_.candidates.size());
    std::iota(everywhere.begin(), everywhere.end(), size_t{0});
    if (verified(everywhere)) sound_ = placement(everywhere);
  }

  static Placement placement(const HittingSet& positions) {
    Placement result;
    for (const size_t position : positions) result.push_back({position});
    return result;
  }

  void found(const HittingSet& positions) {
    result_.outcome = Synthesis::Outcome::kFound;
    result_.reason =
        positions.empty() ? "all properties hold without further fences" : "no placement costs less";
    result_.placements = {placement(positions)};
    result_.results = std::move(proofs_);
    const auto real = minimum_hitting_set(real_, costs_);
    set_minimal(cost_of(*real, costs_) == cost_of(positions, costs_));
  }

  void set_minimal(bool proved) { result_.minimality = proved ? Minimality::kProved : Minimality::kRelative; }

  // All placements that cost as little as the one that was found. A failure makes a new clause, which the
  // placements that were verified hit as well, so the least cost stays as it is.
  void find_all() {
    const HittingSet first = candidates_of(result_.placements.front());
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
    result_.outcome = Synthesis::Outcome::kFound;
    result_.results = proofs;
    result_.property = 0;
    result_.all_listed = complete;
    if (complete && result_.minimal())
      set_minimal(all_minimum_hitting_sets(real_, costs_, right.size() + 1).size() == right.size());
    std::sort(right.begin() + 1, right.end());
    result_.placements.clear();
    for (const HittingSet& positions : right) result_.placements.push_back(placement(positions));
  }

  static HittingSet candidates_of(const Placement& placement) {
    HittingSet positions;
    for (const PlacedFence& fence : placement) positions.push_back(fence.position);
    return positions;
  }

  void weaken_all() {
    for (Placement& placement : result_.placements) {
      std::vector<Result> proofs = weaken(task_, placement, [this](const FenceSet& fences, size_t property) {
        return verify(fences, property);
      });
      if (&placement == &result_.placements.front() && !proofs.empty()) result_.results = std::move(proofs);
    }
  }

  const SynthesisTask& task_;
  const std::vector<uint64_t> costs_;  // by position
  std::map<std::pair<ThreadId, Point>, size_t> position_of_;
  std::vector<size_t> order_;            // of the properties
  std::vector<Clause> real_, spurious_;  // from counterexamples, and from spurious ones
  std::vector<Result> proofs_;           // of the placement verified last, by property
  std::optional<Placement> sound_;       // fences everywhere, if that is verified
  bool ended_ = false;
  Synthesis result_;
};

}  // namespace

Synthesis infer_lazily(const SynthesisTask& task) { return LazyInference(task).run(); }

}  // namespace fenceline::synth
