// SPDX-License-Identifier: GPL-3.0-or-later
//
// Static facts about a mini program, and its `.fl` text. The text is fully
// parenthesised: precedence is the parser tests' business, not ours.
#include "mini_program.h"

#include <utility>

namespace fenceline::fuzz {
namespace {

const char* infix(Op op) {
  switch (op) {
    case Op::kAdd:
      return " + ";
    case Op::kSub:
      return " - ";
    case Op::kDiv:
      return " / ";
    case Op::kMod:
      return " % ";
    case Op::kEq:
      return " == ";
    case Op::kNe:
      return " != ";
    case Op::kLt:
      return " < ";
    case Op::kLe:
      return " <= ";
    case Op::kUlt:
      return " ^ ";
    case Op::kUle:
      return " | ";
    case Op::kAnd:
      return " && ";
    case Op::kOr:
      return " || ";
    default:
      return nullptr;
  }
}

class Printer {
 public:
  explicit Printer(const MiniProgram& program) : program_(program) {
    int arrays = 0, scalars = 0;
    for (const Var& var : program.vars) {
      if (var.array)
        var_names_.push_back("a" + (arrays == 0 ? "" : std::to_string(arrays + 1))), ++arrays;
      else
        var_names_.push_back(scalars < 3 ? std::string(1, "xyz"[scalars]) : "x" + std::to_string(scalars)),
            ++scalars;
    }
  }

  const std::string& var_name(size_t var) const { return var_names_[var]; }

  std::string print() {
    for (size_t i = 0; i < program_.vars.size(); ++i) declare(program_.vars[i], var_names_[i]);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const MiniThread& thread = program_.threads[t];
      out_ += "\nthread P" + std::to_string(t) + " {\n";
      labels_ = 0;
      for (size_t r = 0; r < thread.regs.size(); ++r) {
        const Reg& declared = thread.regs[r];
        out_ += "  local int" + range(declared.declared) + " r" + std::to_string(r) + " = " +
                std::to_string(declared.init) + ";\n";
      }
      block(thread.body, 1);
      out_ += "}\n";
    }
    // A file needs something to check; outcomes are compared, not verdicts.
    out_ += "\nproperty something: finally (true);\n";
    return std::move(out_);
  }

 private:
  static std::string range(const std::optional<Range>& declared) {
    return declared ? " " + std::to_string(declared->lo) + ".." + std::to_string(declared->hi) : "";
  }

  void declare(const Var& var, const std::string& name) {
    out_ += "shared int" + range(var.declared) + " " + name;
    if (!var.array) {
      out_ += " = " + std::to_string(var.init[0]) + ";\n";
      return;
    }
    out_ += "[" + std::to_string(var.init.size()) + "] = {";
    for (size_t i = 0; i < var.init.size(); ++i) out_ += (i ? ", " : "") + std::to_string(var.init[i]);
    out_ += "};\n";
  }

  std::string text(const Expr& e) const {
    switch (e.op) {
      case Op::kConst:
        return std::to_string(e.value);
      case Op::kReg:
        return "r" + std::to_string(e.id);
      case Op::kLvalue:
        return var_names_[static_cast<size_t>(e.id)] + (e.args.empty() ? "" : "[" + text(e.args[0]) + "]");
      case Op::kNot:
        return "!(" + text(e.args[0]) + ")";
      case Op::kWrap:
        return "(" + text(e.args[0]) + " << " + std::to_string(e.value < 0 ? 32 - e.value : e.value) + ")";
      case Op::kIte:
        return "(" + text(e.args[0]) + " ? " + text(e.args[1]) + " : " + text(e.args[2]) + ")";
      case Op::kCas:
      case Op::kCasValue:
        return (e.op == Op::kCas ? "cas(" : "cas/*value*/(") + text(e.args[0]) + ", " + text(e.args[1]) +
               ", " + text(e.args[2]) + ")";
      case Op::kXchg:
        return "xchg(" + text(e.args[0]) + ", " + text(e.args[1]) + ")";
      case Op::kFetchAdd:
      case Op::kFetchAnd:
      case Op::kFetchOr:
      case Op::kFetchXor: {
        const std::string op = e.op == Op::kFetchAnd   ? "/*and*/"
                               : e.op == Op::kFetchOr  ? "/*or*/"
                               : e.op == Op::kFetchXor ? "/*xor*/"
                                                       : "";
        const std::string wrap = e.value != 0 ? "/*as " + std::to_string(e.value) + "*/" : "";
        return "fetch_add" + op + wrap + "(" + text(e.args[0]) + ", " + text(e.args[1]) + ")";
      }
      default:
        return "(" + text(e.args[0]) + infix(e.op) + text(e.args[1]) + ")";
    }
  }

