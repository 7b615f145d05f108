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

#include <array>
#include <cstdint>
#include <optional>

#include "ir/history.h"

namespace fenceline {

class NondeterministicSpec {
 public:
  using Variables = uint8_t;                     // a set
  static constexpr uint8_t kNone = ~uint8_t{0};  // no variable
  static constexpr uint32_t kMaximalVariables = 8;

  // The field names are the paper's; `finished` says there what `undecided` says here.
  enum class Status : uint8_t { kUndecided, kAbortSure, kCommitSure };
  struct Thread {
    Status status = Status::kUndecided;
    uint8_t serialized = 0;            // SerStatus: the transaction has its position in the order
    Variables read = 0;                // rs: what it loaded and used
    Variables written = 0;             // ws
    uint8_t unfinished_read = kNone;   // urs
    Variables prohibited_read = 0;     // prs: stored by a transaction that comes later in the order
    Variables prohibited_written = 0;  // pws: loaded or stored by one that comes later
    uint8_t write_predecessor = 0;     // wp: loaded what the other one has stored
    uint8_t read_predecessor = 0;      // rp: stored what the other one has loaded and not used yet
    uint8_t serial_predecessor = 0;    // serp: the other one comes earlier

    friend bool operator==(const Thread&, const Thread&) = default;
  };
  struct State {
    std::array<Thread, 2> threads;
    friend bool operator==(const State&, const State&) = default;
  };

  // Precondition: two threads, at most kMaximalVariables variables.
  explicit NondeterministicSpec(const HistoryAlphabet& alphabet);

  const HistoryAlphabet& alphabet() const { return alphabet_; }
  static State initial() { return {}; }
  // Nothing if the operation is not possible.
  std::optional<State> step(const State& state, uint32_t letter) const;
  // The silent move: the thread's transaction gets its position in the serial order.
  static std::optional<State> serialize(const State& state, uint32_t thread);

 private:
  HistoryAlphabet alphabet_;
};

}  // namespace fenceline
