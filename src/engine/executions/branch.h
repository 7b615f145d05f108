// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tree that the exploration walks through. At a branch it chooses: what a read reads, where a write is put or which
// read it revisits, what a havoc picks. The choices of a branch are numbered in the order in which they are explored. So a
// branch and the graph at hand are all that is needed to explore the rest of it elsewhere; and the numbers of the choices
// that lead to a graph are its position: graphs with smaller ones are explored before it by one job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/executions/explored_graph.h"
#include "engine/executions/graph.h"
#include "engine/executions/waiting_accesses.h"

namespace fenceline::executions {

// Two numbers per branch, from the root on: the choice, and which reading of the write that it reads (a thread may choose
// between alternatives). They are compared lexicographically.
using Position = std::vector<uint32_t>;

enum class BranchKind : uint8_t {
  kRead,     // which write the read reads, by place in coherence order, the last one first
  kWrite,    // at which place the write is, the last one first; then, which read it revisits
  kRevisit,  // at which place the write is that revisits a read
  kChoice,   // which value is picked
};

template <size_t kWords>
struct Branch {
  BranchKind kind = BranchKind::kRead;
  ThreadId thread;                 // its next event
  size_t depth = 0;                // of the graph, in revisits
  size_t events = 0;               // of the graph before the choice
  size_t level = 0;                // graphs that lead to it
  size_t next = 0, end = 0;        // choices that are not explored yet
  size_t reading = 0;              // of the choice at hand
  size_t highest = 0, places = 0;  // the place of choice 0, and how many places there are
  Bits<kWords> prefix, reads;      // kWrite: of the write; those that it might revisit
  ThreadId reader;                 // kRevisit: whose read is revisited,
  uint64_t time = 0;               // and when it was first added
};

// The rest of a branch, to be explored by another job.
template <size_t kWords>
struct Subtree {
  Position position;  // of the branch
  Branch<kWords> branch;
  Graph<kWords> graph;
  std::vector<std::vector<ThreadState<kWords>>> states;
  size_t unflagged = 0;
  typename WaitingAccesses<kWords>::Leading leading;
};

// `node` is the graph at hand, which has at least the events of the branch.
template <size_t kWords>
Subtree<kWords> rest_of(const Branch<kWords>& branch, Position position, const ExploredGraph<kWords>& node,
                        const WaitingAccesses<kWords>& waiting) {
  Graph<kWords> graph = node.graph;
  graph.assign_restricted(node.graph, Bits<kWords>::first(branch.events));
  auto states = node.states_of(graph);
  return {.position = std::move(position),
          .branch = branch,
          .graph = std::move(graph),
          .states = std::move(states),
          .unflagged = std::min(node.relations.unflagged(), branch.events),
          .leading = waiting.leading()};
}

}  // namespace fenceline::executions
