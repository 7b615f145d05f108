// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search of propagation.cpp, applied to a program. A point is a set of candidate positions with full
// fences; it is verified if the engine proves every property. There are no refinements: an engine that can
// choose its precision does so on its own.
//
// Nothing is learned from counterexamples, so it needs more queries than the lazy method where there are
// counterexamples to learn from (lazy.cpp). It needs only yes or no, and so works with engines that have no
// counterexamples when they fail, such as those of abstract interpretation.
//
// What a failure says about minimality: if the engine has a counterexample, the fences are not sufficient. If
// it just has no proof they may be. Minimality is proved if each of the largest sets that fail has a
// counterexample, since every smaller set then has the same one.
#include "synth/lattice_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace fenceline::synth {
namespace {

class LatticeInference {
 public:
  LatticeInference(const SynthesisTask& task, const LatticeSearch& search) : task_(task), search_(search) {}

  Synthesis run(std::vector<SearchEvent>* trace) {
    PropagationTask points;
    points.fence_positions = task_.candidates.size();
    points.verify = [this](const SearchPoint& point) { return verify({point}).front(); };
    points.verify_together = [this](const std::vector<SearchPoint>& some) { return verify(some); };
    points.strategy = search_.strategy;
    points.jobs = search_.jobs;
    points.limits = search_.limits;
    const PropagationResult found = search_by_propagation(points);
    if (trace != nullptr) *trace = found.trace;
    result_.statistics.iterations = found.calls;
    for (const FenceMask& fences : found.falsified) result_.learned.push_back(insufficient(fences));
    if (found.minimal.empty())
      nothing_found();
    else
      some_found(found);
    return std::move(result_);
  }

 private:
  struct Failure {
    size_t property = 0;
    Result result;
  };

  // A set of positions that is being verified.
  struct Trial {
    FenceMask positions;
    FenceSet fences;
    std::vector<size_t> properties;  // that are left to verify, the most doubtful first
    std::vector<Result> results;     // by property
    ProofAnswer answer = ProofAnswer::kVerified;
  };
  struct Query {
    Trial* trial;
    size_t property;
  };

  std::vector<ProofAnswer> verify(const std::vector<SearchPoint>& points) {
    std::vector<Trial> trials;
    trials.reserve(points.size());
    for (const SearchPoint& point : points)
      trials.push_back({point.fences, fence_set(task_.candidates, placement(point.fences)), by_doubt(),
                        std::vector<Result>(task_.properties.size())});
    for (std::vector<Query> queries = next(trials); !queries.empty(); queries = next(trials)) {
      std::vector<Result> results = results_of(queries);
      for (size_t i = 0; i < queries.size(); ++i) {
        Trial& trial = *queries[i].trial;
        if (trial.answer != ProofAnswer::kVerified) continue;
        if (results[i].verdict() != Verdict::kVerified)
          trial.answer = failed(trial.positions, {queries[i].property, std::move(results[i])});
        else
          trial.results[queries[i].property] = std::move(results[i]);
      }
    }
    std::vector<ProofAnswer> answers;
    for (Trial& trial : trials) {
      if (trial.answer == ProofAnswer::kVerified) proofs_[trial.positions] = std::move(trial.results);
      answers.push_back(trial.answer);
    }
    return answers;
  }

  // The property that failed last will most likely fail again.
  std::vector<size_t> by_doubt() const {
    std::vector<size_t> properties(task_.properties.size());
    std::iota(properties.begin(), properties.end(), 0);
    const auto doubtful = properties.begin() + static_cast<std::ptrdiff_t>(failed_last_);
    std::rotate(properties.begin(), doubtful, doubtful + 1);
    return properties;
  }

  // As many as may run at once: one of each trial that has not failed, then a second one, and so on.
  std::vector<Query> next(std::vector<Trial>& trials) const {
    std::vector<Query> queries;
    for (bool more = true; more;) {
      more = false;
      for (Trial& trial : trials) {
        if (queries.size() == std::max(search_.jobs, 1u)) return queries;
        if (trial.answer != ProofAnswer::kVerified || trial.properties.empty()) continue;
        queries.push_back({&trial, trial.properties.front()});
        trial.properties.erase(trial.properties.begin());
        more = true;
      }
    }
    return queries;
  }

  std::vector<Result> results_of(const std::vector<Query>& queries) {
    std::vector<Task> tasks;
    tasks.reserve(queries.size());
    for (const Query& query : queries)
      tasks.push_back({task_.program, query.trial->fences, task_.model, task_.properties[query.property]});
    std::vector<Result> results;
    if (search_.verify_together)
      results = search_.verify_together(tasks);
    else
      for (const Task& task : tasks) results.push_back(task_.verify(task));
    for (const Result& result : results) count(result);
    return results;
  }

