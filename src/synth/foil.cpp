// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inference by the last reordering: the rule by which FOIL inserts fences (Guerraoui, Henzinger and Singh,
// "Verification of STM on relaxed memory models").
//
// A counterexample is read from its end. The last access in it that took effect before others of its thread
// which were issued earlier is the culprit; of those others, the statement that was issued first gets a fence
// after it. Then the program is verified again. The paper tags a statement with what it is put before in the
// queue; here the queue keeps program order, and what is still pending before an access when it takes effect
// is the same (docs/engine-queue.md).
//
// Termination: each iteration adds a fence, or a kind to an existing one. The result is verified, so it is
// sufficient. It need not be small: the last reordering need not be the harmful one, and a fence that was put
// for one counterexample stays when those for later ones would have prevented it, too.
//
// A counterexample in which no access is overtaken and none is late is sequentially consistent, and no fences
// prevent it. The paper notes this in a footnote.
//
// One thing differs. The paper's sfence and lfence wait for all stores or all loads and are chosen by the
// overtaken statement alone; ours order pairs, so the pair decides.
#include "synth/foil.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "check/replay/queue_replay.h"
#include "env/errors.h"
#include "synth/violated_orderings.h"

namespace fenceline::synth {
namespace {

// The last step that took effect too early, and the step that issued the first access that it overtook.
struct OvertakingSteps {
  const ReplayedStep& overtaken;
  const ReplayedStep& overtaking;
};

std::optional<OvertakingSteps> last_reordering(const Replay& trace) {
  const auto last = std::find_if(trace.steps.rbegin(), trace.steps.rend(),
                                 [](const ReplayedStep& step) { return !step.overtaken.empty(); });
  if (last == trace.steps.rend()) return std::nullopt;
  return OvertakingSteps{trace.steps[last->overtaken.front()], *last};
}

// What keeps `later` behind `earlier`. A read-modify-write is a load and a store, and a fence for either
// holds it: it counts as what the other one is, so that sfence and lfence do where they can. Two of them are
// two stores.
FenceKinds kind_between(const Instruction& earlier, const Instruction& later) {
  const bool both_rmw = earlier.kind == InstrKind::kRmw && later.kind == InstrKind::kRmw;
  if (both_rmw || (earlier.writes_memory() && later.kind == InstrKind::kStore) ||
      (earlier.kind == InstrKind::kStore && later.writes_memory()))
    return FenceKinds::store_store();
  if (earlier.reads_memory() && later.reads_memory()) return FenceKinds::load_load();
  return earlier.kind == InstrKind::kStore ? FenceKinds::store_load() : FenceKinds::load_store();
}

class LastReordering {
 public:
  explicit LastReordering(const SynthesisTask& task) : task_(task) {}

  Synthesis run() {
    for (;;) {
      std::optional<Result> failure = verify_all();
      if (!failure) return found();
      if (failure->verdict() != Verdict::kViolated) return unknown(failure->reason);
      require(failure->replay() != nullptr && failure->replay()->ok && failure->replay()->queues,
              "the last reordering of a trace without deferral queues");
      const std::optional<Culprit> culprit = last_culprit(*failure->replay());
      if (!culprit) return impossible(std::move(*failure));
      const std::optional<size_t> position = position_after(culprit->statement);
      if (!position)
        return unknown(
            fmt::format("{}, and there is no candidate position between them", text(culprit->reordering)));
      if (!add_fence(*position, *culprit))
        return unknown(fmt::format("{}, although there is already a fence after {}",
                                   text(culprit->reordering), name_of(task_.candidates[*position])));
    }
  }

 private:
  // The statement that gets a fence after it, of which kind, and why.
  struct Culprit {
    const ReplayedStep& statement;
    FenceKinds kind;
    LearnedClause::Reordering reordering;
  };

  // The last reordering. If there is none, an access may still have taken effect after its transaction
  // reported its progress: only a full fence makes it wait for that. The paper has no such case, since its
  // fences wait.
  std::optional<Culprit> last_culprit(const Replay& trace) const {
    if (const std::optional<OvertakingSteps> last = last_reordering(trace)) {
      const FenceKinds kind = kind_between(instruction(last->overtaken), instruction(last->overtaking));
      return Culprit{last->overtaken, kind, reordering(last->overtaking, last->overtaken)};
    }
    const FenceSet fences = fence_set(task_.candidates, placement());
    const std::vector<check::LateAccess> late = check::late_accesses(query(fences), trace);
    if (late.empty()) return std::nullopt;
    const ReplayedStep &access = trace.steps[late.back().issued],
                       &reported = trace.steps[late.back().reported];
    return Culprit{access, FenceKinds::full(), reordering(reported, access)};
  }

