// SPDX-License-Identifier: GPL-3.0-or-later
//
// The deferral-queue machine as a transition system: memory, one local state per thread and, where histories of
// transactions are checked, a state of the language of accepted histories.
//
// Local states are stored once and referred to by number, so a state is the memory and a few numbers. The
// successors are computed by QueueWorker (queue_worker.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/edit/overlay.h"
#include "machine/deferral_queue/stamps.h"
#include "machine/deferral_queue/symmetry.h"
#include "machine/deferral_queue/thread_rules.h"
#include "machine/history_language.h"
#include "machine/layout.h"
#include "machine/transition_system.h"

namespace fenceline::machine {

// The local states of one thread that have come up, for all workers.
class LocalStates {
 public:
  uint32_t number_of(std::string_view packed);
  std::string_view packed(uint32_t number) const;  // valid for ever
  size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> states_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

class QueueSystem final : public SystemSource {
 public:
  // Everything but the table must outlive it. Precondition: queue_unsupported_reason() is empty. `language`: null
  // if no histories are checked. `symmetry`: null to search without symmetry reduction; else workers may throw
  // queue::NotSymmetric.
  QueueSystem(const Program& program, const FenceSet& fences, ReorderTable table,
              const HistoryLanguage* language, const Observed& observed, const queue::RuleOptions& options,
              queue::ThreadSymmetry* symmetry = nullptr);

  std::unique_ptr<TransitionSystem> worker() const override;

  // Did some store come to represent any number of stores like it? Then a counterexample may be spurious.
  bool merges_stores() const;

  // Did a transaction commit or finish a read, in whatever was explored?
  bool something_finished() const { return finished_; }

  // How many local states have come up, of all threads together.
  size_t local_states() const;

 private:
  friend class QueueWorker;

  Overlay overlay_;
  ReorderTable table_;
  const HistoryLanguage* language_;
  queue::ThreadSymmetry* symmetry_;  // null: none is used
  Liveness liveness_;
  queue::StampRules stamps_;
  std::deque<queue::ThreadRules> rules_;  // by thread
  mutable std::atomic<bool> finished_ = false;
  mutable std::deque<LocalStates> local_states_;  // by thread
  std::vector<uint32_t> variables_;               // by cell: the transactional variable that it is
  std::vector<uint32_t> first_register_;          // by thread, and the total
};

}  // namespace fenceline::machine
