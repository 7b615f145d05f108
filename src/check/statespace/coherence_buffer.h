// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the steps of a thread do to BufferContents, and when one contents subsumes another
// one. Everything here is derived from the meaning written in task/buffer_contents.h, with these readings:
//
//   - Only the order of epochs matters, so an abstract epoch is a point on a dense line: a concrete buffer is
//     meant if its epochs can be laid onto that line without changing their order. The epochs of head entries
//     and of the youngest entry of each tail are certain; `oldest_epoch` is no more than a bound from below.
//   - A mark only forbids. So "not marked" is read as "nothing is known", which represents more.
//   - A barrier behind no entry means nothing.
//   - On TSO epochs and marks mean nothing at all.
//
// Each function below is as precise as the form of BufferContents allows, and does not depend on how much of
// a buffer the engine keeps in the head: a store is appended to the head whenever that is possible, and
// `subsumes` lets a tail represent what another contents has in its head. What an engine abstracts at once is
// thus abstracted here at the last moment, in the comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/statespace/buffer_algebra.h"
#include "ir/instruction.h"
#include "model/memory_model.h"
#include "task/buffer_contents.h"

namespace fenceline::check {

class CoherenceBuffer {
 public:
  using Contents = BufferContents;
  using Flush = fenceline::check::Flush<BufferContents>;

  explicit CoherenceBuffer(Buffering buffering) : buffering_(buffering) {}

  // Why it is malformed; none if it may be given to the functions below.
  std::optional<std::string> malformed(const BufferContents& buffer, size_t cell_count) const;

  static bool represents_nothing(const BufferContents&) { return false; }
  static BufferContents nothing_pending() { return {}; }
  static bool empty(const BufferContents& buffer) { return buffer.head.empty() && buffer.tail.empty(); }

  // The values that the youngest store to the cell can have; nullptr: none is pending.
  static const std::vector<Value>* newest(const BufferContents& buffer, uint32_t cell);
  // Keeps what has `value` in the youngest store to the cell. Precondition: newest() has it.
  static void keep_newest(BufferContents& buffer, uint32_t cell, Value value);

  // See BufferAlgebra for these.
  static bool keep_empty(BufferContents& buffer) { return empty(buffer); }
  bool keep_readable(BufferContents& buffer) const;  // false if a marked store is certainly pending
  static std::vector<Reading<BufferContents>> readings(const BufferContents& buffer, uint32_t cell);
  bool keep_drained_for_write(BufferContents& buffer) const;
  bool keep_drained_for_write(BufferContents& buffer, uint32_t cell) const;
  void store(BufferContents& buffer, uint32_t cell, Value value) const;
  std::vector<BufferContents> after_fence(const BufferContents& buffer, FenceKinds kinds) const;
  std::vector<Flush> flushes(const BufferContents& buffer) const;

  bool subsumes(const BufferContents& general, const BufferContents& special) const;
  static uint64_t hash(const BufferContents& buffer);
  static uint64_t bytes() { return 0; }

 private:
  bool per_cell() const { return buffering_ == Buffering::kPerCell; }
  void flush_head(const BufferContents& buffer, size_t at, std::vector<Flush>& alternatives) const;
  void flush_tail(const BufferContents& buffer, size_t at, std::vector<Flush>& alternatives) const;

  Buffering buffering_;
};

}  // namespace fenceline::check
