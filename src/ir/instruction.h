// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a thread can do in one step. A thread is a graph of instructions; each names its successors, so there
// are no basic blocks and "after the store at point 7" is a real position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "env/source.h"
#include "ir/expr.h"
#include "ir/history.h"
#include "ir/ids.h"

namespace fenceline {

enum class InstrKind : uint8_t {
  kLoad,    // dest = memory[address]
  kStore,   // memory[address] = a
  kRmw,     // dest = rmw(memory[address], a, b), atomically
  kFence,   // orders the pairs in `fence`
  kAssign,  // dest = a
  kBranch,  // a != 0 ? next[0] : next[1]
  kChoose,  // any of next, nondeterministically
  // The thread goes on only if a != 0. Inside an atomic section the section is no step while a is 0: the
  // thread waits before it. Anywhere else an execution in which a is 0 does not count.
  kAssume,
  kAssert,       // a == 0 here is an error
  kHavoc,        // dest = any value of havoc_range
  kAtomicBegin,  // everything up to the matching kAtomicEnd is one step
  kAtomicEnd,
  kMark,  // a label; does nothing
  kHalt,  // the thread has ended; no successor
};

// What an instruction can do to others. Code that needs only that switches over the class; wherever instructions are
// executed or translated, all kinds are listed. Neither has a `default`: the compiler shows where a new kind needs a
// thought.
enum class InstrClass : uint8_t {
  kLoad,
  kStore,
  kRmw,
  kFence,
  kLocal,  // reads and writes registers of its own thread only, and goes on
  kAtomicBegin,
  kAtomicEnd,
  kHalt,
};

constexpr InstrClass class_of(InstrKind kind) {
  switch (kind) {
    case InstrKind::kLoad:
      return InstrClass::kLoad;
    case InstrKind::kStore:
      return InstrClass::kStore;
    case InstrKind::kRmw:
      return InstrClass::kRmw;
    case InstrKind::kFence:
      return InstrClass::kFence;
    case InstrKind::kAssign:
    case InstrKind::kBranch:
    case InstrKind::kChoose:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kHavoc:
    case InstrKind::kMark:
      return InstrClass::kLocal;
    case InstrKind::kAtomicBegin:
      return InstrClass::kAtomicBegin;
    case InstrKind::kAtomicEnd:
      return InstrClass::kAtomicEnd;
    case InstrKind::kHalt:
      break;
  }
  return InstrClass::kHalt;
}

enum class MemoryAccess : uint8_t { kNone, kRead, kWrite, kBoth };

constexpr MemoryAccess access_of(InstrKind kind) {
  switch (class_of(kind)) {
    case InstrClass::kLoad:
      return MemoryAccess::kRead;
    case InstrClass::kStore:
      return MemoryAccess::kWrite;
    case InstrClass::kRmw:
      return MemoryAccess::kBoth;
    case InstrClass::kFence:
    case InstrClass::kLocal:
    case InstrClass::kAtomicBegin:
    case InstrClass::kAtomicEnd:
    case InstrClass::kHalt:
      break;
  }
  return MemoryAccess::kNone;
}

enum class RmwOp : uint8_t {
  kCas,       // if memory == a then memory := b, dest = 1, else dest = 0
  kCasValue,  // if memory == a then memory := b; dest = what memory was, either way
  kXchg,      // dest = memory, memory := a
  kFetchAdd,  // dest = memory, memory := memory + a
  kFetchAnd,  // and so on, with the bits of both
  kFetchOr,
  kFetchXor,
};

// What it does to memory, whatever the result is.
enum class RmwShape : uint8_t { kCompare, kExchange, kFetch };

constexpr RmwShape shape_of(RmwOp op) {
  switch (op) {
    case RmwOp::kCas:
    case RmwOp::kCasValue:
      return RmwShape::kCompare;
    case RmwOp::kXchg:
      return RmwShape::kExchange;
    case RmwOp::kFetchAdd:
    case RmwOp::kFetchAnd:
    case RmwOp::kFetchOr:
    case RmwOp::kFetchXor:
      return RmwShape::kFetch;
  }
  return RmwShape::kFetch;  // no operation; ir/verify rejects it
}

// Does it have two operands, and is it only a load where memory is not the first?
constexpr bool is_cas(RmwOp op) { return shape_of(op) == RmwShape::kCompare; }

// One of the kFetch...?
constexpr bool is_fetch(RmwOp op) { return shape_of(op) == RmwShape::kFetch; }

// What makes the new value of the old one and a. Precondition: is_fetch(op).
constexpr ExprOp operator_of(RmwOp op) {
  switch (op) {
    case RmwOp::kFetchAdd:
      return ExprOp::kAdd;
    case RmwOp::kFetchAnd:
      return ExprOp::kBitAnd;
    case RmwOp::kFetchOr:
      return ExprOp::kBitOr;
    case RmwOp::kFetchXor:
    case RmwOp::kCas:
    case RmwOp::kCasValue:
    case RmwOp::kXchg:
      break;
  }
  return ExprOp::kBitXor;
}

// Which earlier accesses a fence keeps before which later ones.
class FenceKinds {
 public:
  static constexpr uint8_t kStoreLoadBit = 1, kStoreStoreBit = 2, kLoadLoadBit = 4, kLoadStoreBit = 8;
  static constexpr uint8_t kProcessWideBit = 16;  // only together with all others: sync

