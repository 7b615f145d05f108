// SPDX-License-Identifier: GPL-3.0-or-later
//
// The solver of points-to constraints beside a naive one, on random constraints. The naive one knows nothing of strides
// and of what is new: targets are single offsets within a window, and all constraints are applied until nothing
// changes. Whatever it finds must be covered; where the solver has only single offsets, both must agree. What is
// removed from the constraints of one of the two must be noticed.
#include "frontend/c/points_to_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace fenceline::frontend::c {
namespace {

using Constraints = PointsToConstraints;
using Set = PointsToSolution::Set;

constexpr int64_t kFirst = -40, kEnd = 72;  // the window

Target exactly(uint32_t object, int64_t offset) { return {object, offset, 0}; }

// ---- The naive solver ----

struct Exact {
  std::set<std::pair<uint32_t, int64_t>> targets;
  std::set<uint32_t> functions;
  bool unknown = false;

  bool empty() const { return targets.empty() && functions.empty() && !unknown; }
  friend bool operator==(const Exact&, const Exact&) = default;
};

std::set<int64_t> offsets_after(const AddressStep& step, int64_t at) {
  std::set<int64_t> result;
  switch (step.kind) {
    case AddressStep::Kind::kMove:
      return {at + step.number};
    case AddressStep::Kind::kIndex:
      for (int64_t to = kFirst; to < kEnd; ++to) {
        const int64_t distance = to - at;
        if (step.number == 0 ? distance != 0 : distance % step.number != 0) continue;
        const int64_t times = step.number == 0 ? 0 : distance / step.number;
        if (step.count != 0 ? times >= 0 && times < static_cast<int64_t>(step.count)
                            : !step.upwards || times >= 0)
          result.insert(to);
      }
      return result;
    case AddressStep::Kind::kMask:
      return {at - (((at % step.number) + step.number) % step.number)};
    case AddressStep::Kind::kMark:
      return {at, at | step.number, at & ~step.number, at ^ step.number};
    case AddressStep::Kind::kMix:
      for (int64_t to = kFirst; to < kEnd; ++to) result.insert(to);
      return result;
  }
  return result;
}

class Naive {
 public:
  explicit Naive(const Constraints& constraints) : constraints_(constraints), nodes(constraints.nodes) {
    for (bool changed = true; changed;) {
      const auto nodes_before = nodes;
      const auto memory_before = memory_;
      apply();
      changed = nodes != nodes_before || memory_ != memory_before;
    }
  }

 private:
  const Constraints& constraints_;
  std::map<std::pair<uint32_t, int64_t>, Exact> memory_;

 public:
  std::vector<Exact> nodes;

 private:
  static void add(Exact& into, const Exact& from) {
    for (const auto& target : from.targets)
      if (target.second >= kFirst && target.second < kEnd) into.targets.insert(target);
    into.functions.insert(from.functions.begin(), from.functions.end());
    into.unknown |= from.unknown;
  }

  static Exact mixed(const Exact& value) {
    Exact result{{}, value.functions, value.unknown};
    for (const auto& [object, offset] : value.targets)
      for (int64_t to = kFirst; to < kEnd; ++to) result.targets.insert({object, to});
    return result;
  }

  bool is_accessible(const std::pair<uint32_t, int64_t>& target, uint64_t bytes, uint64_t alignment) const {
    const auto size = static_cast<int64_t>(constraints_.sizes[target.first]);
    return target.second % static_cast<int64_t>(alignment) == 0 && target.second >= 0 &&
           target.second + static_cast<int64_t>(bytes) <= size;
  }

  void apply() {
    for (const auto& [node, target] : constraints_.targets)
      nodes[node].targets.insert({target.object, target.offset});
    for (const auto& [node, function] : constraints_.functions) nodes[node].functions.insert(function);
    for (const auto node : constraints_.unknown) nodes[node].unknown = true;
    for (const auto& held : constraints_.held)
      add(memory_[{held.at.object, held.at.offset}], nodes[held.value]);
    for (const auto& flow : constraints_.flows) apply(flow);
    for (const auto& load : constraints_.loads) apply(load);
    for (const auto& store : constraints_.stores) apply(store);
    for (const auto& copy : constraints_.copies) apply(copy);
  }

