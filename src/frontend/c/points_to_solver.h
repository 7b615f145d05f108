// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inclusion constraints between sets of targets (points_to.h), and their solution.
//
// A node is the set of what one value may be; so is each piece of memory that a pointer was stored to. What flows from
// one node to another along an edge is moved on its way (targets.h). Loads and stores add edges when new targets of
// their pointer are found: from a store's value to the memory of the target, and from all memory that overlaps to the
// load's result. A node hands on what is new to it, and nothing twice (difference propagation); sets are sparse bit
// vectors over numbered targets. So the costs depend on how much there is to know, and not on the number of rounds.
//
// A set with more than `kMostOffsets` targets in one object has one with a stride instead, which covers them all. That
// makes the sets finite. What a target covers is not kept beside it.
//
// A part of a pointer carries its targets, as any other number does that is computed from it (AddressStep::kMix): what
// is made of parts of pointers again points into one of their objects, or nowhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/c/targets.h"

namespace fenceline::frontend::c {

inline constexpr size_t kMostOffsets = 64;  // of one object in one set

class PointsToConstraints {
 public:
  using Node = uint32_t;
  // What is stored through a pointer that could not be tracked: it may be anywhere.
  static constexpr Node kAnywhere = 0;

  struct Flow {
    Node from, to;
    std::vector<AddressStep> steps = {};
  };
  struct Load {
    Node pointer, to;
    uint64_t bytes, alignment;
    bool parts = false;  // the result is only a part of a pointer
  };
  struct Store {
    Node pointer, value;
    uint64_t bytes, alignment;
  };
  struct Copy {
    Node to, from;                  // pointers
    std::optional<int64_t> length;  // none: not known
  };
  struct Held {  // memory holds it at first
    Target at;
    Node value;
  };

  Node add_node() { return nodes++; }
  uint32_t add_object(uint64_t size) {
    sizes.push_back(size);
    return static_cast<uint32_t>(sizes.size() - 1);
  }

  uint32_t nodes = 1;
  std::vector<uint64_t> sizes;  // of objects, in bytes; 0: not known
  std::vector<std::pair<Node, Target>> targets;
  std::vector<std::pair<Node, uint32_t>> functions;  // by any number
  std::vector<Node> unknown;
  std::vector<Flow> flows;
  std::vector<Load> loads;
  std::vector<Store> stores;
  std::vector<Copy> copies;
  std::vector<Held> held;
};

struct PointsToSolution {
  struct Set {
    std::vector<Target> targets;  // sorted; none covers another one
    std::vector<uint32_t> functions;
    bool unknown = false;

    bool empty() const { return targets.empty() && functions.empty() && !unknown; }
  };
  std::vector<Set> nodes;
  std::vector<std::pair<Target, Set>> memory;  // what it holds, piece by piece
  uint64_t steps = 0;                          // targets that were handed on to another node
};

PointsToSolution solve(const PointsToConstraints& constraints);

}  // namespace fenceline::frontend::c
