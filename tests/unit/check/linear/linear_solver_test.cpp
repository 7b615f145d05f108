// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/linear/linear_solver.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"
#include "check/linear/simplex.h"
#include "check/numeric/numeric_state.h"

namespace fenceline::check {
namespace {

constexpr Dimension x = 0, y = 1, z = 2;

LinearForm form(std::initializer_list<std::pair<Dimension, int>> terms, Integer constant) {
  LinearForm result = LinearForm::of(constant);
  for (const auto& [d, c] : terms) result = combined(result, c, LinearForm::dimension(d));
  return result;
}

LinearSystem system_of(const std::vector<LinearFact>& facts) {
  LinearSystem system;
  for (const LinearFact& fact : facts) EXPECT_TRUE(system.add(fact));
  EXPECT_TRUE(system.feasible());
  return system;
}

TEST(LinearSolver, Forms) {
  const LinearForm sum = combined(form({{x, 2}, {y, -1}}, 3), 2, form({{x, -1}, {z, 1}}, 1));
  EXPECT_EQ(sum, form({{y, -1}, {z, 2}}, 5));
  EXPECT_EQ(sum.coefficient(x), 0);
  EXPECT_EQ(sum.coefficient(z), 2);
  const Integer large = Integer::power_of_two(100);
  EXPECT_EQ(scaled_form(scaled_form(form({{x, 1}}, 0), large), large).coefficient(x),
            Integer::power_of_two(200));
}

// Numbers of more than 128 bits, in the facts and in what becomes of them on the way.
TEST(LinearSolver, LargeNumbers) {
  const Integer large = Integer::power_of_two(150);
  LinearSystem contradiction;  // x >= 2^150, and y < 2^150 * x, and y >= 2^151 * x
  EXPECT_TRUE(contradiction.add({form({{x, 1}}, -large)}));
  EXPECT_TRUE(contradiction.add({combined(form({{y, -1}}, -1), large, form({{x, 1}}, 0))}));
  EXPECT_TRUE(contradiction.add({combined(form({{y, 1}}, 0), -2 * large, form({{x, 1}}, 0))}));
  EXPECT_FALSE(contradiction.feasible());
  // x >= 2^150 and y >= 2^150 * x.
  LinearSystem system =
      system_of({{form({{x, 1}}, -large)}, {combined(form({{y, 1}}, 0), -large, form({{x, 1}}, 0))}});
  EXPECT_TRUE(system.implies({form({{y, 1}}, -Integer::power_of_two(300))}));
  EXPECT_FALSE(system.implies({form({{y, 1}}, -Integer::power_of_two(300) - 1)}));
  // Fractions: 3 (2^150 + 1) x >= 2 z, 7 z >= 5 (2^150 - 1) y.
  system = system_of({{combined(scaled_form(form({{x, 3}}, 0), large + 1), -2, form({{z, 1}}, 0))},
                      {combined(form({{z, 7}}, 0), -5 * (large - 1), form({{y, 1}}, 0))},
                      {form({{y, 1}}, -1)}});
  EXPECT_TRUE(system.implies(
      {combined(scaled_form(form({{x, 21}}, 0), large + 1), -10 * (large - 1), form({{y, 1}}, 0))}));
  EXPECT_FALSE(system.implies(
      {combined(scaled_form(form({{x, 21}}, 0), large), -10 * (large - 1), form({{y, 1}}, 0))}));
  EXPECT_TRUE(system.implies({form({{x, 1}}, -1)}));
  // A common divisor.
  LinearFact fact{scaled_form(form({{x, 2}, {y, 4}}, 3), large), false};
  EXPECT_TRUE(tighten(fact));
  EXPECT_EQ(fact.form, form({{x, 1}, {y, 2}}, 1));
  fact = {combined(scaled_form(form({{x, 2}}, 0), large), 1, LinearForm::of(large)), true};
  EXPECT_FALSE(tighten(fact));
}

TEST(LinearSolver, Integers) {
  LinearFact fact{form({{x, 2}}, -1), false};
  EXPECT_TRUE(tighten(fact));
  EXPECT_EQ(fact.form, form({{x, 1}}, -1));
  fact = {form({{x, -3}, {y, 6}}, 7), false};
  EXPECT_TRUE(tighten(fact));
  EXPECT_EQ(fact.form, form({{x, -1}, {y, 2}}, 2));
  fact = {form({{x, 2}, {y, 4}}, 1), true};
  EXPECT_FALSE(tighten(fact));
}

TEST(LinearSolver, Implications) {
  const LinearSystem chain = system_of({{form({{y, 1}, {x, -1}}, 0)}, {form({{z, 1}, {y, -1}}, -1)}});
  EXPECT_TRUE(chain.implies({form({{z, 1}, {x, -1}}, -1)}));
  EXPECT_TRUE(chain.implies({form({{z, 1}, {x, -1}}, 5)}));
  EXPECT_FALSE(chain.implies({form({{z, 1}, {x, -1}}, -2)}));
  EXPECT_FALSE(chain.implies({form({{x, 1}}, 0)}));
  EXPECT_FALSE(chain.implies({form({{x, 1}, {7, 1}}, 0)}));
  EXPECT_FALSE(chain.implies({form({{z, 1}, {x, -1}}, -1), true}));
  EXPECT_TRUE(chain.implies({LinearForm::of(0), true}));
  EXPECT_FALSE(chain.implies({LinearForm::of(-1)}));
  // Equalities, also those that cannot be solved for a dimension.
  const LinearSystem equal =
      system_of({{form({{x, 2}, {y, -3}}, 0), true}, {form({{x, 1}}, 0)}, {form({{x, -1}}, 10)}});
  EXPECT_TRUE(equal.implies({form({{y, 1}}, 0)}));
  EXPECT_TRUE(equal.implies({form({{y, -1}}, 6)}));
  EXPECT_FALSE(equal.implies({form({{y, -1}}, 5)}));
  EXPECT_TRUE(equal.implies({form({{x, 4}, {y, -6}}, 0), true}));
  const LinearSystem solved = system_of({{form({{x, 1}, {y, -1}}, 1), true}, {form({{y, 1}}, 0)}});
  EXPECT_TRUE(solved.implies({form({{x, 1}}, 1)}));
  EXPECT_FALSE(solved.implies({form({{x, 1}}, 0)}));
  LinearSystem contradiction;
  EXPECT_TRUE(contradiction.add({form({{x, 1}, {y, -1}}, -1)}));
  EXPECT_TRUE(contradiction.add({form({{y, 1}, {z, -1}}, 0)}));
  EXPECT_TRUE(contradiction.add({form({{z, 1}, {x, -1}}, 0)}));
  EXPECT_FALSE(contradiction.feasible());
  LinearSystem seen_at_once;
  EXPECT_TRUE(seen_at_once.add({form({{x, 1}, {y, -1}}, -1)}));
  EXPECT_FALSE(seen_at_once.add({form({{y, 1}, {x, -1}}, 0)}));
}

// y == 2 follows from two inequalities; then 7 <= 2x and 3x <= 11, and no integer is between.
TEST(LinearSolver, TwoInequalitiesAreAnEquality) {
  LinearSystem system;
  EXPECT_TRUE(system.add({form({{x, 2}, {y, -1}}, -5)}));
  EXPECT_TRUE(system.add({form({{x, -3}, {y, 2}}, 7)}));
  EXPECT_TRUE(system.add({form({{y, -1}}, 2)}));
  EXPECT_TRUE(system.feasible());
  EXPECT_FALSE(system.add({form({{y, 1}}, -2)}));
}

// The pigeon-hole kind of query in which every fact is needed.
TEST(LinearSolver, SumsOfManyFacts) {
  std::vector<LinearFact> facts;
  LinearForm sum;
  for (Dimension d = 0; d < 25; ++d) {
    facts.push_back({form({{d, 3}, {(d + 1) % 25, -1}}, -2)});
    sum = combined(sum, 1, LinearForm::dimension(d));
  }
  const LinearSystem system = system_of(facts);
  EXPECT_TRUE(system.implies({less(sum, 25)}));
  EXPECT_FALSE(system.implies({less(sum, 26)}));
}

// ---- Against trying all integers of a box
// ------------------------------------------------------------------

Integer at(const LinearForm& f, const std::vector<int>& point) {
  Integer sum = f.constant;
  for (const auto& [d, c] : f.terms) sum += c * point[d];
  return sum;
}

bool holds(const LinearFact& fact, const std::vector<int>& point) {
  const Integer value = at(fact.form, point);
  return fact.equality ? value == 0 : value >= 0;
}

void each_point(size_t dimensions, int bound, const std::function<void(const std::vector<int>&)>& visit) {
  std::vector<int> point(dimensions, -bound);
  for (;;) {
    visit(point);
    size_t d = 0;
    while (d < dimensions && point[d] == bound) point[d++] = -bound;
    if (d == dimensions) return;
    ++point[d];
  }
}

LinearFact random_fact(Rng& rng, size_t dimensions, bool hard) {
  LinearFact fact;
  fact.form.constant = static_cast<int>(rng.below(9)) - 4;
  const int most = hard ? 3 : 1;
  for (Dimension d = 0; d < dimensions; ++d)
    if (rng.below(2) == 0)
      fact.form = combined(fact.form, static_cast<int>(rng.below(static_cast<uint64_t>(2 * most + 1))) - most,
                           LinearForm::dimension(d));
  fact.equality = rng.below(6) == 0;
  return fact;
}

TEST(LinearSolver, RandomImplications) {
  Rng rng(1);
  size_t yes = 0, no = 0, without = 0;
  for (int round = 0; round < 4000; ++round) {
    const size_t dimensions = 1 + rng.below(3);
    const int bound = 4;
    std::vector<LinearFact> facts;
    for (Dimension d = 0; d < dimensions; ++d) {
      facts.push_back({form({{d, 1}}, bound)});
      facts.push_back({form({{d, -1}}, bound)});
    }
    for (size_t i = 1 + rng.below(5); i > 0; --i)
      facts.push_back(random_fact(rng, dimensions, rng.below(2) == 0));
    std::vector<std::vector<int>> solutions;
    each_point(dimensions, bound, [&](const std::vector<int>& point) {
      for (const LinearFact& fact : facts)
        if (!holds(fact, point)) return;
      solutions.push_back(point);
    });
    LinearSystem system;
    bool possible = true;
    for (const LinearFact& fact : facts) possible = possible && system.add(fact);
    possible = possible && system.feasible();
    if (!possible) {
      EXPECT_TRUE(solutions.empty());
      ++without;
      continue;
    }
    for (int query = 0; query < 6; ++query) {
      const LinearFact fact = random_fact(rng, dimensions, true);
      const bool always = std::all_of(solutions.begin(), solutions.end(),
                                      [&](const std::vector<int>& point) { return holds(fact, point); });
      const bool answer = system.implies(fact);
      EXPECT_TRUE(always || !answer);
      EXPECT_EQ(answer, system.implies(fact));
      ++(answer ? yes : no);
    }
  }
  EXPECT_GT(yes, 1000u);
  EXPECT_GT(no, 1000u);
  EXPECT_GT(without, 100u);
}

// `no` is right about rationals: then there is a point that shows it. Of the answer of the simplex method
// every fact is looked at again.
TEST(LinearSolver, RandomPoints) {
  Rng rng(2);
  size_t found = 0, none = 0;
  for (int round = 0; round < 3000; ++round) {
    const size_t dimensions = 1 + rng.below(6);
    std::vector<LinearForm> forms;
    for (size_t i = 1 + rng.below(14); i > 0; --i) forms.push_back(random_fact(rng, dimensions, true).form);
    SimplexTable table(forms);
    if (!table.solve()) {
      ++none;
      each_point(std::min<size_t>(dimensions, 4), 2, [&](const std::vector<int>& integers) {
        std::vector<int> all = integers;
        all.resize(dimensions, 0);
        EXPECT_FALSE(
            std::all_of(forms.begin(), forms.end(), [&](const LinearForm& f) { return at(f, all) >= 0; }));
      });
      continue;
    }
    ++found;
    const auto value_now = [&](const LinearForm& f) {
      const auto point = table.point();
      Rational sum = f.constant;
      for (const auto& [d, c] : f.terms) sum = sum + Rational(c) * point.at(d);
      return sum;
    };
    for (const LinearForm& f : forms) EXPECT_FALSE(value_now(f).is_negative());
    // Queries leave it a solution, and are answered as if they were the first.
    for (int query = 0; query < 5; ++query) {
      LinearForm subject = random_fact(rng, dimensions, true).form, against = less_from(-1, subject);
      const bool answer = table.reaches_minus_one(subject);
      for (const LinearForm& f : forms) EXPECT_FALSE(value_now(f).is_negative());
      std::vector<LinearForm> more = forms;
      more.push_back(against);
      EXPECT_EQ(SimplexTable(more).solve(), answer);
    }
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(none, 500u);
}

// Systems whose answer is known by construction: a combination of the facts follows, and what a known point
// does not satisfy does not.
TEST(LinearSolver, LargerSystems) {
  Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    const size_t dimensions = 10 + rng.below(15);
    std::vector<int> point;
    for (size_t d = 0; d < dimensions; ++d) point.push_back(static_cast<int>(rng.below(21)) - 10);
    std::vector<LinearFact> facts;
    LinearForm combination;
    for (size_t i = 0; i < 40; ++i) {
      LinearFact fact;
      for (size_t k = 1 + rng.below(3); k > 0; --k)
        fact.form = combined(fact.form, static_cast<int>(rng.below(5)) - 2,
                             LinearForm::dimension(static_cast<Dimension>(rng.below(dimensions))));
      fact.equality = rng.below(8) == 0;
      fact.form.constant -= at(fact.form, point);
      if (!fact.equality) fact.form.constant += static_cast<int>(rng.below(3));
      facts.push_back(fact);
      if (rng.below(4) == 0) combination = combined(combination, static_cast<int>(rng.below(3)), fact.form);
    }
    const LinearSystem system = system_of(facts);
    EXPECT_TRUE(system.implies({combination}));
    combination.constant -= at(combination, point) + 1;
    EXPECT_FALSE(system.implies({combination}));
    for (const LinearFact& fact : facts) EXPECT_TRUE(system.implies(fact));
  }
}

// ---- Abstracting
// --------------------------------------------------------------------------------------------

TEST(LinearSolver, Projections) {
  Rng rng(4);
  size_t exact = 0;
  for (int round = 0; round < 3000; ++round) {
    const size_t dimensions = 2 + rng.below(2);
    const int bound = 3;
    std::vector<LinearFact> facts;
    for (size_t i = 1 + rng.below(5); i > 0; --i)
      facts.push_back(random_fact(rng, dimensions, rng.below(3) == 0));
    const Dimension eliminated = 0;
    // So that what is eliminated is never outside of what is tried.
    facts.push_back({form({{eliminated, 1}}, bound)});
    facts.push_back({form({{eliminated, -1}}, bound)});
    const auto loose = project(facts, {eliminated}, false), strict = project(facts, {eliminated}, true);
    ASSERT_TRUE(loose);
    exact += strict ? 1 : 0;
    each_point(dimensions, bound, [&](const std::vector<int>& point) {
      if (point[eliminated] != 0) return;
      bool some = false;
      for (int value = -bound; value <= bound; ++value) {
        std::vector<int> with = point;
        with[eliminated] = value;
        some |= std::all_of(facts.begin(), facts.end(), [&](const auto& fact) { return holds(fact, with); });
      }
      const auto all = [&](const std::vector<LinearFact>& left) {
        return std::all_of(left.begin(), left.end(), [&](const auto& fact) { return holds(fact, point); });
      };
      EXPECT_TRUE(!some || all(*loose));
      EXPECT_TRUE(!strict || all(*strict) == some);
    });
    for (const LinearFact& fact : *loose) EXPECT_EQ(fact.form.coefficient(eliminated), 0);
  }
  EXPECT_GT(exact, 1000u);
}

}  // namespace
}  // namespace fenceline::check
