// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the encoder that is about `acyclic`: the graph that must have no cycle.
//
// It has as few edges as make the same cycles. Pairs that lie on no cycle whatever happens are no edges. Of
// the order that is known beforehand (program order, mostly) covering pairs suffice, and they need no
// condition where the order is transitive: a cycle has an edge that is not one of these, whose ends are
// executed; from the end of such an edge to the start of the next one the order leads directly, whatever is
// passed on the way. (Not if several events are one node: there one could come to an event that is not
// executed, and go on from one that is.) Edges of rf, co and fr alone never make a cycle of events, by what
// an execution is.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/graph.h"
#include "env/errors.h"
#include "sat/relation_encoder.h"

namespace fenceline::sat {

// Are the pairs of the term known beforehand, and do they and the identity divide the events into classes?
bool RelationEncoder::is_equivalence(TermId id) const {
  if (upper(id) != lower(id) || upper(id) != upper(id).inverse()) return false;
  BitMatrix closed = upper(id).closure();
  for (size_t x = 0; x < n_; ++x)
    if (!upper(id).at(x, x)) closed.clear(x, x);
  return closed == upper(id);
}

// Of `acyclic e?; r; e?` with an equivalence e: r, and one node for each class of e. Else the relation
// itself.
TermId RelationEncoder::without_classes(TermId relation, std::vector<uint32_t>& node_of) const {
  while (model_.term(relation).op == TermOp::kTransitive) relation = model_.term(relation).a;
  node_of.resize(n_);
  std::iota(node_of.begin(), node_of.end(), 0U);
  const auto operand = [&](TermId id, TermOp op) {
    return id.valid() && model_.term(id).op == op ? model_.term(id).a : TermId();
  };
  const Term& whole = model_.term(relation);
  if (whole.op != TermOp::kSequence) return relation;
  TermId left = whole.a, middle, right = whole.b;
  if (model_.term(left).op == TermOp::kSequence) {
    middle = model_.term(left).b;
    left = model_.term(left).a;
  } else if (model_.term(right).op == TermOp::kSequence) {
    middle = model_.term(right).a;
    right = model_.term(right).b;
  }
  const TermId classes = operand(left, TermOp::kReflexive);
  if (!middle.valid() || !classes.valid() || classes != operand(right, TermOp::kReflexive) ||
      !is_equivalence(classes))
    return relation;
  for (size_t x = 0; x < n_; ++x)
    upper(classes).for_row(x, [&](size_t y) { node_of[x] = std::min(node_of[x], static_cast<uint32_t>(y)); });
  return middle;
}

// Is the relation included in rf | co | fr, whatever these are?
bool RelationEncoder::within_communication(TermId id) const {
  const Term& term = model_.term(id);
  switch (term.op) {
    case TermOp::kBase:
      return term.name == "rf" || term.name == "co" || term.name == "fr";
    case TermOp::kEmpty:
      return true;
    case TermOp::kUnion:
      return within_communication(term.a) && within_communication(term.b);
    case TermOp::kIntersect:
      return within_communication(term.a) || within_communication(term.b);
    case TermOp::kMinus:
      return within_communication(term.a);
    case TermOp::kComplement:
    case TermOp::kSequence:
    case TermOp::kInverse:
    case TermOp::kTransitive:
    case TermOp::kReflexive:
    case TermOp::kClosure:
    case TermOp::kProduct:
    case TermOp::kIdentity:
    case TermOp::kDomain:
    case TermOp::kRange:
    case TermOp::kRecursive:
      return false;
  }
  throw Bug("a term without an operator");
}

// The component of each node, 0 for those on no cycle.
std::vector<uint32_t> RelationEncoder::components(TermId relation,
                                                  const std::vector<uint32_t>& node_of) const {
  std::vector<std::vector<uint32_t>> possible(n_);
  upper(relation).for_all([&](size_t x, size_t y) { possible[node_of[x]].push_back(node_of[y]); });
  std::vector<bool> several(n_);  // events in this node
  for (size_t x = 0; x < n_; ++x)
    if (node_of[x] != x) several[node_of[x]] = true;
  const bool harmless = base_.coherent() && within_communication(relation);
  std::vector<uint32_t> component(n_, 0);
  uint32_t number = 0;
  for (const std::vector<uint32_t>& nodes : cyclic_components(possible)) {
    if (harmless && std::none_of(nodes.begin(), nodes.end(), [&](uint32_t node) { return several[node]; }))
      continue;
    ++number;
    for (const uint32_t node : nodes) component[node] = number;
  }
  return component;
}

// What can be left out of a static order because there is a way around: with an event between that is
// executed if both ends are. Nothing if there are cycles, where each could be the way around the other.
BitMatrix RelationEncoder::bridged(const BitMatrix& order) const {
  BitMatrix result(n_);
  const BitMatrix closed = order.closure();
  for (size_t x = 0; x < n_; ++x)
    if (closed.at(x, x)) return result;
  order.for_all([&](size_t x, size_t k) {
    order.for_row(k, [&](size_t y) {
      if (order.at(x, y) && between(x, k, y)) result.set(x, y);
    });
  });
  return result;
}

ConditionalGraph RelationEncoder::graph_of(const Constraint& constraint, bool only_cycles,
                                           std::vector<uint32_t>& node_of) {
  require(constraint.kind == ConstraintKind::kAcyclic && !constraint.negated, "no graph to speak of");
  const TermId relation = without_classes(constraint.term, node_of);
  ConditionalGraph graph{n_, {}};
  const auto add = [&](size_t x, size_t y) {
    graph.edges.push_back({node_of[x], node_of[y], in(relation, x, y, Use::kUpward)});
  };
  if (!only_cycles) {
    upper(relation).for_all(add);
    return graph;
  }
  const std::vector<uint32_t> component = components(relation, node_of);
  const auto on_cycle = [&](size_t x, size_t y) {
    return component[node_of[x]] != 0 && component[node_of[x]] == component[node_of[y]];
  };
  BitMatrix edges = upper(relation), known = lower(relation);
  bool one_event_each = true;
  for (size_t x = 0; x < n_; ++x) {
    known.clear(x, x);
    one_event_each = one_event_each && node_of[x] == x;
  }
  close(known);
  edges.subtract(bridged(lower(relation)));
  if (one_event_each) {
    const StaticOrder order = StaticOrder::within(known);
    edges.subtract(order.pairs());
    for (size_t x = 0; x < n_; ++x)
      for (const uint32_t y : order.successors(x))
        if (on_cycle(x, y)) graph.edges.push_back({static_cast<uint32_t>(x), y, kTrue});
  }
  edges.for_all([&](size_t x, size_t y) {
    if (on_cycle(x, y)) add(x, y);
  });
  graph.keep_cycles();  // now that some are known to be false
  return graph;
}

}  // namespace fenceline::sat
