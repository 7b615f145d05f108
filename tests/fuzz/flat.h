// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mini program as lists of steps: the table "What each construct does" of docs/language.md, and nothing
// more. Both brute-force readings (naive.h, oracle.h) run this list. Each shared operand becomes a load into
// a temporary; what remains of an expression reads registers only and is part of the step that uses it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mini_program.h"

namespace fenceline::fuzz {

enum class FlatKind : uint8_t {
  kLoad,   // dest = cell
  kStore,  // cell = a
  kRmw,    // dest = rmw(cell, a, b); dest may be -1
  kFence,
  kAssign,  // dest = a
  kBranch,  // a ? next[0] : next[1]
  kChoose,  // any of next
  kHavoc,   // dest = lo..hi
  kAssume,
  kAssert,
  kAtomicBegin,
  kAtomicEnd,
  kMark,
  kJump,  // no step; gone from every `next` when flattening is done
  kHalt,
};

struct FlatInstr {
  FlatKind kind = FlatKind::kHalt;
  std::vector<int> next;
  int dest = -1;
  int var = 0;
  Expr index;  // of the cell within var
  Expr a, b;
  Op rmw = Op::kCas;
  Value wrap = 0;      // of a kFetch...: see Op::kFetchAdd
  unsigned kinds = 0;  // of a fence; kHalt: with any, the program ends with the thread
  Value lo = 0, hi = 0;
};

struct FlatThread {
  std::vector<FlatInstr> code;
  int entry = 0;
  int visible_regs = 0;                        // temporaries come after them
  std::vector<Value> initial_regs;             // temporaries included
  std::vector<std::optional<Range>> declared;  // of each register
};

struct FlatVar {
  int first_cell = 0;
  int size = 0;
  std::optional<Range> declared;
};

struct FlatProgram {
  std::vector<FlatVar> vars;
  std::vector<FlatThread> threads;
  std::vector<Value> initial_memory;
};

// Precondition: well_formed(program).
FlatProgram flatten(const MiniProgram& program);

// The value of an expression over registers; nothing if it divides by zero.
std::optional<Value> evaluate(const Expr& expr, std::span<const Value> regs);

// The cell an access goes to; nothing if the index is out of bounds or cannot be evaluated.
std::optional<int> cell_of(const FlatProgram& program, const FlatInstr& instr, std::span<const Value> regs);

// Is this a value that may be put there?
inline bool allowed(const std::optional<Range>& declared, Value value) {
  return !declared || declared->contains(value);
}

// What an rmw does to a cell that holds `old`: its result, and the value it writes (nothing: a cas that
// fails).
struct RmwEffect {
  Value result = 0;
  std::optional<Value> written;
};
// Nothing if an operand divides by zero.
std::optional<RmwEffect> rmw_effect(const FlatInstr& instr, Value old, std::span<const Value> regs);

}  // namespace fenceline::fuzz
