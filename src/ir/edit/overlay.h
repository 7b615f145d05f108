// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program seen through a FenceSet. The points of a thread are those of its code, followed by one virtual
// point per fence of the overlay: the instruction that gets a fence leads to the virtual point, and that
// leads on to where the instruction led before.
#pragma once

#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/program.h"

namespace fenceline {

class Overlay {
 public:
  // Keeps references: both arguments must outlive the overlay.
  Overlay(const Program& program, const FenceSet& fences);

  const Program& program() const { return program_; }
  size_t points(ThreadId thread) const { return code_[thread.index()].size(); }
  const Instruction& at(ThreadId thread, Point point) const {
    return *code_[thread.index()][point.index()].instruction;
  }
  // Precondition: slot < at(thread, point).next.size().
  Point next(ThreadId thread, Point point, size_t slot) const {
    const Node& node = code_[thread.index()][point.index()];
    return node.redirected.valid() ? node.redirected : node.instruction->next[slot];
  }
  // True for the virtual point of a fence of the overlay.
  bool inserted(ThreadId thread, Point point) const {
    return point.index() >= program_.thread(thread).code.size();
  }
  // The instruction that the inserted fence is behind. Precondition: inserted(thread, point).
  Point inserted_after(ThreadId thread, Point point) const {
    return code_[thread.index()][point.index()].inserted_after;
  }

 private:
  struct Node {
    const Instruction* instruction;
    Point redirected;      // valid only right before an inserted fence
    Point inserted_after;  // valid only for an inserted fence
  };
  const Program& program_;
  std::vector<Instruction> inserted_;
  std::vector<std::vector<Node>> code_;  // by thread, by point
};

}  // namespace fenceline
