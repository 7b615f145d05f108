// SPDX-License-Identifier: GPL-3.0-or-later
//
// What does an iteration of a loop leave behind? An iteration that comes back to the header of its loop and
// leaves nothing behind can be dropped from an execution: the thread goes on from the header as if it had
// come there for the first time. So a loop that waits needs no bound, and one that counts has one.
//
// What an iteration can leave behind, and when it does not:
//
//  1. Registers. Those count that are used later (Reads::kUsed of liveness.h): a loaded value that is loaded
//     again before it is used, or a counter that nothing looks at, does not. A register that counts must have
//     at the end the value that it had at the header, and, on models with dependencies, every dependency on a
//     load that it had there: without the iteration it has them. Of a register that only decides (the
//     condition of the loop in `r = x; while (r) r = x;`) it is enough that later events are control-dependent
//     on these loads already: they are, if the iteration itself was entered by that decision.
//
//  2. Writes to private memory: to cells that no other thread accesses and no property looks at, such as local
//     variables whose address is taken, or that are volatile. Like a register, such a cell counts only if it is
//     live at the header: if a read can come before the next store to it. If it is not, no event outside of the
//     iteration reads from the write (reads_own_last_write() of sat/preserved_order.h), so that dropping the
//     iteration makes every base relation of the execution smaller; sat/monotone.h decides from the terms of the
//     model whether it then forbids less.
//
//     It would not do to ask of a write to shared memory that nothing reads from it. Whether that is so is not
//     known before the execution has ended, and a loop is unrolled while it has not.
//
//  3. Read-modify-writes that store what they read: the test-and-set of a lock that is taken. Let r and w be its
//     read and its write, s the write that r reads from. Reads of w read from s instead, and get the same
//     value. Nothing comes between s and w in coherence order, if the model is atomic; so co and fr become
//     smaller, and the last value of the cell stays. Only rf gets new pairs, from s to a read r' of w. There
//     was a path s -rf-> r -rmw-> w -rf-> r' instead, and also s -co-> w -rf-> r'; so the model must not tell the
//     new pair from these paths. sat/same_values.h decides that from its terms. If s is in the same iteration it
//     is dropped too, so then w counts.
//
//     On Power a thread may read its own w early, before r has its value, and s not. So w counts if r' is of its own
//     thread; if all r' are of others, it does not. Consider an iteration whose only access is such a
//     read-modify-write, and suppose that the next one, if it reads w, does the same and leaves nothing behind, either;
//     then so do all that follow and read what the one before has stored. The next iteration begins with the same
//     read, since nothing that counts has changed. Of a series of such iterations, drop the last one: its s is the
//     write of the one before; the read of the iteration that follows is of another write, a later one in coherence
//     order, and so are all later reads of the thread, if its reads follow coherence. So no r' is of the thread itself.
//     And so on, until none of the series is left.
//
// Any other write counts.
//
// The header is not the only place from which an iteration can be dropped: whenever the thread comes back to a point, and
// leaves nothing behind that counts there, it can. `pos = tail; for (;;) { ...a[pos]...; pos = tail; }` shows why that
// makes a difference: at the header, `pos` depends on another load each time, and the address of what follows depends on
// it. Before the load at the end of the iteration its value does not count.
//
// Errors inside of a dropped iteration are not lost: a thread that fails does not come back to the header. A
// data race inside of one would be; an engine must look for it in an execution with that iteration.
//
// How the engine sat does all this is described in engine/sat/threads.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/liveness.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/private_cells.h"

namespace fenceline {

class WaitLoops {
 public:
  // `used` must be of the kind Reads::kUsed, and know what the property looks at; `observed` are the cells that it
  // looks at, by cell. Keeps references to the first two.
  WaitLoops(const Overlay& overlay, const Liveness& used, const std::vector<bool>& observed);
  WaitLoops(const WaitLoops&) = delete;
  WaitLoops& operator=(const WaitLoops&) = delete;

  const Loops& loops(ThreadId thread) const { return threads_[thread.index()].loops; }

  Point header(ThreadId thread, uint32_t loop) const {
    return behind_fences(thread, loops(thread).header(loop));
  }
  // Behind inserted fences, which liveness does not know, and which read nothing.
  Point behind_fences(ThreadId thread, Point point) const;
  // Is a load here, in a loop that passes something on from one iteration to the next? Where dependencies count, an
  // iteration may have to begin here to leave nothing behind.
  bool is_reload(ThreadId thread, Point point) const {
    return threads_[thread.index()].reloads[point.index()];
  }

  // The point of the following is behind inserted fences. Does it matter to what follows which value the register has at the point?
  bool counts(ThreadId thread, Point point, RegId reg) const { return used_.live(thread, point, reg); }
  // Can an access have a data or address dependency on the value that it has there?
  bool is_passed_on(ThreadId thread, Point point, RegId reg) const {
    return passed_on_.live(thread, point, reg);
  }

  // Does no other thread access the cell?
  bool is_private(ThreadId thread, CellId cell) const { return private_.is_private(thread, cell); }
  // Is the cell private to the thread, and its content at the point not read any more?
  bool is_dead(ThreadId thread, Point point, CellId cell) const {
    return private_.is_private(thread, cell) && !private_.live(thread, point, cell);
  }

  // At most so many visits of the header each time that the loop is entered, for loops that count
  // (iteration_counts.h).
  std::optional<uint32_t> most_visits(ThreadId thread, uint32_t loop) const;
  // Is there an access or a fence in it?
  bool accesses_memory(ThreadId thread, uint32_t loop) const {
    return threads_[thread.index()].accesses[loop];
  }

 private:
  struct ThreadLoops {
    Loops loops;
    std::vector<bool> accesses;  // by loop
    std::vector<bool> reloads;   // by point
    // By loop; counted when it is first asked for, since that may take a while.
    mutable std::optional<std::vector<std::optional<uint32_t>>> visits;
  };

  void find_reloads(ThreadId thread);

  const Overlay& overlay_;
  const Liveness& used_;
  Liveness passed_on_;
  std::vector<ThreadLoops> threads_;

  PrivateCells private_;
};

}  // namespace fenceline
