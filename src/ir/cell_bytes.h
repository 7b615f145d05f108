// SPDX-License-Identifier: GPL-3.0-or-later
//
// The value in Object::cell_bytes of an offset at which no cell begins but that belongs to an object: the
// inside of a number, or padding. Engines do not support an access there, although the language may allow it,
// so it is a limitation of Fenceline. (At an offset of 0 bytes nothing is, and the access is an error.)
// Accesses to objects with such offsets say how many bytes they are about.
#pragma once

#include <cstdint>

namespace fenceline {

inline constexpr uint8_t kNoCellHere = UINT8_MAX;

}  // namespace fenceline
