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
  // One state covers another if it stands for every exact state that the other one stands for. Whatever can
  // go wrong from the other goes wrong from it, too, in as many steps.
  //
  // Takes a state as the candidate for what follows, and returns a hash of its family: what two states have
  // in common if one covers the other. States of different families need not be compared.
  virtual uint64_t take_candidate(PackedState state) = 0;

  enum class Order : uint8_t { kUnrelated, kCoversCandidate, kCandidateCovers };
  virtual Order compare_with_candidate(PackedState state) = 0;

  // Has any candidate so far had a buffer that does not know the order of all its stores? If not, everything
  // was exact, and keeping more stores in order changes nothing.
  virtual bool order_was_lost() const = 0;

  virtual AbstractSnapshot describe(PackedState state) = 0;

  // The instructions of `thread` whose stores may be waiting, sorted, each once. Precondition: the system was
  // made with SystemOptions::origins.
  virtual std::vector<Point> waiting_stores(PackedState state, ThreadId thread) = 0;
};

}  // namespace fenceline
