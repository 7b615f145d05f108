// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/paths.h"

#include <algorithm>
#include <set>

namespace fenceline::sat {

Paths::Paths(Circuit& circuit, StaticOrder order, const BitMatrix& steps, Cycles cycles, Step step)
    : circuit_(circuit),
      order_(std::move(order)),
      cycles_(cycles),
      step_(std::move(step)),
      n_(steps.size()),
      steps_(steps),
      open_(steps),
      starts_(n_),
      ends_(n_),
      built_(n_),
      reach_(n_ * n_, kFalse) {
  steps_.subtract(order_.pairs());
  open_ |= order_.pairs();
  open_ = open_.closure();
  open_.subtract(order_.pairs());
  steps_.for_all([&](size_t from, size_t to) { starts_[from] = ends_[to] = true; });
}

Lit Paths::reaches(size_t x, size_t y) {
  if (!built_[x]) build(cycles_ == Cycles::kForbidden ? std::nullopt : std::optional(x));
  return literal(x, y);
}

// Where a path from one to the other can be before its last step, and after its first one.
Paths::Alternatives Paths::compositions(size_t from, size_t to) const {
  Alternatives result;
  for (size_t k = 0; k < n_; ++k) {
    if (k == from || k == to) continue;
    if (cycles_ == Cycles::kForbidden && (comes_back(from, k) || comes_back(k, to))) continue;
    if (steps_.at(k, to) && open_.at(from, k)) result.before_last.push_back(static_cast<uint32_t>(k));
    if (steps_.at(from, k) && open_.at(k, to)) result.after_first.push_back(static_cast<uint32_t>(k));
  }
  return result;
}

// The literals of x, and of all that comes after it: those of x are made from them. Without x: all literals.
void Paths::build(std::optional<size_t> x) {
  std::vector<uint32_t> rows;
  for (const uint32_t row : order_.sorted())
    if ((!x || row == *x || order_.before(*x, row)) && !built_[row]) rows.push_back(row);
  std::reverse(rows.begin(), rows.end());
  // First all literals: to know what is a step may need these again, in a `let rec`.
  std::vector<std::pair<uint32_t, uint32_t>> fresh;
  for (const uint32_t from : rows) {
    built_[from] = true;
    for (const uint32_t to : order_.sorted()) {
      if (!open_.at(from, to) || (cycles_ == Cycles::kForbidden && comes_back(from, to))) continue;
      if (as_later(from)) {
        literal(from, to) = literal(order_.successors(from).front(), to);
      } else if (as_earlier(to)) {
        literal(from, to) = literal(from, order_.predecessors(to).front());
      } else {
        literal(from, to) = circuit_.fresh();
        fresh.emplace_back(from, to);
      }
    }
  }
  for (const auto& [from, to] : fresh) {
    const Lit reached = literal(from, to);
    const auto follows_from = [&](Lit part) {
      if (part != reached && part != kFalse) circuit_.implies(part, reached);
    };
    for (const uint32_t later : order_.successors(from)) follows_from(literal(later, to));
    for (const uint32_t earlier : order_.predecessors(to)) follows_from(literal(from, earlier));
    if (steps_.at(from, to)) follows_from(step_(from, to));
    if (starts_[from] && ends_[to]) compose(from, to, !x);
  }
  if (cycles_ == Cycles::kForbidden) forbid_cycles();
}

void Paths::compose(size_t from, size_t to, bool all_rows) {
  const Alternatives alternatives = compositions(from, to);
  const Lit reached = literal(from, to);
  if (!all_rows || alternatives.before_last.size() <= alternatives.after_first.size()) {
    for (const uint32_t k : alternatives.before_last)
      if (literal(from, k) != kFalse) circuit_.implies(literal(from, k), step_(k, to), reached);
  } else {
    for (const uint32_t k : alternatives.after_first)
      if (literal(k, to) != kFalse) circuit_.implies(step_(from, k), literal(k, to), reached);
  }
}

void Paths::forbid_cycles() {
  steps_.for_all([&](size_t from, size_t to) {
    if (comes_back(from, to)) circuit_.require({!step_(from, to)});
  });
  std::set<std::pair<Lit, Lit>> done;
  for (size_t x = 0; x < n_; ++x)
    for (size_t k = x + 1; k < n_; ++k) {
      const Lit there = literal(x, k), back = literal(k, x);
      if (there == kFalse || back == kFalse) continue;
      if (done.insert(std::minmax(there, back)).second) circuit_.require({!there, !back});
    }
}

uint64_t Paths::clauses() const {
  uint64_t clauses = 0;
  open_.for_all([&](size_t from, size_t to) {
    if (comes_back(from, to) || as_later(from) || as_earlier(to)) return;
    clauses += 2 + order_.successors(from).size() + order_.predecessors(to).size();
    if (!starts_[from] || !ends_[to]) return;
    const Alternatives alternatives = compositions(from, to);
    clauses += std::min(alternatives.before_last.size(), alternatives.after_first.size());
  });
  return clauses;
}

}  // namespace fenceline::sat
