// SPDX-License-Identifier: GPL-3.0-or-later
//
// The states that an abstract search has found, without the subsumed ones: an antichain of maximal elements.
//
// Most successors are equal to a known state, byte by byte; a hash table finds those. A new one
// is compared only with the others of its subsumption class: those that agree with it in everything that
// subsumption cannot change (OrderedSystem). Classes are small, so the scan is cheap.
//
// A state that a later one subsumes is kept, since paths may lead through it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/probe_table.h"
#include "machine/ordered_system.h"

namespace fenceline::engine {

class Antichain {
 public:
  using Id = uint32_t;
  static constexpr Id kNone = ~Id{0};

  // The system must outlive the antichain.
  explicit Antichain(machine::OrderedSystem& system);

  struct Inserted {
    Id id = kNone;       // the state itself, or one that subsumes it
    bool fresh = false;  // it was added
  };
  Inserted insert(machine::PackedState packed, Id parent);

  machine::PackedState state(Id id) const { return {nodes_[id].bytes, nodes_[id].size}; }
  bool maximal(Id id) const { return nodes_[id].maximal; }
  Id parent(Id id) const { return nodes_[id].parent; }
  uint64_t class_of(Id id) const { return nodes_[id].class_hash; }
  // The maximal elements of the subsumption class with this hash.
  template <class F>
  void for_each_in_class(uint64_t hash, const F& f) {
    for (Id id = class_with(hash).first; id != kNone; id = nodes_[id].next_in_class) f(id);
  }
  // Precondition: !maximal(id). A state that subsumes it (and may itself be subsumed by a later one).
  Id subsumed_by(Id id) const { return nodes_[id].next_in_class; }
  // From the initial state to this one. The states are valid as long as the antichain.
  std::vector<machine::PackedState> chain(Id id) const;

  size_t size() const { return nodes_.size(); }  // all that were ever added
  size_t maximal_elements() const { return maximal_; }
  uint64_t compared() const { return compared_; }  // pairs of states
  uint64_t bytes_in_use() const;

 private:
  struct Node {
    const uint8_t* bytes = nullptr;
    uint32_t size = 0;
    Id parent = kNone;
    Id next_in_class = kNone;  // of a subsumed state: what subsumes it
    uint64_t class_hash = 0;
    bool maximal = true;
  };
  struct SubsumptionClass {
    uint64_t class_hash = 0;  // not 0 if in use
    Id first = kNone;         // of the maximal elements

    bool free() const { return class_hash == 0; }
    uint64_t hash() const { return class_hash; }
  };

  const uint8_t* keep(machine::PackedState packed);
  SubsumptionClass& class_with(uint64_t hash);

  machine::OrderedSystem& system_;
  std::vector<Node> nodes_;
  size_t maximal_ = 0;
  uint64_t compared_ = 0;
  ProbeTable<NumberSlot> table_;  // by packed state
  ProbeTable<SubsumptionClass> classes_;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
  size_t block_used_ = 0;
};

}  // namespace fenceline::engine
