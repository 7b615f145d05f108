// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an execution offers to a model. docs/models.md explains each name.
//
// The tags are named as in the `.cat` files of herd, so that these can be read as they are. One name may mean
// different things on different architectures (`A`, `SC`), as there; a program belongs to one of them.
#include <algorithm>
#include <iterator>

#include "model/cat/relational.h"

namespace fenceline {
namespace {

constexpr std::string_view kSets[] = {
    "_",           // all events
    "R",           // reads
    "W",           // writes, the initial ones too
    "M",           // reads and writes
    "F",           // fences
    "IW",          // initial writes
    "FW",          // the last write of each location
    "RMW",         // the events of read-modify-write instructions; of one that did not write: its read
    "ATOMIC",      // the events of read-modify-write instructions and of atomic sections
    "SECTION",     // the events of atomic sections
    "SL",          // fences that order stores with later loads
    "SS",          // stores with stores
    "LL",          // loads with loads
    "LS",          // loads with stores
    "MEMBARRIER",  // fences that wait for the stores of all threads: `sync`
};

constexpr std::string_view kTags[] = {
    // C11: the order that an access or fence has.
    "NA",       // none: not atomic
    "RLX",      // memory_order_relaxed
    "CON",      // consume
    "ACQ",      // acquire
    "REL",      // release
    "ACQ_REL",  // both
    "SC",       // seq_cst
    // All architectures.
    "X",   // accesses of instructions that read and write at once: locked ones, AMOs; on AArch64 exclusive
           // pairs too
    "EX",  // accesses of exclusive pairs: LDXR/STXR, LR/SC, lwarx/stwcx.
    "A",   // atomic accesses; on AArch64: load-acquire (LDAR, LDAXR, CASA)
    // x86.
    "MFENCE",
    "SFENCE",
    "LFENCE",
    "LK",  // accesses of instructions with the lock prefix; in herd: X
    // AArch64 and 32-bit ARM.
    "L",  // store-release (STLR)
    "Q",  // load-acquirePC (LDAPR)
    "DMB.SY",
    "DMB.ST",
    "DMB.LD",
    "DMB.ISH",
    "DMB.ISHST",
    "DMB.ISHLD",
    "DMB.OSH",
    "DMB.OSHST",
    "DMB.OSHLD",
    "DSB.SY",
    "DSB.ST",
    "DSB.LD",
    "DSB.ISH",
    "DSB.ISHST",
    "DSB.ISHLD",
    "DSB.OSH",
    "DSB.OSHST",
    "DSB.OSHLD",
    "ISB",
    "NoRet",  // the read of an atomic instruction whose result is dropped
    "DMB",
    "DSB",
    // RISC-V.
    "Acq",     // .aq
    "Rel",     // .rl
    "AcqRel",  // .aqrl
    "AMO",     // accesses of AMO instructions; in herd: X
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
    "Fence.tso",
    "Fence.i",
    // Power.
    "SYNC",
    "LWSYNC",
    "EIEIO",
    "ISYNC",
};

// Sets that files of herd mention, of events that programs here do not have. They are empty in every
// execution.
constexpr std::string_view kAlwaysEmpty[] = {
    "FAULT",      // memory faults
    "EXC-ENTRY",  // exceptions taken
    "EXC-RET",    // returns from them
    "SVC",        // supervisor calls
    "Sc",         // RISC-V: a former name of AcqRel
    "UL",         // C11: unlocks of mutexes
};

constexpr std::string_view kRelations[] = {
    "po",         // program order between events of different instructions of a thread
    "rf",         // from a write to the reads that get its value
    "co",         // the order in which the writes to a location reach memory; the initial one is first
    "fr",         // from a read to the writes that come after the one it read: rf^-1 ; co
    "addr",       // from a read to an access whose address depends on its value
    "data",       // from a read to a write whose value depends on it
    "ctrl",       // from a read to everything behind a branch that depends on it
    "rmw",        // from the read of a read-modify-write instruction to its write
    "loc",        // both access the same location
    "int",        // both belong to the same thread; initial writes belong to none
    "ext",        // the opposite of int
    "id",         // an event and itself
    "atomic",     // two different events of one atomic section or read-modify-write instruction
    "operation",  // two different events of one operation; without operations: of one thread
    "waited",  // from a write to the `sync` of another thread that waited for it, since it was stored before
    "observed",  // from everything a thread has done to the look at memory that ends a partial execution
};

template <size_t kCount>
bool contains(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

BaseSort base_sort(std::string_view name) {
  if (contains(kRelations, name)) return BaseSort::kRelation;
  if (contains(kSets, name) || contains(kTags, name) || contains(kAlwaysEmpty, name)) return BaseSort::kSet;
  return BaseSort::kNone;
}

bool always_empty(std::string_view name) { return contains(kAlwaysEmpty, name); }

std::vector<std::string_view> base_names() {
  std::vector<std::string_view> names(std::begin(kSets), std::end(kSets));
  names.insert(names.end(), std::begin(kTags), std::end(kTags));
  names.insert(names.end(), std::begin(kAlwaysEmpty), std::end(kAlwaysEmpty));
  names.insert(names.end(), std::begin(kRelations), std::end(kRelations));
  return names;
}

}  // namespace fenceline
