// SPDX-License-Identifier: GPL-3.0-or-later
//
// A node is written, then its address is stored where others find it. A thread that reads the node through that address has
// read the address first, and whatever the model orders behind reading the address is then ordered behind the writes to the
// node as well, even if it is not ordered behind reading the node. Lock-free stacks and queues depend on that.
//
// Let S be a store to one cell, in thread U, and v the address. *Published* is what follows from reading v: S is before it
// in the model's order (of one constraint, load_buffering.h). This is shown for all reads of v but those in a set B, and
// for all writes of v but those to cells in a set K. B and K are the smallest sets with:
//
//   K has the cells that are v at first.
//   K has the cells of a write w that may write v, unless w
//     copies it: the value of w is that of one of certain reads outside of B, unchanged, and the model orders each of
//       these before w because the data of w depend on it; or
//     publishes it: w is in U, the model orders S before w, and no S follows when w has been executed (and has written,
//       if it is a compare-exchange).
//   B has the reads that may be of a cell in K, and a read behind a write w of its own thread that may have written v to its
//   cell, unless the model orders such a read, if it reads w, behind w; or w copies, and the model orders such a read behind
//   each of those that w copies (on Power a read is not behind the own write that it reads, but behind what that depends on).
//
// If a read r outside of B returns v, then S is before r. The write w that r reads is not to a cell in K, so w copies or
// publishes v. If w publishes, then S is before w; if w copies, then r' before w is a read outside of B that has returned v,
// and S is before r' by induction: r' is before r in an order that has no cycle. In both cases w is before r, in another
// thread because models considered order what others read, in the same one because r is not in B; or r' is before r itself.
//
// So if a load reads S through an address that was read by loads outside of B, and only by such, and the model orders these
// before all stores that follow the load, then these stores are ordered behind S. Loads that acquire are ordered so; in many
// models all are, because an address depends on them.
//
// The model orders S before a write that publishes if that releases, or if there is a fence on every path between them.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/bit_set.h"
#include "engine/executions/thread_pairs.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/analysis/liveness.h"
#include "ir/edit/overlay.h"

namespace fenceline::executions {

class Publication {
 public:
  Publication(const Overlay& overlay, const AccessedCells& cells, const PairOrder& order);

  // If the load reads from the store, of another thread: is every later store of its thread certainly ordered behind that?
  bool is_published(ThreadId of_store, Point store, ThreadId of_load, Point load);

 private:
  struct Access {
    ThreadId thread;
    Point point;
  };
  // The reads of its thread whose value, unchanged, a register has; and whether it may have another one.
  struct Origin {
    BitSet reads;  // points
    bool other = false;
  };

  const Instruction& at(const Access& access) const { return overlay_.at(access.thread, access.point); }
  const BitSet& cells(const Access& access) const { return cells_.at(access.thread, access.point); }
  void find_origins(ThreadId thread, const Liveness& liveness);
  const Origin* origin_of(ThreadId thread, ExprId expr) const;

  // The reads in B, by thread.
  using Reads = std::vector<BitSet>;
  const Reads& unpublished_reads(const Access& store, Value address);
  bool copies(const Access& write, const Reads& unpublished) const;
  template <typename Ordered>
  bool copies(const Access& write, const Reads& unpublished, const Ordered& is_ordered) const;
  bool is_ordered_behind_copied(const Access& read, const Access& write, const Reads& unpublished) const;
  bool publishes(const Access& write, const Access& store) const;
  bool is_ordered_behind_own(const Access& read, const Access& write) const;
  bool follows(const Access& write, Point point) const;
  std::optional<Value> value_behind(const Instruction& exchange, ExprId expr) const;
  bool is_fenced(const Access& first, Point second, sat::AccessPair pair) const;

  const Overlay& overlay_;
  const Program& program_;
  const AccessedCells& cells_;
  const PairOrder order_;
  bool has_sections_ = false;  // then nothing is known: the order within them is none of the model
  std::vector<Access> reads_, writes_;
  std::vector<std::vector<Origin>> origins_;  // by thread and register
  std::map<std::tuple<ThreadId, Point, Value>, Reads> known_;
};

}  // namespace fenceline::executions
