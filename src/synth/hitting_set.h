// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cheapest set of elements that has one in common with every clause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fenceline::synth {

// Elements are numbers from 0 on; costs[e] >= 1 is what taking e costs.
using Clause = std::vector<size_t>;
using HittingSet = std::vector<size_t>;  // sorted, each element once

// A hitting set of the least cost; among several always the same one. None: some clause is empty, and nothing
// hits it. Precondition: elements of clauses are below costs.size().
std::optional<HittingSet> minimum_hitting_set(const std::vector<Clause>& clauses,
                                              const std::vector<uint64_t>& costs);

// All hitting sets of the least cost, sorted, but not more than `most`. None at all if some clause is empty.
std::vector<HittingSet> all_minimum_hitting_sets(const std::vector<Clause>& clauses,
                                                 const std::vector<uint64_t>& costs, size_t most);

uint64_t cost_of(const HittingSet& set, const std::vector<uint64_t>& costs);

}  // namespace fenceline::synth
