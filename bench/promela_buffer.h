// SPDX-License-Identifier: GPL-3.0-or-later
//
// The store buffer of one thread as Promela variables of its process. Slots are scalars, not arrays: SPIN
// packs scalars of few bits into words, and a slot that is empty is 0, so that equal buffers are equal bits.
// Buffers belong to the thread's own process and the process flushes them itself, as one more thing it can do
// at any program counter: a separate process per buffer would make every state vector longer and every
// expansion slower.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "buffer_bounds.h"
#include "ir/analysis/ranges.h"
#include "machine/code.h"
#include "terms.h"

namespace fenceline::bench {

inline constexpr const char* kMemory = "m";  // the array of all cells; also the key in PromelaTerm::reads
inline constexpr const char* kBuffer = "buffer";  // the key in PromelaTerm::reads for all slots of the thread

// The smallest Promela type for the range. Throws Unsupported if there is none.
std::string declare(const std::string& name, const Range& range);

class PromelaBuffer {
 public:
  // `limited`: the bounds were cut off; a store needs room.
  PromelaBuffer(const machine::Code& code, const Ranges& ranges, const BufferBounds& bounds, size_t thread,
                bool limited);

  std::string declarations() const;

  // Conditions and values, in terms of the variables as they are before a step from `point`.
  PromelaTerm load(size_t point, const machine::Operation& op, const PromelaTerm& offset) const;
  PromelaTerm empty(size_t point) const;
  PromelaTerm ready_to_write(size_t point, const machine::Operation& op,
                             const PromelaTerm& offset) const;  // as an rmw does
  PromelaTerm room(size_t point) const;

  struct Flush {
    PromelaTerm possible;
    std::vector<std::string> statements;
    PromelaTerm empty_after;      // in terms of the variables before the flush
    std::vector<uint32_t> cells;  // that it may write
  };
  std::vector<Flush> flushes(size_t point) const;

  // `known`: the number of entries there are, of all cells or, with a buffer per cell, of this one.
  std::vector<std::string> push(size_t point, const machine::Operation& op, const PromelaTerm& offset,
                                const PromelaTerm& value, std::optional<uint32_t> known) const;

 private:
  uint32_t entries(size_t point, uint32_t cell) const;
  PromelaTerm load_cell(size_t point, uint32_t cell) const;
  Flush flush_oldest(size_t point) const;
  Flush flush_cell(size_t point, uint32_t cell) const;
  // Variables. One buffer per thread uses cell 0 in their names.
  std::string count(uint32_t cell) const;
  std::string value(uint32_t cell, uint32_t slot) const;
  PromelaTerm slot_cell(uint32_t slot) const;
  PromelaTerm longer_than(uint32_t cell, uint32_t entries) const;

  const machine::Code& code_;
  const Ranges& ranges_;
  const BufferBounds& bounds_;
  size_t thread_;
  bool limited_;
  bool per_cell_;
  std::vector<uint32_t> cells_;  // that the thread can have in its buffer
};

}  // namespace fenceline::bench
