// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/invariant.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::numeric {
namespace {

constexpr unsigned kOpenedPerDisjunct = 4;

}  // namespace

uint64_t Invariant::sets() const {
  uint64_t count = 0;
  for (const Node& node : nodes_) count += node.disjuncts.size();
  return count;
}

bool Invariant::out_of_limits() {
  limit_ = steps_ % 16 == 0 ? limits_.poll_process() : limits_.poll();
  return limit_ != LimitReached::kNone;
}

AbstractMachine::Sink Invariant::sink(std::function<void(PartitionedState&&)> reached) {
  return {std::move(reached), [this](const AbstractState& state, ThreadId thread) {
            some_step_fails_ = true;
            const Point point = state.locations[thread.index()];
            if (!errors_matter && !plan_.is_cut_point(thread, point) && !plan_.inside_section(thread, point))
              stuck_at_ = {thread, point};
            if (errors_matter && state.exact) bad_ = true;
          }};
}

Invariant::Outcome Invariant::compute() {
  const AbstractMachine::Sink found = sink([this](PartitionedState&& state) { add(std::move(state)); });
  machine_.initial(found);
  while (next_ < work_.size() && !bad_ && !stuck_at_) {
    const size_t n = work_[next_++];
    nodes_[n].queued = false;
    ++nodes_[n].visits;
    for (size_t d = 0; d < nodes_[n].disjuncts.size(); ++d) {
      if (nodes_[n].disjuncts[d].done) continue;
      nodes_[n].disjuncts[d].done = true;
      AbstractState state = nodes_[n].state;
      state.element = nodes_[n].disjuncts[d].element;
      state.exact = nodes_[n].disjuncts[d].exact;
      machine_.successors(state, found);
      ++steps_;
      if (out_of_limits()) return Outcome::kLimit;
      if (options_.most_work != 0 && work() >= options_.most_work) return Outcome::kGaveUp;
    }
    if (next_ > 4096 && next_ * 2 > work_.size()) {
      work_.erase(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(next_));
      next_ = 0;
    }
  }
  return bad_ ? Outcome::kBadState : stuck_at_ ? Outcome::kStuck : Outcome::kFixpoint;
}

// A step costs more than its operations on abstract elements.
uint64_t Invariant::work() const {
  constexpr uint64_t kPerStep = 20'000, kUnit = 1'000'000;
  return (PplSession::work() - work_before_ + steps_ * kPerStep) / kUnit;
}

void Invariant::add(PartitionedState&& found) {
  if (bad_) return;
  const auto [at, fresh] = index_.try_emplace(found.partition, nodes_.size());
  if (fresh) {
    nodes_.push_back({found.state, {}});
    nodes_.back().state.element = AbstractElement(found.state.element.domain());
    for (size_t t = 0; t < plan_.threads(); ++t)
      nodes_.back().loop_head =
          nodes_.back().loop_head || plan_.loop_head(ThreadId(t), found.state.locations[t]);
  }
  if (found.state.exact && is_bad && is_bad(found.state)) bad_ = true;
  const size_t n = at->second;
  add_to(nodes_[n], std::move(found.state.element), found.state.exact);
  const auto to_do = [](const Disjunct& disjunct) { return !disjunct.done; };
  Node& node = nodes_[n];
  if (!node.queued && std::any_of(node.disjuncts.begin(), node.disjuncts.end(), to_do)) {
    node.queued = true;
    work_.push_back(n);
  }
}

void Invariant::add_to(Node& node, AbstractElement&& element, bool exact) {
  for (const Disjunct& disjunct : node.disjuncts)
    if (disjunct.element.subsumes(element)) return;
  const bool widen = node.loop_head && node.visits > options_.delay;
  if (node.disjuncts.size() < options_.disjuncts && !widen &&
      node.opened < options_.disjuncts * kOpenedPerDisjunct) {
    node.disjuncts.push_back({std::move(element), false, exact});
    ++node.opened;
    return;
  }
  Disjunct& like = most_alike(node, element);
  AbstractElement joined = like.element;
  joined.join(element);
  if (widen) {
    if (options_.use_thresholds && like.widened < options_.threshold_widenings)
      joined.widen_with_thresholds(like.element, plan_.thresholds());
    else
      joined.widen(like.element);
    // Successors are cut to these ranges. Their origins must be, too: else the sets would be closed under
    // steps only for a checker that knows the ranges.
    joined = machine_.within_ranges(node.state, std::move(joined));
    ++like.widened;
  }
  like.element = std::move(joined);
  like.done = like.exact = false;
  // Drop what it subsumes now.
  const auto kept = static_cast<size_t>(&like - node.disjuncts.data());
  for (size_t d = node.disjuncts.size(); d-- > 0;)
    if (d != kept && node.disjuncts[kept].element.subsumes(node.disjuncts[d].element)) {
      node.disjuncts.erase(node.disjuncts.begin() + static_cast<std::ptrdiff_t>(d));
      return;  // one at a time: indices have moved
    }
}

// The disjunct that would lose the fewest constraints.
Invariant::Disjunct& Invariant::most_alike(Node& node, const AbstractElement& element) {
  size_t best = 0, fewest = ~size_t{0};
  if (node.disjuncts.size() == 1) return node.disjuncts.front();
  for (size_t d = 0; d < node.disjuncts.size(); ++d) {
    size_t lost = 0;
    for (const LinearConstraint& constraint : node.disjuncts[d].element.constraints()) {
      const Range range = element.bounds(constraint.expression);
      if (range.lo < 0 || (constraint.equality && range.hi > 0)) ++lost;
    }
    if (lost < fewest) best = d, fewest = lost;
  }
  return node.disjuncts[best];
}

// A set subsumes all that flows into it. The join of what flows in is a smaller set, and the smaller sets
// still subsume all that flows out of them: steps are monotone.
Invariant::Outcome Invariant::narrow() {
  some_step_fails_ = false;
  std::vector<std::vector<AbstractElement>> joined(nodes_.size());
  for (size_t n = 0; n < nodes_.size(); ++n)
    for (const Disjunct& disjunct : nodes_[n].disjuncts) {
      joined[n].push_back(disjunct.element);
      joined[n].back().assume({Linear::of(-1), false});
    }
  const AbstractMachine::Sink found = sink([&](PartitionedState&& state) {
    const size_t n = index_.at(state.partition);
    for (size_t d = 0; d < nodes_[n].disjuncts.size(); ++d)
      if (nodes_[n].disjuncts[d].element.subsumes(state.state.element)) {
        joined[n][d].join(state.state.element);
        return;
      }
    throw Bug("an invariant is not closed under steps");
  });
  machine_.initial(found);
  for (const Node& node : nodes_)
    for (const Disjunct& disjunct : node.disjuncts) {
      AbstractState state = node.state;
      state.element = disjunct.element;
      state.exact = disjunct.exact;
      machine_.successors(state, found);
      ++steps_;
      if (out_of_limits()) return Outcome::kLimit;
    }
  for (size_t n = 0; n < nodes_.size(); ++n) {
    std::vector<Disjunct> smaller;
    for (size_t d = 0; d < joined[n].size(); ++d)
      if (!joined[n][d].empty())
        // A join may be simplified, and then it need not be smaller.
        smaller.push_back({nodes_[n].disjuncts[d].element.subsumes(joined[n][d])
                               ? joined[n][d]
                               : nodes_[n].disjuncts[d].element,
                           true, nodes_[n].disjuncts[d].exact, nodes_[n].disjuncts[d].widened});
    nodes_[n].disjuncts = std::move(smaller);
  }
  return Outcome::kFixpoint;
}

}  // namespace fenceline::numeric
