// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is a register's value still needed? At a point where it is not, engines may drop it (set it to zero), so
// that states that differ only in dead registers become one.
//
// A register that is read only to compute itself (`n = n + 1` in a loop, and nothing else looks at `n`) is
// *faint*: live in the plain sense, but its value decides nothing. Where that is what matters, `Reads::kUsed`
// counts a read only if the thread could do something else because of it (Giegerich, Moencke, Wilhelm:
// Invariance of approximative semantics with respect to program transformations, 1981).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bit_set.h"
#include "ir/program.h"

namespace fenceline {

// Which reads make a register live: all of them; those of instructions that access memory, decide, can fail, or
// assign to a register that is live itself; or of these only accesses and assignments, to which a value is
// passed on (as data or address dependencies are).
enum class Reads : uint8_t { kAll, kUsed, kPassedOn };

class Liveness {
 public:
  // Registers in `always` are live everywhere, those in `at_end` where their thread has ended (as if they
  // were read there). Precondition: the program passes ir/verify.
  Liveness(const Program& program, const std::vector<ThreadReg>& always, const std::vector<ThreadReg>& at_end,
           Reads reads = Reads::kAll);

  // Registers that the `observed` expressions name by kThreadReg and kThreadRegAt are live everywhere: pass
  // the formulas of the properties that will be checked.
  Liveness(const Program& program, const std::vector<ExprId>& observed);
  Liveness(const Program& program, Reads reads, const std::vector<ExprId>& observed);

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
