// SPDX-License-Identifier: GPL-3.0-or-later
//
// Timestamps grow without end, but programs only compare, copy and increment them. So all that matters of the
// timestamps of a state is their order and, for neighbours, whether one is the other plus a small number:
// docs/stm.md, "Timestamps". Each state is therefore renamed: the k-th smallest timestamp becomes the one
// before it plus their distance, and distances that are too large to be told apart become kFar.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/numbers.h"
#include "ir/program.h"

namespace fenceline::queue {

class StampRules {
 public:
  explicit StampRules(const Program& program);

  bool any() const { return any_; }
  bool is_stamp(uint32_t cell) const { return cells_[cell]; }

  struct Renaming {
    std::vector<Value> from, to;  // ascending
    bool identity() const { return from == to; }
    Value operator()(Value value) const;
  };

  // For a state with these timestamps, in any order and any number of times each. `before` are those of the
  // state before the step, which was renamed itself. None if a new timestamp lies between two old ones that
  // are far apart: how far it is from the larger of them is not known.
  std::optional<Renaming> renaming(std::vector<Value> now, std::vector<Value> before) const;

 private:
  bool any_ = false;
  std::vector<bool> cells_;       // by cell
  std::vector<Value> constants_;  // ascending; keep their values
  Value far_ = 0;
};

}  // namespace fenceline::queue
