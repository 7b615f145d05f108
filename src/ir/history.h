// SPDX-License-Identifier: GPL-3.0-or-later
//
// What transactions do, as a word over operations: the history of an execution. Loads, stores and rollbacks are
// those of transactional variables (Object::transactional); the other three report the progress of a
// transaction.
#pragma once

#include <cstdint>
#include <string>

namespace fenceline {

enum class HistoryOp : uint8_t {
  kLoad,      // of a variable
  kStore,     // to a variable
  kRollback,  // to a variable: undoes the transaction's store
  kRfin,      // the value loaded last is given to the transaction
  kCommit,
  kAbort,
};

constexpr bool has_variable(HistoryOp op) { return op <= HistoryOp::kRollback; }

struct HistoryStep {
  HistoryOp op = HistoryOp::kLoad;
  uint32_t thread = 0;
  uint32_t variable = 0;  // where has_variable(op)

  friend constexpr bool operator==(const HistoryStep&, const HistoryStep&) = default;
};

std::string to_string(const HistoryStep& step);  // "store v1 by t2": threads and variables count from 1

// The operations of so many threads on so many variables, as the numbers 0 .. letters() - 1.
struct HistoryAlphabet {
  uint32_t threads = 2;
  uint32_t variables = 2;

  constexpr uint32_t per_thread() const { return 3 * variables + 3; }
  constexpr uint32_t letters() const { return threads * per_thread(); }

  constexpr uint32_t letter(const HistoryStep& step) const {
    const auto op = static_cast<uint32_t>(step.op);
    const uint32_t within = has_variable(step.op) ? op * variables + step.variable : 3 * variables + op - 3;
    return step.thread * per_thread() + within;
  }
  constexpr HistoryStep step(uint32_t letter) const {
    const uint32_t thread = letter / per_thread(), within = letter % per_thread();
    if (within < 3 * variables)
      return {static_cast<HistoryOp>(within / variables), thread, within % variables};
    return {static_cast<HistoryOp>(within - 3 * variables + 3), thread, 0};
  }

  friend constexpr bool operator==(const HistoryAlphabet&, const HistoryAlphabet&) = default;
};

}  // namespace fenceline
