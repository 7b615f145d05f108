// SPDX-License-Identifier: GPL-3.0-or-later
//
// A memory model as a table: of two accesses of a thread, may the later one take effect first? This is all
// that the deferral-queue machine (machine/deferral_queue/) needs of a model. The tables are models/*.table;
// docs/models.md says how to write one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "env/source.h"

namespace fenceline {

enum class AccessKind : uint8_t { kLoad, kStore, kRmw };

enum class Reorder : uint8_t {
  kKeep,     // the later one waits for the earlier one
  kForward,  // a load that takes its value from a pending store, without waiting for it
  kSwap,     // the later one may go first
};

class ReorderTable {
 public:
  Reorder at(AccessKind first, AccessKind second, bool same_cell) const {
    return entries_[index(first, second, same_cell)];
  }
  void set(AccessKind first, AccessKind second, bool same_cell, Reorder reorder) {
    entries_[index(first, second, same_cell)] = reorder;
  }

  // Where a branch needs what a load has not brought yet: does the thread wait, or does it guess the branch
  // and keep its stores pending until the condition is known?
  bool guesses_branches = false;

  std::string title;

  // Does some access overtake a load? If none does, it makes no difference that a thread waits for a load.
  bool overtakes_loads() const;

 private:
  static size_t index(AccessKind first, AccessKind second, bool same_cell) {
    return (static_cast<size_t>(first) * 3 + static_cast<size_t>(second)) * 2 + (same_cell ? 1 : 0);
  }
  std::array<Reorder, 18> entries_{};
};

// Throws InputError with the position and what was expected.
ReorderTable parse_table(const SourceFile& file);

// models/NAME.table, if there is one.
std::optional<ReorderTable> shipped_table(std::string_view name);

}  // namespace fenceline
