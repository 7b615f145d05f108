// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the steps of a thread do to BufferContents, and when one contents stands for all that another stands
// for. Everything here is derived from the meaning written in domain/buffer/contents.h, with these readings:
//
//   - Only the order of epochs matters, so an abstract epoch is a place on a dense line: a concrete buffer is
//     meant if its epochs can be laid onto that line without changing their order. The epochs of head entries
//     and of the youngest entry of each rest are certain; `oldest_epoch` is no more than a bound from below.
//   - A mark only forbids. So "not marked" is read as "nothing is known", which stands for more.
//   - A barrier that stands behind no entry means nothing.
//   - On TSO epochs and marks mean nothing at all.
//
// Each function below is as precise as the form of BufferContents allows, and never has to know how much of a
// buffer its maker keeps in the head: a store is appended to the head whenever that is possible, and `covers`
// lets a rest stand for what another contents has in its head. What an engine forgets at once is thus
// forgotten here at the last moment, in the comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/buffer/contents.h"
#include "ir/instruction.h"
#include "model/memory_model.h"

namespace fenceline {

class CoherenceBuffer {
 public:
  // One way in which a store can reach memory.
  struct Flush {
    uint32_t cell;
    Value value;
    BufferContents after;
  };

  explicit CoherenceBuffer(Buffering buffering) : buffering_(buffering) {}

  // What is wrong with it; nothing if it may be given to the functions below.
  std::optional<std::string> malformed(const BufferContents& buffer, size_t cell_count) const;

  static bool empty(const BufferContents& buffer) { return buffer.head.empty() && buffer.rest.empty(); }

  // The values that the youngest store to the cell can have; nullptr: none waits.
  static const std::vector<Value>* newest(const BufferContents& buffer, uint32_t cell);
  // Keeps what has `value` in the youngest store to the cell. Precondition: newest() has it.
  static void keep_newest(BufferContents& buffer, uint32_t cell, Value value);

  // False if a marked store certainly waits.
  bool loads_possible(const BufferContents& buffer) const;

  // What a write that goes around the buffer needs, whatever its cell. If it is possible, keeps the contents
  // for which it is.
  bool keep_drained_for_write(BufferContents& buffer) const;
  // The same for a write to this cell.
  bool keep_drained_for_write(BufferContents& buffer, uint32_t cell) const;

  // Precondition: the model has store buffers.
  void store(BufferContents& buffer, uint32_t cell, Value value) const;

  // False if the fence has to wait.
  bool fence(BufferContents& buffer, FenceKinds kinds) const;

  std::vector<Flush> flushes(const BufferContents& buffer) const;

  // Does `general` stand for everything that `special` stands for? Neither may be malformed.
  bool covers(const BufferContents& general, const BufferContents& special) const;

 private:
  bool per_cell() const { return buffering_ == Buffering::kPerCell; }
  void flush_head(const BufferContents& buffer, size_t at, std::vector<Flush>& ways) const;
  void flush_rest(const BufferContents& buffer, size_t at, std::vector<Flush>& ways) const;

  Buffering buffering_;
};

}  // namespace fenceline
