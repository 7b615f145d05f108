// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace fenceline {

// What is asked of a history; docs/stm.md defines both.
enum class HistoryProperty : uint8_t { kOpacity, kStrictSerializability };

}  // namespace fenceline
