// SPDX-License-Identifier: GPL-3.0-or-later
//
// The verification task of an engine: does this program, with these fences added, on this memory model, have
// this property? Everything is borrowed; the caller keeps it alive.
#pragma once

#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "model/memory_model.h"

namespace fenceline {

struct Task {
  const Program& program;
  const FenceSet& fences;
  const MemoryModel& model;
  const Property& property;
};

}  // namespace fenceline
