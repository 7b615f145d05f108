// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a data-flow analysis knows of the loads that a thread has executed (thread_pairs.h): what holds on all paths.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "base/bit_set.h"

namespace fenceline::executions {

// What certainly lies behind a load, when it was executed last or at any earlier time. Accesses and fences by number.
struct LoadEvidence {
  bool ctrl = false;  // a branch that depends on it
  BitSet fences;
  BitSet addressed;  // accesses whose address depends on it
  BitSet stores;     // of data that depend on it, to one cell only
  BitSet ordered;    // read_ids and write_ids, executed last, that the model orders behind it
  // By cell: the last write to it since the load is one of these, and all of them are ordered behind the load.
  std::map<size_t, BitSet> last_writes;
  bool settled = false;  // only until the instruction is executed, see ThreadPairs::drop_settled()

  static size_t read_id(size_t access) { return access * 2; }
  static size_t write_id(size_t access) { return access * 2 + 1; }

  // What holds on both paths.
  void meet(const LoadEvidence& other);
  friend bool operator==(const LoadEvidence&, const LoadEvidence&) = default;
};

// Before an instruction. Loads that were not executed, or are settled, are not in the maps.
struct LoadsBefore {
  std::map<size_t, LoadEvidence> newest, older;
  BitSet loads;                    // that may have been executed
  std::vector<BitSet> depends_on;  // by register: loads whose newest value it certainly depends on
  BitSet waits;                    // loads with an assumption behind them that certainly have been executed

  void meet(const LoadsBefore& other);
  friend bool operator==(const LoadsBefore&, const LoadsBefore&) = default;
};

}  // namespace fenceline::executions
