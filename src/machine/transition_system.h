// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface between operational engines and machines: packed states, successors(state, sink), and the
// labels of steps. The memory model, the buffers and the reductions are chosen in
// machine/store_buffer/system.h, which assembles them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bits.h"
#include "env/errors.h"
#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "ir/step.h"

namespace fenceline::machine {

// kBitSlack bytes behind a packed state that is given to a system must be readable (base/bits.h).
using PackedState = std::span<const uint8_t>;

// A packed state that owns its bytes.
class KeptState {
 public:
  KeptState() : bytes_(kBitSlack) {}
  explicit KeptState(PackedState packed) : bytes_(packed.begin(), packed.end()) {
    bytes_.resize(packed.size() + kBitSlack);
  }
  PackedState packed() const { return {bytes_.data(), bytes_.size() - kBitSlack}; }

 private:
  std::vector<uint8_t> bytes_;
};

// A state as properties look at it. Registers of all threads are in one array; those of thread t begin at
// first_register[t]. Registers that are not live at the location of their thread have no meaning, unless the
// system was made to observe them.
struct StateView {
  const uint32_t* locations;  // by thread: its point
  const Value* memory;        // by cell
  const Value* registers;
  const uint32_t* first_register;
  bool final_state;  // every thread has ended and every buffer is empty
};

struct PendingStore {
  CellId cell;
  Value value = 0;
};

// Receives what can happen in one step.
class StateSink {
 public:
  virtual ~StateSink() = default;

  // Before the successors: the state being expanded.
  virtual void expanding(const StateView& view) = 0;

  // A successor. Valid during the call only.
  virtual void state(PackedState packed) = 0;

  // A store was blocked because its thread has as many pending stores as the system allows.
  virtual void buffer_full() = 0;

  // The step fails: assertion, range, index, division. There is no state after it.
  virtual void error() = 0;

  // A value exceeds 64 bits: what lies behind is not explored.
  virtual void overflow() = 0;

  // The history of transactions leaves the language that the system was given.
  virtual void rejected() {}
};

class TransitionSystem {
 public:
  virtual ~TransitionSystem() = default;

  virtual void initial(StateSink& sink) = 0;

  // Not const and not shared between threads: every worker has a system of its own.
  virtual void successors(PackedState state, StateSink& sink) = 0;

  // Of a state without successors that is not final: is it none that counts as a deadlock? A thread is at
  // an assumption that does not hold, or one has ended the program.
  virtual bool excused(PackedState state) = 0;

  // Inside StateSink::expanding(): appends the pending stores of a thread, those to a cell oldest first. Machines with exact
  // buffers only.
  virtual void pending_stores(size_t thread, std::vector<PendingStore>& stores) const;

  // While on, path() inside a sink's callback is the sequence of steps from the state being expanded.
  virtual void record_paths(bool on) = 0;
  virtual const std::vector<TraceStep>& path() const = 0;

  // Inside a sink's callback: the orderings violated since the state being expanded. Always recorded.
  virtual const std::vector<ViolatedOrdering>& violated_orderings() const = 0;

  // A system may let one state represent several equivalent ones. While paths are recorded, successors
  // are those that the steps really lead to; this is the state that is given out for one of them otherwise.
  // Valid until the next call.
  virtual PackedState representative(PackedState state) { return state; }
};

inline void TransitionSystem::pending_stores(size_t, std::vector<PendingStore>&) const {
  throw Bug("a machine whose pending stores are not known one by one");
}

// Makes transition systems, one for each worker; must outlive them.
class SystemSource {
 public:
  virtual ~SystemSource() = default;
  virtual std::unique_ptr<TransitionSystem> worker() const = 0;
};

}  // namespace fenceline::machine
