// SPDX-License-Identifier: GPL-3.0-or-later
//
// C11's memory orders for models and machines.
#pragma once

#include <string>

#include "ir/instruction.h"

namespace fenceline::frontend {

// The tag of an access or a fence of this order in models of C11: "NA", "RLX", "ACQ", ...
std::string c11_tag(MemoryOrder order);

// The kinds of fence that atomic_thread_fence of this order is on a machine.
FenceKinds c11_fence_kinds(MemoryOrder order);

}  // namespace fenceline::frontend
