// SPDX-License-Identifier: GPL-3.0-or-later
//
// Encodings of "no cycle" as clauses, on the formulas of real programs: how long until the solver has proved
// the property, and how large is the formula? Vertex elimination is what the engine uses; the others are here
// only. A row is one program with its loops unrolled as far as they go (or to the bound), on one model;
// encoding and solving count.
#include <benchmark/benchmark.h>

#include <string>

#include "engine/sat/formula.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "sat/acyclic.h"
#include "sat/bits.h"

namespace fenceline::bench {
namespace {

// CheckFence's encoding: an order of all nodes, a literal per pair, transitivity in clauses.
sat::AcyclicFigures all_pairs(sat::Circuit& circuit, const sat::ConditionalGraph& graph) {
  std::vector<uint32_t> nodes;
  std::vector<bool> used(graph.size);
  for (const sat::ConditionalEdge& edge : graph.edges) used[edge.from] = used[edge.to] = true;
  for (uint32_t node = 0; node < graph.size; ++node)
    if (used[node]) nodes.push_back(node);
  std::vector<std::vector<sat::Lit>> before(graph.size, std::vector<sat::Lit>(graph.size, sat::kFalse));
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t k = i + 1; k < nodes.size(); ++k) {
      before[nodes[i]][nodes[k]] = circuit.fresh();
      before[nodes[k]][nodes[i]] = !before[nodes[i]][nodes[k]];
    }
  for (const uint32_t x : nodes)
    for (const uint32_t y : nodes)
      for (const uint32_t z : nodes)
        if (x != y && y != z && x != z) circuit.implies(before[x][y], before[y][z], before[x][z]);
  for (const sat::ConditionalEdge& edge : graph.edges)
    circuit.implies(edge.condition, before[edge.from][edge.to]);
  return {};
}

// Each node has a time; edges lead to later ones.
sat::AcyclicFigures clocks(sat::Circuit& circuit, const sat::ConditionalGraph& graph) {
  sat::Arithmetic arithmetic(circuit);
  std::vector<sat::Bits> time;
  for (size_t node = 0; node < graph.size; ++node)
    time.push_back(arithmetic.fresh(Range{0, static_cast<Value>(graph.size)}));
  for (const sat::ConditionalEdge& edge : graph.edges)
    circuit.implies(edge.condition,
                    edge.from == edge.to ? sat::kFalse : arithmetic.less(time[edge.from], time[edge.to]));
  return {};
}

// Who reaches whom: a literal per pair that can, closed under edges.
sat::AcyclicFigures reachability(sat::Circuit& circuit, const sat::ConditionalGraph& graph) {
  std::vector<std::vector<sat::Lit>> reaches(graph.size, std::vector<sat::Lit>(graph.size, sat::kFalse));
  std::vector<bool> used(graph.size);
  for (const sat::ConditionalEdge& edge : graph.edges) used[edge.from] = used[edge.to] = true;
  for (size_t x = 0; x < graph.size; ++x)
    for (size_t y = 0; y < graph.size; ++y)
      if (used[x] && used[y] && x != y) reaches[x][y] = circuit.fresh();
  for (const sat::ConditionalEdge& edge : graph.edges) {
    if (edge.from == edge.to) circuit.require({!edge.condition});
    circuit.implies(edge.condition, reaches[edge.from][edge.to]);
    for (size_t z = 0; z < graph.size; ++z)
      if (reaches[edge.to][z] != sat::kFalse)
        circuit.implies(edge.condition, reaches[edge.to][z], reaches[edge.from][z]);
    circuit.require({!edge.condition, !reaches[edge.to][edge.from]});
  }
  return {};
}

void decide(benchmark::State& state, const std::string& file, const char* model, uint32_t bound,
            sat::AcyclicEncoding encoding) {
  const Program program =
      frontend::parse_fl(read_source_file(std::string(FENCELINE_CORPUS_DIR) + "/" + file));
  const FenceSet none;
  const Overlay overlay(program, none);
  const CatModel axioms = axioms_of(memory_model(model));
  uint64_t variables = 0, clauses = 0;
  for (auto _ : state) {
    sat::LoopBounds bounds;
    for (uint32_t round = 1; round < bound; ++round) {  // every loop gets the same bound
      const sat::Unfolding unfolding(overlay, bounds);
      for (const sat::Unfolding::Node& node : unfolding.nodes())
        if (node.beyond) bounds[node.loop] = round + 1;
    }
    sat::Formula formula(overlay, axioms, &program.properties.front(), bounds,
                         {.keep_one = {}, .acyclic = encoding});
    Limits limits(60);
    const sat::SatAnswer answer = formula.solver().solve({formula.violated()}, limits);
    if (answer == sat::SatAnswer::kLimit) state.SkipWithError("no answer in 60 s");
    variables = static_cast<uint64_t>(formula.solver().variables());
    clauses = formula.solver().clauses();
  }
  state.counters["variables"] = static_cast<double>(variables);
  state.counters["clauses"] = static_cast<double>(clauses);
}

struct Subject {
  const char *file, *model;
  uint32_t bound;
};

int register_all() {
  for (const Subject& subject :
       {Subject{"queue/michaelscott.pso.fl", "pso", 2}, Subject{"queue/treiber.pso.fl", "tso", 2},
        Subject{"mutex/peterson.tso.fl", "tso", 3}, Subject{"mutex/bakery.3.tso.fl", "tso", 2},
        Subject{"litmus/sb.4+fences.fl", "tso", 1}})
    for (const auto& [name, encoding] :
         {std::pair{"elimination", &sat::require_acyclic}, std::pair{"all_pairs", &all_pairs},
          std::pair{"clocks", &clocks}, std::pair{"reachability", &reachability}}) {
      const std::string title = std::string("acyclic/") + subject.file + "/" + subject.model + "/" + name;
      benchmark::RegisterBenchmark(title.c_str(), [subject, encoding](benchmark::State& state) {
        decide(state, subject.file, subject.model, subject.bound, encoding);
      })->Unit(benchmark::kMillisecond);
    }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace fenceline::bench
