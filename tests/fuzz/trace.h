// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one thread can do if memory answers whatever it likes: the first half of the axiomatic oracle. Each
// load may return any value that some store could ever have put there (a fixed point over all threads); a
// trace is the sequence of events of one execution of the thread under such answers, with the orders that the
// models keep inside the thread. Which answers memory can really give is for oracle.cpp to decide.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "flat.h"

namespace fenceline::fuzz {

inline constexpr size_t kMaxEvents = 32;

struct Event {
  int cell = 0;
  bool reads = false;
  bool writes = false;
  bool ordered = false;  // an rmw, or a cas that fails
  Value read = 0;
  Value written = 0;
};

enum class TraceEnd : uint8_t { kEnded, kAssume, kError };

struct Trace {
  TraceEnd end = TraceEnd::kEnded;
  std::vector<Event> events;
  std::vector<Value> regs;  // the visible ones
  uint64_t reads = 0;       // bits of the (cell, value) pairs read and written
  uint64_t writes = 0;
  // preserved[model][i]: the later events that must come after event i in the global order, transitively.
  std::array<std::vector<uint32_t>, kModels> preserved;
};

struct Traces {
  std::string too_large;  // the reason, if there are too many or too long ones
  std::vector<std::vector<Trace>> of_thread;
  uint64_t initial = 0;  // bits of the (cell, value) pairs of the initial memory
};

Traces enumerate_traces(const FlatProgram& program);

}  // namespace fenceline::fuzz
