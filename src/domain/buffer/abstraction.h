// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an abstract store buffer keeps. Which cells have pending stores is exact in all of them; they differ in
// what they keep of the order.
//
//   set    only which values are pending, per cell
//   fdK    the K oldest stores in order, the newest value of each cell, and of the summarised tail exactly
//          which values are pending ("fully disjunctive": buffers with different tails are different)
//   pdK    the same, but the tail is an upper bound: those values, or fewer ("partially disjunctive")
//
// Kuperstein, Vechev, Yahav: "Partial-Coherence Abstractions for Relaxed Memory Models", sections 4.1 to 4.3;
// docs/engine-coherence.md explains it with an example.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace fenceline::buffer {

struct Abstraction {
  enum class Kind : uint8_t { kSet, kFullyDisjunctive, kPartiallyDisjunctive };
  enum class Values : uint8_t { kExact, kIntervals, kParity };  // what is kept of a pending value

  Kind kind = Kind::kFullyDisjunctive;
  unsigned order = 1;  // K: how many of the oldest stores are kept in order
  Values values = Values::kExact;

  friend auto operator<=>(const Abstraction&, const Abstraction&) = default;
};

inline constexpr unsigned kMaxOrder = 8;

// "fd1", "set", with exact values. Throws UsageError, naming what there is, for anything else.
Abstraction parse_abstraction(std::string_view name);
std::string to_string(const Abstraction& abstraction);  // "fd1", "pd0 with intervals"

}  // namespace fenceline::buffer
