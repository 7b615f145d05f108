// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flattening in one walk: instructions are appended in program order, each continues with the next one unless
// said otherwise, and the jumps this needs are taken out at the end (they are no steps of the machine).
#include "flat.h"

#include <utility>

namespace fenceline::fuzz {
namespace {

class Flattener {
 public:
  explicit Flattener(const MiniThread& thread) {
    out_.visible_regs = static_cast<int>(thread.regs.size());
    for (const Reg& r : thread.regs) {
      out_.initial_regs.push_back(r.init);
      out_.declared.push_back(r.declared);
    }
    block(thread.body);
    emit(FlatKind::kHalt);
    out_.code.back().next.clear();
    for (FlatInstr& instr : out_.code)
      for (int& next : instr.next) next = skip_jumps(next);
    out_.entry = skip_jumps(0);
  }

  FlatThread take() { return std::move(out_); }

 private:
  int here() const { return static_cast<int>(out_.code.size()); }
  FlatInstr& at(int index) { return out_.code[static_cast<size_t>(index)]; }
  int skip_jumps(int index) {
    while (at(index).kind == FlatKind::kJump) index = at(index).next[0];
    return index;
  }

  int emit(FlatKind kind) {
    FlatInstr instr;
    instr.kind = kind;
    instr.next = {here() + 1};
    out_.code.push_back(std::move(instr));
    return here() - 1;
  }

  int fresh() {
    out_.initial_regs.push_back(0);
    out_.declared.push_back(std::nullopt);
    return static_cast<int>(out_.initial_regs.size()) - 1;
  }

  Expr index_of(const Expr& shared) { return shared.args.empty() ? constant(0) : pure(shared.args[0]); }

  void load(const Expr& shared, int dest) {
    Expr index = index_of(shared);
    FlatInstr& instr = at(emit(FlatKind::kLoad));
    instr.dest = dest;
    instr.var = shared.id;
    instr.index = std::move(index);
  }

  void rmw(const Expr& e, int dest) {
    Expr index = index_of(e.args[0]);
    Expr a = pure(e.args[1]);
    Expr b = e.op == Op::kCas || e.op == Op::kCasValue ? pure(e.args[2]) : constant(0);
    FlatInstr& instr = at(emit(FlatKind::kRmw));
    instr.rmw = e.op;
    instr.wrap = e.value;
    instr.dest = dest;
    instr.var = e.args[0].id;
    instr.index = std::move(index);
    instr.a = std::move(a);
    instr.b = std::move(b);
  }

  void assign_reg(int dest, Expr value) {
    FlatInstr& instr = at(emit(FlatKind::kAssign));
    instr.dest = dest;
    instr.a = std::move(value);
  }

  // Emits the accesses of `e`; what is returned reads registers only.
  Expr pure(const Expr& e) {
    if (!accesses_memory(e)) return e;
    if (e.op == Op::kLvalue) {
      const int temp = fresh();
      load(e, temp);
      return reg(temp);
    }
    if (is_rmw(e.op)) {
      const int temp = fresh();
      rmw(e, temp);
      return reg(temp);
    }
    const bool lazy_op = e.op == Op::kAnd || e.op == Op::kOr || e.op == Op::kIte;
    const bool lazy_access =
        lazy_op && (accesses_memory(e.args[1]) || (e.op == Op::kIte && accesses_memory(e.args[2])));
    if (!lazy_access) {
      Expr out = node(e.op, {});
      out.value = e.value;
      for (const Expr& arg : e.args) out.args.push_back(pure(arg));
      return out;
    }
    return lazy(e);
  }

  Expr lazy(const Expr& e) {
    const int temp = fresh();
    Expr condition = pure(e.args[0]);
    const int branch = emit(FlatKind::kBranch);
    at(branch).a = std::move(condition);
    const auto truth = [](Expr value) { return node(Op::kNe, {std::move(value), constant(0)}); };
    // args[1] decides && when the condition holds and || when it does not.
    const int then_start = here();
    if (e.op == Op::kOr)
      assign_reg(temp, constant(1));
    else if (e.op == Op::kAnd)
      assign_reg(temp, truth(pure(e.args[1])));
    else
      assign_reg(temp, pure(e.args[1]));
    const int jump = emit(FlatKind::kJump);
    const int else_start = here();
    if (e.op == Op::kOr)
      assign_reg(temp, truth(pure(e.args[1])));
    else if (e.op == Op::kAnd)
      assign_reg(temp, constant(0));
    else
      assign_reg(temp, pure(e.args[2]));
    at(branch).next = {then_start, else_start};
    at(jump).next = {here()};
    return reg(temp);
  }

