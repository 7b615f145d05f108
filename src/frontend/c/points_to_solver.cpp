// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/points_to_solver.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SparseBitVector.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

namespace fenceline::frontend::c {
namespace {

using Node = PointsToConstraints::Node;
using Bits = llvm::SparseBitVector<>;

const std::vector<AddressStep> kParts{{AddressStep::Kind::kMix}};
constexpr uint64_t kPointer = 8;          // bytes
constexpr unsigned kUnknown = 0;          // the element of that number
constexpr size_t kMostCopiedCells = 256;  // of an object whose size is not known

class Solver {
 public:
  explicit Solver(const PointsToConstraints& constraints)
      : constraints_(constraints),
        elements_(1),
        objects_(constraints.sizes.size()),
        nodes_(constraints.nodes) {}

  PointsToSolution solve() {
    begin();
    while (!worklist_.empty() || !new_cells_.empty()) {
      if (!new_cells_.empty()) {
        connect_cell(new_cells_.front());
        new_cells_.pop_front();
        continue;
      }
      const Node node = worklist_.front();
      worklist_.pop_front();
      nodes_[node].waiting = false;
      propagate(node);
    }
    return solution();
  }

 private:
  struct Element {
    bool is_function = false;
    Target target{};
    uint32_t function = 0;
  };
  struct Edge {
    Node to;
    const std::vector<AddressStep>* steps = nullptr;  // null: none
  };
  struct NodeState {
    Bits all, fresh, covered;       // fresh: not handed on yet; covered: by another one that is there
    std::vector<unsigned> strided;  // of `all`
    llvm::SmallDenseMap<uint32_t, uint32_t, 4> count;  // of targets, by object
    std::vector<Edge> edges;
    std::vector<uint32_t> loads, stores, copies_from, copies_to;  // those that it is a pointer of
    bool waiting = false;
  };
  struct Cell {
    Target at;
    uint64_t size;  // 8 bytes, or less: parts of pointers
    Node node;
  };
  struct Reader {  // a load of so many bytes at a target
    Target at;
    uint64_t bytes;
    Node node;
  };
  struct Copier {
    uint32_t copy;
    Target from;
  };
  struct ObjectState {
    std::vector<unsigned> elements;
    std::vector<Cell> cells;
    std::vector<Reader> readers;
    std::vector<Copier> copiers;
  };
  struct CopyState {
    struct Source {
      Node cell;
      uint64_t size;
      int64_t distance, step;
    };
    std::vector<Source> sources;
    std::vector<Target> targets;
    bool to_unknown = false, from_unknown = false;
  };

  void begin() {
    unknown_ = add_node();
    insert(unknown_, kUnknown);
    copies_.resize(constraints_.copies.size());
    for (const auto& flow : constraints_.flows) add_edge(flow.from, {flow.to, &flow.steps});
    for (uint32_t i = 0; i < constraints_.loads.size(); ++i) {
      const auto& load = constraints_.loads[i];
      nodes_[load.pointer].loads.push_back(i);
      add_edge(PointsToConstraints::kAnywhere, {load.to, load.parts ? &kParts : nullptr});
    }
    for (uint32_t i = 0; i < constraints_.stores.size(); ++i)
      nodes_[constraints_.stores[i].pointer].stores.push_back(i);
    for (uint32_t i = 0; i < constraints_.copies.size(); ++i) {
      nodes_[constraints_.copies[i].from].copies_from.push_back(i);
      nodes_[constraints_.copies[i].to].copies_to.push_back(i);
    }
    for (const auto& held : constraints_.held) add_edge(held.value, {cell(held.at)});
    for (const auto& [node, target] : constraints_.targets) insert(node, number(target));
    for (const auto& [node, function] : constraints_.functions) insert(node, number_of_function(function));
    for (const Node node : constraints_.unknown) insert(node, kUnknown);
  }

  // ---- Elements ----

