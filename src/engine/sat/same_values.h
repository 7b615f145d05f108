// SPDX-License-Identifier: GPL-3.0-or-later
//
// A read-modify-write that stores what it has read, as the test-and-set of a lock that is taken does: can it be
// left out of an execution, if the reads of its write read from the write that it has overwritten?
//
// Let r and w be its read and its write, s the write that r reads from, and r' a read of w. If nothing can come
// between s and w in coherence order, then co and fr only become smaller, like everything else; but rf gets the
// pair (s, r'). The model still allows the execution if it cannot tell this pair from what was there:
//
//  - Terms in which rf occurs together with a path from s to r'. `(rf; rmw)*; rf` has had the pair already, by
//    s -rf-> r -rmw-> w -rf-> r'; so has `(rf | co | fr)+`, by s -co-> w -rf-> r'.
//  - Constraints of the form `acyclic a | b | rf | ...` in which a path leads from s to r' anyway. A cycle with
//    the new pair would have been a cycle with that path. Whether there is one depends on the model, on the tags
//    of the instruction, and on whether s, w and r' are of the same thread. On ARMv8 there is one, from rfe and
//    from what an acquiring load comes before, unless s is a plain store of the same thread; for relaxed loads
//    there is none. If rf is a factor, as in `[M]; addr; [W]; rfi`, then the others must be steps of the relation.
//    In RMO it is in the closure of dependencies: `[R]; (addr | rfi | ...)+`. A new pair splits such a chain into two
//    of the same kind, since it ends with a read.
//  - RISC-V orders two reads of a location unless a write is between them. Without w there is none; so there must have
//    been a path from the first to the second. There was: the first came before w, and the second reads w, or what
//    has overwritten it.
//  - The recursive definitions of Power: redirected_reads.h.
//
// All is decided from the terms of the model: by inspection, and where there must be a path by evaluating them on a scene of
// s, r, w and r' (and of the read of s, if s is of a read-modify-write) among any other events (rmw_scene.h). So is that w
// comes right behind s.
#pragma once

#include "ir/instruction.h"
#include "model/cat/relational.h"

namespace fenceline::sat {

enum class SameValue : uint8_t {
  kCounts,           // it must not be left out
  kOwnSourceCounts,  // it may be left out, unless s is of the same thread
  kOwnStoreCounts,   // it may be left out, unless s is of the same thread and of no read-modify-write
  kDoesNotCount,     // it may be left out
};

// Which events that stay may have read w.
enum class Readers : uint8_t { kAny, kOfOtherThreads };

// For the instruction, a read-modify-write. Precondition: no atomic section of the program has two accesses or
// fences, or a read-modify-write.
SameValue same_value(const CatModel& model, const Instruction& instruction, Readers readers = Readers::kAny);

// Of iterations that repeat a read-modify-write alike, can the last one be left out if it reads what the one before has
// stored (ir/analysis/wait_loops.h, 3)? Models with flags are not considered: an engine looks for a flag in one iteration
// that it keeps, and that one would read what another one has stored.
bool drops_repeated_iterations(const CatModel& model);

}  // namespace fenceline::sat
