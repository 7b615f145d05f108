// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "env/source.h"
#include "ir/ids.h"

namespace fenceline {

// A vacuous proof.
struct Vacuity {
  enum class How : uint8_t {
    kWaits,    // before an atomic section that it cannot pass, or at a condition that is `blocking`
    kAssumes,  // at an assumption that does not hold
    kRuns,     // it has not ended after many steps
  };
  struct Stuck {
    ThreadId thread;
    SourcePos pos;
    How how = How::kWaits;
  };
  bool no_end = false;               // no execution ends
  std::vector<SourcePos> unreached;  // assertions that no execution reaches
  std::vector<Stuck> stuck;          // an example: the threads that have not ended, and where they are

  bool any() const { return no_end || !unreached.empty(); }
};

}  // namespace fenceline
