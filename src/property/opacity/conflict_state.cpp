// SPDX-License-Identifier: GPL-3.0-or-later
#include "property/opacity/conflict_state.h"

#include "env/errors.h"

namespace fenceline::property {
namespace {

template <class Set>
bool contains(Set set, uint32_t element) {
  return (set >> element & 1) != 0;
}
template <class Set>
void add(Set& set, uint32_t element) {
  set = static_cast<Set>(set | 1U << element);
}
template <class Set>
void remove(Set& set, uint32_t element) {
  set = static_cast<Set>(set & ~(1U << element));
}
template <class Set>
void subtract(Set& set, unsigned fewer) {
  set = static_cast<Set>(set & ~fewer);
}
template <class Set>
void unite(Set& set, unsigned more) {
  set = static_cast<Set>(set | more);
}

}  // namespace

bool ConflictState::step(const HistoryStep& step) {
  const uint32_t t = step.thread;
  const auto v = static_cast<uint8_t>(step.variable);
  switch (step.op) {
    case HistoryOp::kLoad:
      return load(t, v) && draw_conclusions();
    case HistoryOp::kStore:
      return store(t, v) && draw_conclusions();
    case HistoryOp::kRollback:
      return rollback(t, v) && draw_conclusions();
    case HistoryOp::kRfin:
      return rfin(t) && draw_conclusions();
    case HistoryOp::kCommit:
      return commit(t);
    case HistoryOp::kAbort:
      return abort(t);
  }
  throw Bug("an unknown operation of a history");
}

// --- operations ---

bool ConflictState::load(uint32_t t, uint8_t v) {
  Thread& thread = all_[t];
  if (thread.rolled_back || thread.pending != kNone || (opacity() && thread.doomed)) return false;
  start(t);
  thread.pending = v;
  if (!tracked(t)) return true;
  if (!opacity()) add(thread.loaded, v);
  for (uint32_t x = 0; x < threads_; ++x) {
    if (x == t || !contains(all_[x].stored, v)) continue;
    if (!all_[x].must_commit) add(thread.sees, x);
    if (tracked(x)) add_edge(stores_of(x), tentative_number(t));
  }
  for_each_node([&](uint32_t node) {
    if (contains(nodes_[node].prohibited_load, v)) add_edge(node, tentative_number(t));
  });
  return true;
}

bool ConflictState::store(uint32_t t, uint8_t v) {
  Thread& thread = all_[t];
  if (thread.rolled_back || thread.pending != kNone || (opacity() && thread.doomed)) return false;
  start(t);
  for (uint32_t x = 0; x < threads_; ++x) {
    if (x == t) continue;
    Thread& other = all_[x];
    if (tracked(t) && tracked(x) && contains(other.stored | other.loaded, v))
      add_edge(stores_of(x), stores_of(t));
    if (contains(other.stored, v)) require_commit(x);
    if (opacity() && other.pending == v) add(other.overwritten_by, t);
  }
  if (tracked(t)) {
    for_each_node([&](uint32_t node) {
      if (contains(nodes_[node].prohibited_store, v)) add_edge(node, stores_of(t));
    });
  }
  add(thread.stored, v);
  return true;
}

bool ConflictState::rollback(uint32_t t, uint8_t v) {
  Thread& thread = all_[t];
  if (thread.must_commit || !contains(thread.stored, v)) return false;
  remove(thread.stored, v);
  thread.rolled_back = true;
  thread.pending = kNone;
  for (uint32_t y = 0; y < threads_; ++y)
    if (all_[y].pending == v) remove(all_[y].overwritten_by, t);
  doom(t);
  return true;
}

bool ConflictState::rfin(uint32_t t) {
  Thread& thread = all_[t];
  if (thread.pending == kNone) return false;
  if (opacity()) {
    for (uint32_t x = 0; x < threads_; ++x) {
      if (contains(thread.sees, x)) require_commit(x);
      if (contains(thread.overwritten_by, x)) add_edge(tentative_number(t), settled_number(x));
    }
    thread.sees = thread.overwritten_by = 0;
    add(thread.loaded, thread.pending);
    settle(t);
  }
  thread.pending = kNone;
  return true;
}

bool ConflictState::commit(uint32_t t) {
  Thread& thread = all_[t];
  if (thread.doomed || thread.pending != kNone) return false;
  for (uint32_t x = 0; x < threads_; ++x)
    if (contains(thread.sees, x)) require_commit(x);
  settle(t);
  if (!draw_conclusions()) return false;
  finish(t);
  return draw_conclusions();
}

bool ConflictState::abort(uint32_t t) {
  if (all_[t].must_commit || all_[t].stored != 0) return false;
  erase(tentative_number(t));
  if (opacity())
    finish(t);
  else
    remove_transaction(t);
  return draw_conclusions();
}

// --- beginning and end of transactions ---

uint32_t ConflictState::stores_of(uint32_t thread) const {
  return opacity() || all_[thread].must_commit ? settled_number(thread) : tentative_number(thread);
}

void ConflictState::start(uint32_t t) {
  if (all_[t].started) return;
  all_[t].started = true;
  for_each_node([&](uint32_t node) {
    if (nodes_[node].before_finished) add_edge(node, stores_of(t));
  });
}

void ConflictState::finish(uint32_t t) {
  const Thread& thread = all_[t];
  for (uint32_t y = 0; y < threads_; ++y)
    if (contains(all_[y].overwritten_by, t)) add_edge(tentative_number(y), settled_number(t));
  for_each_node([&](uint32_t number) {
    Node& node = nodes_[number];
    if (!contains(node.before, settled_number(t))) return;
    unite(node.prohibited_load, thread.stored);
    unite(node.prohibited_store, thread.stored | thread.loaded);
    node.before_finished = true;
  });
  remove_transaction(t);
}

void ConflictState::remove_transaction(uint32_t t) {
  erase(settled_number(t));
  erase(tentative_number(t));
  all_[t] = {};
  for (uint32_t y = 0; y < threads_; ++y) {
    remove(all_[y].sees, t);
    remove(all_[y].overwritten_by, t);
  }
}

// --- what is sure ---

void ConflictState::require_commit(uint32_t t) {
  all_[t].must_commit = true;
  for (uint32_t y = 0; y < threads_; ++y) remove(all_[y].sees, t);
}

void ConflictState::doom(uint32_t t) {
  Thread& thread = all_[t];
  thread.doomed = true;
  thread.sees = thread.overwritten_by = 0;
  erase(tentative_number(t));
  if (opacity())
    thread.pending = kNone;
  else
    thread.loaded = 0;
}

// Can what is tentative not be settled?
bool ConflictState::impossible(uint32_t t) {
  for (uint32_t x = 0; x < threads_; ++x)
    if (contains(all_[t].sees, x) && all_[x].doomed) return true;
  return contains(tentative(t).before, settled_number(t)) ||
         contains(tentative(t).before, tentative_number(t)) ||
         contains(settled(t).before, tentative_number(t));
}

bool ConflictState::draw_conclusions() {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t t = 0; t < threads_; ++t) {
      Thread& thread = all_[t];
      for (uint32_t x = 0; x < threads_; ++x) {
        if (thread.must_commit && contains(thread.sees, x)) {
          require_commit(x);
          changed = true;
        }
        if (all_[x].must_commit && contains(thread.overwritten_by, x)) {
          remove(thread.overwritten_by, x);
          add_edge(tentative_number(t), settled_number(x));
          changed = true;
        }
      }
      if (thread.must_commit) {
        if (thread.doomed) return false;
        settle(t);
      } else if (!thread.doomed && impossible(t)) {
        doom(t);
        changed = true;
      }
      if (contains(settled(t).before, settled_number(t))) return false;
    }
  }
  simplify();
  return true;
}