  void block(const Block& statements) {
    for (const Stmt& s : statements) statement(s);
  }

  void store(const Expr& target, Expr index, Expr value) {
    FlatInstr& instr = at(emit(FlatKind::kStore));
    instr.var = target.id;
    instr.index = std::move(index);
    instr.a = std::move(value);
  }

  void assignment(const Stmt& s) {
    if (s.target.op == Op::kLvalue) {
      Expr index = index_of(s.target);
      Expr value = pure(s.value);
      store(s.target, std::move(index), std::move(value));
    } else if (s.value.op == Op::kLvalue) {
      load(s.value, s.target.id);
    } else if (is_rmw(s.value.op)) {
      rmw(s.value, s.target.id);
    } else {
      assign_reg(s.target.id, pure(s.value));
    }
  }

  void havoc(const Stmt& s) {
    const bool shared = s.target.op == Op::kLvalue;
    Expr index = shared ? index_of(s.target) : constant(0);
    const int dest = shared ? fresh() : s.target.id;
    FlatInstr& instr = at(emit(FlatKind::kHavoc));
    instr.dest = dest;
    instr.lo = s.lo;
    instr.hi = s.hi;
    if (shared) store(s.target, std::move(index), reg(dest));
  }

  void check(FlatKind kind, const Expr& condition) {
    Expr value = pure(condition);
    at(emit(kind)).a = std::move(value);
  }

  void loop(const Stmt& s) {
    const int start = here();
    std::vector<int> outer_breaks = std::exchange(breaks_, {});
    int exit_branch = -1;
    if (s.kind == StmtKind::kWhile && !(s.value.op == Op::kConst && s.value.value != 0)) {
      Expr condition = pure(s.value);
      exit_branch = emit(FlatKind::kBranch);
      at(exit_branch).a = std::move(condition);
      at(exit_branch).next = {here(), -1};
    }
    block(s.blocks[0]);
    if (s.kind == StmtKind::kWhile) {
      at(emit(FlatKind::kJump)).next = {start};
      if (exit_branch >= 0) at(exit_branch).next[1] = here();
    } else {
      Expr condition = pure(s.value);
      const int branch = emit(FlatKind::kBranch);
      at(branch).a = std::move(condition);
      at(branch).next = {start, here()};
    }
    for (const int jump : breaks_) at(jump).next = {here()};
    breaks_ = std::move(outer_breaks);
  }

  void choose(const Stmt& s) {
    const int choice = emit(FlatKind::kChoose);
    std::vector<int> starts, jumps;
    for (const Block& branch : s.blocks) {
      starts.push_back(here());
      block(branch);
      jumps.push_back(emit(FlatKind::kJump));
    }
    at(choice).next = starts;
    for (const int jump : jumps) at(jump).next = {here()};
  }

  void conditional(const Stmt& s) {
    Expr condition = pure(s.value);
    const int branch = emit(FlatKind::kBranch);
    at(branch).a = std::move(condition);
    const int then_start = here();
    block(s.blocks[0]);
    const int jump = emit(FlatKind::kJump);
    const int else_start = here();
    block(s.blocks[1]);
    at(branch).next = {then_start, else_start};
    at(jump).next = {here()};
  }

  void statement(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::kAssign:
        return assignment(s);
      case StmtKind::kEval:
        return rmw(s.value, -1);
      case StmtKind::kFence:
        at(emit(FlatKind::kFence)).kinds = s.kinds;
        return;
      case StmtKind::kIf:
        return conditional(s);
      case StmtKind::kWhile:
      case StmtKind::kDoWhile:
        return loop(s);
      case StmtKind::kChoose:
        return choose(s);
      case StmtKind::kHavoc:
        return havoc(s);
      case StmtKind::kAssume:
        return check(FlatKind::kAssume, s.value);
      case StmtKind::kAssert:
        return check(FlatKind::kAssert, s.value);
      case StmtKind::kAwait:
        emit(FlatKind::kAtomicBegin);
        check(FlatKind::kAssume, s.value);
        emit(FlatKind::kAtomicEnd);
        return;
      case StmtKind::kAtomic:
        emit(FlatKind::kAtomicBegin);
        block(s.blocks[0]);
        emit(FlatKind::kAtomicEnd);
        return;
      case StmtKind::kLabel:
        emit(FlatKind::kMark);
        return;
      case StmtKind::kBreak:
        breaks_.push_back(emit(FlatKind::kJump));
        return;
      case StmtKind::kHalt:
        at(emit(FlatKind::kHalt)).next.clear();
        out_.code.back().kinds = s.kinds;
        return;
    }
  }

