// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/instruction.h"

namespace fenceline::frontend::c {

// What a piece of assembly does to the order of accesses; no kind if it is a compiler barrier or a pause.
// None: it is not one of the fences of the common processors.
std::optional<FenceKinds> assembly_fence(std::string_view text);

// "load-load", "store-store, load-store", "full".
std::optional<FenceKinds> fence_kinds_of(std::string_view text);

}  // namespace fenceline::frontend::c
