// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each program first draws a flavour (how many variables and threads, how keen on fences, rmw and control it
// is), then its statements. Without flavours every program would be the same soup, and the sharp shapes that
// find bugs (two stores, a fence, two loads) would be rare.
//
// A third of the programs are built around such a shape: a cycle. Thread i accesses variable i, then
// something random, then variable i+1, and the last thread closes the ring; relaxed behaviour is always such
// a ring (Shasha and Snir, TOPLAS 1988), so these programs are right at the border between allowed and
// forbidden.
#include "generator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace fenceline::fuzz {
namespace {

struct Flavour {
  unsigned store = 30, load = 30, rmw = 10, fence = 12, assign = 3, branch = 6, choose = 2, havoc = 3;
  unsigned assume = 2, check = 3, label = 1, atomic = 0, await = 0, loop = 0;
};

class Generator {
 public:
  Generator(Family family, Rng& rng, const Sizes& sizes) : family_(family), rng_(rng), sizes_(sizes) {}

  MiniProgram run() {
    draw_flavour();
    declare_variables();
    const bool cycle = rng_.chance(33);
    int threads = rng_.chance(30) ? 3 : 2;
    if (sizes_.four_threads > 0 && rng_.chance(sizes_.four_threads)) threads = 4;
    if (cycle) declare_ring(std::min(threads, std::max(2, sizes_.vars)));
    const int most = threads == 4   ? sizes_.four_thread_statements
                     : threads == 3 ? sizes_.three_thread_statements
                                    : sizes_.two_thread_statements;
    for (int t = 0; t < threads; ++t) {
      MiniThread thread;
      const int64_t regs = rng_.between(rng_.chance(20) ? 1 : 2, sizes_.regs);
      for (int64_t r = 0; r < regs; ++r) thread.regs.push_back(declare_register());
      thread_ = &thread;
      budget_ = static_cast<int>(rng_.between(rng_.chance(10) ? 1 : 2, most));
      next_result_ = 0;
      const int ring = static_cast<int>(program_.vars.size());
      thread.body = cycle ? ring_segment(t % ring, (t + 1) % threads % ring) : block(budget_, 0);
      for (Stmt& s : thread.body) clamp_constants(s);
      if (t == 0 && family_ == Family::kAtomic && regs % 2 == 0) end_program(thread.body);
      program_.threads.push_back(std::move(thread));
    }
    return std::move(program_);
  }

 private:
  // Only programs with atomic sections have deadlocks.
  static void end_program(Block& body) {
    Stmt halt;
    halt.kind = StmtKind::kHalt;
    halt.kinds = kAllKinds;
    body.push_back(std::move(halt));
  }

  int below(int bound) { return static_cast<int>(rng_.below(static_cast<uint64_t>(bound))); }
  Value small() { return rng_.between(0, rng_.chance(70) ? 1 : 2); }
  // Memory is mostly 0, so a store of 0 is mostly invisible.
  Value visible() { return rng_.chance(12) ? 0 : rng_.between(1, 2); }

  void draw_flavour() {
    switch (rng_.below(6)) {
      case 0:  // bare litmus tests
        flavour_ = {.rmw = 0,
                    .fence = 15,
                    .assign = 0,
                    .branch = 0,
                    .choose = 0,
                    .havoc = 0,
                    .assume = 0,
                    .check = 0,
                    .label = 0};
        break;
      case 1:
        flavour_.fence = 30;
        break;
      case 2:
        flavour_.rmw = 30;
        break;
      case 3:
        flavour_.branch = 20;
        flavour_.check = 6;
        break;
      case 4:
        flavour_.store = 50;
        break;
      default:
        break;
    }
    if (family_ != Family::kLoopFree) {
      const bool keen = family_ == Family::kAtomic;
      flavour_.atomic = keen ? 14 : 4;
      flavour_.await = keen ? 8 : 2;
    }
    if (family_ == Family::kLoops) flavour_.loop = 16;
  }

  void declare_variables() {
    const int64_t vars = rng_.chance(50) ? std::min(2, sizes_.vars) : rng_.between(1, sizes_.vars);
    const bool with_array = rng_.chance(12);
    for (int64_t v = 0; v < vars; ++v) {
      Var var;
      var.array = with_array && v == 0;
      for (int i = 0; i < (var.array ? 2 : 1); ++i) var.init.push_back(rng_.chance(85) ? 0 : small());
      if (rng_.chance(8)) var.declared = Range{0, rng_.between(1, 2)};
      if (var.declared)
        for (Value& init : var.init) init = std::min(init, var.declared->hi);
      program_.vars.push_back(std::move(var));
    }
  }