  FlatThread out_;
  std::vector<int> breaks_;
};

}  // namespace

FlatProgram flatten(const MiniProgram& program) {
  FlatProgram out;
  for (const Var& var : program.vars) {
    out.vars.push_back({.first_cell = static_cast<int>(out.initial_memory.size()),
                        .size = static_cast<int>(var.init.size()),
                        .declared = var.declared});
    out.initial_memory.insert(out.initial_memory.end(), var.init.begin(), var.init.end());
  }
  for (const MiniThread& thread : program.threads) out.threads.push_back(Flattener(thread).take());
  return out;
}

// Small values and few bits: one step after the other is quick enough.
Value wrapped(Value value, Value width) {
  const Value bits = width < 0 ? -width : width, size = Value{1} << bits;
  const Value lowest = width < 0 ? 0 : -size / 2;
  while (value < lowest) value += size;
  while (value >= lowest + size) value -= size;
  return value;
}

std::optional<Value> evaluate(const Expr& e, std::span<const Value> regs) {
  if (e.op == Op::kConst) return e.value;
  if (e.op == Op::kReg) return regs[static_cast<size_t>(e.id)];
  const std::optional<Value> x = evaluate(e.args[0], regs);
  if (!x) return std::nullopt;
  if (e.op == Op::kNot) return *x == 0;
  if (e.op == Op::kWrap) return wrapped(*x, e.value);
  if (e.op == Op::kIte) return evaluate(e.args[*x != 0 ? 1 : 2], regs);
  if (e.op == Op::kAnd && *x == 0) return 0;
  if (e.op == Op::kOr && *x != 0) return 1;
  const std::optional<Value> y = evaluate(e.args[1], regs);
  if (!y) return std::nullopt;
  switch (e.op) {
    case Op::kAdd:
      return *x + *y;
    case Op::kSub:
      return *x - *y;
    case Op::kDiv:
      return *y == 0 ? std::nullopt : std::optional<Value>(*x / *y);
    case Op::kMod:
      return *y == 0 ? std::nullopt : std::optional<Value>(*x % *y);
    case Op::kEq:
      return *x == *y;
    case Op::kNe:
      return *x != *y;
    case Op::kLt:
      return *x < *y;
    case Op::kLe:
      return *x <= *y;
    case Op::kUlt:  // a negative number is a large one
      return (*x < 0) == (*y < 0) ? *x < *y : *y < 0;
    case Op::kUle:
      return (*x < 0) == (*y < 0) ? *x <= *y : *y < 0;
    default:
      return *y != 0;  // kAnd, kOr
  }
}

std::optional<int> cell_of(const FlatProgram& program, const FlatInstr& instr, std::span<const Value> regs) {
  const FlatVar& var = program.vars[static_cast<size_t>(instr.var)];
  const std::optional<Value> index = evaluate(instr.index, regs);
  if (!index || *index < 0 || *index >= var.size) return std::nullopt;
  return var.first_cell + static_cast<int>(*index);
}

std::optional<RmwEffect> rmw_effect(const FlatInstr& instr, Value old, std::span<const Value> regs) {
  const std::optional<Value> a = evaluate(instr.a, regs);
  const std::optional<Value> b = evaluate(instr.b, regs);
  if (!a || !b) return std::nullopt;
  switch (instr.rmw) {
    case Op::kCas:
      if (old == *a) return RmwEffect{.result = 1, .written = *b};
      return RmwEffect{.result = 0, .written = std::nullopt};
    case Op::kCasValue:
      return RmwEffect{.result = old, .written = old == *a ? b : std::nullopt};
    case Op::kXchg:
      return RmwEffect{.result = old, .written = *a};
    default:
      break;
  }
  const Value left = instr.rmw == Op::kFetchAnd   ? old & *a
                     : instr.rmw == Op::kFetchOr  ? old | *a
                     : instr.rmw == Op::kFetchXor ? old ^ *a
                                                  : old + *a;
  return RmwEffect{.result = old, .written = instr.wrap != 0 ? wrapped(left, instr.wrap) : left};
}

}  // namespace fenceline::fuzz
