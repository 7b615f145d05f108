// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is a register's value still needed? At a point where it is not, engines may forget it (set it to zero), so
// that states that differ only in leftovers become one.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/program.h"

namespace fenceline {

class Liveness {
 public:
  // Registers in `always` are live everywhere, those in `at_end` where their thread has ended (they are read
  // there, so to speak). Precondition: the program passes ir/verify.
  Liveness(const Program& program, const std::vector<ThreadReg>& always,
           const std::vector<ThreadReg>& at_end);

  // Registers that the `observed` expressions name by kThreadReg and kThreadRegAt are live everywhere: pass
  // the formulas of the properties that will be checked.
  Liveness(const Program& program, const std::vector<ExprId>& observed);

  // Observes the formulas of all properties of the program.
  explicit Liveness(const Program& program);

  // Can the value that `reg` has when `thread` stands before `point` be read later?
  bool live(ThreadId thread, Point point, RegId reg) const {
    const PerThread& info = threads_[thread.index()];
    const size_t bit = point.index() * info.stride * 64 + reg.index();
    return (info.words[bit / 64] >> (bit % 64)) & 1;
  }

 private:
  struct PerThread {
    size_t stride = 0;            // words per point
    std::vector<uint64_t> words;  // one row of register bits per point
  };
  std::vector<PerThread> threads_;
};

}  // namespace fenceline