  unsigned number(const Target& target) {
    const auto [found, added] = numbers_.try_emplace(target, static_cast<unsigned>(elements_.size()));
    if (added) {
      elements_.push_back({false, target, 0});
      objects_[target.object].elements.push_back(found->second);
    }
    return found->second;
  }

  unsigned number_of_function(uint32_t function) {
    const auto [found, added] =
        function_numbers_.try_emplace(function, static_cast<unsigned>(elements_.size()));
    if (added) elements_.push_back({true, {}, function});
    return found->second;
  }

  bool is_target(unsigned element) const { return element != kUnknown && !elements_[element].is_function; }

  // ---- Sets ----

  Node add_node() {
    nodes_.emplace_back();
    return static_cast<Node>(nodes_.size() - 1);
  }

  void insert(Node node, unsigned element) {
    NodeState& state = nodes_[node];
    if (state.all.test(element) || state.covered.test(element)) return;
    if (is_target(element)) {
      const Target& target = elements_[element].target;
      for (const unsigned other : state.strided)
        if (covers(elements_[other].target, target)) return state.covered.set(element);
      if (target.stride != 0) remove_covered(state, target);
      if (target.stride != 0) state.strided.push_back(element);
      ++state.count[target.object];
    }
    state.all.set(element);
    state.fresh.set(element);
    if (!std::exchange(state.waiting, true)) worklist_.push_back(node);
    if (is_target(element)) widen(node, elements_[element].target.object);
  }

  void remove_covered(NodeState& state, const Target& by) {
    for (const unsigned other : objects_[by.object].elements) {
      if (!state.all.test(other) || !covers(by, elements_[other].target)) continue;
      state.all.reset(other);
      state.fresh.reset(other);
      state.covered.set(other);
      --state.count[by.object];
    }
    std::erase_if(state.strided, [&](unsigned other) { return !state.all.test(other); });
  }

  // Of too many targets in an object, one is left. Those of an array that a pointer moves through come from its
  // beginning; where that is not certain any more, they are in both directions, so that this comes to an end.
  void widen(Node node, uint32_t object) {
    const NodeState& state = nodes_[node];
    if (state.count.lookup(object) <= kMostOffsets) return;
    std::optional<Target> all;
    bool forward = true;
    for (const unsigned element : objects_[object].elements) {
      if (!state.all.test(element)) continue;
      const Target& target = elements_[element].target;
      if (target.vague) continue;
      forward &= target.stride == 0 && target.offset >= 0;
      if (!all) all = Target{object, target.offset, 0};
      all->stride = std::gcd(std::gcd(all->stride, target.stride), target.offset - all->offset);
      all->offset = std::min(all->offset, target.offset);
    }
    insert(node, number(spread(Target{object, all->offset, 0}, all->stride, forward)));
  }

  void insert_all(Node node, const Bits& elements) {
    Bits fresh = elements;
    fresh.intersectWithComplement(nodes_[node].all);
    fresh.intersectWithComplement(nodes_[node].covered);
    for (const unsigned element : fresh) {
      ++steps_;
      insert(node, element);
    }
  }

  // ---- Edges ----

  void send(const Edge& edge, const Bits& elements) {
    if (elements.empty()) return;
    if (edge.steps == nullptr || edge.steps->empty()) return insert_all(edge.to, elements);
    for (const unsigned element : elements) {
      ++steps_;
      if (!is_target(element)) {
        insert(edge.to, element);
        continue;
      }
      for (const Target& target : after(*edge.steps, Target(elements_[element].target)))
        insert(edge.to, number(target));
    }
  }

  void add_edge(Node from, const Edge& edge) {
    const bool plain = edge.steps == nullptr || edge.steps->empty();
    if (from == edge.to && plain) return;
    if ((edge.steps == nullptr || edge.steps == &kParts) &&
        !known_edges_.insert((uint64_t{from} << 32 | edge.to) << 1 | (plain ? 0 : 1)).second)
      return;
    nodes_[from].edges.push_back(edge);
    const Bits now = nodes_[from].all;
    send(edge, now);
  }

