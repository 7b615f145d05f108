// SPDX-License-Identifier: GPL-3.0-or-later
//
// All that matters of a history for how it can go on: the conflicts of its transactions as a graph in which
// finished transactions are kept only through what they leave behind. For any number of threads and
// variables, and for both properties; docs/stm.md has the definitions.
//
// A history is correct if all its transactions can still be finished such that the order in which conflicting
// operations happened, and the order of transactions that do not overlap, is no cycle. Only some conflicts
// count for sure. A thread therefore has two nodes. The *settled* one represents what counts in any case, the
// *tentative* one what counts only if something comes true:
//   opacity                 a load, until it is used (rfin), which makes it count; stores are settled;
//   strict serializability  everything, until the transaction commits.
// What must come true is settled at once: a transaction whose store was overwritten or used by another one
// cannot roll it back, so it must commit, and so must those that it has loaded from. What cannot come true
// (it would close a cycle, or what was loaded was taken back) is given up at once: then the transaction is
// doomed. Under opacity all that is left to it is to roll back and abort; under strict serializability it may
// go on as it likes but not commit.
//
// Edges are closed under paths through settled nodes and through finished transactions. A finished
// transaction z can only get new edges z -> t, from operations of z to later ones of t. They matter to
// the nodes before z: such a node records what was stored, or loaded or stored, by finished transactions that
// come after it (the paper's prohibited sets; an access of these variables by t puts the node before t), and
// that there is one (transactions that start now come after it).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/history.h"
#include "ir/program.h"

namespace fenceline::property {

class ConflictState {
 public:
  static constexpr uint32_t kMaximalThreads = 8;
  static constexpr uint32_t kMaximalVariables = 16;

  // Precondition: a property of histories (looks_at_history), not more threads than kMaximalThreads.
  ConflictState(PropertyKind property, uint32_t threads) : property_(property), threads_(threads) {}

  // False if no history with this prefix is correct; the state must not be used any more.
  bool step(const HistoryStep& step);

  // As numbers: equal for equal states.
  void pack(std::vector<uint32_t>& numbers) const;
  void unpack(const uint32_t* numbers);

 private:
  using Variables = uint16_t;  // sets
  using Nodes = uint16_t;
  using Threads = uint8_t;
  static constexpr uint8_t kNone = ~uint8_t{0};  // no variable

  struct Thread {
    bool started = false;
    bool must_commit = false;
    bool doomed = false;
    bool rolled_back = false;    // something, so that it can only abort
    uint8_t pending = kNone;     // loaded, not used yet
    Variables stored = 0;        // and not rolled back
    Variables loaded = 0;        // and used; under strict serializability used or not
    Threads sees = 0;            // whose stores it has loaded that may still be rolled back
    Threads overwritten_by = 0;  // opacity: threads that stored to `pending` since and may still roll back
  };
  struct Node {
    Nodes before = 0;                // the nodes that it comes before
    Variables prohibited_load = 0;   // stored by finished transactions that come later
    Variables prohibited_store = 0;  // loaded or stored by them
    bool before_finished = false;    // there are such transactions
  };

  bool opacity() const { return property_ == PropertyKind::kOpacity; }
  bool tracked(uint32_t thread) const { return opacity() || !all_[thread].doomed; }
  Node& settled(uint32_t thread) { return nodes_[thread]; }
  Node& tentative(uint32_t thread) { return nodes_[kMaximalThreads + thread]; }
  static uint32_t settled_number(uint32_t thread) { return thread; }
  static uint32_t tentative_number(uint32_t thread) { return kMaximalThreads + thread; }
  static bool is_settled(uint32_t node) { return node < kMaximalThreads; }
  // The node of a thread's stores.
  uint32_t stores_of(uint32_t thread) const;

  bool load(uint32_t t, uint8_t v);
  bool store(uint32_t t, uint8_t v);
  bool rollback(uint32_t t, uint8_t v);
  bool rfin(uint32_t t);
  bool commit(uint32_t t);
  bool abort(uint32_t t);

  void start(uint32_t t);
  void finish(uint32_t t);
  void remove_transaction(uint32_t t);
  void require_commit(uint32_t t);
  void doom(uint32_t t);
  bool impossible(uint32_t t);
  // Settles what must come true, gives up what cannot. False if something is both.
  bool draw_conclusions();
  bool comes_first(uint32_t t) const;
  void simplify();

  void add_edge(uint32_t from, uint32_t to);
  void inherit(Node& node, const Node& later);
  void settle(uint32_t t);
  void erase(uint32_t node);
  template <class F>
  void for_each_node(const F& f) {
    for (uint32_t t = 0; t < threads_; ++t) {
      f(settled_number(t));
      f(tentative_number(t));
    }
  }

  PropertyKind property_;
  uint32_t threads_;
  std::array<Thread, kMaximalThreads> all_;
  std::array<Node, size_t{2} * kMaximalThreads> nodes_;
};

}  // namespace fenceline::property