  // With the fences so far: the first answer that is not "verified".
  std::optional<Result> verify_all() {
    ++result_.statistics.iterations;
    result_.results.clear();
    const FenceSet fences = fence_set(task_.candidates, placement());
    for (result_.property = 0; result_.property < task_.properties.size(); ++result_.property) {
      Result result = task_.verify(query(fences));
      ++result_.statistics.queries;
      result_.statistics.states += result.statistics.states;
      result_.statistics.transitions += result.statistics.transitions;
      if (result.verdict() != Verdict::kVerified) return result;
      result_.results.push_back(std::move(result));
    }
    return std::nullopt;
  }

  Task query(const FenceSet& fences) const {
    return {task_.program, fences, task_.model, task_.properties[result_.property]};
  }

  Placement placement() const {
    Placement placement;
    for (const auto& [position, kinds] : fences_) placement.push_back({position, kinds});
    return placement;
  }

  const Instruction& instruction(const ReplayedStep& step) const {
    return task_.program.thread(step.step.thread).at(step.step.point);
  }

  // The position after the statement that the access is part of. It need not be the statement's last step, as
  // the load in `x = y;` is not. Positions are ordered by the ends of statements, so the innermost one comes
  // first.
  std::optional<size_t> position_after(const ReplayedStep& access) const {
    const SourcePos pos = instruction(access).pos;
    for (size_t p = 0; p < task_.candidates.size(); ++p) {
      const StatementEnd& statement = task_.candidates[p].statement;
      if (statement.begin <= pos && pos < statement.end) return p;
    }
    return std::nullopt;
  }

  // False if the fence is there already.
  bool add_fence(size_t position, const Culprit& culprit) {
    const bool allowed =
        std::find(task_.weaker.begin(), task_.weaker.end(), culprit.kind) != task_.weaker.end();
    const FenceKinds wanted = allowed ? culprit.kind : FenceKinds::full();
    FenceKinds& there = fences_[position];
    if (there.includes(wanted)) return false;
    there = there | wanted;
    result_.learned.push_back({.kind = LearnedClause::Kind::kReordering,
                               .positions = {position},
                               .reordering = culprit.reordering,
                               .kinds = wanted});
    return true;
  }

  static LearnedClause::Reordering reordering(const ReplayedStep& early, const ReplayedStep& late) {
    return {early.step.thread, early.step.point, late.step.point};
  }

  // "T2 does end 31 before end 26"
  std::string text(const LearnedClause::Reordering& reordering) const {
    const Program& program = task_.program;
    return fmt::format("{} does {} before {}", program.thread(reordering.thread).name,
                       program.step_name(reordering.thread, reordering.first),
                       program.step_name(reordering.thread, reordering.second));
  }

  static std::string name_of(const CandidatePosition& candidate) {
    if (!candidate.statement.name.empty()) return candidate.statement.name;
    return fmt::format("line {}", candidate.statement.begin.line);
  }

  Synthesis found() {
    const bool needed_none = fences_.empty();
    result_.reason = needed_none ? "all properties hold without further fences"
                                 : "verified; the last-reordering rule does not minimise the fences";
    result_.placements = {placement()};
    result_.minimality = needed_none ? Minimality::kProved : Minimality::kNotClaimed;
    result_.property = 0;
    return end(Synthesis::Outcome::kFound);
  }

  // It is shown without the fences. Where nothing is overtaken, no fence had an effect.
  Synthesis impossible(Result result) {
    const FenceSet none, fences = fence_set(task_.candidates, placement());
    TraceCounterexample shown{.trace = without_added_fences(query(fences), *result.trace()),
                              .replay = {},
                              .shortest = result.shortest() && fences.empty()};
    shown.replay = check::replay_queues(query(none), shown.trace);
    require(shown.replay.ok, "a trace that overtakes nothing needs its fences");
    result.conclusion = std::move(shown);
    result_.reason = "no access overtakes another in this counterexample, so no fence prevents it";
    result_.results = {std::move(result)};
    return end(Synthesis::Outcome::kImpossible);
  }

  Synthesis unknown(std::string reason) {
    result_.results = {unknown_result(UnknownReason::kUnsupported, reason)};
    result_.reason = std::move(reason);
    return end(Synthesis::Outcome::kUnknown);
  }

  Synthesis end(Synthesis::Outcome outcome) {
    result_.outcome = outcome;
    return std::move(result_);
  }

  const SynthesisTask& task_;
  std::map<size_t, FenceKinds> fences_;  // by position
  Synthesis result_;
};

}  // namespace

Synthesis infer_by_last_reordering(const SynthesisTask& task) { return LastReordering(task).run(); }

}  // namespace fenceline::synth