// Does the transaction come before whatever the other threads do and will do?
bool ConflictState::comes_first(uint32_t t) const {
  const Node& node = nodes_[stores_of(t)];
  for (uint32_t z = 0; z < threads_; ++z) {
    if (z == t) continue;
    const bool transaction = all_[z].started && tracked(z);
    if (transaction && !contains(node.before, stores_of(z))) return false;
    if (!node.before_finished && !(transaction && is_settled(stores_of(z)))) return false;
  }
  return true;
}

// Drops what is implied by the remaining state. A tentative node keeps only what is not settled anyway; a
// load adds nothing to a store of the same variable that cannot be rolled back; and a transaction that comes
// first anyway needs no reasons for it.
void ConflictState::simplify() {
  for (uint32_t t = 0; t < threads_; ++t) {
    Thread& thread = all_[t];
    if (thread.must_commit) subtract(thread.loaded, thread.stored);
    if (thread.started && tracked(t) && comes_first(t)) {
      thread.loaded = 0;
      if (thread.must_commit) thread.stored = 0;
      if (thread.doomed) settled(t).prohibited_load = settled(t).prohibited_store = 0;
    }
    const Node& sure = settled(t);
    Node& open = tentative(t);
    subtract(open.before, sure.before);
    subtract(open.prohibited_load, sure.prohibited_load);
    subtract(open.prohibited_store, sure.prohibited_store);
    if (sure.before_finished) open.before_finished = false;
    for_each_node([&](uint32_t number) {
      Node& node = nodes_[number];
      if (contains(node.before, settled_number(t))) remove(node.before, tentative_number(t));
    });
  }
}

