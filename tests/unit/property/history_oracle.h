// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opacity and strict serializability by definition (docs/stm.md; section 2.4 of the paper), slowly and
// without a line of what is tested with it: all completions of the transactions, all prefixes, all serial
// orders.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/history.h"
#include "ir/program.h"

namespace fenceline::property {

using History = std::vector<HistoryStep>;

class HistoryOracle {
 public:
  HistoryOracle(PropertyKind property, uint32_t threads) : property_(property), threads_(threads) {}

  // Can the history be finished such that it is correct? Rollbacks come first and rfin last, since an order
  // between two operations comes about only when the store is not rolled back and the load is used.
  bool correct(const History& history) const;
  // The same without that argument: all completions, in all interleavings.
  bool correct_somehow(const History& history) const;

 private:
  bool finished_is_correct(const History& history) const;
  bool serial_order_exists(const std::vector<std::vector<bool>>& before, std::vector<bool>& placed) const;

  PropertyKind property_;
  uint32_t threads_;
};

// Calls f with every history up to the length whose prefixes f has approved of, shortest first on each path.
// Of histories that differ only in the names of threads and variables only one is shown; `like_it` counts how
// many there are.
void for_each_history(const HistoryAlphabet& alphabet, size_t length,
                      const std::function<bool(const History&, uint64_t like_it)>& f);

}  // namespace fenceline::property
