// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program on TSO or PSO as a program on SC: store buffers become shared variables, and what the memory does
// by itself becomes steps of the threads. Meshman, Dan, Vechev, Yahav: Synthesis of memory fences via
// refinement propagation (SAS 2014), sections 4.1 and 4.3. docs/reduction.md has an example.
//
// A buffer has k slots. A store that finds none free sets the variable `overflow` and stops its thread there.
// So every execution of the reduced program is one of the original, perhaps a prefix, and if `overflow` is
// never set, the converse holds as well: then both have the same verdict. The property that it is never set
// comes with the program.
//
// A thread at a point of the original is, in the reduced program, at a choice (flush, or go on), at the flush
// that was chosen, or at what the instruction has become: each of these counts as being at the point, because
// memory may change meanwhile. Since a thread that goes on could also have flushed before, a thread that
// waits for its buffers later on loses no behaviour by having gone on, and neither does one that is stopped.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "ir/edit/overlay.h"
#include "ir/program.h"
#include "model/memory_model.h"
#include "transform/to_sc/buffer_variables.h"

namespace fenceline::transform {

// A point of the Overlay of program and fences where a thread may flush.
struct FlushPoint {
  ThreadId thread;
  Point point;
  friend auto operator<=>(const FlushPoint&, const FlushPoint&) = default;
};

struct ReducedProgram {
  // Threads, objects and registers of the original keep their numbers; others come behind them. Its
  // properties are the two below.
  Program program;
  Property property;
  Property overflow_property;            // never (overflow == 1)
  ObjectId overflow;                     // invalid on SC, where overflow_property is never (0)
  std::vector<FlushPoint> flushes;       // all there are: where stores may be pending
  std::vector<Point> choices;            // of each of them: the point of `program` where it is chosen
  std::vector<ObjectId> remembered;      // and the variable that records what was; invalid if none
  std::vector<BufferVariables> buffers;  // by thread
  // By thread and point of `program`: the point of the Overlay that it is part of.
  std::vector<std::vector<Point>> origins;
};

// Empty if to_sc() supports the task, else why not, to be put behind a subject: "does not support deadlocks".
std::string reduction_unsupported(const Program& program, const MemoryModel& model, const Property& property);

// The flushes that to_sc() would make.
std::vector<FlushPoint> flush_points(const Program& program, const FenceSet& fences,
                                     const MemoryModel& model);

// At each point of `refinements` a variable records what was chosen there last: 1, a flush; 0, to go on.
// Nothing depends on it; it lets imprecise analyses keep the two cases separate.
//
// Preconditions: reduction_unsupported() is empty, slots > 0, refinements are flush_points().
// Postcondition: the program passes ir/verify. Throws Unsupported if it would be far too large.
ReducedProgram to_sc(const Program& program, const FenceSet& fences, const MemoryModel& model,
                     const Property& property, unsigned slots, const std::set<FlushPoint>& refinements = {});

}  // namespace fenceline::transform