  static std::string fence_text(unsigned kinds) {
    if (kinds == kSync) return "sync;";
    if (kinds == kAllKinds) return "fence;";
    if (kinds == kStoreStore) return "sfence;";
    if (kinds == kLoadLoad) return "lfence;";
    static constexpr const char* kNames[] = {"store-load", "store-store", "load-load", "load-store"};
    std::string out;
    for (int i = 0; i < 4; ++i)
      if (kinds >> i & 1) out += (out.empty() ? "" : ", ") + std::string(kNames[i]);
    return "fence(" + out + ");";
  }

  void block(const Block& statements, int depth) {
    for (const Stmt& s : statements) statement(s, depth);
  }

  void braces(const std::string& head, const Block& body, const std::string& tail, int depth) {
    const std::string indent(static_cast<size_t>(depth) * 2, ' ');
    out_ += indent + head + " {\n";
    block(body, depth + 1);
    out_ += indent + "}" + tail + "\n";
  }

  void statement(const Stmt& s, int depth) {
    const std::string indent(static_cast<size_t>(depth) * 2, ' ');
    const auto line = [&](const std::string& what) { out_ += indent + what + "\n"; };
    switch (s.kind) {
      case StmtKind::kAssign:
        return line(text(s.target) + " = " + text(s.value) + ";");
      case StmtKind::kEval:
        return line(text(s.value) + ";");
      case StmtKind::kFence:
        return line(fence_text(s.kinds));
      case StmtKind::kAssume:
        return line("assume(" + text(s.value) + ");");
      case StmtKind::kAssert:
        return line("assert(" + text(s.value) + ");");
      case StmtKind::kAwait:
        return line("await(" + text(s.value) + ");");
      case StmtKind::kLabel:
        return line("here" + std::to_string(labels_++) + ": skip;");
      case StmtKind::kBreak:
        return line("break;");
      case StmtKind::kHalt:
        return line(s.kinds == 0 ? "halt;" : "halt/*all*/;");
      case StmtKind::kHavoc:
        return line("havoc " + text(s.target) + " in " + std::to_string(s.lo) + ".." + std::to_string(s.hi) +
                    ";");
      case StmtKind::kIf:
        braces("if (" + text(s.value) + ")", s.blocks[0], "", depth);
        if (!s.blocks[1].empty()) braces("else", s.blocks[1], "", depth);
        return;
      case StmtKind::kWhile:
        return braces("while (" + text(s.value) + ")", s.blocks[0], "", depth);
      case StmtKind::kDoWhile:
        return braces("do", s.blocks[0], " while (" + text(s.value) + ");", depth);
      case StmtKind::kAtomic:
        return braces("atomic", s.blocks[0], "", depth);
      case StmtKind::kChoose:
        for (size_t i = 0; i < s.blocks.size(); ++i) braces(i == 0 ? "choose" : "or", s.blocks[i], "", depth);
        return;
    }
  }

  const MiniProgram& program_;
  std::vector<std::string> var_names_;
  std::string out_;
  int labels_ = 0;
};

void collect_features(const Block& block, Features& features) {
  for (const Stmt& s : block) {
    features.atomic |= s.kind == StmtKind::kAtomic || s.kind == StmtKind::kAwait;
    features.sync |= s.kind == StmtKind::kFence && (s.kinds & kProcessWide) != 0;
    features.loops |= s.kind == StmtKind::kWhile || s.kind == StmtKind::kDoWhile;
    for (const Block& inner : s.blocks) collect_features(inner, features);
  }
}

// No operand that the front end would compute with, and no rmw whose result it would take for a truth value.
bool well_disguised(const Expr& e, bool whole) {
  const bool disguised = e.op == Op::kWrap || e.op == Op::kUlt || e.op == Op::kUle;
  if (disguised && e.args[0].op != Op::kReg) return false;
  if (e.op == Op::kCasValue && !whole) return false;
  for (const Expr& arg : e.args)
    if (!well_disguised(arg, false)) return false;
  return true;
}

bool block_well_formed(const Block& block, bool in_loop, bool in_atomic) {
  for (const Stmt& s : block) {
    const bool loop = s.kind == StmtKind::kWhile || s.kind == StmtKind::kDoWhile;
    const bool whole = s.kind == StmtKind::kAssign || s.kind == StmtKind::kEval;
    if (!well_disguised(s.target, false) || !well_disguised(s.value, whole)) return false;
    if (s.kind == StmtKind::kBreak && !in_loop) return false;
    if (loop && s.value.op == Op::kConst && s.blocks[0].empty()) return false;
    if (in_atomic &&
        (loop || s.kind == StmtKind::kAtomic || s.kind == StmtKind::kAwait || s.kind == StmtKind::kLabel ||
         s.kind == StmtKind::kBreak || s.kind == StmtKind::kHalt || s.kind == StmtKind::kFence))
      return false;
    for (const Block& inner : s.blocks)
      if (!block_well_formed(inner, in_loop || loop, in_atomic || s.kind == StmtKind::kAtomic)) return false;
  }
  return true;
}

size_t size_of_expr(const Expr& e) {
  size_t size = 2 + (e.op == Op::kConst && e.value != 0);
  if (e.op == Op::kConst) size -= 1;
  for (const Expr& arg : e.args) size += size_of_expr(arg);
  return size;
}

size_t size_of_block(const Block& block) {
  size_t size = 0;
  for (const Stmt& s : block) {
    size += 4 + size_of_expr(s.target) + size_of_expr(s.value);
    for (unsigned kinds = s.kinds; kinds != 0; kinds >>= 1) size += kinds & 1;
    size += static_cast<size_t>(s.hi - s.lo) + (s.hi != 0);
    for (const Block& inner : s.blocks) size += 1 + size_of_block(inner);
  }
  return size;
}

}  // namespace

