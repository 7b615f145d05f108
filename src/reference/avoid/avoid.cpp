// SPDX-License-Identifier: GPL-3.0-or-later
//
// Kuperstein, Vechev, Yahav: "Partial-Coherence Abstractions for Relaxed Memory Models", section 5.
//
//   prevent(t)  the ordering constraints that make the step t impossible: one of them (fully disjunctive
//               buffers), or all of them together (partially disjunctive ones)
//   avoid(s)    how a state is made unreachable: for every step t from r to s, avoid r or prevent t
//
// avoid is the greatest solution of L(s) = AND over t from r to s of (L(r) OR prevent(t)), with L(start) =
// false. All L start at true and only ever become stronger, so iterating over the graph until nothing changes
// finds it. What must hold is the conjunction of L over all bad states: a monotone formula over ordering
// constraints.
//
// The paper's formulas are over constraints; it takes a minimum set of constraints and then places fences for
// them. Several constraints may need the same fence, so that need not be the fewest fences. Here each
// constraint is replaced by what enforces it, a formula over fences (enforcement.h), before anything is
// solved. Replacing commutes with AND, OR and the fixed point, so the solution is the same; but there are
// some ten positions where there are a hundred constraints, and the decision diagrams stay small. (Measured with
// constraints as variables: Pet0 under pd2 had no solution after 12 s, now it takes 2.4 s, graph included.)
//
// "After the store" has to be a position between two steps, or a constraint could not be distinguished from
// the step itself; in this program every instruction is a point of its own, so it is.
#include "reference/avoid/avoid.h"

#include <bdd.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "env/errors.h"
#include "reference/avoid/bdd_owner.h"
#include "reference/avoid/enforcement.h"

namespace fenceline::reference {
namespace {

constexpr uint64_t kPollInterval = 1024;
constexpr size_t kMostPositions = 24;     // that are tried by enumeration
constexpr size_t kMostPlacements = 1000;  // that are listed

// What a set of positions has to satisfy; variable i represents position i.
class AvoidFormula {
 public:
  AvoidFormula(const Program& program, const std::vector<CandidatePosition>& positions, Limits& limits)
      : limits_(limits),
        owner_(std::max(1, static_cast<int>(positions.size()))),
        constraints_(program, positions) {}

  // Adds that every bad state of the graph has to be avoided. False if a limit was reached.
  bool add(const LabelledGraph& graph) {
    const std::vector<bdd> prevent = prevent_formulas(graph);
    const auto out = edges_by_source(graph);
    std::vector<bdd> avoid(graph.states, bddtrue);
    std::vector<bool> queued(graph.states, false);
    std::deque<uint32_t> todo;
    if (graph.states > 0) {
      avoid[0] = bddfalse;
      todo.push_back(0);
    }
    for (uint64_t turn = 1; !todo.empty(); ++turn) {
      if (turn % kPollInterval == 0 && limits_.poll(bytes_in_use()) != LimitReached::kNone) return false;
      const uint32_t from = todo.front();
      todo.pop_front();
      queued[from] = false;
      for (const auto& [to, prevented] : out[from]) {
        const bdd stronger = avoid[to] & (avoid[from] | prevent[prevented]);
        if (stronger == avoid[to]) continue;
        avoid[to] = stronger;
        if (!queued[to]) {
          queued[to] = true;
          todo.push_back(to);
        }
      }
    }
    for (const uint32_t bad : graph.errors) all_avoided_ &= avoid[bad];
    return true;
  }

  bool holds(const std::vector<bool>& fenced) const {
    bdd at = all_avoided_;
    while (at != bddtrue && at != bddfalse)
      at = fenced[static_cast<size_t>(bdd_var(at))] ? bdd_high(at) : bdd_low(at);
    return at == bddtrue;
  }

 private:
  // By constraint set.
  std::vector<bdd> prevent_formulas(const LabelledGraph& graph) {
    std::vector<bdd> formulas;
    for (const std::vector<OrderConstraint>& set : graph.constraint_sets) {
      bdd formula = set.empty() || graph.one_is_enough ? bddfalse : bddtrue;
      for (const OrderConstraint& constraint : set) {
        const bdd enforced = constraints_.enforced(constraint);
        formula = graph.one_is_enough ? formula | enforced : formula & enforced;
      }
      formulas.push_back(formula);
    }
    return formulas;
  }

  // By the state they leave: where to, and which constraint set.
  static std::vector<std::vector<std::pair<uint32_t, uint32_t>>> edges_by_source(const LabelledGraph& graph) {
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> out(graph.states);
    for (const LabelledGraph::Edge& edge : graph.edges) out[edge.from].emplace_back(edge.to, edge.prevent);
    for (auto& edges : out) {
      std::sort(edges.begin(), edges.end());
      edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    }
    return out;
  }

