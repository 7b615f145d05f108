// SPDX-License-Identifier: GPL-3.0-or-later
//
// The opaque histories of two threads as a deterministic automaton: instead of guessing the serial order it
// keeps what is known about it. Algorithm 2 of Guerraoui, Henzinger, Singh: Verification of STM on
// relaxed memory models (FMSD 2011), corrected; docs/stm.md lists the corrections.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ir/history.h"

namespace fenceline {

class DeterministicSpec {
 public:
  using Variables = uint8_t;                     // a set
  static constexpr uint8_t kNone = ~uint8_t{0};  // no variable
  static constexpr uint32_t kMaximalVariables = 8;

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
  // The names in the comments are the paper's.
  struct Thread {
    Status status = Status::kFinished;
    Variables read = 0;                // rs: what it loaded and used
    Variables written = 0;             // ws
    uint8_t unfinished_read = kNone;   // urs
    Variables prohibited_read = 0;     // prs: stored by a transaction that comes later in the order
    Variables prohibited_written = 0;  // pws: loaded or stored by one that comes later
    uint8_t hidden_predecessor = 0;    // hp: the other one comes earlier if it comes before a finished one
    uint8_t write_predecessor = 0;     // wp: loaded what the other one has stored
    uint8_t read_predecessor = 0;      // rp: stored what the other one has loaded and not used yet
    uint8_t strong_predecessor = 0;    // sp: the other one comes earlier

    friend bool operator==(const Thread&, const Thread&) = default;
  };
  struct State {
    std::array<Thread, 2> threads;
    friend bool operator==(const State&, const State&) = default;
  };

  // Precondition: two threads, at most kMaximalVariables variables.
  explicit DeterministicSpec(const HistoryAlphabet& alphabet);

  const HistoryAlphabet& alphabet() const { return alphabet_; }
  static State initial() { return {}; }
  // Nothing if the operation is not possible.
  std::optional<State> step(const State& state, uint32_t letter) const;

 private:
  HistoryAlphabet alphabet_;
};

}  // namespace fenceline
