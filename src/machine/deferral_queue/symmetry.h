// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that can be exchanged. Transactions run the same programs in every thread; what differs is the
// thread's own number, in what it stores (owner[v] = self) and in which element it uses (tx[self]). If all
// threads of a state are called differently, and the memory is changed to match, then whatever was possible
// is possible still, under the new names. So one of these states is enough.
//
// What a renaming does to the memory is guessed here, from where the threads' code differs. The guess is not
// trusted: for every local state that comes up, the machine also works out what its counterpart in the
// renamed thread does, and compares (QueueWorker::work_out_counterparts). Counterparts are found along the
// way: those of two local states that were reached by the same step are each other's. If a step has no
// counterpart, or a state gets two, NotSymmetric is thrown, and the search has to begin again without all
// this.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "ir/program.h"

namespace fenceline::queue {

class NotSymmetric : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the threads are called instead.
struct ThreadNames {
  std::vector<uint32_t> thread;    // by thread
  std::vector<uint32_t> original;  // by new name: who is called that
  std::vector<uint32_t> cell;      // by cell: where its value goes
};

class ThreadSymmetry {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // All ways to rename the threads of the program; only the one that changes nothing, if some of them are not
  // alike or there are too many.
  explicit ThreadSymmetry(const Program& program);

  bool any() const { return names_.size() > 1; }
  size_t size() const { return names_.size(); }  // the first one changes nothing
  const ThreadNames& operator[](size_t names) const { return names_[names]; }

  // What the value of the cell becomes.
  Value value(size_t names, uint32_t cell, Value value) const;

  // The local state of thread `names.thread[thread]` that does what `local` does, under the new names.
  uint32_t counterpart(size_t names, size_t thread, uint32_t local) const;  // kNone: not known
  // By names; the first is the local state itself. They are then known of each of them.
  void set_counterparts(size_t thread, const std::vector<uint32_t>& all);

  // The same for states of the language of histories, except that those that are known already stay.
  uint32_t history(size_t names, uint32_t state) const;  // kNone: not known
  void set_histories(const std::vector<uint32_t>& all);

  // For --check-reduction: the states that were expanded and all for which they stand, counted together.
  bool counts_states = false;
  std::atomic<uint64_t> states = 0;

 private:
  using Numbers = std::vector<uint32_t>;

  void find_names(const Program& program);
  void compose_names();
  size_t composed(size_t first, size_t then) const { return composed_[first * names_.size() + then]; }
  static uint32_t& entry(Numbers& numbers, uint32_t at);

  std::vector<ThreadNames> names_;
  std::vector<size_t> composed_;
  std::vector<std::vector<Value>> numbers_of_threads_;  // by cell: by thread, the value that stands for it

  mutable std::mutex mutex_;
  std::deque<std::vector<Numbers>> locals_;  // by names, thread, local state
  std::vector<Numbers> histories_;           // by names, state
};

}  // namespace fenceline::queue
