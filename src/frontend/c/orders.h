// SPDX-License-Identifier: GPL-3.0-or-later
//
// What C's memory orders become. A model of C11 knows them by their names. To a processor they are fences
// around the access, as compilers put them: docs/semantics.md has the table.
#pragma once

#include <string>
#include <vector>

#include "ir/instruction.h"

namespace fenceline {

enum class OrderMapping : uint8_t {
  kNames,         // the model is about C11 itself
  kFences,        // the model has one order of all stores that everybody agrees on
  kLeadingFences  // stores may reach other threads at different times: a full fence before what is seq_cst
};

struct FencesAround {
  FenceKinds before, after;
};

FencesAround around_load(MemoryOrder order, OrderMapping mapping);
FencesAround around_store(MemoryOrder order, OrderMapping mapping);
FencesAround around_rmw(MemoryOrder order, OrderMapping mapping);

}  // namespace fenceline
