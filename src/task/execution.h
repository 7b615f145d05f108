// SPDX-License-Identifier: GPL-3.0-or-later
//
// A candidate execution, as axiomatic models see it: what each thread did, where each load got its value,
// and in which order the stores to each cell reached memory. It is to axiomatic models what a trace is to
// machines: engines claim one, check/ checks it with code of its own.
//
// Threads run in program order from their entry and may stop early (at an error, at an assume that does not
// hold, or anywhere if `complete` is false): then what they did is a prefix. If the step that fails reads (a
// load of a value that its register must not have, an rmw that would write what its cell must not have), then
// that read is the last event of its thread, at the point where it stops; a write that fails is no event.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

using EventId = Id<struct EventTag>;  // Execution::events

enum class EventKind : uint8_t { kRead, kWrite, kFence };

struct Event {
  EventKind kind = EventKind::kRead;
  ThreadId thread;  // invalid: the write that gives a cell its initial value
  Point point;      // the instruction (may be a virtual point of the overlay, see ir/edit/overlay.h)
  // Counts the instructions that the thread had executed before this one: program order. The read and the write of
  // one rmw have the same.
  uint32_t position = 0;
  CellId cell;      // reads, writes
  Value value = 0;  // reads, writes
};

struct Execution {
  // First the initial writes, in the order of cells, at least of those that any other event is about; then
  // the threads' events, by thread and position, the read of an rmw before its write.
  std::vector<Event> events;
  std::vector<EventId> reads_from;              // by EventId; valid for reads only: the write it reads
  std::vector<std::vector<EventId>> coherence;  // by CellId: all its writes in order, the initial one first

  // The choices of the threads, by thread: values of havoc and successor numbers of choose, in the order in
  // which they were made, also where there was only one to choose.
  std::vector<std::vector<Value>> choices;
  std::vector<Point> locations;  // by thread: where it stopped; a kHalt if it has ended
};

}  // namespace fenceline
