// SPDX-License-Identifier: GPL-3.0-or-later
//
// The proof that comes with `verified` from the numeric engine: an invariant. Each state of it represents all
// states of the machine that have its locations, and whose values are what its terms say, for some values of the
// dimensions that satisfy its constraints. The checker does not depend on how the invariant was found: it has
// its own steps, written from docs/semantics.md and from this comment, and decides with its own linear
// arithmetic whether the result of a step is subsumed. It uses neither PPL nor machine/.
//
// Threads are only at points where they can observe others or be observed (cut points). What lies between is
// local to the thread: it reads and writes registers and, where stores are buffered, appends to the thread's
// own buffer. Local steps commute with everything that others do and with flushes, so it is enough that
// whatever is reached by a step of a thread followed by all its local steps, up to the next cut point, is
// subsumed. Flushes are not reduced: the checker flushes stores at any time.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/linear.h"
#include "base/numbers.h"
#include "ir/ids.h"
#include "task/certificate.h"

namespace fenceline {

// A value, or a dimension that the constraints speak about.
struct NumericTerm {
  std::variant<Value, Dimension> what = Value{0};
  friend bool operator==(const NumericTerm&, const NumericTerm&) = default;
};

// A pending store.
struct NumericEntry {
  CellId cell;
  NumericTerm value;
  // PSO: barriers (store-store fences) passed before it, counted from the oldest pending entry. It is not
  // flushed while an entry with a smaller epoch is there.
  uint32_t epoch = 0;
  bool marked = false;  // PSO: loads wait until it is flushed (store-load fences)
  friend bool operator==(const NumericEntry&, const NumericEntry&) = default;
};

// One or more pending stores to one cell, of which the newest is known. Each of them, the newest included, is
// between low and high. How they are ordered among other cells of the tail is not known, nor are their epochs
// and marks: as if there were none. Monotone: the others, if any, are between low and high, and none of them
// is smaller than the one before it; the newest may be any value.
struct NumericTail {
  CellId cell;
  NumericTerm newest, low, high;
  bool monotone = false;
  friend bool operator==(const NumericTail&, const NumericTail&) = default;
};

// The entries one by one, oldest first, and behind all of them the summarised tail (by cell, each at most once).
// On TSO something of the tail is flushed only when there is no entry; on PSO when there is no entry of its cell. On
// PSO the order of entries of different cells means nothing.
struct NumericBuffer {
  std::vector<NumericEntry> entries;
  uint32_t epoch = 0;  // of the next entry
  std::vector<NumericTail> tail;
  friend bool operator==(const NumericBuffer&, const NumericBuffer&) = default;
};

struct NumericState {
  std::vector<Point> locations;  // by thread; may be virtual points of the overlay of task.fences
  // By cell; none: a cell of a smashed object.
  std::vector<std::optional<NumericTerm>> memory;
  // By thread and register; none: arbitrary (dead, according to the engine).
  std::vector<std::vector<std::optional<NumericTerm>>> registers;
  std::vector<NumericBuffer> buffers;  // by thread
  uint32_t dimensions = 0;
  // It represents the union of these; each is a conjunction. No constraint at all: any values.
  std::vector<std::vector<LinearConstraint>> disjuncts;
};

struct NumericCertificate {
  // By object: none, or it is smashed: its cells are not tracked explicitly, and are not in the states, neither in
  // memory nor in buffers. All that is known of them is that each value that is ever stored in them is in the
  // range.
  std::vector<std::optional<Range>> smashed;
  // By thread and point of the overlay: is it a cut point, where the thread may be?
  std::vector<std::vector<bool>> cut_points;
  std::vector<NumericState> states;
};

}  // namespace fenceline
