// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread at a time, on a memory that nobody else touches meanwhile: no buffers and no interleaving, as if
// there were no memory model. That is what happens before threads begin, and inside of operations that are
// executed one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/program.h"

namespace fenceline {

struct SoloState {
  Point at;
  std::vector<Value> registers;
};

class Solo {
 public:
  explicit Solo(const Program& program) : program_(program) {}

  SoloState begin(ThreadId thread) const;

  // In how many ways the next step can go: more than one for havoc and choose only.
  uint64_t ways(ThreadId thread, const SoloState& state) const;

  enum class Step { kOn, kEnded, kBlocked, kFailed, kOurLimit };
  // Does the next step in the way of that number. All but kOn leave everything as it was. kFailed says in
  // `why` what is wrong with the program, kOurLimit what Fenceline cannot do.
  Step step(ThreadId thread, SoloState& state, std::vector<Value>& memory, uint64_t way,
            std::string& why) const;

 private:
  const Program& program_;
};

}  // namespace fenceline
