// SPDX-License-Identifier: GPL-3.0-or-later
//
// Symmetry between threads. Transactions run the same code in every thread; what differs is the thread's own
// number, in what it stores (owner[v] = self) and in which element it uses (tx[self]). Permuting the threads of a
// state, and its memory to match, gives a state with the same behaviour up to the permutation. So one state of
// each orbit is enough.
//
// What a permutation does to the memory is guessed here, from where the threads' code differs. The guess is not
// trusted: for every local state that comes up, the machine also works out what its counterpart in the permuted
// thread does, and compares (QueueWorker::work_out_counterparts). Counterparts are found on the fly: two local
// states that were reached by the same step are each other's. If a step has no counterpart, or a state gets two,
// NotSymmetric is thrown, and the search starts again without symmetry.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "ir/program.h"

namespace fenceline::machine::queue {

class NotSymmetric : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ThreadPermutation {
  std::vector<uint32_t> thread;    // by thread
  std::vector<uint32_t> original;  // by new number: the thread that gets it
  std::vector<uint32_t> cell;      // by cell: where its value goes
};

class ThreadSymmetry {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // All permutations of the threads of the program; only the identity, if some of them are not alike or there
  // are too many.
  explicit ThreadSymmetry(const Program& program);

  bool any() const { return permutations_.size() > 1; }
  size_t size() const { return permutations_.size(); }  // the first one is the identity
  const ThreadPermutation& operator[](size_t permutation) const { return permutations_[permutation]; }

  // What the value of the cell becomes.
  Value value(size_t permutation, uint32_t cell, Value value) const;

  // The local state of thread `permutation.thread[thread]` that corresponds to `local`.
  uint32_t counterpart(size_t permutation, size_t thread, uint32_t local) const;  // kNone: not known
  // By permutation; the first is the local state itself. Sets the counterparts of each of them.
  void set_counterparts(size_t thread, const std::vector<uint32_t>& all);

  // The same for states of the language of histories, except that those that are known already stay.
  uint32_t history(size_t permutation, uint32_t state) const;  // kNone: not known
  void set_histories(const std::vector<uint32_t>& all);

  // For --check-reduction: the sizes of the orbits of all expanded states, added up.
  bool counts_states = false;
  std::atomic<uint64_t> states = 0;

 private:
  using Renumbering = std::vector<uint32_t>;

  void find_permutations(const Program& program);
  void compose_permutations();
  size_t composed(size_t first, size_t then) const { return composed_[first * permutations_.size() + then]; }
  static uint32_t& entry(Renumbering& numbers, uint32_t at);

  std::vector<ThreadPermutation> permutations_;
  std::vector<size_t> composed_;
  std::vector<std::vector<Value>> thread_numbers_;  // by cell: by thread, the value that represents it

  mutable std::mutex mutex_;
  std::deque<std::vector<Renumbering>> locals_;  // by permutation, thread, local state
  std::vector<Renumbering> histories_;           // by permutation, state
};

}  // namespace fenceline::machine::queue
