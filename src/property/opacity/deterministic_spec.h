// SPDX-License-Identifier: GPL-3.0-or-later
//
// The opaque histories of two threads as a deterministic automaton: instead of guessing the serial order it
// keeps what is known about it. Algorithm 2 of Guerraoui, Henzinger, Singh: Verification of STM on
// relaxed memory models (FMSD 2011), corrected; docs/stm.md lists the corrections.
#pragma once

#include <cstdint>

#include "property/opacity/paper_spec.h"

namespace fenceline::property {

struct DeterministicRules {
  // Pending: some finished transaction of the other thread may have to come later in the serial order.
  enum class Status : uint8_t {
    kFinished,
    kStarted,
    kPending,
    kCommitSure,
    kCommitSurePending,
    kCommitImpossible,
    kAbortSure,
  };
  // The names in the comments are the paper's, as in TransactionRecord.
  struct Thread : TransactionRecord {
    Status status = Status::kFinished;
    uint8_t hidden_predecessor = 0;  // hp: the other one comes earlier if it comes before a finished one
    uint8_t strong_predecessor = 0;  // sp: the other one comes earlier

    friend bool operator==(const Thread&, const Thread&) = default;
  };

  static bool store(Thread& t, Thread& u, uint8_t v);
  static bool load(Thread& t, Thread& u, uint8_t v);
  static bool rollback(Thread& t, Thread& u, uint8_t v);
  static bool rfin(Thread& t, Thread& u);
  static bool commit(Thread& t, Thread& u);
  static bool abort(Thread& t, Thread& u);
};

using DeterministicSpec = PaperSpec<DeterministicRules>;

}  // namespace fenceline::property
