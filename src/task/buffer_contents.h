// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is known about the pending stores of one thread, spelled out: the form in which abstract buffers go
// into certificates. Plain data, so that the checker of a certificate need not share code with its maker.
//
// It represents all sequences of pending stores that consist of
//   - the entries of `head`, in order (where there is a buffer per cell: in order per cell), each with some
//     value of its `values`; then
//   - for every cell in `tail` one or more entries, younger than all entries of the head (where there is a
//     buffer per cell: than those of the same cell), in any order, each with a value of `values`; the
//     youngest has a value of `newest`. If `all_present`, every one of `values` occurs among them at least
//     once.
// and nothing else. Epochs count store-store barriers and mean something only relative to each other (there
// is always room for another one between two of them, so that numbers may be changed if their order stays):
// an entry of the head has exactly its epoch; those of a tail lie between `oldest_epoch` and `newest_epoch`,
// and the youngest has exactly `newest_epoch`. `barrier_pending`: a barrier is behind all entries.
// A marked entry was there when a store-load fence was passed. `newest_marked` speaks of the youngest entry
// of a tail (then all of that tail are marked); if it is false nothing is known of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers.h"

namespace fenceline {

struct BufferContents {
  struct Entry {
    uint32_t cell = 0;
    std::vector<Value> values;  // sorted, not empty; one unless values are abstracted, too
    uint32_t epoch = 0;
    bool marked = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  struct Tail {
    uint32_t cell = 0;
    std::vector<Value> newest;  // sorted, not empty
    std::vector<Value> values;  // sorted, not empty
    bool all_present = false;
    uint32_t oldest_epoch = 0;
    uint32_t newest_epoch = 0;
    bool newest_marked = false;
    friend bool operator==(const Tail&, const Tail&) = default;
  };
  std::vector<Entry> head;  // by age; where there is a buffer per cell: by cell, then age
  std::vector<Tail> tail;   // by cell
  bool barrier_pending = false;
  friend bool operator==(const BufferContents&, const BufferContents&) = default;
};

}  // namespace fenceline
