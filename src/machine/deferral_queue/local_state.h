// SPDX-License-Identifier: GPL-3.0-or-later
//
// A thread of the deferral-queue machine: its location, its registers, and the accesses it has issued that
// have not taken effect. A register holds a value, or is pending: the result of something in the queue; so do
// operands. Reusing a register therefore orders nothing: only real dependencies do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "model/reorder_table.h"

namespace fenceline::machine::queue {

// By how much more than a timestamp of the state that the step started from the value is. It is no part of a
// state: when the next step starts there is nothing to remember.
struct Added {
  Value by = 0;

  friend bool operator==(const Added&, const Added&) { return true; }
};

// A value, or the entry of the queue whose result it is.
struct Operand {
  bool pending = false;
  Value value = 0;     // if it is not pending
  uint32_t entry = 0;  // if it is: an index into LocalState::entries
  Added added = {};

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Captured {
  uint32_t reg = 0;
  Operand operand;

  friend bool operator==(const Captured&, const Captured&) = default;
};

enum class EntryKind : uint8_t {
  kLoad,
  kStore,
  kRmw,
  kCompute,  // a value that is the first operand of the instruction, once that is known
  kGuess,    // a branch was taken as if its condition were `expected`
  kAssert,   // the condition must hold, if all guesses before it were right; 0 is an error, and nothing
             // behind it happens
  kFence,    // accesses of the kind `later` wait for those of the kind `earlier`
};

constexpr bool is_access(EntryKind kind) { return kind <= EntryKind::kRmw; }
// Precondition: is_access(kind).
constexpr AccessKind access_kind(EntryKind kind) { return static_cast<AccessKind>(kind); }

struct Entry {
  EntryKind kind = EntryKind::kLoad;
  uint32_t point = 0;
  uint32_t cell = 0;      // accesses
  bool expected = false;  // kGuess
  // A store: it and any number of stores like it, one behind the other.
  bool many = false;
  AccessKind earlier = AccessKind::kLoad, later = AccessKind::kLoad;  // kFence: kLoad or kStore
  bool known = false;            // the operands are: a, and b where there are two
  Value a = 0, b = 0;            // of a cas that increments a timestamp, b is by how much
  std::vector<Captured> inputs;  // if they are not: the registers that they are made of

  friend bool operator==(const Entry&, const Entry&) = default;
};

struct LocalState {
  uint32_t location = 0;
  std::vector<Operand> registers;
  std::vector<Entry> entries;  // in program order

  friend bool operator==(const LocalState&, const LocalState&) = default;
};

// As bytes: equal if and only if the states are.
std::string packed(const LocalState& state);
LocalState unpacked(std::string_view bytes);

// Appends `value` in as few bytes as it needs, and reads it back, moving `at` behind it.
void append_number(std::string& bytes, Value value);
inline Value read_number(const char*& at) {
  uint64_t bits = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    bits |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return static_cast<Value>(bits >> 1) ^ -static_cast<Value>(bits & 1);
}

}  // namespace fenceline::machine::queue
