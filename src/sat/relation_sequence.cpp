// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the encoder that is about compositions a; b.
//
// A pair (x, y) of it has an alternative for each event between. Where there are many, most of them are known
// on one side: x is before k in program order whatever happens, and whether (k, y) is in b is open. Then (x,
// y) follows from the same alternatives as its neighbour (x', y) and few more, so it follows from that one
// and from these: of n events in a row each costs a clause or two, not n. A literal for the static side says
// nothing about x; that x is executed is added where it is used.
#include <algorithm>
#include <numeric>
#include <utility>

#include "sat/relation_encoder.h"

namespace fenceline::sat {
namespace {

// Up to here each alternative is a clause.
constexpr size_t kFewAlternatives = 2;

}  // namespace

RelationEncoder::SharedRows RelationEncoder::shared_rows(const BitMatrix& matrix) {
  const size_t n = matrix.size();
  SharedRows rows{std::vector<uint32_t>(n), std::vector<uint32_t>(n, SharedRows::kNone),
                  std::vector<std::vector<uint32_t>>(n)};
  std::iota(rows.same.begin(), rows.same.end(), 0U);
  std::vector<uint32_t> sizes(n, 0), by_size(n);
  matrix.for_all([&](size_t x, size_t) { ++sizes[x]; });
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](uint32_t x, uint32_t y) { return sizes[x] < sizes[y]; });
  for (size_t i = 0; i < n; ++i) {
    const uint32_t x = by_size[i];
    for (size_t k = i; k-- > 0 && sizes[by_size[k]] > 0;) {
      const uint32_t part = rows.same[by_size[k]];
      if (!matrix.row_includes(x, part)) continue;
      (sizes[part] == sizes[x] ? rows.same : rows.part)[x] = part;
      break;
    }
    if (rows.same[x] != x) continue;
    const uint32_t part = rows.part[x];
    matrix.for_row(x, [&](size_t y) {
      if (part == SharedRows::kNone || !matrix.at(part, y)) rows.own[x].push_back(static_cast<uint32_t>(y));
    });
  }
  return rows;
}

const RelationEncoder::SharedRows& RelationEncoder::shared(TermId term, bool columns) {
  const auto [entry, is_new] = shared_[columns ? 1 : 0].try_emplace(term.value());
  if (is_new) entry->second = shared_rows(columns ? lower(term).inverse() : lower(term));
  return entry->second;
}

Lit RelationEncoder::at_least_one_of(std::vector<Lit> parts) {
  std::erase(parts, kFalse);
  if (parts.empty()) return kFalse;
  if (parts.size() == 1) return parts.front();
  const Lit result = circuit_.fresh();
  for (const Lit part : parts) circuit_.implies(part, result);
  return result;
}

Lit RelationEncoder::sequence(TermId id, size_t x, size_t y, Use use) {
  const Term& term = model_.term(id);
  // The identity on a set only selects: what follows implies that the event is executed.
  if (const Term& a = model_.term(term.a); a.op == TermOp::kIdentity)
    return circuit_.both(in(a.a, x, use), in(term.b, x, y, use));
  if (const Term& b = model_.term(term.b); b.op == TermOp::kIdentity)
    return circuit_.both(in(term.a, x, y, use), in(b.a, y, use));
  if (use == Use::kUpward) return composed(id, term.a, term.b, x, y);
  std::vector<Lit> any;
  upper(term.a).for_row(x, [&](size_t k) {
    if (upper(term.b).at(k, y)) any.push_back(circuit_.both(in(term.a, x, k, use), in(term.b, k, y, use)));
  });
  return circuit_.any(std::move(any));
}

// At least a; b, under the name `id`.
Lit RelationEncoder::composed(TermId id, TermId a, TermId b, size_t x, size_t y) {
  std::vector<size_t> between;
  size_t after = 0, before = 0;  // alternatives that are known on one side
  upper(a).for_row(x, [&](size_t k) {
    if (!upper(b).at(k, y)) return;
    between.push_back(k);
    if (lower(a).at(x, k))
      ++after;
    else if (lower(b).at(k, y))
      ++before;
  });
  const bool shares_after = after > kFewAlternatives, shares_before = before > kFewAlternatives;
  std::vector<std::pair<Lit, Lit>> alternatives;
  if (shares_after) alternatives.emplace_back(base_.executed(x), after_static(id, a, b, x, y));
  if (shares_before) alternatives.emplace_back(before_static(id, a, b, x, y), base_.executed(y));
  for (const size_t k : between) {
    if (lower(a).at(x, k) ? shares_after : shares_before && lower(b).at(k, y)) continue;
    if (k == x && lower(a).at(x, x))
      alternatives.emplace_back(in(b, x, y, Use::kUpward), kTrue);
    else if (k == y && lower(b).at(y, y))
      alternatives.emplace_back(in(a, x, y, Use::kUpward), kTrue);
    else
      alternatives.emplace_back(in(a, x, k, Use::kUpward), in(b, k, y, Use::kUpward));
  }
  std::erase_if(alternatives, [](const auto& pair) {
    return pair.first == kFalse || pair.second == kFalse || pair.first == !pair.second;
  });
  if (alternatives.empty()) return kFalse;
  if (alternatives.size() == 1) return circuit_.both(alternatives[0].first, alternatives[0].second);
  const Lit result = circuit_.fresh();
  for (const auto& [first, second] : alternatives) circuit_.implies(first, second, result);
  return result;
}

// There is a k with (x, k) in the lower bound of a, and (k, y) in b.
Lit RelationEncoder::after_static(TermId id, TermId a, TermId b, size_t x, size_t y) {
  const SharedRows& rows = shared(a, false);
  x = rows.same[x];
  const uint64_t key = pair_key(id, x, y, 0);
  if (const auto found = partial_[0].find(key); found != partial_[0].end()) return found->second;
  std::vector<Lit> parts;
  if (rows.part[x] != SharedRows::kNone) parts.push_back(after_static(id, a, b, rows.part[x], y));
  for (const uint32_t k : rows.own[x])
    if (upper(b).at(k, y)) parts.push_back(in(b, k, y, Use::kUpward));
  return partial_[0][key] = at_least_one_of(std::move(parts));
}

// There is a k with (x, k) in a, and (k, y) in the lower bound of b.
Lit RelationEncoder::before_static(TermId id, TermId a, TermId b, size_t x, size_t y) {
  const SharedRows& columns = shared(b, true);
  y = columns.same[y];
  const uint64_t key = pair_key(id, x, y, 0);
  if (const auto found = partial_[1].find(key); found != partial_[1].end()) return found->second;
  std::vector<Lit> parts;
  if (columns.part[y] != SharedRows::kNone) parts.push_back(before_static(id, a, b, x, columns.part[y]));
  for (const uint32_t k : columns.own[y])
    if (upper(a).at(x, k)) parts.push_back(in(a, x, k, Use::kUpward));
  return partial_[1][key] = at_least_one_of(std::move(parts));
}

}  // namespace fenceline::sat
