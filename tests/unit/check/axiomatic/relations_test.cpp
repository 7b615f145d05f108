// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bits against sets of pairs: every operator, on random relations of random sizes around one and two words.
#include "check/axiomatic/relations.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/rng.h"
#include "check/axiomatic/cat_evaluator.h"
#include "env/errors.h"
#include "unit/check/axiomatic/cat_builder.h"

namespace fenceline::testing {
namespace {

using Pairs = std::set<std::pair<size_t, size_t>>;
using Numbers = std::set<size_t>;

Pairs pairs(const check::Relation& r) {
  Pairs found;
  for (size_t a = 0; a < r.events(); ++a)
    for (size_t b = 0; b < r.events(); ++b)
      if (r.has(a, b)) found.insert({a, b});
  return found;
}

Numbers numbers(const check::EventSet& s) {
  Numbers found;
  for (size_t a = 0; a < s.events(); ++a)
    if (s.has(a)) found.insert(a);
  return found;
}

check::Relation random_relation(size_t events, Rng& rng) {
  check::Relation r(events);
  const uint64_t edges = rng.below(2 * events + 1);
  for (uint64_t i = 0; i < edges; ++i) r.add(rng.below(events), rng.below(events));
  return r;
}

check::EventSet random_set(size_t events, Rng& rng) {
  check::EventSet s(events);
  for (size_t a = 0; a < events; ++a)
    if (rng.chance(30)) s.add(a);
  return s;
}

Pairs sequence(const Pairs& x, const Pairs& y) {
  Pairs found;
  for (const auto& [a, b] : x)
    for (auto next = y.lower_bound({b, 0}); next != y.end() && next->first == b; ++next)
      found.insert({a, next->second});
  return found;
}

Pairs transitive(Pairs x) {
  for (size_t before = 0; before != x.size();) {
    before = x.size();
    const Pairs longer = sequence(x, x);
    x.insert(longer.begin(), longer.end());
  }
  return x;
}

bool has_loop(const Pairs& x) {
  return std::any_of(x.begin(), x.end(), [](const auto& p) { return p.first == p.second; });
}

class Relations : public ::testing::TestWithParam<size_t> {};

// The pairs, or the events, that are members.
Pairs pairs_with(size_t n, const auto& member) {
  Pairs result;
  for (size_t x = 0; x < n; ++x)
    for (size_t y = 0; y < n; ++y)
      if (member(x, y)) result.insert({x, y});
  return result;
}

Numbers events_with(size_t n, const auto& member) {
  Numbers result;
  for (size_t x = 0; x < n; ++x)
    if (member(x)) result.insert(x);
  return result;
}

TEST_P(Relations, AreLikeSetsOfPairs) {
  Rng rng(GetParam());
  for (int round = 0; round < 20; ++round) {
    const size_t n = GetParam();
    const check::Relation a = random_relation(n, rng), b = random_relation(n, rng);
    const check::EventSet s = random_set(n, rng), t = random_set(n, rng);
    const Pairs pa = pairs(a), pb = pairs(b);
    const Numbers ns = numbers(s), nt = numbers(t);
    check::Relation r(n);
    Pairs wanted;
    const auto all_pairs = [&](const auto& member) { wanted = pairs_with(n, member); };

    r.set_union(a, b);
    all_pairs([&](size_t x, size_t y) { return pa.count({x, y}) || pb.count({x, y}); });
    EXPECT_EQ(pairs(r), wanted);
    r.set_intersection(a, b);
    all_pairs([&](size_t x, size_t y) { return pa.count({x, y}) && pb.count({x, y}); });
    EXPECT_EQ(pairs(r), wanted);
    r.set_difference(a, b);
    all_pairs([&](size_t x, size_t y) { return pa.count({x, y}) && !pb.count({x, y}); });
    EXPECT_EQ(pairs(r), wanted);
    r.set_complement(a);
    all_pairs([&](size_t x, size_t y) { return !pa.count({x, y}); });
    EXPECT_EQ(pairs(r), wanted);
    EXPECT_EQ(r.empty(), wanted.empty());
    r.set_reflexive(a);
    all_pairs([&](size_t x, size_t y) { return pa.count({x, y}) || x == y; });
    EXPECT_EQ(pairs(r), wanted);
    r.set_inverse(a);
    all_pairs([&](size_t x, size_t y) { return pa.count({y, x}); });
    EXPECT_EQ(pairs(r), wanted);
    r.set_product(s, t);
    all_pairs([&](size_t x, size_t y) { return ns.count(x) && nt.count(y); });
    EXPECT_EQ(pairs(r), wanted);
    r.set_identity(s);
    all_pairs([&](size_t x, size_t y) { return x == y && ns.count(x); });
    EXPECT_EQ(pairs(r), wanted);
    r.set_sequence(a, b);
    EXPECT_EQ(pairs(r), sequence(pa, pb));
    r.set_transitive(a);
    EXPECT_EQ(pairs(r), transitive(pa));
    EXPECT_EQ(a.acyclic(), !has_loop(transitive(pa)));
    EXPECT_EQ(a.irreflexive(), !has_loop(pa));
  }
}

TEST_P(Relations, SetsOfEvents) {
  Rng rng(GetParam());
  for (int round = 0; round < 20; ++round) {
    const size_t n = GetParam();
    const check::Relation a = random_relation(n, rng);
    const check::EventSet s = random_set(n, rng), t = random_set(n, rng);
    const Pairs pa = pairs(a);
    const Numbers ns = numbers(s), nt = numbers(t);
    check::EventSet u(n);
    Numbers wanted_set;
    const auto all_events = [&](const auto& member) { wanted_set = events_with(n, member); };

    u.set_union(s, t);
    all_events([&](size_t x) { return ns.count(x) || nt.count(x); });
    EXPECT_EQ(numbers(u), wanted_set);
    u.set_intersection(s, t);
    all_events([&](size_t x) { return ns.count(x) && nt.count(x); });
    EXPECT_EQ(numbers(u), wanted_set);
    u.set_difference(s, t);
    all_events([&](size_t x) { return ns.count(x) && !nt.count(x); });
    EXPECT_EQ(numbers(u), wanted_set);
    u.set_complement(s);
    all_events([&](size_t x) { return !ns.count(x); });
    EXPECT_EQ(numbers(u), wanted_set);
    EXPECT_EQ(u.empty(), wanted_set.empty());
    u.set_domain(a);
    all_events([&](size_t x) {
      const auto from = pa.lower_bound({x, 0});
      return from != pa.end() && from->first == x;
    });
    EXPECT_EQ(numbers(u), wanted_set);
    u.set_range(a);
    all_events([&](size_t x) {
      return std::any_of(pa.begin(), pa.end(), [&](const auto& p) { return p.second == x; });
    });
    EXPECT_EQ(numbers(u), wanted_set);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Relations, ::testing::Values(1, 2, 5, 17, 63, 64, 65, 100, 130));

TEST(Relations, SparseOnesAreAcyclicSometimes) {
  Rng rng(7);
  size_t acyclic = 0;
  for (int round = 0; round < 300; ++round) {
    check::Relation r(round % 2 == 0 ? 20 : 90);
    for (size_t i = 0; i < r.events() / 2; ++i) r.add(rng.below(r.events()), rng.below(r.events()));
    EXPECT_EQ(r.acyclic(), !has_loop(transitive(pairs(r))));
    acyclic += r.acyclic();
  }
  EXPECT_GT(acyclic, 30u);
  EXPECT_LT(acyclic, 270u);
}

// ---- Terms and constraints

// Fills `names` with the relations, evaluates and gives back the evaluator.
check::CatEvaluator evaluated(const CatModel& model, size_t events,
                              const std::vector<std::pair<std::string, const check::Relation*>>& bases) {
  check::CatEvaluator evaluator(model);
  evaluator.begin(events);
  const auto fill = [&](auto terms) {
    for (const check::CatEvaluator::BaseTerm& base : terms)
      for (const auto& [name, relation] : bases)
        if (name == base.name) evaluator.relation(base.term) = *relation;
  };
  fill(evaluator.static_bases());
  evaluator.evaluate_static();
  fill(evaluator.dynamic_bases());
  return evaluator;
}

TEST(CatEvaluator, LetRecIsTheLeastSolution) {
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    const size_t n = 3 + rng.below(80);
    const check::Relation po = random_relation(n, rng), rf = random_relation(n, rng);
    CatBuilder b("rec");
    // let rec x = po | (x ; y) and y = rf | (y ; x)
    const CatTerm x = b.variable(false), y = b.variable(false);
    const CatTerm body_x = b.base("po") | (x >> y), body_y = b.base("rf") | (y >> x);
    b.define(x, body_x);
    b.define(y, body_y);
    b.irreflexive(x, "x");
    const CatModel model = b.finish();
    check::CatEvaluator evaluator = evaluated(model, n, {{"po", &po}, {"rf", &rf}});
    evaluator.violated();
    Pairs px, py;
    for (bool changed = true; changed;) {
      const size_t before = px.size() + py.size();
      for (const auto& p : pairs(po)) px.insert(p);
      for (const auto& p : pairs(rf)) py.insert(p);
      for (const auto& p : sequence(px, py)) px.insert(p);
      for (const auto& p : sequence(py, px)) py.insert(p);
      changed = px.size() + py.size() != before;
    }
    EXPECT_EQ(pairs(evaluator.relation(x.id)), px);
    EXPECT_EQ(evaluator.consistent(), !has_loop(px));
  }
}

TEST(CatEvaluator, ALaterLetRecMayUseTheComplementOfAnEarlierOne) {
  CatBuilder b("two");
  const CatTerm x = b.variable(false);
  const CatTerm y = b.variable(false);
  const CatTerm body_x = b.base("po") | (x >> b.base("po"));
  const CatTerm body_y = (b.base("rf") - x) | (y >> y);
  b.define(x, body_x);
  b.define(y, body_y);
  b.demand(ConstraintKind::kEmpty, y, "y");
  const CatModel model = b.finish();
  check::Relation po(3), rf(3);
  po.add(0, 1);
  po.add(1, 2);
  rf.add(0, 2);  // in po+
  rf.add(2, 1);
  check::CatEvaluator evaluator = evaluated(model, 3, {{"po", &po}, {"rf", &rf}});
  EXPECT_FALSE(evaluator.consistent());
  EXPECT_EQ(pairs(evaluator.relation(y.id)), (Pairs{{2, 1}}));
}

TEST(CatEvaluator, NoLeastSolutionThroughAComplement) {
  CatBuilder b("none");
  const CatTerm x = b.variable(false);
  b.define(x, b.base("po") - x);
  b.acyclic(x, "x");
  const CatModel model = b.finish();
  EXPECT_THROW(check::CatEvaluator{model}, Unsupported);
}

TEST(CatEvaluator, FlagsAndNegatedConstraints) {
  CatBuilder b("flags");
  const CatTerm rf = b.base("rf"), po = b.base("po");
  b.demand(ConstraintKind::kEmpty, rf & po, "race", true, true);      // flag ~empty
  b.demand(ConstraintKind::kEmpty, rf & po, "no race", false, true);  // flag empty
  b.demand(ConstraintKind::kAcyclic, rf, "has a cycle", true);        // ~acyclic
  const CatModel model = b.finish();
  check::Relation none(2), edge(2), cycle(2);
  edge.add(0, 1);
  cycle.add(0, 1);
  cycle.add(1, 0);
  check::CatEvaluator one = evaluated(model, 2, {{"po", &edge}, {"rf", &cycle}});
  EXPECT_FALSE(one.excluded());
  EXPECT_TRUE(one.consistent());
  EXPECT_EQ(one.flags(), std::vector<size_t>{0});
  check::CatEvaluator two = evaluated(model, 2, {{"po", &none}, {"rf", &edge}});
  EXPECT_FALSE(two.excluded());  // a cycle may still come
  EXPECT_FALSE(two.consistent());
  EXPECT_EQ(two.violated(), std::vector<size_t>{2});
  EXPECT_EQ(two.flags(), std::vector<size_t>{1});
}

TEST(CatEvaluator, WhatCanOnlyGetWorseIsExcluded) {
  CatBuilder b("partial");
  const CatTerm rf = b.base("rf"), po = b.base("po"), co = b.base("co");
  b.acyclic(po - rf, "shrinks");
  b.acyclic(~(~(rf | co)), "grows");
  b.acyclic(b.base("fr") & ~co, "neither");
  const CatModel model = b.finish();
  check::Relation cycle(2), none(2);
  cycle.add(0, 1);
  cycle.add(1, 0);
  EXPECT_FALSE(evaluated(model, 2, {{"po", &cycle}}).excluded());
  EXPECT_FALSE(evaluated(model, 2, {{"fr", &cycle}}).excluded());
  EXPECT_TRUE(evaluated(model, 2, {{"rf", &cycle}}).excluded());
  EXPECT_EQ(evaluated(model, 2, {{"po", &cycle}}).violated(), std::vector<size_t>{0});
}

}  // namespace
}  // namespace fenceline::testing