  void propagate(Node node) {
    const Bits fresh = std::exchange(nodes_[node].fresh, Bits());
    for (size_t i = 0; i < nodes_[node].edges.size(); ++i) send(Edge(nodes_[node].edges[i]), fresh);
    for (const unsigned element : fresh) {
      if (element != kUnknown && elements_[element].is_function) continue;
      const bool unknown = element == kUnknown;
      const Target target = elements_[element].target;
      for (const uint32_t i : std::vector(nodes_[node].loads)) unknown ? load_anything(i) : load(i, target);
      for (const uint32_t i : std::vector(nodes_[node].stores))
        unknown ? store_anywhere(i) : store(i, target);
      for (const uint32_t i : std::vector(nodes_[node].copies_from))
        unknown ? copy_anything(i) : copy_from(i, target);
      for (const uint32_t i : std::vector(nodes_[node].copies_to))
        unknown ? copy_anywhere(i) : copy_to(i, target);
    }
  }

  // ---- Memory ----

  Node cell(const Target& at, uint64_t size = kPointer) {
    const auto [found, added] = cell_of_.try_emplace({at, size}, 0);
    if (!added) return found->second;
    const Cell made{at, size, add_node()};
    found->second = made.node;
    objects_[at.object].cells.push_back(made);
    new_cells_.push_back(made);
    return made.node;
  }

  void connect_cell(const Cell& made) {
    ObjectState& object = objects_[made.at.object];
    for (size_t i = 0; i < object.readers.size(); ++i) connect(made, Reader(object.readers[i]));
    for (size_t i = 0; i < object.copiers.size(); ++i) connect(made, Copier(object.copiers[i]));
  }

  void connect(const Cell& cell, const Reader& reader) {
    switch (overlap(cell.at, cell.size, reader.at, reader.bytes)) {
      case Overlap::kNone:
        return;
      case Overlap::kPart:
        return add_edge(cell.node, {reader.node, &kParts});
      case Overlap::kWhole:
        return add_edge(cell.node, {reader.node});
    }
  }

  void load(uint32_t number, const Target& target) {
    const auto& load = constraints_.loads[number];
    const auto at = accessible(target, load.bytes, load.alignment, constraints_.sizes[target.object]);
    if (!at) return;
    const auto [found, added] = reader_of_.try_emplace({*at, load.bytes}, 0);
    if (added) {
      found->second = add_node();
      const Reader reader{*at, load.bytes, found->second};
      objects_[at->object].readers.push_back(reader);
      for (size_t i = 0; i < objects_[at->object].cells.size(); ++i)
        connect(Cell(objects_[at->object].cells[i]), reader);
    }
    add_edge(reader_of_.at({*at, load.bytes}), {load.to, load.parts ? &kParts : nullptr});
  }

  void load_anything(uint32_t number) { insert(constraints_.loads[number].to, kUnknown); }

  // Of several words, each may hold what the value holds.
  void store(uint32_t number, const Target& target) {
    const auto& store = constraints_.stores[number];
    const auto at = accessible(target, store.bytes, store.alignment, constraints_.sizes[target.object]);
    if (!at) return;
    for (int64_t word = 0; word == 0 || word + 8 <= static_cast<int64_t>(store.bytes); word += 8)
      add_edge(store.value, {cell(moved(*at, word), std::min(store.bytes, kPointer))});
  }

  void store_anywhere(uint32_t number) {
    add_edge(constraints_.stores[number].value, {PointsToConstraints::kAnywhere});
  }

  // ---- Copies ----

  void connect(const Cell& cell, const Copier& copier) {
    const auto& length = constraints_.copies[copier.copy].length;
    const int64_t step = std::gcd(copier.from.stride, cell.at.stride);
    const int64_t distance = cell.at.offset - copier.from.offset;
    if (step == 0 && (distance <= -static_cast<int64_t>(cell.size) || (length && distance >= *length)))
      return;
    const CopyState::Source source{cell.node, cell.size, distance, step};
    copies_[copier.copy].sources.push_back(source);
    for (size_t i = 0; i < copies_[copier.copy].targets.size(); ++i)
      connect(source, Target(copies_[copier.copy].targets[i]));
    if (copies_[copier.copy].to_unknown) add_edge(cell.node, {PointsToConstraints::kAnywhere});
  }

