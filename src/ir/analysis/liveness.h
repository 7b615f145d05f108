// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is a register's value still needed? At a point where it is not, engines may drop it (set it to zero), so
// that states that differ only in dead registers become one.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "ir/program.h"

namespace fenceline {

class Liveness {
 public:
  // Registers in `always` are live everywhere, those in `at_end` where their thread has ended (as if they
  // were read there). Precondition: the program passes ir/verify.
  Liveness(const Program& program, const std::vector<ThreadReg>& always,
           const std::vector<ThreadReg>& at_end);

  // Registers that the `observed` expressions name by kThreadReg and kThreadRegAt are live everywhere: pass
  // the formulas of the properties that will be checked.
  Liveness(const Program& program, const std::vector<ExprId>& observed);

  // Observes the formulas of all properties of the program.
  explicit Liveness(const Program& program);

  // Can the value that `reg` has when `thread` is before `point` be read later?
  bool live(ThreadId thread, Point point, RegId reg) const {
    return live_[thread.index()][point.index()].has(reg.index());
  }

 private:
  std::vector<std::vector<BitSet>> live_;  // by thread and point: registers
};

}  // namespace fenceline
