// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which registers and cells hold pointers to nodes (thread_nodes.h): what is copied from or to one of them, or compared
// with one, without regard to the order of instructions.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/edit/overlay.h"

namespace fenceline::executions {

class PointerFlow {
 public:
  // Keeps references. `cells` hold pointers to begin with.
  PointerFlow(const Overlay& overlay, const AccessedCells& accessed, BitSet cells);

  // `corresponding`: sets of cells of which all hold pointers or none.
  void run(const std::vector<BitSet>& corresponding);

  const BitSet& cells() const { return cells_; }
  const BitSet& registers(ThreadId thread) const { return registers_[thread.index()]; }

  // Could the value of the expression be a copy of a pointer?
  bool is_pointer(ThreadId thread, ExprId id) const;

  // The constants and registers that the value may be a copy of.
  template <typename Visit>
  void for_each_source(ExprId id, const Visit& visit) const {
    const Expr& e = program_.expr(id);
    if (e.op == ExprOp::kConst || e.op == ExprOp::kReg || e.op == ExprOp::kRegAt) return visit(e);
    if (e.op != ExprOp::kSelect) return;
    for_each_source(e.b, visit);
    for_each_source(e.c, visit);
  }

 private:
  // Values flow between these, in one or the other direction.
  struct Same {
    BitSet cells;
    std::vector<ExprId> values;
    Dest dest;
  };

  void follow(ThreadId thread, Point point);
  void unite(ThreadId thread, const Same& same);
  void add_cells(const BitSet& cells);
  void add_register(ThreadId thread, size_t reg);

  const Overlay& overlay_;
  const Program& program_;
  const AccessedCells& accessed_;
  BitSet cells_;
  std::vector<BitSet> registers_;  // by thread
  bool changed_ = false;
};

}  // namespace fenceline::executions
