// SPDX-License-Identifier: GPL-3.0-or-later
//
// All edits of a program are numbered in the order of one walk over it. An Editor is given a number, walks,
// and applies the edit with that number; so the walk is written once and there is no list of edits to build.
#include "shrink.h"

#include <optional>
#include <utility>

namespace fenceline::fuzz {
namespace {

class Editor {
 public:
  explicit Editor(size_t number) : countdown_(number) {}

  // False if the program has fewer edits than that.
  bool apply(MiniProgram& program) {
    for (size_t t = 0; t < program.threads.size(); ++t)
      if (program.threads.size() > 1 && mine()) {
        program.threads.erase(program.threads.begin() + static_cast<std::ptrdiff_t>(t));
        return true;
      }
    for (MiniThread& thread : program.threads)
      if (edit_block(thread.body)) return true;
    return edit_declarations(program);
  }

 private:
  bool mine() { return countdown_-- == 0; }

  template <typename Change>
  bool edit(Change change) {
    if (!mine()) return false;
    change();
    return true;
  }

  bool edit_block(Block& block) {
    for (size_t i = 0; i < block.size(); ++i) {
      const auto at = block.begin() + static_cast<std::ptrdiff_t>(i);
      if (mine()) {
        block.erase(at);
        return true;
      }
      for (size_t b = 0; b < block[i].blocks.size(); ++b)
        if (mine()) {
          Block inner = std::move(block[i].blocks[b]);
          const auto rest = block.erase(at);
          block.insert(rest, inner.begin(), inner.end());
          return true;
        }
      if (edit_statement(block[i])) return true;
    }
    return false;
  }

  bool edit_statement(Stmt& s) {
    if (s.kind == StmtKind::kChoose && s.blocks.size() > 2 && edit([&] { s.blocks.pop_back(); })) return true;
    for (Block& inner : s.blocks)
      if (edit_block(inner)) return true;
    if (s.kind == StmtKind::kAwait && edit([&] { s.kind = StmtKind::kAssume; })) return true;
    if (s.kinds == kSync) {
      if (edit([&] { s.kinds = kAllKinds; })) return true;
    } else {
      for (unsigned bit = 1; bit <= kLoadStore; bit <<= 1)
        if ((s.kinds & bit) && s.kinds != bit && edit([&] { s.kinds &= ~bit; })) return true;
    }
    if (s.kind == StmtKind::kHavoc && s.lo < s.hi && (edit([&] { --s.hi; }) || edit([&] { ++s.lo; })))
      return true;
    if (edit_lvalue(s.target)) return true;
    return s.kind == StmtKind::kEval ? edit_operands(s.value) : edit_expr(s.value);
  }

  // An lvalue remains one; only its index can change.
  bool edit_lvalue(Expr& e) {
    for (Expr& index : e.args)
      if (edit_expr(index)) return true;
    return false;
  }

  bool edit_operands(Expr& e) {
    if (e.op == Op::kLvalue) return edit_lvalue(e);
    for (size_t i = 0; i < e.args.size(); ++i)
      if (is_rmw(e.op) && i == 0 ? edit_lvalue(e.args[i]) : edit_expr(e.args[i])) return true;
    return false;
  }

  bool edit_expr(Expr& e) {
    if (e.op == Op::kConst) return e.value != 0 && edit([&] { e.value = e.value > 0 ? e.value - 1 : 0; });
    if (edit([&] { e = constant(0); }) || edit([&] { e = constant(1); })) return true;
    for (size_t i = 0; i < e.args.size(); ++i)
      if (mine()) {
        Expr inner = std::move(e.args[i]);
        e = std::move(inner);
        return true;
      }
    return edit_operands(e);
  }

  // ---- declarations ----

  static bool uses(const Expr& e, Op op, int id) {
    if (e.op == op && e.id == id) return true;
    for (const Expr& arg : e.args)
      if (uses(arg, op, id)) return true;
    return false;
  }
  static bool uses(const Block& block, Op op, int id) {
    for (const Stmt& s : block) {
      if (uses(s.target, op, id) || uses(s.value, op, id)) return true;
      for (const Block& inner : s.blocks)
        if (uses(inner, op, id)) return true;
    }
    return false;
  }
  static void renumber(Expr& e, Op op, int gone) {
    if (e.op == op && e.id > gone) --e.id;
    for (Expr& arg : e.args) renumber(arg, op, gone);
  }
  static void renumber(Block& block, Op op, int gone) {
    for (Stmt& s : block) {
      renumber(s.target, op, gone);
      renumber(s.value, op, gone);
      for (Block& inner : s.blocks) renumber(inner, op, gone);
    }
  }

  bool edit_declarations(MiniProgram& program) {
    for (size_t v = 0; v < program.vars.size(); ++v) {
      Var& var = program.vars[v];
      const int id = static_cast<int>(v);
      bool used = program.vars.size() == 1;
      for (const MiniThread& thread : program.threads) used |= uses(thread.body, Op::kLvalue, id);
      if (!used && mine()) {
        program.vars.erase(program.vars.begin() + id);
        for (MiniThread& thread : program.threads) renumber(thread.body, Op::kLvalue, id);
        return true;
      }
      if (var.declared && edit([&] { var.declared.reset(); })) return true;
      for (Value& init : var.init)
        if (init != 0 && edit([&] { init = 0; })) return true;
    }
    for (MiniThread& thread : program.threads)
      for (size_t r = 0; r < thread.regs.size(); ++r) {
        const int id = static_cast<int>(r);
        if (!uses(thread.body, Op::kReg, id) && mine()) {
          thread.regs.erase(thread.regs.begin() + id);
          renumber(thread.body, Op::kReg, id);
          return true;
        }
        if (thread.regs[r].declared && edit([&] { thread.regs[r].declared.reset(); })) return true;
        if (thread.regs[r].init != 0 && edit([&] { thread.regs[r].init = 0; })) return true;
      }
    return false;
  }

  size_t countdown_;
};

}  // namespace

MiniProgram shrink(MiniProgram program, const std::function<bool(const MiniProgram&)>& fails) {
  for (size_t number = 0;;) {
    MiniProgram smaller = program;
    if (!Editor(number).apply(smaller)) return program;
    // An edit that does not make the program smaller could be undone by another, for ever.
    if (size_of(smaller) < size_of(program) && well_formed(smaller) && fails(smaller)) {
      program = std::move(smaller);
      number = 0;
    } else {
      ++number;
    }
  }
}

}  // namespace fenceline::fuzz