  Reg declare_register() {
    Reg out;
    out.init = rng_.chance(80) ? 0 : small();
    if (rng_.chance(4)) out.declared = Range{0, 2};
    return out;
  }

  void declare_ring(int variables) {
    while (static_cast<int>(program_.vars.size()) < variables)
      program_.vars.push_back({.array = false, .init = {0}, .declared = {}});
  }

  // The front end rejects a constant that is outside the declared range of where it goes; range errors come
  // from values that are not known before the program runs.
  static void clamp(Expr& value, const std::optional<Range>& declared) {
    if (declared && value.op == Op::kConst) value.value = std::min(value.value, declared->hi);
  }
  void clamp_constants(Expr& e) {
    if (is_rmw(e.op)) clamp(e.args.back(), program_.vars[static_cast<size_t>(e.args[0].id)].declared);
    for (Expr& arg : e.args) clamp_constants(arg);
  }
  void clamp_constants(Stmt& s) {
    const size_t id = static_cast<size_t>(s.target.id);
    if (s.kind == StmtKind::kAssign)
      clamp(s.value, s.target.op == Op::kReg ? thread_->regs[id].declared : program_.vars[id].declared);
    clamp_constants(s.value);
    for (Block& inner : s.blocks)
      for (Stmt& deeper : inner) clamp_constants(deeper);
  }

  // ---- expressions ----

  Expr any_reg() { return reg(below(static_cast<int>(thread_->regs.size()))); }

  // Where a result goes: mostly the registers in turn, since a register written twice shows one value only.
  Expr result_reg() {
    if (rng_.chance(25)) return any_reg();
    return reg(next_result_++ % static_cast<int>(thread_->regs.size()));
  }

  Expr any_lvalue() {
    const int var = below(static_cast<int>(program_.vars.size()));
    if (!program_.vars[static_cast<size_t>(var)].array) return lvalue(var);
    return element(var, rng_.chance(70) ? constant(below(2)) : any_reg());
  }

  // A value to store or to assign.
  Expr value() {
    switch (rng_.below(22)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return any_reg();
      case 4:
      case 5:
        return node(Op::kAdd, {any_reg(), constant(1)});
      case 6:
        return node(Op::kSub, {constant(1), any_reg()});
      case 7:
        return any_lvalue();
      case 8:
        return node(Op::kAdd, {any_lvalue(), rng_.chance(50) ? constant(1) : any_lvalue()});
      case 10:
        return wrapped();
      case 11:
        return rng_.chance(50) ? node(Op::kSub, {wrapped(), constant(1)})
                               : node(Op::kUlt, {any_reg(), any_reg()});
      case 9:
        return rng_.chance(30) ? node(Op::kIte, {condition(), any_lvalue(), constant(small())}) : any_reg();
      default:
        return constant(rng_.chance(85) ? small() : 1);
    }
  }

  Expr any_rmw() {
    Expr where = any_lvalue();
    switch (rng_.below(5)) {
      case 0:
      case 1: {
        Expr old_value = rng_.chance(80) ? constant(small()) : any_reg();
        Expr new_value = rng_.chance(80) ? constant(visible()) : any_reg();
        return node(Op::kCas, {std::move(where), std::move(old_value), std::move(new_value)});
      }
      case 2:
        return node(Op::kXchg, {std::move(where), rng_.chance(80) ? constant(small()) : any_reg()});
      case 3: {
        static constexpr std::array kOps = {Op::kFetchAnd, Op::kFetchOr, Op::kFetchXor};
        Expr bits = rng_.chance(80) ? constant(rng_.between(0, 3)) : any_reg();
        return narrow(node(kOps[rng_.below(kOps.size())], {std::move(where), std::move(bits)}));
      }
      default:
        return narrow(node(Op::kFetchAdd, {std::move(where), constant(rng_.chance(90) ? 1 : 0)}));
    }
  }

  // Of a type that wraps, now and then.
  Expr narrow(Expr rmw) {
    if (rng_.chance(30)) rmw.value = any_width();
    return rmw;
  }

  Value any_width() {
    static constexpr std::array<Value, 5> kWidths = {1, 2, 3, -1, -2};
    return kWidths[rng_.below(kWidths.size())];
  }

  // Where its result is all of the right-hand side.
  Expr whole_rmw() {
    Expr out = any_rmw();
    if (out.op == Op::kCas && rng_.chance(40)) out.op = Op::kCasValue;
    return out;
  }

  Expr wrapped() {
    Expr out = node(Op::kWrap, {any_reg()});
    out.value = any_width();
    return out;
  }