  constexpr FenceKinds() = default;
  constexpr explicit FenceKinds(uint8_t bits) : bits_(bits) {}
  static constexpr FenceKinds full() { return FenceKinds(15); }
  // A full fence that waits for the stores of all threads, not of its own only.
  static constexpr FenceKinds sync() { return FenceKinds(31); }
  static constexpr FenceKinds store_load() { return FenceKinds(kStoreLoadBit); }
  static constexpr FenceKinds store_store() { return FenceKinds(kStoreStoreBit); }
  static constexpr FenceKinds load_load() { return FenceKinds(kLoadLoadBit); }
  static constexpr FenceKinds load_store() { return FenceKinds(kLoadStoreBit); }

  constexpr bool has_store_load() const { return bits_ & kStoreLoadBit; }
  constexpr bool has_store_store() const { return bits_ & kStoreStoreBit; }
  constexpr bool has_load_load() const { return bits_ & kLoadLoadBit; }
  constexpr bool has_load_store() const { return bits_ & kLoadStoreBit; }
  constexpr bool has_process_wide() const { return bits_ & kProcessWideBit; }
  constexpr bool none() const { return bits_ == 0; }
  constexpr bool includes(FenceKinds weaker) const { return (bits_ & weaker.bits_) == weaker.bits_; }
  constexpr uint8_t bits() const { return bits_; }

  friend constexpr FenceKinds operator|(FenceKinds x, FenceKinds y) {
    return FenceKinds(static_cast<uint8_t>(x.bits_ | y.bits_));
  }
  friend constexpr auto operator<=>(FenceKinds, FenceKinds) = default;

 private:
  uint8_t bits_ = 0;
};

// As the user writes it: "fence", "sfence", "lfence", "fence(store-load, load-load)", "sync".
std::string to_string(FenceKinds kinds);

// The ordering attribute of a memory access, for front ends whose languages have one (C11, litmus).
// The operational models of this program look at fences and rmw only; `.fl` accesses are all kPlain.
enum class MemoryOrder : uint8_t { kPlain, kRelaxed, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };

// Where a result goes: one register, or one element of a run of `count` registers (a local array).
struct Dest {
  RegId reg;
  uint32_t count = 1;
  ExprId index = {};  // valid only for array elements; 0 <= index < count is checked when it executes

  bool valid() const { return reg.valid(); }
  bool is_element() const { return index.valid(); }
};

// An address is an object and an offset into it, counted in cells. Object::admits() is checked when it executes.
struct Address {
  ObjectId object;
  ExprId offset;
  uint8_t bytes = 0;  // how many the access is about; 0: as many as the cell has
};

// What a step is to a reader of a report; nothing else depends on it.
enum class StepRole : uint8_t {
  kProgram,   // a step of the program
  kStart,     // it starts the thread that Program::thread_cells has for its cell
  kJoin,      // it sees that this thread has ended
  kInternal,  // what surrounds these, or belongs to an access with a memory order: left out if all is well
};

struct Instruction {
  InstrKind kind = InstrKind::kHalt;
  StepRole role = StepRole::kProgram;
  SourcePos pos;
  std::vector<Point> next;  // kHalt 0, kBranch 2, kChoose 1 or more, all others 1
  Dest dest;                // kLoad, kRmw (may be invalid: result unused), kAssign, kHavoc
  Address address;          // kLoad, kStore, kRmw
  ExprId a, b;              // operands as described at InstrKind and RmwOp
  RmwOp rmw = RmwOp::kCas;
  // kRmw with a kFetch...: what is stored is wrapped to this width, as by ExprOp::kWrap; 0: it is not.
  int8_t wrap = 0;
  // kAssume: part of a join, an await or a lock, and not an assumption that the program states. For reports;
  // what an assumption does follows from its position.
  bool blocking = false;
  // kAssume: events behind it are control-dependent on the condition, as behind a branch. They are not where
  // the two alternatives belong to one instruction that was guessed.
  bool branches = true;
  // kHalt: the program ends with the thread, as it does when main() of C returns. What other threads still
  // wait for is then no deadlock. For every other property they go on: what they do afterwards they could
  // have done before.
  bool ends_program = false;
  // kAssert: its failure is a limitation of Fenceline and no error of the program; an execution that reaches
  // it makes the verdict `unknown`.
  bool our_limit = false;
  // kAtomicBegin: what follows up to the end are the parts of one access that covers several cells, and no atomic
  // section of the program. The access happens at once where others look, as a section does; but its stores may be
  // pending like those of any other store. Where it loads and stores, it is a read-modify-write.
  bool one_access = false;
  FenceKinds fence;
  MemoryOrder order = MemoryOrder::kPlain;
  Range havoc_range;
  std::string label;        // kMark: the label's name; kAssert: the error if it fails, if it has a text
  std::string source_text;  // kFence: as the source has it, "fence(release)", "mfence"; empty: by its kinds
  // kAssert, kBranch: where the assertion is written whose condition is decided here; line 0: there is none.
  // Several instructions may decide one assertion.
  SourcePos assertion;
  // The call of an operation that this is part of, numbered from 1 within the thread; 0: none.
  uint32_t operation = 0;
  // What the step is in the history of transactions, where that does not follow from what it accesses: kRfin,
  // kCommit, kAbort of a kMark without a label, kRollback of a kStore to a transactional variable.
  std::optional<HistoryOp> history;
  // What `.cat` models call this event, beyond what its kind says: "MFENCE", "ACQ". Of an rmw: its read;
  // `write_tags` are those of its write.
  std::vector<std::string> tags, write_tags;

  bool is_memory_access() const { return access_of(kind) != MemoryAccess::kNone; }
  bool writes_memory() const {
    return access_of(kind) == MemoryAccess::kWrite || access_of(kind) == MemoryAccess::kBoth;
  }
  bool reads_memory() const {
    return access_of(kind) == MemoryAccess::kRead || access_of(kind) == MemoryAccess::kBoth;
  }
};

}  // namespace fenceline
