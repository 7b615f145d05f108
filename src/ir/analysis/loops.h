// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loops of a thread, nested: strongly connected parts, each with a header (the point at which the thread
// comes in first), and within them what is still connected when the edges to the header are removed. Loops
// that are entered in the middle (by goto) are loops as well.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/edit/overlay.h"

namespace fenceline {

class Loops {
 public:
  static constexpr uint32_t kNone = ~0U;

  Loops(const Overlay& overlay, ThreadId thread);

  // Loops are numbered from 0; a loop comes behind those around it.
  size_t size() const { return loops_.size(); }
  uint32_t innermost(Point point) const { return loop_of_[point.index()]; }
  Point header(uint32_t loop) const { return Point(loops_[loop].header); }
  uint32_t outer(uint32_t loop) const { return loops_[loop].outer; }
  bool contains(uint32_t loop, Point point) const;

 private:
  struct Loop {
    uint32_t header, outer;
  };

  void number_from(uint32_t entry);
  void divide(const std::vector<std::vector<uint32_t>>& graph, uint32_t outer);

  std::vector<std::vector<uint32_t>> successors_;
  std::vector<uint32_t> order_;    // in which a search from the entry meets the points
  std::vector<uint32_t> loop_of_;  // by point: the innermost
  std::vector<Loop> loops_;
};

}  // namespace fenceline
