// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program without its loops: each thread as a graph without cycles, whose nodes are instructions of the
// program in a certain iteration of the loops around them.
//
// Every loop is unrolled as far as its bound says, each occurrence of it (in each iteration of the loops
// outside) on its own. Where a thread would iterate once more than that there is a node without successors,
// `beyond`: a thread that gets there has exceeded the bounds. Burckhardt, Alur, Martin: CheckFence (PLDI
// 2007), section 3.3.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ir/edit/overlay.h"

namespace fenceline::sat {

// Which occurrence of a loop: the thread, the loop, and the loops around it with their iterations.
using LoopInstance = std::vector<uint32_t>;

// How often the body of each loop is there; 1 for those not named.
using LoopBounds = std::map<LoopInstance, uint32_t>;

// Loops of threads, wherever they occur.
using LoopSet = std::set<std::pair<ThreadId, uint32_t>>;

class Unfolding {
 public:
  static constexpr uint32_t kNone = ~0U;

  // One iteration of one occurrence of a loop.
  struct Iteration {
    uint32_t loop = kNone;
    uint32_t number = 0;
    uint32_t outer = kNone;   // the iteration of the loop outside
    uint32_t header = kNone;  // the node with which it begins, if the thread enters it there
  };

  struct Edge {
    uint32_t from = kNone;
    uint32_t slot = 0;                // which successor of the instruction
    uint32_t ends_iteration = kNone;  // it leads from this iteration to the next one of the same loop
  };

  struct Node {
    ThreadId thread;
    Point point;
    uint32_t iteration = kNone;  // the innermost
    bool beyond = false;
    LoopInstance loop;  // beyond: whose bound this is
    std::vector<Edge> in;
    std::vector<uint32_t> out;  // by slot
  };

  // Throws Unsupported if it becomes too large to be of use.
  Unfolding(const Overlay& overlay, const LoopBounds& bounds);

  const std::vector<Node>& nodes() const { return nodes_; }  // in an order that agrees with all edges
  const std::vector<Iteration>& iterations() const { return iterations_; }
  const std::vector<uint32_t>& entries() const { return entries_; }  // by thread

 private:
  friend class Unfolder;
  std::vector<Node> nodes_;
  std::vector<Iteration> iterations_;
  std::vector<uint32_t> entries_;
};

}  // namespace fenceline::sat