  void apply(const Constraints::Flow& flow) {
    Exact now = nodes[flow.from];
    for (const AddressStep& step : flow.steps) {
      Exact next{{}, now.functions, now.unknown};
      for (const auto& [object, offset] : now.targets)
        for (const int64_t to : offsets_after(step, offset)) next.targets.insert({object, to});
      now = next;
    }
    add(nodes[flow.to], now);
  }

  void apply(const Constraints::Load& load) {
    const Exact pointer = nodes[load.pointer];
    Exact result = nodes[Constraints::kAnywhere];
    result.unknown |= pointer.unknown;
    for (const auto& target : pointer.targets) {
      if (!is_accessible(target, load.bytes, load.alignment)) continue;
      for (const auto& [place, content] : memory_) {
        const int64_t distance = place.second - target.second;
        if (place.first != target.first || distance <= -8 || distance >= static_cast<int64_t>(load.bytes))
          continue;
        if (distance >= 0 && distance + 8 <= static_cast<int64_t>(load.bytes))
          add(result, content);
        else
          add(result, mixed(content));
      }
    }
    if (load.parts) result = mixed(result);
    add(nodes[load.to], result);
  }

  void apply(const Constraints::Store& store) {
    const Exact pointer = nodes[store.pointer], value = nodes[store.value];
    if (value.empty()) return;
    for (const auto& target : pointer.targets)
      if (is_accessible(target, store.bytes, store.alignment))
        for (int64_t word = 0; word + 8 <= static_cast<int64_t>(store.bytes); word += 8)
          add(memory_[{target.first, target.second + word}], value);
    if (pointer.unknown) add(nodes[Constraints::kAnywhere], value);
  }

  // Only between multiples of 8: pointers that are cut are another test's.
  void apply(const Constraints::Copy& copy) {
    const Exact to = nodes[copy.to], from = nodes[copy.from];
    const auto put = [&](const Exact& value, int64_t distance) {
      for (const auto& [object, offset] : to.targets)
        if (offset % 8 == 0 && is_accessible({object, offset + distance}, 8, 8))
          add(memory_[{object, offset + distance}], value);
      if (to.unknown) add(nodes[Constraints::kAnywhere], value);
    };
    for (const auto& [object, offset] : from.targets)
      for (const auto& [place, content] : std::map(memory_))
        if (place.first == object && offset % 8 == 0 && place.second >= offset &&
            (!copy.length || place.second < offset + *copy.length) && !content.empty())
          put(content, place.second - offset);
    if (from.unknown)
      for (int64_t distance = kFirst; distance < kEnd; ++distance)
        if (distance % 8 == 0) put({{}, {}, true}, distance);
  }
};

// ---- Random constraints ----

struct Generator {
  std::mt19937 random;
  bool exact_only;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  AddressStep step() {
    switch (below(exact_only ? 4 : 7)) {
      case 0:
        return {AddressStep::Kind::kMove, 8 * (static_cast<int64_t>(below(7)) - 3)};
      case 1:
        return {AddressStep::Kind::kIndex, 8, 1 + below(3), true};
      case 2:
        return {AddressStep::Kind::kMask, int64_t{1} << below(5)};
      case 3:
        return {AddressStep::Kind::kMark, 1 + below(3)};
      case 4:
        return {AddressStep::Kind::kIndex, 8 * static_cast<int64_t>(below(3)), 0, below(2) == 0};
      case 5:
        return {AddressStep::Kind::kMove, static_cast<int64_t>(below(9)) - 4};
      default:
        return {AddressStep::Kind::kMix};
    }
  }

