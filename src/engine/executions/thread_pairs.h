// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pairs of a load and a later store of one thread, and which of them the model certainly orders (load_buffering.h).
//
// A data-flow analysis looks at the last time that a load was executed, and at all earlier times together. What it knows
// of each is what holds on all paths: which fences and which accesses with a dependent address lie behind it, whether a
// branch depends on it, and to which cells a store that depends on it has been made. As soon as this is enough to order
// the load before every later store, whatever that is, the load is *settled*, and nothing more has to be known of it: an
// acquiring load is from the beginning.
//
// That a load is ordered before a store means one of two things: the load itself is, or the write of another thread that
// it reads (it is before the store in coherence order, if both are of one location). To a cycle that comes from that write
// this makes no difference. But where a load is ordered behind another one, and so is what is behind it, only the first
// meaning counts: such a load is ordered *itself*.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/bit_set.h"
#include "engine/executions/load_evidence.h"
#include "engine/executions/thread_paths.h"
#include "engine/sat/preserved_order.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/edit/overlay.h"

namespace fenceline::executions {

// Whether one of the constraints of a model certainly orders accesses.
class PairOrder {
 public:
  PairOrder(sat::PreservedOrder& preserved, size_t constraint)
      : preserved_(preserved), constraint_(constraint) {}

  bool operator()(const sat::AccessPair& pair) const { return preserved_.orders(pair)[constraint_]; }

 private:
  sat::PreservedOrder& preserved_;
  size_t constraint_;
};

struct LoadStorePair {
  Point load, store;
  bool ordered = false;  // certainly, whenever the two are executed in this order
};

class ThreadPairs {
 public:
  using Iterations = ThreadPaths::Iterations;

  // Throws Unsupported where there are too many paths.
  ThreadPairs(const Overlay& overlay, ThreadId thread, const AccessedCells& cells, const PairOrder& order,
              Iterations iterations);

  const std::vector<LoadStorePair>& pairs() const { return pairs_; }
  // Has the load, with an assumption behind it, certainly been executed when the thread is at the store?
  bool executed_before(Point load, Point store) const;

 private:
  using Dependency = sat::AccessPair::Dependency;

  using Evidence = LoadEvidence;
  using State = LoadsBefore;

  const Instruction& at(Point point) const { return overlay_.at(thread_, point); }
  const Instruction& at(size_t number) const { return at(points_[number]); }
  size_t number(Point point) const { return numbers_[point.index()]; }

  void run();

  void execute(Point point, State& state) const;
  void fence(size_t fence, State& state) const;
  void access(size_t access, State& state) const;
  void note_order(size_t access, bool write, State& state) const;
  void note_write(size_t write, bool is_ordered, Evidence& evidence) const;
  void note_ordered(size_t access, bool write, Evidence& evidence) const;
  void depend_on(State& state, ExprId condition, BitSet& settled) const;
  void drop_settled(State& state, const BitSet& by_themselves) const;

  BitSet dependencies(const State& state, ExprId expr) const;
  void assign(State& state, const Dest& dest, BitSet on) const;
  void add_pairs(size_t store, const State& state);
  void add_pair(size_t load, size_t store, bool ordered);

  const BitSet& cells(size_t access) const { return cells_.at(thread_, points_[access]); }
  bool alias(size_t a, size_t b) const { return cells(a).size() == 1 && cells(a) == cells(b); }
  bool certainly_writes(size_t access) const;
  bool settles(size_t load, const Evidence& evidence, Dependency on, size_t middle) const;
  bool orders_what_follows(size_t access, bool write) const;
  bool own_write_is_ordered(size_t rmw) const;

  // What is accessed now, and on which loads it depends.
  struct Target {
    size_t access;
    bool write;
    BitSet by_address, by_data;
  };
  Target target(size_t access, bool write, const State& state) const;
  bool ordered(size_t load, bool newest, const Evidence& evidence, const Target& target,
               const State& state) const;
  bool ordered_directly(size_t load, bool newest, const Evidence& evidence, const Target& target,
                        bool by_location) const;
  bool behind_last_write(size_t read, const Evidence& evidence) const;

  const Overlay& overlay_;
  const Program& program_;
  const ThreadId thread_;
  const AccessedCells& cells_;
  const PairOrder order_;
  const ThreadPaths paths_;
  std::vector<Point> points_;              // of accesses and fences, by number
  std::vector<size_t> numbers_;            // by point
  std::vector<bool> in_section_;           // by point
  std::map<size_t, BitSet> waits_before_;  // by store
  std::vector<LoadStorePair> pairs_;
  std::map<std::pair<size_t, size_t>, size_t> pair_numbers_;
};

}  // namespace fenceline::executions
