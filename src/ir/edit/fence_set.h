// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fences as an overlay: a set of (thread, point, kinds): right after the instruction at this point, execute
// this fence. A fence of no kind does nothing: it marks a monitored position, and
// TransitionSystem::violated_orderings() reports when a thread passes it with pending stores. Machines apply
// the overlay on the fly, so that synthesis can verify thousands of placements without building as many
// programs.
#pragma once

#include <map>
#include <utility>

#include "ir/program.h"

namespace fenceline {

// A monitored position (a fence of no kind in the FenceSet: thread, and point that it is after) that an execution
// passes with stores of its thread still pending. A full fence there would prevent the execution.
using ViolatedOrdering = std::pair<ThreadId, Point>;

class FenceSet {
 public:
  // Adds to what is there already. Precondition: the instruction has exactly one successor.
  void add(ThreadId thread, Point after, FenceKinds kinds) {
    FenceKinds& slot = fences_[{thread, after}];
    slot = slot | kinds;
  }
  FenceKinds after(ThreadId thread, Point point) const {
    const auto found = fences_.find({thread, point});
    return found == fences_.end() ? FenceKinds() : found->second;
  }
  bool empty() const { return fences_.empty(); }
  size_t size() const { return fences_.size(); }
  const std::map<std::pair<ThreadId, Point>, FenceKinds>& all() const { return fences_; }

 private:
  std::map<std::pair<ThreadId, Point>, FenceKinds> fences_;
};

}  // namespace fenceline
