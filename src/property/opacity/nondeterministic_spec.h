// SPDX-License-Identifier: GPL-3.0-or-later
//
// The opaque histories of two threads as a nondeterministic automaton: each transaction gets its position in
// the serial order by a silent move, at any time between its first and its last operation. Algorithm 1 of
// Guerraoui, Henzinger, Singh: Verification of STM on relaxed memory models (FMSD 2011), corrected;
// docs/stm.md lists the corrections.
//
// No engine uses it as a monitor. It is the one that the paper proves correct; tests compare
// deterministic_spec.h with it.
#pragma once

#include <cstdint>
#include <optional>

#include "property/opacity/paper_spec.h"

namespace fenceline::property {

struct NondeterministicRules {
  // The field names are the paper's; `finished` says there what `undecided` says here.
  enum class Status : uint8_t { kUndecided, kAbortSure, kCommitSure };
  struct Thread : TransactionRecord {
    Status status = Status::kUndecided;
    uint8_t serialized = 0;          // SerStatus: the transaction has its position in the order
    uint8_t serial_predecessor = 0;  // serp: the other one comes earlier

    friend bool operator==(const Thread&, const Thread&) = default;
  };

  static bool store(Thread& t, Thread& u, uint8_t v);
  static bool load(Thread& t, Thread& u, uint8_t v);
  static bool rollback(Thread& t, Thread& u, uint8_t v);
  static bool rfin(Thread& t, Thread& u);
  static bool commit(Thread& t, Thread& u);
  static bool abort(Thread& t, Thread& u);
};

class NondeterministicSpec : public PaperSpec<NondeterministicRules> {
 public:
  using PaperSpec::PaperSpec;

  // The silent move: the thread's transaction gets its position in the serial order.
  static std::optional<State> serialize(const State& state, uint32_t thread);
};

}  // namespace fenceline::property