  void count(const Result& result) {
    ++result_.statistics.queries;
    result_.statistics.states += result.statistics.states;
    result_.statistics.transitions += result.statistics.transitions;
  }

  ProofAnswer failed(const FenceMask& positions, Failure failure) {
    const bool limited = failure.result.verdict() == Verdict::kUnknown && search_.limits != nullptr &&
                         search_.limits->poll() != LimitReached::kNone;
    failed_last_ = failure.property;
    failures_[positions] = std::move(failure);
    return limited ? ProofAnswer::kOutOfLimits : ProofAnswer::kNotVerified;
  }

  static Placement placement(const FenceMask& positions) {
    Placement fences;
    for (const size_t position : positions.elements()) fences.push_back({position});
    return fences;
  }

  bool has_counterexample(const FenceMask& positions) const {
    const auto failure = failures_.find(positions);
    return failure != failures_.end() && failure->second.result.verdict() == Verdict::kViolated;
  }

  LearnedClause insufficient(const FenceMask& positions) const {
    return {.kind = LearnedClause::Kind::kInsufficient,
            .positions = positions.elements(),
            .spurious = !has_counterexample(positions)};
  }

  // Not even fences everywhere were verified.
  void nothing_found() {
    const auto found = failures_.find(FenceMask::first(task_.candidates.size()));
    Failure failure;
    if (found != failures_.end()) failure = found->second;
    result_.property = failure.property;
    if (failure.result.verdict() == Verdict::kViolated) {
      const FenceSet fences =
          fence_set(task_.candidates, placement(FenceMask::first(task_.candidates.size())));
      const Task query{task_.program, fences, task_.model, task_.properties[failure.property]};
      if (std::optional<Result> shown = without_fences(query, std::move(failure.result))) {
        result_.outcome = Synthesis::Outcome::kImpossible;
        result_.reason = "no fence at a candidate position prevents this counterexample";
        result_.results = {std::move(*shown)};
        return;
      }
      failure.result = unknown_result(UnknownReason::kUnsupported,
                                      "the property is violated only while a thread is at an added fence");
    }
    if (failure.result.spurious())
      failure.result.reason =
          "with fences at all candidate positions the properties could not be proved, and no counterexample "
          "was found";
    if (failure.result.reason.empty()) failure.result.reason = why_ended();
    result_.reason = failure.result.reason;
    result_.results = {std::move(failure.result)};
  }

  std::string why_ended() const {
    const LimitReached reached = search_.limits != nullptr ? search_.limits->poll() : LimitReached::kNone;
    return reached == LimitReached::kNone ? "the engine gave no reason" : search_.limits->describe(reached);
  }

  void some_found(const PropagationResult& found) {
    const bool limited = search_.limits != nullptr && search_.limits->poll() != LimitReached::kNone;
    for (const SearchPoint& point : found.minimal) {
      result_.placements.push_back(placement(point.fences));
      if (!task_.all) break;
    }
    if (!found.complete && limited) {
      result_.reason = why_ended();
      result_.results = {unknown_result(UnknownReason::kLimit, result_.reason)};
      result_.placements.resize(1);
      return;
    }
    result_.outcome = Synthesis::Outcome::kFound;
    const bool none = result_.placements.front().empty();
    result_.reason =
        none ? "all properties hold without further fences" : "no placement that was found costs less";
    result_.results = proofs_.at(found.minimal.front().fences);
    result_.all_listed = found.complete;
    const bool all_refuted = std::all_of(found.falsified.begin(), found.falsified.end(),
                                         [this](const FenceMask& f) { return has_counterexample(f); });
    result_.minimality = !found.complete && !none ? Minimality::kNotClaimed
                         : all_refuted            ? Minimality::kProved
                                                  : Minimality::kRelative;
    weaken_all();
  }

  void weaken_all() {
    for (Placement& fences : result_.placements) {
      std::vector<Result> proofs = weaken(task_, fences, [this](const FenceSet& set, size_t property) {
        Result result = task_.verify(Task{task_.program, set, task_.model, task_.properties[property]});
        count(result);
        return result;
      });
      if (&fences == &result_.placements.front() && !proofs.empty()) result_.results = std::move(proofs);
    }
  }

  const SynthesisTask& task_;
  const LatticeSearch& search_;
  std::map<FenceMask, std::vector<Result>> proofs_;
  std::map<FenceMask, Failure> failures_;
  size_t failed_last_ = 0;  // a property
  Synthesis result_;
};

}  // namespace

Synthesis infer_by_propagation(const SynthesisTask& task, const LatticeSearch& search,
                               std::vector<SearchEvent>* trace) {
  return LatticeInference(task, search).run(trace);
}

}  // namespace fenceline::synth
