// SPDX-License-Identifier: GPL-3.0-or-later
//
// Encodes the threads, for all executions at once and whatever loads return: a walk over the unfolded program
// in the style of Clarke, Kroening and Lerda's CBMC (TACAS 2004). Where paths meet, registers become choices
// between the values they had on each; every memory access and fence becomes an event with a literal that says
// whether it is executed. What loads return is left open here: the memory model decides (events.h).
//
// Threads need not run to their end. They stop at errors, at assumptions that do not hold, where they would
// exceed the bounds of their loops, before atomic sections, at the heads of loops (where they might wait for
// ever), and wherever else the query needs it.
//
// An iteration of a loop is *idle* if it leads back to the head of the loop and leaves nothing behind: no
// register that counts has changed (neither in its value, nor by losing a dependency on an earlier load), and
// no write of it counts (ir/analysis/wait_loops.h). An execution without it is an execution as well, provided
// that the model allows no less when events disappear (monotone.h). So executions with idle iterations are left
// out, which settles loops that wait and loops that retry without any bound.
//
// What is lost with an idle iteration?
//  - An error in it: nothing. The thread stops at the error and does not get back to the head, so this
//    iteration is not idle. All idle ones before it, and those of other threads, can be left out.
//  - A flag of the model (a data race) that an access of it raises. Therefore `keep_one` names loops of which
//    idle iterations are encoded: in each thread one, or several of which each is inside of the next one (an
//    idle iteration of an outer loop around one of an inner loop). That is enough. A flag is raised by one
//    event, or by two of different threads (flags_stay_raised in monotone.h; with other flags no iteration is
//    left out). Leave out every idle iteration in which neither of the two is: the execution stays allowed
//    and the flag stays raised; and of the iterations of one thread that contain the same event, each is
//    inside of the next one.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sat/expressions.h"
#include "engine/sat/same_values.h"
#include "engine/sat/unfolding.h"
#include "ir/analysis/wait_loops.h"
#include "task/execution.h"

namespace fenceline::sat {

struct SymbolicEvent {
  EventKind kind = EventKind::kFence;
  ThreadId thread;  // invalid: an initial write
  uint32_t node = Unfolding::kNone;
  const Instruction* instruction = nullptr;  // null: an initial write, or a read of the observer
  Lit executed = kTrue;
  std::vector<std::pair<CellId, Lit>> cells;  // which it can have, and if it has (provided it is executed)
  Number value;
  bool of_rmw = false;
  uint32_t section = Unfolding::kNone;    // events with the same number belong to one atomic section or rmw
  bool in_section = false;                // of the program, not only of an rmw or another single access
  uint32_t read_part = Unfolding::kNone;  // of the write of an rmw: its read
  Dependencies address, data, control;
};

enum class StopReason : uint8_t { kEnded, kError, kBlocked, kBeyond, kAnywhere };

// A node at which a thread may be at the end, and what its registers are then.
struct Stop {
  StopReason reason;
  uint32_t node;
  Lit here;
  std::vector<NumberPtr> registers;
};

// Of the read of a read-modify-write: it reads from a write of the same iteration, or from one of the same thread
// that counts as its source. The literal implies that, and may be true wherever that holds.
struct ReadInside {
  uint32_t read;
  uint32_t iteration;
  SameValue same;
  Lit holds;
};

// Why an iteration is not idle, where `holds`: because of a register or of a write. Neither: the model does not
// allow to leave it out.
struct Effect {
  uint32_t iteration;
  Lit holds;
  std::optional<RegId> reg;
  std::optional<uint32_t> write;  // event
};

struct EncodedThreads {
  std::vector<SymbolicEvent> events;                // by thread; in an order that agrees with program order
  std::vector<std::vector<Stop>> stops;             // by thread; exactly one of them holds
  std::vector<std::vector<Lit>> taken;              // by node, by slot: the thread takes this edge
  std::vector<Lit> reached;                         // by node
  std::vector<std::pair<uint32_t, Number>> havocs;  // by node: what was chosen
  std::vector<ReadInside> read_inside;
  std::vector<Effect> effects;
};

struct ThreadOptions {
  bool dependencies = false;  // does the model use them?
  bool omit_idle_iterations = true;
  bool omit_dead_writes = false;  // allows_omitting_writes() and reads_own_last_write()
  std::function<SameValue(const Instruction&)> same_value;  // of a read-modify-write that stores what it read
  LoopSet keep_one;                 // except for one per thread, which is of one of these loops
  bool require_kept = false;        // if there are such loops: only executions in which one is kept
  bool errors_in_sections = false;  // stop there; else executions with such errors are left out
  std::function<bool(const Unfolding::Node&)> may_stop;  // further nodes to stop before
};

EncodedThreads encode_threads(const Overlay& overlay, const Unfolding& unfolding,
                              const std::vector<ValueSet>& cells, const Liveness& liveness,
                              const WaitLoops& wait_loops, const ThreadOptions& options,
                              Arithmetic& arithmetic);

}  // namespace fenceline::sat
