// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transition system whose states represent many: the same machine on abstract buffers (domain/buffer).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/ordered_system.h"
#include "task/buffer_contents.h"

namespace fenceline::machine {

// A state spelled out.
struct AbstractSnapshot : Snapshot {
  std::vector<BufferContents> buffers;  // by thread
};

class AbstractSystem : public OrderedSystem {
 public:
  using OrderedSystem::pending_stores;  // of an exact machine

  // Has any candidate so far had a buffer that does not keep the order of all its stores? If not, everything
  // was exact, and keeping more stores in order changes nothing.
  virtual bool order_was_lost() const = 0;

  virtual AbstractSnapshot describe(PackedState state) = 0;

  // The instructions of `thread` whose stores may be pending, sorted, each once. Precondition: the system was
  // made with SystemOptions::origins.
  virtual std::vector<Point> pending_stores(PackedState state, ThreadId thread) = 0;
};

}  // namespace fenceline::machine
