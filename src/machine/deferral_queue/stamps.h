// SPDX-License-Identifier: GPL-3.0-or-later
//
// Timestamps grow without end, but programs only compare, copy and increment them. So all that matters of the
// timestamps of a state is their order and, above one that may be incremented, how close the next one is:
// docs/stm.md, "Timestamps". Each state is therefore renamed: the k-th smallest timestamp becomes the one
// before it plus their distance; a distance that is too large to matter becomes `far`, and one that does not
// matter at all becomes 1. If the program does not compare timestamps by size, then even their order matters
// only where something may be incremented: between two such points they are named as they come up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers.h"
#include "ir/program.h"

namespace fenceline::machine::queue {

struct Stamp {
  Value value = 0;
  bool grows = false;  // held by something that may be incremented
  uint32_t rank = 0;   // how many others were named before it

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// By how much the expression increases a timestamp, at most: of `s + 1 == t + 1 + 2` that is 3.
Value added_to_stamps(const Program& program, const Thread& thread, ExprId expr);

class StampRules {
 public:
  explicit StampRules(const Program& program);

  bool any() const { return any_; }
  // A step may increase a timestamp of the state that it starts from by less than this: up to this distance
  // the renaming keeps what lies above it.
  Value far() const { return far_; }
  // Constants beyond this would leave too little room for names.
  static constexpr Value kLargest = Value{1} << 40;
  bool too_large() const;
  bool is_stamp(uint32_t cell) const { return cells_[cell]; }
  bool cell_grows(uint32_t cell) const { return growing_cells_[cell]; }
  bool register_grows(size_t thread, uint32_t reg) const { return growing_registers_[thread][reg]; }

  // Ascending, each value once, with the constants of the program. Ranks are given by the order in which they
  // come, which must be the same in all states.
  void sort(std::vector<Stamp>& stamps) const;

  struct Renaming {
    std::vector<Stamp> from;
    std::vector<Value> to;
    bool identity = true;
    Value operator()(Value value) const;
  };

  // For a state with these timestamps; `before` are those of the state before the step, which was renamed
  // itself. Both are sorted. False if a new timestamp lies between two old ones that are far from each other:
  // how far it is from the larger of them is not known. This is called for every successor, so `renaming` is
  // one that can be used again.
  bool rename(const std::vector<Stamp>& now, const std::vector<Stamp>& before, Renaming& renaming) const;

 private:
  void find_growing(const Program& program);
  void sort_by_rank(std::vector<Stamp>& stamps) const;

  bool any_ = false;
  std::vector<bool> cells_, growing_cells_;           // by cell
  std::vector<std::vector<bool>> growing_registers_;  // by thread and register
  std::vector<Value> constants_;                      // ascending; keep their values
  std::vector<Stamp> constant_stamps_;  // the same; what something is set to that grows does, too
  Value far_ = 0;
  bool ordered_ = false;  // does the program compare them by size?
};

}  // namespace fenceline::machine::queue
