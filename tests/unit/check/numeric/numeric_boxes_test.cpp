// SPDX-License-Identifier: GPL-3.0-or-later
//
// Certificates with bounds for each value: all states that are really reached at the
// same locations are put into one box. Then bounds are moved at random. What is accepted must have, where no
// stores are pending, a box for each state that is really reached.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "check/check_certificate.h"
#include "unit/check/numeric/numeric_case.h"

namespace fenceline::testing {
namespace {

struct Box {
  NumericState shape;                           // with numbers for what is not a dimension
  std::vector<std::pair<Value, Value>> bounds;  // of each term, in the order of terms_of()
};

std::vector<NumericTerm*> terms_of(NumericState& state) {
  std::vector<NumericTerm*> terms;
  for (auto& cell : state.memory) terms.push_back(&*cell);
  for (auto& registers : state.registers)
    for (auto& reg : registers) terms.push_back(&*reg);
  for (auto& buffer : state.buffers)
    for (auto& entry : buffer.entries) terms.push_back(&entry.value);
  return terms;
}

std::vector<Value> values_of(NumericState state) {
  std::vector<Value> values;
  for (const NumericTerm* term : terms_of(state)) values.push_back(std::get<Value>(term->what));
  return values;
}

bool same_shape(NumericState a, NumericState b) {
  for (NumericState* state : {&a, &b})
    for (NumericTerm* term : terms_of(*state)) *term = number(0);
  return a.locations == b.locations && a.buffers == b.buffers;
}

std::vector<Box> boxes_of(const NumericCertificate& exact_ones) {
  std::vector<Box> boxes;
  for (const NumericState& state : exact_ones.states) {
    const std::vector<Value> values = values_of(state);
    const auto found = std::find_if(boxes.begin(), boxes.end(),
                                    [&](const Box& box) { return same_shape(box.shape, state); });
    if (found == boxes.end()) {
      boxes.push_back({state, {}});
      for (const Value value : values) boxes.back().bounds.emplace_back(value, value);
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      found->bounds[i].first = std::min(found->bounds[i].first, values[i]);
      found->bounds[i].second = std::max(found->bounds[i].second, values[i]);
    }
  }
  return boxes;
}

NumericState as_state(const Box& box) {
  NumericState state = box.shape;
  state.disjuncts = {{}};
  const std::vector<NumericTerm*> terms = terms_of(state);
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [low, high] = box.bounds[i];
    if (low == high) {
      *terms[i] = number(low);
      continue;
    }
    const Dimension d = state.dimensions++;
    *terms[i] = dimension(d);
    state.disjuncts[0].push_back(at_least_zero({{d, 1}}, -low));
    state.disjuncts[0].push_back(at_least_zero({{d, -1}}, high));
  }
  return state;
}

bool in_a_box(const std::vector<Box>& boxes, const NumericState& state) {
  const std::vector<Value> values = values_of(state);
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    if (!same_shape(box.shape, state)) return false;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] < box.bounds[i].first || values[i] > box.bounds[i].second) return false;
    return true;
  });
}

const char* const kCounting[] = {
    "shared int x, y; thread P { int i; while (i < 4) { x = i; i = i + 1; } } thread Q { int r; r = x; y = r "
    "/ 2; }"
    "property p: always (y <= 1 && x <= 3);",
    "shared int x, y; thread P { int r; havoc r in -7..7; x = r % 3; r = r / 2; y = r; } thread Q { int s; s "
    "= y; }"
    "property p: always (x <= 2 && x >= -2 && y <= 3 && y >= -3);",
    "shared int x, y; thread P { int r; havoc r in 0..9; x = r & 6; y = r >> 1; } thread Q { int s; s = x; }"
    "property p: always (x <= 6 && y <= 4);",
    "shared int x, y; thread P { int r; havoc r in -2..2; x = (r < 0 ? -r : r); } thread Q { int s; s = x; y "
    "= s + s; }"
    "property p: always (x >= 0 && y <= 4);",
    "shared int a[3]; thread P { int i; havoc i in 0..2; a[i] = i; } thread Q { int r; r = a[1]; a[0] = r * "
    "3; }"
    "property p: always (a[0] <= 3);",
    "shared int x; thread P { int r; r = fetch_add(x, 2); r = cas(x, 2, 5); } thread Q { int r; r = xchg(x, "
    "1); }"
    "property p: always (x <= 5);",
    "shared int x, y; thread P { int r, s; atomic { r = x; x = r + 1; } s = y; assume(s != 1); y = s + r; }"
    "thread Q { int r; atomic { r = x; x = r + 1; } y = r; } property p: always (x <= 2);",
    "shared int 0..3 x; shared int y; thread P { int r; havoc r in 0..4; assume(r != 4); x = r; y = 8 - r; }"
    "thread Q { int r; r = x; assert(r <= 3); }",
    "shared int x; thread P { int r; havoc r in 1..3; x = 6 / r; } thread Q { int r; r = x; assert(r != 1); "
    "}",
};

TEST(NumericBoxes, BoundsAtRandom) {
  Rng rng(7);
  size_t accepted = 0, rejected = 0, right = 0;
  for (const char* model : {"sc", "tso", "pso"})
    for (const char* text : kCounting) {
      const Case subject = parse(text, model);
      const Exploration exploration = explore(subject.task(), 9, 20000);
      ASSERT_TRUE(exploration.complete);
      const bool holds = subject.check(subject.of<CoherenceCertificate>(exploration)).ok;
      EXPECT_TRUE(holds) << model << " " << text;
      const NumericCertificate exact_ones = at_cut_points(subject, exploration, all_cut_points(subject));
      EXPECT_EQ(subject.verdict(exact_ones), "ok") << model << " " << text;
      const std::vector<Box> tight = boxes_of(exact_ones);
      for (int round = 0; round < 80; ++round) {
        std::vector<Box> boxes = tight;
        const int changes = round == 0 ? 0 : static_cast<int>(rng.between(1, 2));
        for (int i = 0; i < changes; ++i) {
          Box& box = boxes[rng.below(boxes.size())];
          auto& [low, high] = box.bounds[rng.below(box.bounds.size())];
          (rng.chance(50) ? low : high) += rng.between(-1, 1);
          if (low > high) low = high;
        }
        NumericCertificate certificate = exact_ones;
        certificate.states.clear();
        for (const Box& box : boxes) certificate.states.push_back(as_state(box));
        const check::CertificateCheck check = subject.check(certificate);
        EXPECT_FALSE(check.gave_up);
        ++(check.ok ? accepted : rejected);
        right += check.ok && changes == 0 ? 1 : 0;
        if (!check.ok) continue;
        EXPECT_TRUE(holds) << model << " " << text;
        if (subject.buffering() != Buffering::kUnbuffered) continue;  // the checker flushes stores by itself
        for (const NumericState& state : exact_ones.states)
          EXPECT_TRUE(in_a_box(boxes, state)) << model << " " << text << " " << round;
      }
    }
  EXPECT_GT(right, 10u);
  EXPECT_GT(accepted, 50u);
  EXPECT_GT(rejected, 500u);
}

}  // namespace
}  // namespace fenceline::testing
