// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the steps of a thread do to its queues, each of which is a regular language of pending stores and
// barriers; they represent every combination of words, one per queue. One queue per thread where the model
// has one buffer per thread, one per cell where it has one per cell, none where it has none.
//
// Barriers. With one queue per cell, a store-store fence puts a barrier into all queues of the thread. The
// epoch of a store is thus the number of barriers before it in its queue, the same number in all queues, and
// the stores of the earliest epoch are those before the first barrier. A combination represents a buffer if
// all queues have equally many barriers. It is normal if not all queues begin with a barrier and if between
// two barriers, in some queue, there is a store. Every buffer has exactly one normal combination that represents
// it, and steps are those of normal combinations only: so whatever else a certificate contains cannot
// hide a step. Results of steps are normal where combinations of real buffers are, and never have a barrier
// at the beginning of all queues.
//
// Where a condition does not speak about each queue alone ("some queue begins with a store"), the
// combinations for which it holds are not a product. They are given as several products: by the first queue
// for which it holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/statespace/buffer_algebra.h"
#include "check/statespace/queue_languages.h"
#include "ir/instruction.h"
#include "model/memory_model.h"

namespace fenceline::check {

// A BufferAlgebra; see there what the functions mean.
class AutomataBuffer {
 public:
  using Language = QueueLanguages::Number;
  using Contents = std::vector<Language>;            // by queue
  static constexpr Language kAbsent = ~Language{0};  // a cell that the thread never stores to: no queue

  // Keeps a reference.
  AutomataBuffer(QueueLanguages& languages, Buffering buffering, size_t cell_count);

  // Precondition: letters have cells of the program, and are barriers or marked only where that means
  // something.
  std::optional<std::string> malformed(const Contents& queues, size_t cell_count) const;
  static bool represents_nothing(const Contents& queues);
  const Contents& nothing_pending() const { return nothing_pending_; }

  bool keep_empty(Contents& queues) const;
  bool keep_readable(Contents& queues);
  std::vector<Reading<Contents>> readings(const Contents& queues, uint32_t cell);
  bool keep_drained_for_write(Contents& queues);
  bool keep_drained_for_write(Contents& queues, uint32_t cell);
  void store(Contents& queues, uint32_t cell, Value value);
  std::vector<Contents> after_fence(const Contents& queues, FenceKinds kinds);
  std::vector<Flush<Contents>> flushes(const Contents& queues);

  bool subsumes(const Contents& general, const Contents& special);
  static uint64_t hash(const Contents&) { return 0; }  // included languages have nothing in common
  uint64_t bytes() const { return languages_.bytes(); }

 private:
  bool per_cell() const { return buffering_ == Buffering::kPerCell; }
  // Replaces each queue that there is.
  template <class F>
  static void change(Contents& queues, const F& f) {
    for (Language& queue : queues)
      if (queue != kAbsent) queue = f(queue);
  }
  size_t queue_of(uint32_t cell) const { return per_cell() ? cell : 0; }
  std::vector<Contents> after_barrier(const Contents& queues);
  std::vector<Contents> normal(const Contents& queues);
  void add_without_common_barrier(Contents queues, std::vector<Contents>& results);

  QueueLanguages& languages_;
  Buffering buffering_;
  Contents nothing_pending_;  // as many queues as the model has
};

}  // namespace fenceline::check
