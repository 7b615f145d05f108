// SPDX-License-Identifier: GPL-3.0-or-later
//
// What Object::cell_bytes says of an offset at which no cell begins but that belongs to something of the
// program: the inside of a number, or padding. An access there is none that engines can make, and yet it may
// be one that the language allows, so it is a limit of ours. (At an offset of 0 bytes nothing is, and the
// access is an error.) Accesses to objects with such offsets say how many bytes they are about.
#pragma once

#include <cstdint>

namespace fenceline {

inline constexpr uint8_t kNoCellHere = UINT8_MAX;

}  // namespace fenceline
