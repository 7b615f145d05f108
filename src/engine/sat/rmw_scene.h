// SPDX-License-Identifier: GPL-3.0-or-later
//
// The scenes (scene.h) on which same_values.h decides: the read r and the write w of a read-modify-write that stores
// what it has read, the write s that r reads from, and one more event.
#pragma once

#include "engine/sat/scene.h"
#include "ir/instruction.h"

namespace fenceline::sat {

// In some scenes s is of a read-modify-write, too, and its read is the fifth.
constexpr size_t kSource = 0, kRead = 1, kWrite = 2, kFourth = 3, kSourceRead = 4;

enum class Fourth : uint8_t {
  kNone,
  kReader,        // a read r' of w
  kWriteBetween,  // a write between s and w in coherence order
  kEarlierRead,   // a read of the thread of r and w, before them, of a write before s in coherence order
};

struct RmwScene {
  const Instruction& instruction;
  Fourth fourth = Fourth::kReader;
  bool overwritten = false;    // s comes behind w in coherence order, not before
  bool source_inside = false;  // s is of the thread of r and w
  bool fourth_inside = false;  // so is the fourth event,
  bool before = false;         // which then comes before r, else behind w
  bool together = false;       // s and the fourth event are of another thread, both,
  Pairs together_po = 0;       // and this is their order, if it is known
  bool source_reads = false;   // the fifth event is there; then s is of the thread of r and w

  size_t known() const { return source_reads ? 5 : fourth == Fourth::kNone ? 3 : 4; }
};

Scene scene_of(const RmwScene& facts);

// Two reads of the location, of the thread of r and w, one before and one behind these. The later one reads w, or a write of
// another thread that overwrites w.
constexpr size_t kEarlier = 0, kLater = 3, kOverwriting = 4;
Scene scene_around(const Instruction& instruction, bool reads_it);

}  // namespace fenceline::sat