  static uint64_t bytes_in_use() { return static_cast<uint64_t>(bdd_getnodenum()) * 20; }

  Limits& limits_;
  BddOwner owner_;  // before the formulas: it must outlive them
  Enforcement constraints_;
  bdd all_avoided_ = bddtrue;
};

class AvoidInference {
 public:
  AvoidInference(const synth::SynthesisTask& task, const std::function<LabelledGraph(const Task&)>& graph_of,
                 Limits& limits)
      : task_(task), graph_of_(graph_of), formula_(task.program, task.candidates, limits) {}

  Synthesis run() {
    const FenceSet none;
    for (size_t property = 0; property < task_.properties.size(); ++property) {
      const LabelledGraph graph = graph_of_({task_.program, none, task_.model, task_.properties[property]});
      result_.statistics.states += graph.states;
      result_.statistics.transitions += graph.edges.size();
      if (!graph.complete) return unknown(graph.why_not, property);
      if (!formula_.add(graph))
        return unknown("a limit was reached while the avoid formulas were computed", property);
    }
    if (task_.candidates.size() > kMostPositions)
      return unknown(fmt::format("{} candidate positions are too many to enumerate their sets (at most {})",
                                 task_.candidates.size(), kMostPositions),
                     0);
    place_fences();
    return std::move(result_);
  }

 private:
  bool right(const std::vector<size_t>& positions) {
    ++result_.statistics.iterations;
    std::vector<bool> fenced(task_.candidates.size(), false);
    for (const size_t position : positions) fenced[position] = true;
    return formula_.holds(fenced);
  }

  // Sets of positions by increasing number, in lexical order.
  void place_fences() {
    std::vector<size_t> all(task_.candidates.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (!right(all)) {
      result_.outcome = Synthesis::Outcome::kUnknown;
      result_.reason = "no fences at the candidate positions avoid all error states of the abstract machine";
      result_.results.resize(1);
      result_.results.front().reason = result_.reason;
      return;
    }
    for (size_t size = 0; size <= all.size() && result_.placements.empty(); ++size) {
      std::vector<size_t> chosen;
      choose(0, size, chosen);
    }
    prove();
  }

  void choose(size_t first, size_t left, std::vector<size_t>& chosen) {
    if (!result_.placements.empty() && (!task_.all || result_.placements.size() == kMostPlacements)) return;
    if (left == 0) {
      if (!right(chosen)) return;
      Placement& placement = result_.placements.emplace_back();
      for (const size_t position : chosen) placement.push_back({position});
      return;
    }
    for (size_t position = first; position + left <= task_.candidates.size(); ++position) {
      chosen.push_back(position);
      choose(position + 1, left - 1, chosen);
      chosen.pop_back();
    }
  }

  // By the formulas the fences are sufficient; an engine has to verify it.
  void prove() {
    const FenceSet fences = synth::fence_set(task_.candidates, result_.placements.front());
    result_.outcome = Synthesis::Outcome::kFound;
    result_.reason = result_.placements.front().empty()
                         ? "all properties hold without further fences"
                         : "no smaller set of positions avoids all error states";
    // Never all_listed, nor minimal: a fence on the path that the counterexamples take may suffice where a
    // constraint requires fences on all paths.
    for (size_t property = 0; property < task_.properties.size(); ++property) {
      const Result result = task_.verify({task_.program, fences, task_.model, task_.properties[property]});
      ++result_.statistics.queries;
      require(result.verdict() != Verdict::kViolated,
              "fences that avoid all error states do not repair the program");
      if (result.verdict() == Verdict::kUnknown) {
        result_.outcome = Synthesis::Outcome::kUnknown;
        result_.reason = "the inferred fences could not be verified: " + result.reason;
        result_.property = property;
        result_.results = {result};
        return;
      }
      result_.results.push_back(result);
    }
  }

  Synthesis unknown(std::string reason, size_t property) {
    result_.outcome = Synthesis::Outcome::kUnknown;
    result_.reason = std::move(reason);
    result_.property = property;
    result_.results.resize(1);
    result_.results.front().reason = result_.reason;
    return std::move(result_);
  }

  const synth::SynthesisTask& task_;
  const std::function<LabelledGraph(const Task&)>& graph_of_;
  AvoidFormula formula_;
  Synthesis result_;
};

}  // namespace

Synthesis infer_by_avoiding(const synth::SynthesisTask& task,
                            const std::function<LabelledGraph(const Task&)>& graph_of, Limits& limits) {
  return AvoidInference(task, graph_of, limits).run();
}

}  // namespace fenceline::reference
