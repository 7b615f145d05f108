// SPDX-License-Identifier: GPL-3.0-or-later
//
// The states that an abstract search has found, without those that another one covers: an antichain.
//
// Most states that a search comes upon it has seen before, byte by byte; a hash table finds those. A new one
// is compared with the others of its family only: those that agree with it in everything but what the
// abstract order can be larger or smaller in (OrderedSystem). Families are small, so nothing is
// scanned.
//
// A state that is covered by a later one is dead. It stays where it is, since paths may lead through it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/probe_table.h"
#include "machine/ordered_system.h"

namespace fenceline {

class Antichain {
 public:
  using Id = uint32_t;
  static constexpr Id kNone = ~Id{0};

  // The system must outlive the antichain.
  explicit Antichain(OrderedSystem& system);

  struct Inserted {
    Id id = kNone;       // the state itself, or one that covers it
    bool fresh = false;  // it was added
  };
  Inserted insert(PackedState packed, Id parent);

  PackedState state(Id id) const { return {nodes_[id].bytes, nodes_[id].size}; }
  bool alive(Id id) const { return nodes_[id].alive; }
  Id parent(Id id) const { return nodes_[id].parent; }
  uint64_t family(Id id) const { return nodes_[id].family; }  // a hash
  // The living states of the family with this hash.
  template <class F>
  void for_each_in_family(uint64_t hash, const F& f) {
    for (Id id = family_of(hash).first; id != kNone; id = nodes_[id].next_in_family) f(id);
  }
  // Precondition: !alive(id). A state that covers it (and may itself be covered by a later one).
  Id covered_by(Id id) const { return nodes_[id].next_in_family; }
  // From the initial state to this one. The states are valid as long as the antichain.
  std::vector<PackedState> chain(Id id) const;

  size_t size() const { return nodes_.size(); }  // all that were ever added
  size_t alive() const { return alive_; }
  uint64_t compared() const { return compared_; }  // pairs of states
  uint64_t bytes_in_use() const;

 private:
  struct Node {
    const uint8_t* bytes = nullptr;
    uint32_t size = 0;
    Id parent = kNone;
    Id next_in_family = kNone;  // of the dead: who covers it
    uint64_t family = 0;        // a hash
    bool alive = true;
  };
  struct Family {
    uint64_t key = 0;  // a hash that is not 0
    Id first = kNone;  // of the living

    bool free() const { return key == 0; }
    uint64_t hash() const { return key; }
  };

  const uint8_t* keep(PackedState packed);
  Family& family_of(uint64_t hash);

  OrderedSystem& system_;
  std::vector<Node> nodes_;
  size_t alive_ = 0;
  uint64_t compared_ = 0;
  ProbeTable<NumberSlot> table_;  // by packed state
  ProbeTable<Family> families_;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
  size_t block_used_ = 0;
};

}  // namespace fenceline