// --- the graph ---

void ConflictState::inherit(Node& node, const Node& later) {
  unite(node.before, later.before);
  unite(node.prohibited_load, later.prohibited_load);
  unite(node.prohibited_store, later.prohibited_store);
  node.before_finished = node.before_finished || later.before_finished;
}

void ConflictState::add_edge(uint32_t from, uint32_t to) {
  const Node target = is_settled(to) ? nodes_[to] : Node{};
  for_each_node([&](uint32_t number) {
    Node& node = nodes_[number];
    if (number != from && !(is_settled(from) && contains(node.before, from))) return;
    add(node.before, to);
    inherit(node, target);
  });
}

// The tentative node becomes part of the settled one.
void ConflictState::settle(uint32_t t) {
  inherit(settled(t), tentative(t));
  for_each_node([&](uint32_t number) {
    if (contains(nodes_[number].before, tentative_number(t))) add(nodes_[number].before, settled_number(t));
  });
  erase(tentative_number(t));
  const Node merged = settled(t);
  for_each_node([&](uint32_t number) {
    if (contains(nodes_[number].before, settled_number(t))) inherit(nodes_[number], merged);
  });
}

void ConflictState::erase(uint32_t node) {
  nodes_[node] = {};
  for_each_node([&](uint32_t other) { remove(nodes_[other].before, node); });
}

// --- as numbers ---

void ConflictState::pack(std::vector<uint32_t>& numbers) const {
  numbers.clear();
  for (uint32_t t = 0; t < threads_; ++t) {
    const Thread& thread = all_[t];
    numbers.push_back(thread.stored | uint32_t{thread.loaded} << 16);
    numbers.push_back(thread.pending | uint32_t{thread.sees} << 8 | uint32_t{thread.overwritten_by} << 16 |
                      uint32_t{thread.started} << 24 | uint32_t{thread.must_commit} << 25 |
                      uint32_t{thread.doomed} << 26 | uint32_t{thread.rolled_back} << 27);
    for (const uint32_t number : {settled_number(t), tentative_number(t)}) {
      const Node& node = nodes_[number];
      numbers.push_back(node.before | uint32_t{node.before_finished} << 16);
      numbers.push_back(node.prohibited_load | uint32_t{node.prohibited_store} << 16);
    }
  }
}

void ConflictState::unpack(const uint32_t* numbers) {
  for (uint32_t t = 0; t < threads_; ++t) {
    Thread& thread = all_[t];
    thread.stored = static_cast<Variables>(*numbers);
    thread.loaded = static_cast<Variables>(*numbers++ >> 16);
    thread.pending = static_cast<uint8_t>(*numbers);
    thread.sees = static_cast<Threads>(*numbers >> 8);
    thread.overwritten_by = static_cast<Threads>(*numbers >> 16);
    thread.started = (*numbers >> 24 & 1) != 0;
    thread.must_commit = (*numbers >> 25 & 1) != 0;
    thread.doomed = (*numbers >> 26 & 1) != 0;
    thread.rolled_back = (*numbers++ >> 27 & 1) != 0;
    for (const uint32_t number : {settled_number(t), tentative_number(t)}) {
      Node& node = nodes_[number];
      node.before = static_cast<Nodes>(*numbers);
      node.before_finished = (*numbers++ >> 16 & 1) != 0;
      node.prohibited_load = static_cast<Variables>(*numbers);
      node.prohibited_store = static_cast<Variables>(*numbers++ >> 16);
    }
  }
}

}  // namespace fenceline::property
