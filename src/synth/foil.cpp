// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inference by the last reordering: the rule of FOIL, from Guerraoui, Henzinger and Singh, "Verification of
// STM on relaxed memory models", where it is told how the tool puts fences.
//
// A wrong run is read from its end. The last access in it that took effect before others of its thread which
// were issued earlier is the one to blame; of those others, the statement that was issued first gets a fence
// behind it. Then the question is asked again. The paper tags a statement with what it is put before in the
// queue; here the queue keeps program order, and what still waits before an access when it takes effect is
// the same (docs/engine-queue.md).
//
// Why it ends: each round adds a fence, or a kind to one that is there. What it ends with is verified, so it
// is right. That it is small is not promised: the reordering that comes last need not be the one that does
// harm, and a fence that was put for one run stays when those for later runs would have stopped it, too.
//
// A run in which nothing is overtaken and nothing is late is one of sequential consistency, and no fences
// help. The paper says so in a footnote.
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
#include "synth/crossing.h"

namespace fenceline {
namespace {

// Of a run: the last step that took effect too early, and the step that issued the first of what it overtook.
struct Reordering {
  const ReplayedStep& overtaken;
  const ReplayedStep& overtaking;
};

std::optional<Reordering> last_reordering(const Replay& run) {
  const auto last = std::find_if(run.steps.rbegin(), run.steps.rend(),
                                 [](const ReplayedStep& step) { return !step.overtaken.empty(); });
  if (last == run.steps.rend()) return std::nullopt;
  return Reordering{run.steps[last->overtaken.front()], *last};
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
  explicit LastReordering(const InferenceTask& task) : task_(task) {}

  Inference run() {
    for (;;) {
      std::optional<Result> failure = ask_about_all();
      if (!failure) return found();
      if (failure->verdict() != Verdict::kViolated) return unknown(failure->reason);
      require(failure->replay() != nullptr && failure->replay()->ok && failure->replay()->queues,
              "the last reordering is asked for in a run without queues");
      const std::optional<Blame> blame = last_to_blame(*failure->replay());
      if (!blame) return impossible(std::move(*failure));
      const std::optional<size_t> place = place_after(blame->statement);
      if (!place)
        return unknown(fmt::format("{}, and at these positions there is no place for a fence between them",
                                   blame->told));
      if (!add_fence(*place, *blame))
        return unknown(fmt::format("{}, though there is a fence after {} already", blame->told,
                                   name_of(task_.places[*place])));
    }
  }

 private:
  // What gets a fence behind it, of which kind, and why.
  struct Blame {
    const ReplayedStep& statement;
    FenceKinds kind;
    std::string told;
  };

  // The last reordering. If there is none, something may still have been late for what its transaction says:
  // only a full fence makes it wait for that. The paper has no such case, since its fences wait.
  std::optional<Blame> last_to_blame(const Replay& run) const {
    if (const std::optional<Reordering> last = last_reordering(run)) {
      const FenceKinds kind = kind_between(instruction(last->overtaken), instruction(last->overtaking));
      return Blame{last->overtaken, kind, told(last->overtaking, last->overtaken)};
    }
    const FenceSet fences = fence_set(task_.places, placement());
    const std::vector<LateAccess> late = late_accesses(query(fences), run);
    if (late.empty()) return std::nullopt;
    const ReplayedStep &access = run.steps[late.back().issued], &said = run.steps[late.back().said];
    return Blame{access, FenceKinds::full(), told(said, access)};
  }

  // With the fences so far: the first answer that is not "verified".
  std::optional<Result> ask_about_all() {
    ++result_.rounds;
    result_.results.clear();
    const FenceSet fences = fence_set(task_.places, placement());
    for (result_.property = 0; result_.property < task_.properties.size(); ++result_.property) {
      Result result = task_.ask(query(fences));
      ++result_.questions;
      result_.states += result.statistics.states;
      result_.transitions += result.statistics.transitions;
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
    for (const auto& [place, kinds] : fences_) placement.push_back({place, kinds});
    return placement;
  }

  const Instruction& instruction(const ReplayedStep& step) const {
    return task_.program.thread(step.step.thread).at(step.step.point);
  }

  // The place behind the statement that the access is part of. It need not be the statement's last step, as
  // the load in `x = y;` is not. Places are ordered by where statements end, so the innermost one comes
  // first.
  std::optional<size_t> place_after(const ReplayedStep& access) const {
    const SourcePos pos = instruction(access).pos;
    for (size_t p = 0; p < task_.places.size(); ++p) {
      const StatementEnd& statement = task_.places[p].statement;
      if (statement.begin <= pos && pos < statement.end) return p;
    }
    return std::nullopt;
  }

  // False if what it takes is there already.
  bool add_fence(size_t place, const Blame& blame) {
    const bool allowed =
        std::find(task_.weaker.begin(), task_.weaker.end(), blame.kind) != task_.weaker.end();
    const FenceKinds wanted = allowed ? blame.kind : FenceKinds::full();
    FenceKinds& there = fences_[place];
    if (there.includes(wanted)) return false;
    there = there | wanted;
    result_.lessons.push_back({.places = {place},
                               .words = fmt::format("last in a wrong run, {}: {} after {}", blame.told,
                                                    to_string(wanted), name_of(task_.places[place]))});
    return true;
  }

  // "T2 does end 31 before end 26"
  std::string told(const ReplayedStep& early, const ReplayedStep& late) const {
    const ThreadId thread = early.step.thread;
    return fmt::format("{} does {} before {}", task_.program.thread(thread).name,
                       task_.program.step_name(thread, early.step.point),
                       task_.program.step_name(thread, late.step.point));
  }

  static std::string name_of(const Place& place) {
    if (!place.statement.name.empty()) return place.statement.name;
    return fmt::format("line {}", place.statement.begin.line);
  }

  Inference found() {
    const bool needed_none = fences_.empty();
    result_.reason = needed_none ? "it is right without further fences"
                                 : "verified; the rule of the last reordering does not promise the fewest";
    result_.placements = {placement()};
    result_.exact = result_.fewest = needed_none;
    result_.property = 0;
    return end(Inference::Outcome::kFound);
  }

  // It is shown as a run of the program as it is. Where nothing is overtaken, no fence had anything to do.
  Inference impossible(Result result) {
    const FenceSet none, fences = fence_set(task_.places, placement());
    TraceCounterexample shown{.trace = without_added_fences(query(fences), *result.trace()),
                              .replay = {},
                              .shortest = result.shortest() && fences.empty()};
    shown.replay = replay_queues(query(none), shown.trace);
    require(shown.replay.ok, "a run that overtakes nothing needs its fences");
    result.conclusion = std::move(shown);
    result_.reason = "no access overtakes another in this run, so no fence stops it";
    result_.results = {std::move(result)};
    return end(Inference::Outcome::kImpossible);
  }

  Inference unknown(std::string reason) {
    result_.results = {unknown_result(UnknownReason::kUnsupported, reason)};
    result_.reason = std::move(reason);
    return end(Inference::Outcome::kUnknown);
  }

  Inference end(Inference::Outcome outcome) {
    result_.outcome = outcome;
    return std::move(result_);
  }

  const InferenceTask& task_;
  std::map<size_t, FenceKinds> fences_;  // by place
  Inference result_;
};

}  // namespace

Inference infer_by_last_reordering(const InferenceTask& task) { return LastReordering(task).run(); }

}  // namespace fenceline
