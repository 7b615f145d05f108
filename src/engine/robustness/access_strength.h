// SPDX-License-Identifier: GPL-3.0-or-later
//
// How strong the accesses and fences of a program are, in the terms of RC11: what acquires, what releases, what is
// sequentially consistent. A program that was compiled for a machine is read the same way: its instructions guarantee at
// least what RC11 says of accesses and fences of the strength given here. That is what proofs of compilation schemes
// show (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017, for Power; Podkopaev, Lahav, Vafeiadis, POPL 2019, for the
// others), read backwards, for executions in which po | rf has no cycle. LDAR and STLR are what seq_cst accesses become,
// so they are as strong as these.
#pragma once

#include <string>

#include "ir/instruction.h"
#include "model/memory_model.h"

namespace fenceline::robustness {

struct ReadStrength {
  bool acquire = false;
  bool sequential = false;
};

struct WriteStrength {
  bool release = false;
  bool sequential = false;
};

struct FenceStrength {
  bool acquire = false;
  bool release = false;
  bool sequential = false;
};

// Is it one of the models of which the above is known?
bool strengths_known(const MemoryModel& model);
// Does a tag of the instruction mean something that is not known here, or not what it seems to?
bool has_unknown_tag(const Instruction& instruction, const MemoryModel& model);

// Is it an access that the language calls not atomic?
bool tagged_not_atomic(const Instruction& instruction);

// Of a load, or of the read of an rmw; `written`: has the rmw written?
ReadStrength read_strength(const Instruction& instruction, bool written = false);
WriteStrength write_strength(const Instruction& instruction);  // of a store, or of the write of an rmw
FenceStrength fence_strength(const Instruction& instruction);

}  // namespace fenceline::robustness
