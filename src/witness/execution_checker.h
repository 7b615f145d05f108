// SPDX-License-Identifier: GPL-3.0-or-later
//
// A claimed execution is believed only after this has gone through it: every thread is run again with the
// values that its loads are said to have read, what comes out is compared with what is claimed, and the model
// is asked about the relations that follow. See execution.h for what is claimed.
//
// Where a thread may stop, if it has not ended, depends on the property:
//   errors          one thread stands at a step that fails. If the step reads and got that far, its read is
//                   the last event of the thread (whether it fails may depend on it); if it writes, there is
//                   no such event. The others stand anywhere outside of atomic sections.
//                   A flag that the model raises is as bad: then nobody need fail.
//   finally         nowhere: all threads have ended, every store has reached memory.
//   never, always   anywhere outside of atomic sections if the formula looks at registers and places only:
//                   then it does not matter which stores have reached memory. A formula that looks at memory
//                   is believed at the end of complete runs only, where memory is what it will stay.
//   no deadlock     cannot be seen in an execution.
#pragma once

#include <string>
#include <vector>

#include "model/cat/relational.h"
#include "property/problem.h"
#include "witness/execution.h"

namespace fenceline {

// An event with what a reader wants to know about it.
struct CheckedEvent {
  std::string text;    // the instruction with its address and values: "flag[0] = 1"; of an initial write, too
  SourcePos pos;       // of the instruction; of an initial write: of the declaration
  EventId reads_from;  // reads only
};

struct ExecutionCheck {
  bool ok = false;                            // all claims are true, and the end violates the property
  std::string why_not;                        // if !ok: the first thing that was not so
  std::vector<CheckedEvent> events;           // by EventId; as many as were looked at
  std::vector<Value> memory;                  // at the end: the last write of each cell
  std::vector<std::vector<Value>> registers;  // at the end, by thread
  ThreadId failing;                           // for errors: the thread that fails,
  std::string failing_step, error;            // what it was about to do, and what is wrong with that
  SourcePos failing_pos;
  bool our_limit = false;  // `error` is about what Fenceline cannot do, not about the program
  // What the model's flags complain about (a data race): the name, and two events it is about, if it is about
  // two.
  struct Flag {
    std::string name;
    EventId first, second;
  };
  std::vector<Flag> flags;
};

// Never throws on a bad claim; that is `ok == false`, and so is what cannot be checked: a `sync`, a property
// as above, a value outside of 64 bits. The events are those of the program with the fences of the problem.
ExecutionCheck check_execution(const Problem& problem, const CatModel& model, const Execution& execution);

}  // namespace fenceline
