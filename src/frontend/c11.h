// SPDX-License-Identifier: GPL-3.0-or-later
//
// What models and machines know about C11's memory orders.
#pragma once

#include <string>

#include "ir/instruction.h"

namespace fenceline {

// The name that models of C11 know an access or a fence of this order by: "NA", "RLX", "ACQ", ...
std::string c11_tag(MemoryOrder order);

// What atomic_thread_fence of this order keeps apart on a machine.
FenceKinds c11_fence_kinds(MemoryOrder order);

}  // namespace fenceline