  Constraints make() {
    Constraints made;
    const uint32_t nodes = 4 + below(8), objects = 1 + below(4);
    for (uint32_t i = 0; i < nodes; ++i) made.add_node();
    for (uint32_t i = 0; i < objects; ++i) made.add_object(8 * (1 + below(6)));
    const auto node = [&] { return 1 + below(nodes); };
    for (uint32_t i = 0; i < 1 + objects; ++i)
      made.targets.emplace_back(node(), exactly(below(objects), 8 * static_cast<int64_t>(below(3))));
    if (below(3) == 0) made.functions.emplace_back(node(), below(2));
    if (below(8) == 0) made.unknown.push_back(node());
    if (below(3) == 0) made.held.push_back({exactly(below(objects), 0), node()});
    const uint32_t count = nodes + below(2 * nodes);
    for (uint32_t i = 0; i < count; ++i) switch (below(8)) {
        case 0:
        case 1:
          made.flows.push_back({node(), node()});
          break;
        case 2:
        case 3:
          made.flows.push_back({node(), node(), {step()}});
          if (below(4) == 0) made.flows.back().steps.push_back(step());
          break;
        case 4:
        case 5: {
          const uint64_t bytes = below(6) == 0 ? 4 : 8 << below(2);
          made.loads.push_back({node(), node(), bytes, std::min<uint64_t>(bytes, 8), bytes == 4});
          break;
        }
        case 6:
          made.stores.push_back({node(), node(), below(4) == 0 ? 16U : 8U, 8});
          break;
        default:
          if (exact_only || below(2) == 0)
            made.stores.push_back({node(), node(), 8, 8});
          else
            made.copies.push_back(
                {node(), node(), below(3) == 0 ? std::nullopt : std::optional<int64_t>(8 * below(5))});
      }
    return made;
  }
};

// ---- Comparison ----

bool includes(const Set& set, uint32_t object, int64_t offset) {
  return std::any_of(set.targets.begin(), set.targets.end(), [&](Target target) {
    target.vague = false;
    return covers(target, exactly(object, offset));
  });
}

// What is wrong with the solution; empty if nothing is.
std::string difference(const PointsToSolution& solution, const Naive& naive, bool exact_only) {
  for (size_t node = 0; node < naive.nodes.size(); ++node) {
    const Set& fast = solution.nodes[node];
    const Exact& slow = naive.nodes[node];
    const std::string where = "node " + std::to_string(node);
    if (slow.unknown && !fast.unknown) return where + " may be anything";
    for (const uint32_t function : slow.functions)
      if (!std::count(fast.functions.begin(), fast.functions.end(), function))
        return where + " may be function " + std::to_string(function);
    for (const auto& [object, offset] : slow.targets)
      if (!includes(fast, object, offset))
        return where + " may point to " + std::to_string(object) + " + " + std::to_string(offset);
    if (!exact_only) continue;
    if (fast.unknown && !slow.unknown) return where + " is not unknown";
    for (const Target& target : fast.targets)
      if (target.stride == 0 && target.offset >= kFirst && target.offset < kEnd &&
          !slow.targets.contains({target.object, target.offset}))
        return where + " does not point to " + std::to_string(target.object) + " + " +
               std::to_string(target.offset);
  }
  return "";
}

bool stays_in_window(const PointsToSolution& solution) {
  return std::all_of(solution.nodes.begin(), solution.nodes.end(), [](const Set& set) {
    return std::all_of(set.targets.begin(), set.targets.end(), [](const Target& target) {
      return target.stride == 0 && target.offset >= kFirst && target.offset < kEnd;
    });
  });
}

TEST(PointsToSolver, FindsWhatTheNaiveOneFinds) {
  unsigned exact = 0;
  for (unsigned seed = 0; seed < 800; ++seed) {
    const bool exact_only = seed % 2 == 0;
    const Constraints constraints = Generator{std::mt19937(seed), exact_only}.make();
    const PointsToSolution solution = solve(constraints);
    const bool compare_exactly = exact_only && stays_in_window(solution);
    exact += compare_exactly ? 1 : 0;
    ASSERT_EQ(difference(solution, Naive(constraints), compare_exactly), "") << "seed " << seed;
  }
  EXPECT_GT(exact, 60U);
}

// The comparison can fail: without one of the constraints something is missing, in many of the cases.
TEST(PointsToSolver, AMissingConstraintIsNoticed) {
  unsigned noticed_flows = 0, noticed_loads = 0, noticed_stores = 0, noticed_copies = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Constraints constraints = Generator{std::mt19937(seed), false}.make();
    const Naive naive(constraints);
    const auto without_first = [&](const auto& member) {
      Constraints less = constraints;
      auto& list = less.*member;
      if (list.empty()) return 0U;
      list.erase(list.begin());
      return difference(solve(less), naive, false).empty() ? 0U : 1U;
    };
    noticed_flows += without_first(&Constraints::flows);
    noticed_loads += without_first(&Constraints::loads);
    noticed_stores += without_first(&Constraints::stores);
    noticed_copies += without_first(&Constraints::copies);
  }
  EXPECT_GT(noticed_flows, 15U);
  EXPECT_GT(noticed_loads, 3U);
  EXPECT_GT(noticed_stores, 3U);
  EXPECT_GT(noticed_copies, 0U);
}