  Expr comparison(Expr left) {
    static constexpr std::array kOps = {Op::kEq, Op::kEq, Op::kNe, Op::kLt, Op::kLe};
    Expr right = rng_.chance(85) ? constant(small()) : any_reg();
    return node(kOps[rng_.below(kOps.size())], {std::move(left), std::move(right)});
  }

  Expr condition() {
    switch (rng_.below(15)) {
      case 0:
        return any_reg();
      case 1:
        return node(Op::kNot, {any_reg()});
      case 2:
      case 3:
      case 4:
        return comparison(any_lvalue());
      case 5:
        return node(Op::kAnd, {comparison(any_lvalue()), comparison(any_lvalue())});
      case 6:
        return node(Op::kOr, {comparison(any_reg()), comparison(any_lvalue())});
      case 7:
        return rng_.chance(30) ? node(Op::kDiv, {constant(2), any_reg()}) : comparison(any_reg());
      case 8:
        return rng_.chance(40) ? node(Op::kEq, {any_rmw(), constant(small())}) : comparison(any_reg());
      case 10:
        return node(rng_.chance(50) ? Op::kUlt : Op::kUle,
                    {any_reg(), rng_.chance(60) ? constant(rng_.between(-1, 2)) : any_reg()});
      case 9:
        return rng_.chance(30) ? node(Op::kMod, {any_reg(), any_reg()}) : comparison(any_reg());
      default:
        return comparison(any_reg());
    }
  }

  // ---- statements ----

  Block block(int statements, int depth) {
    Block out;
    for (int i = 0; i < statements && budget_ > 0; ++i) {
      --budget_;
      out.push_back(statement(depth));
    }
    return out;
  }

  // A nested block takes its statements from the budget of the thread, but always has at least one.
  Block nested(int depth) {
    ++budget_;
    Block out = block(static_cast<int>(rng_.between(1, 2)), depth + 1);
    // What follows a jump is never reached, so a jump only comes last.
    if (!in_atomic_ && rng_.chance(6)) {
      Stmt jump;
      jump.kind = in_loop_ && rng_.chance(60) ? StmtKind::kBreak : StmtKind::kHalt;
      if (jump.kind == StmtKind::kHalt && depth % 2 == 0) jump.kinds = kAllKinds;
      out.push_back(std::move(jump));
    }
    return out;
  }

  // The position in `weights` of one of them, each as likely as its weight.
  template <size_t n>
  size_t weighted(const std::array<unsigned, n>& weights) {
    uint64_t pick = rng_.below(std::accumulate(weights.begin(), weights.end(), 0u));
    size_t which = 0;
    while (pick >= weights[which]) pick -= weights[which++];
    return which;
  }

  Stmt any_if(int depth) {
    Expr when = condition();
    Block then_block = nested(depth);
    Block else_block = rng_.chance(40) ? nested(depth) : Block{};
    return compound(StmtKind::kIf, std::move(when), {std::move(then_block), std::move(else_block)});
  }

  Stmt any_havoc() {
    Stmt s;
    s.kind = StmtKind::kHavoc;
    s.target = rng_.chance(70) ? any_reg() : any_lvalue();
    s.lo = rng_.between(0, 1);
    s.hi = rng_.between(1, rng_.chance(80) ? 1 : 2);
    return s;
  }

  Stmt any_atomic(int depth) {
    in_atomic_ = true;
    ++budget_;
    Block body = block(static_cast<int>(rng_.between(1, 3)), depth + 1);
    in_atomic_ = false;
    return compound(StmtKind::kAtomic, constant(0), {std::move(body)});
  }

  Stmt statement(int depth) {
    const Flavour& f = flavour_;
    const bool deep = depth >= 2;
    const bool inside = in_atomic_;
    const std::array<unsigned, 14> weights = {
        f.store,
        f.load,
        f.rmw,
        inside ? 0 : f.fence,
        f.assign,
        deep ? 0 : f.branch,
        deep ? 0 : f.choose,
        f.havoc,
        f.assume + (inside ? 6 : 0),
        f.check,
        inside ? 0 : f.label,
        inside ? 0 : f.atomic,
        inside ? 0 : f.await,
        inside || deep ? 0 : f.loop,
    };
    switch (weighted(weights)) {
      case 0: {
        Expr where = any_lvalue();
        return assign(std::move(where), value());
      }
      case 1: {
        Expr to = result_reg();
        return assign(std::move(to), any_lvalue());
      }
      case 2: {
        if (rng_.chance(25)) return eval(whole_rmw());
        Expr to = result_reg();
        return assign(std::move(to), whole_rmw());
      }
      case 3:
        return any_fence();
      case 4: {
        Expr to = any_reg();
        return assign(std::move(to), value());
      }
      case 5:
        return any_if(depth);
      case 6: {
        Block first = nested(depth);
        Block second = nested(depth);
        return compound(StmtKind::kChoose, constant(0), {std::move(first), std::move(second)});
      }
      case 7:
        return any_havoc();
      case 8:
        return simple(StmtKind::kAssume, condition());
      case 9:
        return simple(StmtKind::kAssert, condition());
      case 10:
        return simple(StmtKind::kLabel, constant(0));
      case 11:
        return any_atomic(depth);
      case 12:
        return simple(StmtKind::kAwait, condition());
      default:
        return any_loop(depth);
    }
  }

