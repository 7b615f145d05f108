// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tiny concurrent program, small enough to be generated, run by brute force, shrunk and printed.
//
// The machines of src/ are tested against two other readings of docs/semantics.md (naive.h and oracle.h).
// For that to mean something the other readings must not share code with src/, so this is a syntax tree of
// their own: a subset of `.fl` that is rich in what matters (accesses, fences, rmw, atomic sections) and poor
// in the rest. print_fl() is the only connection to the real front end; what `.fl` cannot express is encoded
// (beyond_fl.h).
//
// One node type serves all expressions and one serves all statements. That wastes a few fields, and makes the
// shrinker (which must walk over everything) short.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"

namespace fenceline::fuzz {

enum class Model : uint8_t { kSc, kTso, kPso };
inline constexpr int kModels = 3;
inline constexpr const char* kModelNames[kModels] = {"sc", "tso", "pso"};

enum class Op : uint8_t {
  kConst,   // value
  kReg,     // register number `id` of the thread
  kLvalue,  // shared variable number `id`; args = {index} for arrays
  kAdd,
  kSub,
  kDiv,
  kMod,
  kEq,
  kNe,
  kLt,
  kLe,
  kUlt,  // as unsigned numbers; the left one is no constant
  kUle,
  kAnd,
  kOr,
  kNot,
  kWrap,      // args = {e}, no constant; `value` bits with a sign, or minus as many without
  kIte,       // args = {condition, then, else}
  kCas,       // args = {lvalue, old, new}
  kCasValue,  // the same, but its result is what was there; only as a whole right-hand side
  kXchg,      // args = {lvalue, value}
  kFetchAdd,  // args = {lvalue, value}; what it stores is wrapped to `value` bits as above; 0: it is not
  kFetchAnd,
  kFetchOr,
  kFetchXor,
};

struct Expr {
  Op op = Op::kConst;
  Value value = 0;
  int id = 0;
  std::vector<Expr> args;

  friend bool operator==(const Expr&, const Expr&) = default;
};

bool is_rmw(Op op);
bool accesses_memory(const Expr& expr);

// The bits of a set of fence kinds.
inline constexpr unsigned kStoreLoad = 1, kStoreStore = 2, kLoadLoad = 4, kLoadStore = 8, kAllKinds = 15;
// For the stores of all threads; only together with all kinds, which makes a sync.
inline constexpr unsigned kProcessWide = 16, kSync = kAllKinds | kProcessWide;

enum class StmtKind : uint8_t {
  kAssign,   // target (kReg or kLvalue) = value
  kEval,     // an rmw whose result is not used: value
  kFence,    // kinds
  kIf,       // value, blocks = {then, else}
  kWhile,    // value, blocks = {body}
  kDoWhile,  // value, blocks = {body}
  kChoose,   // blocks, two or more
  kHavoc,    // target in lo..hi
  kAssume,   // value
  kAssert,   // value
  kAwait,    // value
  kAtomic,   // blocks = {body}
  kLabel,    // a labelled skip: one step that does nothing
  kBreak,
  kHalt,  // kinds: with any, the program ends with the thread
};

struct Stmt {
  StmtKind kind = StmtKind::kLabel;
  Expr target;
  Expr value;
  unsigned kinds = 0;
  Value lo = 0, hi = 0;
  std::vector<std::vector<Stmt>> blocks;

  friend bool operator==(const Stmt&, const Stmt&) = default;
};

using Block = std::vector<Stmt>;

struct Var {
  bool array = false;
  std::vector<Value> init;  // one per cell
  std::optional<Range> declared;

  friend bool operator==(const Var&, const Var&) = default;
};

struct Reg {
  Value init = 0;
  std::optional<Range> declared;

  friend bool operator==(const Reg&, const Reg&) = default;
};

struct MiniThread {
  std::vector<Reg> regs;
  Block body;

  friend bool operator==(const MiniThread&, const MiniThread&) = default;
};

struct MiniProgram {
  std::vector<Var> vars;
  std::vector<MiniThread> threads;

  int cell_count() const;
  friend bool operator==(const MiniProgram&, const MiniProgram&) = default;
};

// What the program is made of: decides which readings of the semantics apply to it.
struct Features {
  bool atomic = false;  // an atomic section or await
  bool sync = false;
  bool loops = false;
};
Features features_of(const MiniProgram& program);

// Rules of the language and of the disguise that a change to a program can break: break only in loops, no
// loop, label, fence, break, halt or atomic inside atomic, and no `while (constant)` without a step in it.
bool well_formed(const MiniProgram& program);

// How much there is to read: the shrinker's measure.
size_t size_of(const MiniProgram& program);

// The names print_fl() uses for the elements of an outcome: the cells, then each thread's registers.
std::vector<std::string> outcome_names(const MiniProgram& program);

// The program as `.fl` text.
std::string print_fl(const MiniProgram& program);

// Helpers to write programs by hand in tests.
Expr constant(Value value);
Expr reg(int id);
Expr lvalue(int var);
Expr element(int var, Expr index);
Expr node(Op op, std::vector<Expr> args);
Stmt assign(Expr target, Expr value);
Stmt fence(unsigned kinds);
Stmt eval(Expr value);
Stmt simple(StmtKind kind, Expr value);
Stmt compound(StmtKind kind, Expr value, std::vector<Block> blocks);

}  // namespace fenceline::fuzz
