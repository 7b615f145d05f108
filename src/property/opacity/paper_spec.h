// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the two automata of Guerraoui, Henzinger, Singh: Verification of STM on relaxed memory models (FMSD 2011) have
// in common: sets of variables, what both remember of a transaction, and which rule is for which operation. The rules
// themselves differ: deterministic_spec.cpp, nondeterministic_spec.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "env/errors.h"
#include "ir/history.h"

namespace fenceline::property {

class VariableSet {
 public:
  static constexpr uint32_t kMaximalVariables = 8;
  static constexpr uint8_t kNone = ~uint8_t{0};  // no variable

  bool empty() const { return bits_ == 0; }
  bool contains(uint8_t variable) const { return (bits_ & bit(variable)) != 0; }
  void add(uint8_t variable) { bits_ = static_cast<uint8_t>(bits_ | bit(variable)); }
  void add(VariableSet other) { bits_ = static_cast<uint8_t>(bits_ | other.bits_); }
  void remove(uint8_t variable) { bits_ = static_cast<uint8_t>(bits_ & ~bit(variable)); }

  friend bool operator==(const VariableSet&, const VariableSet&) = default;

 private:
  static unsigned bit(uint8_t variable) { return variable == kNone ? 0 : 1U << variable; }

  uint8_t bits_ = 0;
};

// The names in the comments are the paper's.
struct TransactionRecord {
  static constexpr uint8_t kNone = VariableSet::kNone;

  VariableSet read;                 // rs: what it loaded and used
  VariableSet written;              // ws
  uint8_t unfinished_read = kNone;  // urs
  VariableSet prohibited_read;      // prs: stored by a transaction that comes later in the order
  VariableSet prohibited_written;   // pws: loaded or stored by one that comes later
  uint8_t write_predecessor = 0;    // wp: loaded what the other one has stored
  uint8_t read_predecessor = 0;     // rp: stored what the other one has loaded and not used yet

  friend bool operator==(const TransactionRecord&, const TransactionRecord&) = default;

  // What this one must not touch any more if it comes before `later`, which is about to end.
  void prohibit(const TransactionRecord& later) {
    prohibited_read.add(later.written);
    prohibited_read.add(later.prohibited_read);
    prohibited_written.add(later.written);
    prohibited_written.add(later.read);
    prohibited_written.add(later.prohibited_written);
  }
};

// `Rules` has a type Thread, derived from TransactionRecord, and a static function for each operation: with the thread
// t that takes the step, the other one u, and the variable v of those that have one. False: it is not possible.
template <class Rules>
class PaperSpec {
 public:
  using Thread = typename Rules::Thread;
  struct State {
    std::array<Thread, 2> threads;
    friend bool operator==(const State&, const State&) = default;
  };

  // Precondition: two threads, at most kMaximalVariables variables.
  explicit PaperSpec(const HistoryAlphabet& alphabet) : alphabet_(alphabet) {
    require(alphabet.threads == 2 && alphabet.variables <= VariableSet::kMaximalVariables,
            "the specifications of the paper are about two threads and few variables");
  }

  const HistoryAlphabet& alphabet() const { return alphabet_; }
  static State initial() { return {}; }

  // Nothing if the operation is not possible.
  std::optional<State> step(const State& state, uint32_t letter) const {
    const HistoryStep step = alphabet_.step(letter);
    State after = state;
    if (!take_step(step, after.threads[step.thread], after.threads[1 - step.thread])) return std::nullopt;
    return after;
  }

 private:
  static bool take_step(const HistoryStep& step, Thread& t, Thread& u) {
    const auto v = static_cast<uint8_t>(step.variable);
    switch (step.op) {
      case HistoryOp::kStore:
        return Rules::store(t, u, v);
      case HistoryOp::kLoad:
        return Rules::load(t, u, v);
      case HistoryOp::kRollback:
        return Rules::rollback(t, u, v);
      case HistoryOp::kRfin:
        return Rules::rfin(t, u);
      case HistoryOp::kCommit:
        return Rules::commit(t, u);
      case HistoryOp::kAbort:
        return Rules::abort(t, u);
    }
    throw Bug("an unknown operation of a history");
  }

  HistoryAlphabet alphabet_;
};

}  // namespace fenceline::property
