// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fences as an overlay: a set of (thread, point, kinds) that says "right after the instruction at this point,
// run this fence". A fence of no kind does nothing, but it is a place: a thread can stand there, and
// TransitionSystem::crossed() tells when it passes with stores waiting. Machines apply it while they run, so
// that synthesis can ask about thousands of placements without building thousands of programs.
#pragma once

#include <map>
#include <utility>

#include "ir/program.h"

namespace fenceline {

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
