// SPDX-License-Identifier: GPL-3.0-or-later
//
// What C's memory orders become. A model of C11 knows them by their names. To a processor they are fences
// around the access, or instructions of their own, as compilers have it: docs/semantics.md has the table.
#pragma once

#include <string>
#include <vector>

#include "ir/instruction.h"

namespace fenceline {

enum class OrderMapping : uint8_t {
  kNames,           // the model is about C11 itself
  kFences,          // the model has one order of all stores that everybody agrees on
  kLoadFences,      // the same, with the full fence of a seq_cst pair before the load, and an rmw that says
                    // its order itself: RISC-V
  kLeadingFences,   // stores may reach other threads at different times: a full fence before what is seq_cst
  kAcquireRelease,  // the machine has loads that acquire and stores that release: ARM
};

struct FencesAround {
  FenceKinds before, after;
};

FencesAround around_load(MemoryOrder order, OrderMapping mapping);
FencesAround around_store(MemoryOrder order, OrderMapping mapping);
FencesAround around_rmw(MemoryOrder order, OrderMapping mapping);

// What models call the access itself.
struct AccessTags {
  std::vector<std::string> tags, write_tags;  // as in Instruction
};

AccessTags tags_of_load(MemoryOrder order, OrderMapping mapping);
AccessTags tags_of_store(MemoryOrder order, OrderMapping mapping);
// `pair`: RISC-V has no single instruction for this one.
AccessTags tags_of_rmw(MemoryOrder order, OrderMapping mapping, bool pair);

}  // namespace fenceline
