// SPDX-License-Identifier: GPL-3.0-or-later
//
// "This graph has no cycle", as clauses.
//
// Vertices are eliminated one after the other, those with few neighbours first: before v is removed, each
// edge into it and each edge out of it are joined to a new edge past it, and an edge that would join a vertex
// with itself is forbidden. A cycle survives as a shorter one until it is such an edge. Rankooh and Rintanen,
// Propositional Encodings of Acyclicity and Reachability by Using Vertex Elimination (AAAI 2022). The graphs
// of programs are long and thin, so few new edges arise; docs/decisions.md compares it with other encodings.
//
// Where there are many edges between threads, what is left after the cheap vertices is not thin: each of n
// accesses to a flag is next to each of n others, and to eliminate them takes n³ clauses. Then paths along
// the edges that are certain take fewer (paths.h). Up to which vertex it is elimination is found by trying.
#pragma once

#include <cstdint>
#include <vector>

#include "sat/circuit.h"

namespace fenceline::sat {

// Edges between nodes 0..size-1, each there if its condition holds. Several edges may join the same nodes.
struct ConditionalEdge {
  uint32_t from, to;
  Lit condition;
};
struct ConditionalGraph {
  size_t size = 0;
  std::vector<ConditionalEdge> edges;

  // Drops the edges that lie on no cycle whatever holds.
  void keep_cycles();
};

struct AcyclicFigures {
  uint64_t vertices = 0, edges = 0, added_edges = 0, clauses = 0;
};

AcyclicFigures require_acyclic(Circuit& circuit, const ConditionalGraph& graph);

// Its parts: vertices are eliminated as long as that takes no more clauses for one than `most`, and paths are
// followed in what is left; and which `most` is expected to take the fewest clauses. Nothing is added by
// that.
AcyclicFigures require_acyclic_by(Circuit& circuit, const ConditionalGraph& graph, uint64_t most);
uint64_t best_elimination_limit(Circuit& circuit, const ConditionalGraph& graph);

// This encoding or another one that means the same: benchmarks compare them.
using AcyclicEncoding = AcyclicFigures (*)(Circuit&, const ConditionalGraph&);

}  // namespace fenceline::sat
