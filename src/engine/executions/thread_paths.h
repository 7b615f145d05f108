// SPDX-License-Identifier: GPL-3.0-or-later
//
// The paths through a thread, as far as a data-flow analysis distinguishes them (thread_pairs.h): points, what the flags
// are there, and which loops are in their second iteration or a later one. Flags are registers that only ever get
// constants. Compilers make them of the exits of loops, and a path on which their values contradict each other is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bit_set.h"
#include "ir/analysis/loops.h"
#include "ir/edit/overlay.h"

namespace fenceline::executions {

class ThreadPaths {
 public:
  // Are iterations distinguished?
  enum class Iterations : uint8_t { kTogether, kFirstAndLater };

  struct Node {
    size_t rank = 0;  // of the point: those before it come first where there are no loops
    Point point;
    std::vector<Value> flags;
    BitSet iterated;
    bool operator<(const Node& other) const;
  };

  // Keeps a reference.
  ThreadPaths(const Overlay& overlay, ThreadId thread, Iterations iterations);

  // The points that can be reached, by rank: a reverse postorder.
  const std::vector<Point>& points() const { return points_; }
  Node first() const;
  // By number of the instruction's next points.
  bool is_possible(const Node& node, size_t slot) const;
  Node successor(const Node& node, size_t slot) const;

 private:
  const Instruction& at(Point point) const { return overlay_.at(thread_, point); }
  void rank_points();
  void find_flags();

  const Overlay& overlay_;
  const Program& program_;
  const ThreadId thread_;
  const Iterations iterations_;
  const Loops loops_;
  std::vector<Point> points_;
  std::vector<size_t> ranks_;  // by point
  std::vector<bool> is_flag_;  // by register
};

}  // namespace fenceline::executions
