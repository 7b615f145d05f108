// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which cells an access can go to, and what it can write: values are propagated from stores to cells, from cells to
// loads and through registers, without regard to the order of instructions, until nothing changes. Only that a load
// behind a store of its own thread does not return the initial value any more is taken into account, unless told not to:
// models must keep that (reads_own_last_write in engine/sat/preserved_order.h).
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "base/value_set.h"
#include "ir/edit/overlay.h"

namespace fenceline {

class AccessedCells {
 public:
  enum class OwnStores { kHideInitialValues, kIgnored };

  explicit AccessedCells(const Overlay& overlay, OwnStores own_stores = OwnStores::kHideInitialValues);

  // Of a memory access. Empty: it always fails, or is never executed.
  const BitSet& at(ThreadId thread, Point point) const { return cells_[thread.index()][point.index()]; }
  // What an access that writes can write.
  const ValueSet& written(ThreadId thread, Point point) const {
    return written_[thread.index()][point.index()];
  }

 private:
  std::vector<std::vector<BitSet>> cells_;
  std::vector<std::vector<ValueSet>> written_;
};

}  // namespace fenceline