  // ---- rings ----

  Expr lvalue_in(int var) {
    if (!program_.vars[static_cast<size_t>(var)].array) return lvalue(var);
    return element(var, constant(rng_.chance(80) ? 0 : 1));
  }

  Stmt ring_access(int var) {
    Expr where = lvalue_in(var);
    Stmt out;
    const uint64_t which = rng_.below(20);
    if (which < 9) {
      out = assign(std::move(where), constant(rng_.between(1, 2)));
    } else if (which < 17) {
      out = assign(result_reg(), std::move(where));
    } else {
      Expr access = any_rmw();
      access.args[0] = std::move(where);
      Expr to = result_reg();
      out = rng_.chance(50) ? eval(std::move(access)) : assign(std::move(to), std::move(access));
    }
    if (flavour_.atomic > 0 && rng_.chance(20)) return compound(StmtKind::kAtomic, constant(0), {{out}});
    return out;
  }

  Block ring_segment(int from, int to) {
    Block out;
    if (rng_.chance(10)) out.push_back(any_fence());
    out.push_back(ring_access(from));
    if (rng_.chance(65)) out.push_back(any_fence());
    if (rng_.chance(35)) {
      budget_ = 1;
      out.push_back(statement(1));
      if (rng_.chance(30)) out.push_back(any_fence());
    }
    out.push_back(ring_access(to));
    return out;
  }

  Stmt any_fence() {
    switch (rng_.below(8)) {
      case 0:
        return fence(rng_.chance(40) ? kSync : kAllKinds);
      case 1:
      case 2:
        return fence(kStoreStore);
      case 3:
      case 4:
        return fence(kStoreLoad);
      default:
        return fence(static_cast<unsigned>(rng_.between(1, kAllKinds)));
    }
  }

  Stmt any_loop(int depth) {
    const bool was_in_loop = std::exchange(in_loop_, true);
    Stmt out;
    switch (rng_.below(6)) {
      case 0: {  // count up
        const Expr counter = any_reg();
        Block body = nested(depth);
        body.push_back(assign(counter, node(Op::kAdd, {counter, constant(1)})));
        out = compound(StmtKind::kWhile, node(Op::kLt, {counter, constant(rng_.between(1, 2))}),
                       {std::move(body)});
        break;
      }
      case 1:  // spin on a variable
        out = compound(StmtKind::kWhile, comparison(any_lvalue()), {{}});
        break;
      case 2:  // take a lock
        out = compound(StmtKind::kWhile, node(Op::kEq, {any_rmw(), constant(below(2))}), {{}});
        break;
      case 3: {  // poll
        const Expr polled = any_reg();
        Block body = rng_.chance(30) ? nested(depth) : Block{};
        body.push_back(assign(polled, any_lvalue()));
        out = compound(StmtKind::kDoWhile, comparison(polled), {std::move(body)});
        break;
      }
      case 4: {  // for ever, or until a break
        Block body = nested(depth);
        if (rng_.chance(60))
          body.push_back(compound(StmtKind::kIf, condition(), {{simple(StmtKind::kBreak, constant(0))}, {}}));
        out = compound(StmtKind::kWhile, constant(1), {std::move(body)});
        break;
      }
      default: {
        Expr when = condition();
        out = compound(StmtKind::kWhile, std::move(when), {nested(depth)});
        break;
      }
    }
    in_loop_ = was_in_loop;
    return out;
  }

  const Family family_;
  Rng& rng_;
  const Sizes& sizes_;
  Flavour flavour_;
  MiniProgram program_;
  MiniThread* thread_ = nullptr;
  int budget_ = 0;
  int next_result_ = 0;
  bool in_atomic_ = false;
  bool in_loop_ = false;
};

}  // namespace

MiniProgram generate(Family family, Rng& rng, const Sizes& sizes) {
  return Generator(family, rng, sizes).run();
}

}  // namespace fenceline::fuzz
