// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread at a time, on a memory that no other thread touches meanwhile: no buffers and no interleaving, as if
// there were no memory model. That is what happens before threads begin, and inside of operations that are
// executed one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/program.h"

namespace fenceline {

struct SequentialState {
  Point at;
  std::vector<Value> registers;
};

class SequentialInterpreter {
 public:
  explicit SequentialInterpreter(const Program& program) : program_(program) {}

  SequentialState begin(ThreadId thread) const;

  // How many alternatives the next step has: more than one for havoc and choose only.
  uint64_t alternatives(ThreadId thread, const SequentialState& state) const;

  enum class Step { kOn, kEnded, kBlocked, kFailed, kOurLimit };
  // Takes the given alternative of the next step. All but kOn change nothing. `why` is the error of the
  // program (kFailed) or the limitation of Fenceline (kOurLimit).
  Step step(ThreadId thread, SequentialState& state, std::vector<Value>& memory, uint64_t alternative,
            std::string& why) const;

 private:
  const Program& program_;
};

}  // namespace fenceline
