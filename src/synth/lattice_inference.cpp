// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search of propagation.cpp, asked about a program. A point is a set of places with full fences; it is
// verified if the engine proves every property. There are no refinements: an engine that can choose how much
// it remembers does so on its own.
//
// Nothing is learned from wrong runs, so it needs more questions than the lazy method where there are such
// runs to learn from (lazy.cpp). It needs nothing but yes or no, though, and so works with engines that have
// no runs to show when they fail, such as those which compute with sets of numbers.
//
// What a failure says about minimality: if the engine shows a real run, the fences are not enough. If it just
// has no proof they may be. The result is exact if each of the largest sets that fail does so because of a
// real run, since every smaller set then has the same run.
#include "synth/lattice_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace fenceline {
namespace {

class LatticeInference {
 public:
  LatticeInference(const InferenceTask& task, const LatticeSearch& search) : task_(task), search_(search) {}

  Inference run(std::vector<SearchEvent>* trace) {
    PropagationTask points;
    points.fence_places = task_.places.size();
    points.verify = [this](const SearchPoint& point) { return verify({point}).front(); };
    points.verify_together = [this](const std::vector<SearchPoint>& some) { return verify(some); };
    points.strategy = search_.strategy;
    points.jobs = search_.jobs;
    points.limits = search_.limits;
    const PropagationResult found = search_by_propagation(points);
    if (trace != nullptr) *trace = found.trace;
    result_.rounds = found.calls;
    for (const FenceMask& fences : found.falsified) result_.lessons.push_back(lesson(fences));
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

  // A set of places that is asked about.
  struct Trial {
    FenceMask places;
    FenceSet fences;
    std::vector<size_t> properties;  // that are left to ask about, the most doubtful first
    std::vector<Result> results;     // by property
    ProofAnswer answer = ProofAnswer::kVerified;
  };
  struct Question {
    Trial* trial;
    size_t property;
  };

  std::vector<ProofAnswer> verify(const std::vector<SearchPoint>& points) {
    std::vector<Trial> trials;
    trials.reserve(points.size());
    for (const SearchPoint& point : points)
      trials.push_back({point.fences, fence_set(task_.places, placement(point.fences)), by_doubt(),
                        std::vector<Result>(task_.properties.size())});
    for (std::vector<Question> questions = next(trials); !questions.empty(); questions = next(trials)) {
      std::vector<Result> results = ask(questions);
      for (size_t i = 0; i < questions.size(); ++i) {
        Trial& trial = *questions[i].trial;
        if (trial.answer != ProofAnswer::kVerified) continue;
        if (results[i].verdict() != Verdict::kVerified)
          trial.answer = failed(trial.places, {questions[i].property, std::move(results[i])});
        else
          trial.results[questions[i].property] = std::move(results[i]);
      }
    }
    std::vector<ProofAnswer> answers;
    for (Trial& trial : trials) {
      if (trial.answer == ProofAnswer::kVerified) proofs_[trial.places] = std::move(trial.results);
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

  // As many as may be asked at once: one about each trial that has not failed, then a second one, and so on.
  std::vector<Question> next(std::vector<Trial>& trials) const {
    std::vector<Question> questions;
    for (bool more = true; more;) {
      more = false;
      for (Trial& trial : trials) {
        if (questions.size() == std::max(search_.jobs, 1u)) return questions;
        if (trial.answer != ProofAnswer::kVerified || trial.properties.empty()) continue;
        questions.push_back({&trial, trial.properties.front()});
        trial.properties.erase(trial.properties.begin());
        more = true;
      }
    }
    return questions;
  }

  std::vector<Result> ask(const std::vector<Question>& questions) {
    std::vector<Task> queries;
    queries.reserve(questions.size());
    for (const Question& question : questions)
      queries.push_back(
          {task_.program, question.trial->fences, task_.model, task_.properties[question.property]});
    std::vector<Result> results;
    if (search_.ask_together)
      results = search_.ask_together(queries);
    else
      for (const Task& query : queries) results.push_back(task_.ask(query));
    for (const Result& result : results) count(result);
    return results;
  }

  void count(const Result& result) {
    ++result_.questions;
    result_.states += result.statistics.states;
    result_.transitions += result.statistics.transitions;
  }

  ProofAnswer failed(const FenceMask& places, Failure failure) {
    const bool limited = failure.result.verdict() == Verdict::kUnknown && search_.limits != nullptr &&
                         search_.limits->poll() != LimitReached::kNone;
    failed_last_ = failure.property;
    failures_[places] = std::move(failure);
    return limited ? ProofAnswer::kOutOfLimits : ProofAnswer::kNotVerified;
  }

  static Placement placement(const FenceMask& places) {
    Placement fences;
    for (const size_t place : places.elements()) fences.push_back({place});
    return fences;
  }

  bool really_wrong(const FenceMask& places) const {
    const auto failure = failures_.find(places);
    return failure != failures_.end() && failure->second.result.verdict() == Verdict::kViolated;
  }

  Inference::Lesson lesson(const FenceMask& places) const {
    std::string lines;
    for (const size_t place : places.elements())
      lines += fmt::format("{}{}", lines.empty() ? "" : ", ", task_.places[place].statement.begin.line);
    const char* how = really_wrong(places) ? "not enough" : "not proved to be enough";
    return {{},
            !really_wrong(places),
            places.empty()
                ? fmt::format("{}: no fences", how)
                : fmt::format("{}: fences behind line{} {}", how, places.size() == 1 ? "" : "s", lines)};
  }

  // Not even fences everywhere were verified.
  void nothing_found() {
    const auto found = failures_.find(FenceMask::first(task_.places.size()));
    Failure failure;
    if (found != failures_.end()) failure = found->second;
    result_.property = failure.property;
    if (failure.result.verdict() == Verdict::kViolated) {
      const FenceSet fences = fence_set(task_.places, placement(FenceMask::first(task_.places.size())));
      const Task query{task_.program, fences, task_.model, task_.properties[failure.property]};
      if (std::optional<Result> shown = as_run_without_fences(query, std::move(failure.result))) {
        result_.outcome = Inference::Outcome::kImpossible;
        result_.reason = "no fence at these places stops this run";
        result_.results = {std::move(*shown)};
        return;
      }
      failure.result = unknown_result(
          UnknownReason::kUnsupported,
          "the property is violated by a thread that stands where a fence would be, and not without one");
    }
    if (failure.result.spurious())
      failure.result.reason =
          "with fences at all places it could not be proved right, and no real run was "
          "found that goes wrong";
    if (failure.result.reason.empty()) failure.result.reason = why_ended();
    result_.reason = failure.result.reason;
    result_.results = {std::move(failure.result)};
  }

  std::string why_ended() const {
    const LimitReached reached = search_.limits != nullptr ? search_.limits->poll() : LimitReached::kNone;
    return reached == LimitReached::kNone ? "the engine does not say why" : search_.limits->describe(reached);
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
    result_.outcome = Inference::Outcome::kFound;
    const bool none = result_.placements.front().empty();
    result_.reason = none ? "it is right without further fences" : "no placement that was found costs less";
    result_.results = proofs_.at(found.minimal.front().fences);
    result_.fewest = found.complete || none;
    result_.all_listed = found.complete;
    result_.exact = result_.fewest && std::all_of(found.falsified.begin(), found.falsified.end(),
                                                  [this](const FenceMask& f) { return really_wrong(f); });
    weaken_all();
  }

  void weaken_all() {
    for (Placement& fences : result_.placements) {
      std::vector<Result> proofs = weaken(task_, fences, [this](const FenceSet& set, size_t property) {
        Result result = task_.ask(Task{task_.program, set, task_.model, task_.properties[property]});
        count(result);
        return result;
      });
      if (&fences == &result_.placements.front() && !proofs.empty()) result_.results = std::move(proofs);
    }
  }

  const InferenceTask& task_;
  const LatticeSearch& search_;
  std::map<FenceMask, std::vector<Result>> proofs_;
  std::map<FenceMask, Failure> failures_;
  size_t failed_last_ = 0;  // a property
  Inference result_;
};

}  // namespace

Inference infer_by_propagation(const InferenceTask& task, const LatticeSearch& search,
                               std::vector<SearchEvent>* trace) {
  return LatticeInference(task, search).run(trace);
}

}  // namespace fenceline
