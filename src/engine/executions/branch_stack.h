// SPDX-License-Identifier: GPL-3.0-or-later
//
// The branches that lead to the graph at hand, from the root of the tree, or of what was given to this job, on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/executions/branch.h"

namespace fenceline::executions {

template <size_t kWords>
class BranchStack {
 public:
  // Only this branch is open, the rest of one at the given position.
  Branch<kWords>& begin_with(const Branch<kWords>& rest, Position position) {
    base_ = std::move(position);
    open_ = 0;
    Branch<kWords>& branch = push();
    branch = rest;
    branch.depth = branch.reading = 0;
    return branch;
  }
  // The branches that are opened next begin with the choices that lead to this leaf. Precondition: none is open.
  void resume_at(Position leaf) { resumed_ = std::move(leaf); }

  // A branch of a graph; its choices are to be set. The reference stays valid until it is closed.
  Branch<kWords>& open(BranchKind kind, const Graph<kWords>& graph, size_t depth, size_t level,
                       ThreadId thread) {
    Branch<kWords>& branch = push();
    branch.kind = kind;
    branch.thread = thread;
    branch.depth = depth;
    branch.level = level;
    branch.events = graph.size();
    branch.next = branch.reading = 0;
    if (const size_t at = 2 * (open_ - 1); at < resumed_.size()) {
      branch.next = resumed_[at];
      branch.reading = resumed_[at + 1];
      if (at + 2 == resumed_.size()) resumed_.clear();
    }
    return branch;
  }
  void close() { --open_; }

  Branch<kWords>& at(size_t i) { return *branches_[i]; }
  // The first one that has choices left.
  std::optional<size_t> first_with_rest() const {
    for (size_t i = 0; i < open_; ++i)
      if (branches_[i]->next < branches_[i]->end) return i;
    return std::nullopt;
  }

  // Of the graph at hand; of the i-th branch.
  Position position() const { return position(open_); }
  Position position(size_t i) const {
    Position result = base_;
    for (size_t b = 0; b < i; ++b) {
      result.push_back(static_cast<uint32_t>(branches_[b]->next - 1));
      result.push_back(static_cast<uint32_t>(branches_[b]->reading));
    }
    return result;
  }

 private:
  Branch<kWords>& push() {
    if (branches_.size() == open_) branches_.push_back(std::make_unique<Branch<kWords>>());
    return *branches_[open_++];
  }

  std::vector<std::unique_ptr<Branch<kWords>>> branches_;  // the first ones are open
  size_t open_ = 0;
  Position base_;     // of the first one
  Position resumed_;  // not empty: on the way there
};

}  // namespace fenceline::executions