bool is_rmw(Op op) { return op >= Op::kCas; }

bool accesses_memory(const Expr& expr) {
  if (expr.op == Op::kLvalue || is_rmw(expr.op)) return true;
  for (const Expr& arg : expr.args)
    if (accesses_memory(arg)) return true;
  return false;
}

int MiniProgram::cell_count() const {
  int count = 0;
  for (const Var& var : vars) count += static_cast<int>(var.init.size());
  return count;
}

Features features_of(const MiniProgram& program) {
  Features features;
  for (const MiniThread& thread : program.threads) collect_features(thread.body, features);
  return features;
}

bool well_formed(const MiniProgram& program) {
  for (const MiniThread& thread : program.threads)
    if (!block_well_formed(thread.body, false, false)) return false;
  return !program.threads.empty();
}

size_t size_of(const MiniProgram& program) {
  size_t size = 0;
  for (const Var& var : program.vars) {
    size += 3 + var.init.size() + var.declared.has_value() + var.array;
    for (const Value v : var.init) size += v != 0;
  }
  for (const MiniThread& thread : program.threads) {
    size += 5 + size_of_block(thread.body);
    for (const Reg& r : thread.regs) size += 2u + r.declared.has_value() + (r.init != 0);
  }
  return size;
}

std::vector<std::string> outcome_names(const MiniProgram& program) {
  const Printer printer(program);
  std::vector<std::string> names;
  for (size_t v = 0; v < program.vars.size(); ++v)
    for (size_t i = 0; i < program.vars[v].init.size(); ++i)
      names.push_back(printer.var_name(v) + (program.vars[v].array ? "[" + std::to_string(i) + "]" : ""));
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t r = 0; r < program.threads[t].regs.size(); ++r)
      names.push_back("P" + std::to_string(t) + ".r" + std::to_string(r));
  return names;
}

std::string print_fl(const MiniProgram& program) { return Printer(program).print(); }

Expr constant(Value value) { return {.op = Op::kConst, .value = value, .id = 0, .args = {}}; }
Expr reg(int id) { return {.op = Op::kReg, .value = 0, .id = id, .args = {}}; }
Expr lvalue(int var) { return {.op = Op::kLvalue, .value = 0, .id = var, .args = {}}; }
Expr element(int var, Expr index) {
  Expr e = lvalue(var);
  e.args.push_back(std::move(index));
  return e;
}
Expr node(Op op, std::vector<Expr> args) { return {.op = op, .value = 0, .id = 0, .args = std::move(args)}; }

Stmt simple(StmtKind kind, Expr value) {
  Stmt s;
  s.kind = kind;
  s.value = std::move(value);
  return s;
}
Stmt assign(Expr target, Expr value) {
  Stmt s = simple(StmtKind::kAssign, std::move(value));
  s.target = std::move(target);
  return s;
}
Stmt fence(unsigned kinds) {
  Stmt s = simple(StmtKind::kFence, constant(0));
  s.kinds = kinds;
  return s;
}
Stmt eval(Expr value) { return simple(StmtKind::kEval, std::move(value)); }
Stmt compound(StmtKind kind, Expr value, std::vector<Block> blocks) {
  Stmt s = simple(kind, std::move(value));
  s.blocks = std::move(blocks);
  return s;
}

}  // namespace fenceline::fuzz
