// SPDX-License-Identifier: GPL-3.0-or-later
//
// The automaton of a property for any number of threads and variables. Its states are those of the graph of
// conflicts (conflict_state.h), numbered as they come up.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "automata/tables.h"
#include "machine/history_language.h"
#include "property/opacity/conflict_state.h"

namespace fenceline::property {

class ConflictMonitor : public machine::HistoryLanguage {
 public:
  // Throws Unsupported if there are more threads or variables than ConflictState can have.
  ConflictMonitor(PropertyKind property, const HistoryAlphabet& alphabet);

  const HistoryAlphabet& alphabet() const override { return alphabet_; }
  uint32_t initial() const override { return 0; }
  uint32_t next(uint32_t state, uint32_t letter) const override;
  unsigned bits() const override { return 32; }

  uint32_t size() const;  // states so far

 private:
  // Steps that are known are read without a lock. They lie in blocks that never move, each as large as all
  // before it together.
  static constexpr uint32_t kUnknown = kRejected - 1;
  static constexpr uint32_t kFirstBlock = 1024;
  using Block = std::unique_ptr<std::atomic<uint32_t>[]>;

  std::atomic<uint32_t>& known_step(uint32_t state, uint32_t letter) const;
  uint32_t find_step(uint32_t state, uint32_t letter) const;  // with the lock held
  uint32_t number(const ConflictState& state) const;          // with the lock held

  const PropertyKind property_;
  const HistoryAlphabet alphabet_;
  mutable std::mutex mutex_;
  mutable std::array<Block, 23> blocks_;
  mutable automata::SequenceSet states_;
  mutable std::vector<uint32_t> packed_;  // the one at hand
};

}  // namespace fenceline::property