// A pointer that moves through an array in a loop: its targets become one with a stride, from the beginning on.
TEST(PointsToSolver, APointerThatMoves) {
  Constraints constraints;
  const auto pointer = constraints.add_node();
  constraints.targets.emplace_back(pointer, exactly(constraints.add_object(1 << 16), 24));
  constraints.flows.push_back({pointer, pointer, {{AddressStep::Kind::kMove, 8}}});
  EXPECT_EQ(solve(constraints).nodes[pointer].targets, (std::vector{Target{0, 24, 8, true}}));
  constraints.flows.push_back({pointer, pointer, {{AddressStep::Kind::kMove, -16}}});
  EXPECT_EQ(solve(constraints).nodes[pointer].targets, (std::vector{Target{0, 0, 8}}));
}

// Its beginning moves back, and that comes to an end.
TEST(PointsToSolver, AnArrayThatMovesBack) {
  Constraints constraints;
  const auto pointer = constraints.add_node();
  constraints.targets.emplace_back(pointer, exactly(constraints.add_object(64), 24));
  constraints.flows.push_back({pointer, pointer, {{AddressStep::Kind::kIndex, 8, 0, true}}});
  constraints.flows.push_back({pointer, pointer, {{AddressStep::Kind::kMove, -8}}});
  EXPECT_EQ(solve(constraints).nodes[pointer].targets, (std::vector{Target{0, 0, 8}}));
}

// Elements behind a header, of which no index is negative: what is stored there is not in the header.
TEST(PointsToSolver, AnArrayBehindAHeader) {
  for (const bool upwards : {true, false}) {
    Constraints constraints;
    const auto base = constraints.add_node(), element = constraints.add_node(),
               value = constraints.add_node(), header = constraints.add_node();
    const uint32_t object = constraints.add_object(64), other = constraints.add_object(8);
    constraints.targets.emplace_back(base, exactly(object, 0));
    constraints.targets.emplace_back(value, exactly(other, 0));
    constraints.flows.push_back(
        {base, element, {{AddressStep::Kind::kMove, 16}, {AddressStep::Kind::kIndex, 8, 0, upwards}}});
    constraints.stores.push_back({element, value, 8, 8});
    constraints.loads.push_back({base, header, 8, 8});
    EXPECT_EQ(solve(constraints).nodes[header].empty(), upwards);
  }
}

// Nothing is handed on twice: in a ring of n nodes, each of m targets makes n steps.
TEST(PointsToSolver, ARing) {
  constexpr uint32_t kNodes = 200, kObjects = 300;
  Constraints constraints;
  std::vector<Constraints::Node> ring;
  for (uint32_t i = 0; i < kNodes; ++i) ring.push_back(constraints.add_node());
  for (uint32_t i = 0; i < kNodes; ++i) constraints.flows.push_back({ring[i], ring[(i + 1) % kNodes], {}});
  for (uint32_t i = 0; i < kObjects; ++i)
    constraints.targets.emplace_back(ring[i % kNodes], exactly(constraints.add_object(8), 0));
  const PointsToSolution solution = solve(constraints);
  for (const auto node : ring) EXPECT_EQ(solution.nodes[node].targets.size(), kObjects);
  EXPECT_LE(solution.steps, uint64_t{kNodes} * kObjects);
}

}  // namespace
}  // namespace fenceline::frontend::c
