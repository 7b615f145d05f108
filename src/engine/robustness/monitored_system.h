// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SC machine with the views of its threads beside each state: the product of the two is what the robustness engine
// explores. Partial-order reduction of the machine is right for the product as well: accesses of two threads to different
// cells, and two reads of one cell, change the views independently of their order, and whether an access can differ from SC
// depends on views of its own thread only, which no other thread changes.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "engine/robustness/shared_cells.h"
#include "machine/store_buffer/system.h"

namespace fenceline::robustness {

// An access that can differ from SC.
struct Difference {
  enum class Why : uint8_t {
    kOlderRead,     // it can read an older write
    kEarlierWrite,  // it can be placed earlier in coherence order
    kRace,          // nothing orders it behind an earlier access of another thread
    kSection,       // an atomic section is about several cells, which is not supported
  };
  ThreadId thread;
  Point point;
  CellId cell;
  Why why = Why::kOlderRead;
};

// Thrown where one is found.
class NotRobust : public std::exception {
 public:
  explicit NotRobust(const Difference& found) : difference_(found) {}
  const char* what() const noexcept override { return "an access can differ from sc"; }
  const Difference& difference() const { return difference_; }

 private:
  Difference difference_;
};

class MonitoredSource final : public machine::SystemSource {
 public:
  // All borrowed. Precondition: the system is on SC.
  MonitoredSource(const machine::System& system, const SharedCells& cells) : system_(system), cells_(cells) {}
  std::unique_ptr<machine::TransitionSystem> worker() const override;

 private:
  const machine::System& system_;
  const SharedCells& cells_;
};

}  // namespace fenceline::robustness
