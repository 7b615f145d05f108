// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transition system whose states stand for many: the same machine on abstract buffers (domain/buffer). Its
// steps cover those of the exact machine; what an engine needs beyond that is an order between states.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/buffer/contents.h"
#include "semantics/transition_system.h"

namespace fenceline {

// A state spelled out.
struct AbstractSnapshot {
  std::vector<uint32_t> where;                               // by thread
  std::vector<Value> memory;                                 // by cell
  std::vector<std::vector<std::optional<Value>>> registers;  // by thread; none: forgotten
  std::vector<BufferContents> buffers;                       // by thread
};

class AbstractSystem : public TransitionSystem {
 public:
  // What two states have in common if one covers the other, as a hash. States of different families need not
  // be compared.
  virtual uint64_t family(PackedState state) = 0;

  // Does `wide` stand for every exact state that `narrow` stands for? If so, whatever can go wrong from
  // `narrow` goes wrong from `wide` in as many steps.
  virtual bool covers(PackedState wide, PackedState narrow) = 0;

  virtual AbstractSnapshot describe(PackedState state) = 0;

  // The instructions of `thread` whose stores may be waiting, sorted, each once. Precondition: the system was
  // made with SystemOptions::origins.
  virtual std::vector<Point> waiting_stores(PackedState state, ThreadId thread) = 0;
};

}  // namespace fenceline