  void connect(const CopyState::Source& source, const Target& to) {
    const uint64_t size = constraints_.sizes[to.object];
    Target at = moved(to, source.distance);
    if (source.step != 0) at = spread(at, source.step, false);
    if (size == 0 && objects_[at.object].cells.size() > kMostCopiedCells) at = everywhere(at.object);
    // A part of a pointer may be left at either end.
    if (at.stride == 0 && (at.offset <= -static_cast<int64_t>(source.size) ||
                           (size != 0 && at.offset >= static_cast<int64_t>(size))))
      return;
    add_edge(source.cell, {cell(at, source.size)});
  }

  void copy_from(uint32_t number, const Target& from) {
    const Copier copier{number, from};
    objects_[from.object].copiers.push_back(copier);
    const std::vector<Cell> cells = objects_[from.object].cells;  // new ones are connected later
    for (const Cell& cell : cells) connect(cell, copier);
  }

  void copy_to(uint32_t number, const Target& to) {
    copies_[number].targets.push_back(to);
    for (size_t i = 0; i < copies_[number].sources.size(); ++i)
      connect(CopyState::Source(copies_[number].sources[i]), to);
    if (copies_[number].from_unknown) add_edge(unknown_, {cell(everywhere(to.object))});
  }

  void copy_anything(uint32_t number) {
    copies_[number].from_unknown = true;
    for (const Target& to : std::vector(copies_[number].targets))
      add_edge(unknown_, {cell(everywhere(to.object))});
    if (copies_[number].to_unknown) insert(PointsToConstraints::kAnywhere, kUnknown);
  }

  void copy_anywhere(uint32_t number) {
    copies_[number].to_unknown = true;
    for (const CopyState::Source& source : std::vector(copies_[number].sources))
      add_edge(source.cell, {PointsToConstraints::kAnywhere});
    if (copies_[number].from_unknown) insert(PointsToConstraints::kAnywhere, kUnknown);
  }

  // ---- Result ----

  PointsToSolution::Set set_of(Node node) const {
    PointsToSolution::Set set;
    for (const unsigned element : nodes_[node].all)
      if (element == kUnknown)
        set.unknown = true;
      else if (elements_[element].is_function)
        set.functions.push_back(elements_[element].function);
      else
        set.targets.push_back(elements_[element].target);
    std::sort(set.targets.begin(), set.targets.end());
    std::sort(set.functions.begin(), set.functions.end());
    return set;
  }

  PointsToSolution solution() const {
    PointsToSolution result;
    for (Node node = 0; node < constraints_.nodes; ++node) result.nodes.push_back(set_of(node));
    for (const auto& [at, node] : cell_of_) result.memory.emplace_back(at.first, set_of(node));
    result.steps = steps_;
    return result;
  }

  const PointsToConstraints& constraints_;
  std::vector<Element> elements_;
  std::map<Target, unsigned> numbers_;
  std::map<uint32_t, unsigned> function_numbers_;
  std::vector<ObjectState> objects_;
  std::vector<NodeState> nodes_;
  std::map<std::pair<Target, uint64_t>, Node> cell_of_;
  std::map<std::pair<Target, uint64_t>, Node> reader_of_;
  std::vector<CopyState> copies_;
  llvm::DenseSet<uint64_t> known_edges_;
  std::deque<Node> worklist_;
  std::deque<Cell> new_cells_;
  Node unknown_ = 0;
  uint64_t steps_ = 0;
};

}  // namespace

PointsToSolution solve(const PointsToConstraints& constraints) { return Solver(constraints).solve(); }

}  // namespace fenceline::frontend::c
