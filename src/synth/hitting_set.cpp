// SPDX-License-Identifier: GPL-3.0-or-later
//
// Branch and bound. Take a clause that is not hit yet: one of its elements is in the set. Try them one after
// the other, and forbid each one after it was tried, so that no set is met twice. Two things keep the tree
// small:
//
//   - clauses that contain another clause are redundant and dropped beforehand;
//   - clauses that have no element in common need an element each. The sum of their cheapest elements is a
//     lower bound of the cost, and a branch that cannot become cheap enough is left.
//
// The clause to branch on is the one with the fewest elements that are still allowed; a clause with one such
// element is a forced move, and one with none ends the branch.
//
// Finding one minimum and listing all of them differ in the bound only: below the best cost so far, or up to
// the least cost. Instances of fence inference have tens of clauses over at most a few hundred positions, and
// this takes milliseconds; larger ones would need a MaxSAT solver.
#include "synth/hitting_set.h"

#include <algorithm>
#include <limits>
#include <set>

#include "env/errors.h"

namespace fenceline::synth {
namespace {

constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

// Sorted, without repetitions, and none that contains another.
std::vector<Clause> simplified(std::vector<Clause> clauses) {
  for (Clause& clause : clauses) {
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  }
  std::sort(clauses.begin(), clauses.end(), [](const Clause& a, const Clause& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  std::vector<Clause> kept;
  for (const Clause& clause : clauses) {
    const bool implied = std::any_of(kept.begin(), kept.end(), [&](const Clause& smaller) {
      return std::includes(clause.begin(), clause.end(), smaller.begin(), smaller.end());
    });
    if (!implied) kept.push_back(clause);
  }
  return kept;
}

class Search {
 public:
  Search(const std::vector<Clause>& clauses, const std::vector<uint64_t>& costs)
      : clauses_(simplified(clauses)), costs_(costs), state_(costs.size(), State::kOpen) {
    for (const Clause& clause : clauses_)
      for (const size_t element : clause) require(element < costs.size(), "a clause names no element");
  }

  // The least cost of a hitting set; found_ is one of that cost. kUnbounded: there is none.
  uint64_t minimise() {
    listing_ = false;
    bound_ = kUnbounded;
    branch();
    return bound_;
  }

  // All sets of cost `least` into `found`, up to `most` of them.
  void list(uint64_t least, size_t most, std::set<HittingSet>& found) {
    listing_ = true;
    bound_ = least;
    most_ = most;
    all_ = &found;
    branch();
  }

  const HittingSet& best() const { return best_; }

 private:
  enum class State : uint8_t { kOpen, kTaken, kForbidden };

  bool hit(const Clause& clause) const {
    return std::any_of(clause.begin(), clause.end(), [&](size_t e) { return state_[e] == State::kTaken; });
  }
  bool too_dear(uint64_t cost) const { return listing_ ? cost > bound_ : cost >= bound_; }
  bool done() const { return listing_ && all_->size() >= most_; }

  // What the clauses that are not hit cost at least; sets `next` to the one to branch on, if there is any.
  // kUnbounded: one of them cannot be hit any more.
  uint64_t lower_bound(const Clause*& next) {
    next = nullptr;
    size_t fewest = std::numeric_limits<size_t>::max();
    uint64_t sum = 0;
    used_.assign(costs_.size(), false);
    for (const Clause& clause : clauses_) {  // short ones first: they make the better bound
      if (hit(clause)) continue;
      size_t open = 0;
      uint64_t cheapest = kUnbounded;
      bool disjoint = true;
      for (const size_t element : clause) {
        if (state_[element] != State::kOpen) continue;
        ++open;
        cheapest = std::min(cheapest, costs_[element]);
        if (used_[element]) disjoint = false;
      }
      if (open == 0) return kUnbounded;
      if (open < fewest) {
        fewest = open;
        next = &clause;
      }
      if (!disjoint) continue;
      sum += cheapest;
      for (const size_t element : clause)
        if (state_[element] == State::kOpen) used_[element] = true;
    }
    return sum;
  }

  void branch() {
    const Clause* clause = nullptr;
    const uint64_t rest = lower_bound(clause);
    if (rest == kUnbounded || too_dear(cost_ + rest)) return;
    if (clause == nullptr) return take_down();
    std::vector<size_t> tried;
    for (const size_t element : *clause) {
      if (state_[element] != State::kOpen) continue;
      state_[element] = State::kTaken;
      taken_.push_back(element);
      cost_ += costs_[element];
      branch();
      cost_ -= costs_[element];
      taken_.pop_back();
      state_[element] = State::kForbidden;
      tried.push_back(element);
      if (done()) break;
    }
    for (const size_t element : tried) state_[element] = State::kOpen;
  }

  // Every clause is hit.
  void take_down() {
    HittingSet set = taken_;
    std::sort(set.begin(), set.end());
    if (listing_) {
      if (cost_ == bound_) all_->insert(std::move(set));
    } else {
      bound_ = cost_;
      best_ = std::move(set);
    }
  }

  const std::vector<Clause> clauses_;
  const std::vector<uint64_t>& costs_;
  std::vector<State> state_;  // by element
  std::vector<bool> used_;    // by element; scratch of lower_bound()
  std::vector<size_t> taken_;
  uint64_t cost_ = 0;  // of taken_
  uint64_t bound_ = kUnbounded;
  bool listing_ = false;
  size_t most_ = 0;
  HittingSet best_;
  std::set<HittingSet>* all_ = nullptr;
};

}  // namespace

uint64_t cost_of(const HittingSet& set, const std::vector<uint64_t>& costs) {
  uint64_t sum = 0;
  for (const size_t element : set) sum += costs[element];
  return sum;
}

std::optional<HittingSet> minimum_hitting_set(const std::vector<Clause>& clauses,
                                              const std::vector<uint64_t>& costs) {
  Search search(clauses, costs);
  if (search.minimise() == kUnbounded) return std::nullopt;
  return search.best();
}

std::vector<HittingSet> all_minimum_hitting_sets(const std::vector<Clause>& clauses,
                                                 const std::vector<uint64_t>& costs, size_t most) {
  Search search(clauses, costs);
  const uint64_t least = search.minimise();
  if (least == kUnbounded) return {};
  std::set<HittingSet> found;
  search.list(least, most, found);
  return {found.begin(), found.end()};
}

}  // namespace fenceline::synth
