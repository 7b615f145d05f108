// SPDX-License-Identifier: GPL-3.0-or-later
//
// What memory holds before the program runs, and what set-up code leaves there: `int readers = 2;` that no
// code writes, the `mask` of a ring that is computed before the first thread starts. A load of such a
// location is a constant, and with it the bound of a loop, the size of an allocation, the target of a call.
//
// Before the first thread starts, code is sequential: constants are propagated through memory, along the
// control flow of the functions that run one after the other (conditional constant propagation without the
// lattice of values: an operation on constants is folded by passes.h between two rounds). A store to one known
// location replaces what was there; any other store makes all that it may target (points_to.h) unknown.
//
// Where threads run, a location is known if nothing writes it any more: then it holds what it held at each
// place where a thread was started. All that a thread does happens after its start, and the start after the
// set-up, on every memory model (lowering.h). For a thread that only the sequence starts, that is what the location
// holds at its own start, even if other threads run then: if these do not write it, the sequence does not write it
// behind the start, and the thread itself does not write it before. The arguments of a thread are such locations. Such a load is kept if its removal could lose an ordering:
// unless it is plain or relaxed, if its address depends on another load that could lose one, and beside fences that
// order loads with later loads but not with later stores. A load that acquires loses none: it stays, and orders all
// that follows by itself. Where the address may be null, the access is kept too (unit.h), and only its value is
// replaced.
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "frontend/c/effects.h"
#include "frontend/c/lifetimes.h"
#include "frontend/c/points_to.h"
#include "frontend/c/written_spans.h"

namespace fenceline::frontend::c {

class KnownMemory {
 public:
  // The flat functions of a program: one thread executes those of the sequence, each to its end. All others
  // may run as soon as one of the sequence has started a thread, or when it is over.
  struct Functions {
    std::vector<llvm::Function*> sequence, others;
  };

  KnownMemory(const Functions& functions, const PointsTo& points_to, const Lifetimes& lifetimes,
              const llvm::DataLayout& layout);

  struct KnownLoad {
    llvm::LoadInst* load;
    llvm::Constant* value;
  };
  const std::vector<KnownLoad>& loads() const { return loads_; }

 private:
  // So many bytes hold those of `from`, from its byte `shift` on; null: unknown.
  struct Piece {
    int64_t bytes;
    llvm::Constant* from;
    int64_t shift;

    friend bool operator==(const Piece&, const Piece&) = default;
  };
  using Content = std::map<int64_t, Piece>;  // by offset, without gaps
  struct State {
    std::map<uint32_t, Content> objects;  // those that differ from their initial content
    bool all_lost = false;                // a store may have gone anywhere
    bool concurrent = false;              // a thread has been started

    friend bool operator==(const State&, const State&) = default;
  };
  using Span = ByteSpan;

  // Objects.
  bool is_single(uint32_t object) const;
  bool is_constant(uint32_t object) const;
  bool is_allocated(uint32_t object) const;
  Content initial(uint32_t object) const;
  const Content& content(const State& state, uint32_t object, Content& storage) const;
  std::optional<Span> exact(const llvm::Value& pointer, uint64_t bytes) const;

  // States.
  llvm::Constant* read(const Content& content, int64_t offset, llvm::Type& type) const;
  llvm::Constant* lookup(const State& state, const Span& span, llvm::Type& type) const;
  static void split(Content& content, int64_t at);
  void write(State& state, const Span& span, llvm::Constant* from) const;
  void write_everywhere(State& state, const Effects::Write& one) const;
  void lose(State& state, uint32_t object) const;
  bool join(State& into, const State& from) const;
  bool same_bytes(const Piece& a, const Piece& b) const;

  // Instructions.
  void step(State& state, const llvm::Instruction& instruction);
  void copy(State& state, const llvm::CallBase& call, uint64_t bytes) const;
  std::optional<State> execute(llvm::Function& function, const State& entry);
  void start(const llvm::CallBase& call, const State& state);

  // Where threads run.
  // How a thread began: what it found, and what may be written since.
  struct Start {
    State state;
    unsigned calls;       // that start it; one in a cycle counts twice
    WrittenSpans behind;  // by the sequence and by other threads
    std::vector<std::pair<const llvm::Instruction*, WrittenSpans>> own;  // if it is started once
  };
  void find_starts(const Functions& functions);
  void add_threads(const Functions& functions);
  static void add_behind(const llvm::CallBase& call, WrittenSpans& spans);
  bool is_written_late(const Span& span, const llvm::LoadInst& load, const Start* start) const;
  bool may_precede(const llvm::Instruction& first, const llvm::Instruction& second) const;
  std::optional<Span> settled(const llvm::LoadInst& load, const Start* start) const;
  void find_late_loads(llvm::Function& function);
  void found(llvm::LoadInst& load, llvm::Constant* value);

  const PointsTo& points_to_;
  const Lifetimes& lifetimes_;
  const llvm::DataLayout& layout_;
  std::set<const llvm::Function*> sequence_;
  std::set<const llvm::BasicBlock*> repeated_;     // in a cycle of the control flow
  std::optional<State> started_;                   // joined over all places where a thread is started
  std::map<const llvm::Function*, Start> starts_;  // of the functions that only the sequence starts
  mutable std::map<const llvm::BasicBlock*, std::set<const llvm::BasicBlock*>> reachable_;  // from its end
  WrittenSpans concurrent_writes_;           // by all that is not in the sequence
  std::set<const llvm::Instruction*> late_;  // instructions that may execute concurrently with others
  WrittenSpans late_writes_;                 // by those
  std::vector<KnownLoad> loads_;
};

}  // namespace fenceline::frontend::c
