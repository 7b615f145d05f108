// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checks run in layers, since the later ones follow ids that the earlier ones have found to be in range:
// expressions first (operands precede their users, so the pool is acyclic and one pass forward sees all),
// then objects, then each thread on its own, then the properties.
#include "ir/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "env/errors.h"

namespace fenceline {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::vector<std::string> run() {
    check_expressions();
    if (!problems_.empty()) return problems_;  // what follows walks over expressions
    check_objects();
    for (const Thread& thread : program_.threads) check_thread(thread);
    check_properties();
    return problems_;
  }

 private:
  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    problems_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  bool run_fits(RegId first, uint32_t count, const Thread& thread) const {
    return first.valid() && count > 0 && first.index() + count <= thread.registers.size();
  }

  void check_expressions() {
    needs_.resize(program_.exprs.size(), 0);
    in_property_only_.resize(program_.exprs.size(), false);
    std::vector<unsigned> depth(program_.exprs.size(), 1), nodes(program_.exprs.size(), 1);
    for (size_t i = 0; i < program_.exprs.size(); ++i) {
      const Expr& e = program_.exprs[i];
      if (e.op > ExprOp::kAt) {
        complain("expression {} has an unknown operator", i);
        continue;
      }
      const ExprId operands[] = {e.a, e.b, e.c};
      bool sound = true;
      for (unsigned k = 0; k < 3; ++k) {
        const bool used = k < arity(e.op);
        if (used && !(operands[k].valid() && operands[k].index() < i)) {
          complain("operand {} of expression {} does not precede it", k, i);
          sound = false;
        }
        if (!used && operands[k].valid()) complain("expression {} has too many operands", i);
      }
      if (!sound) continue;
      check_leaf(i, e);
      in_property_only_[i] = only_in_properties(e.op);
      if (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt) {
        if (!e.reg.valid() || (e.op == ExprOp::kRegAt && e.count == 0))
          complain("expression {} reads no register", i);
        needs_[i] = e.reg.index() + (e.op == ExprOp::kRegAt ? e.count : 1);
      }
      for (unsigned k = 0; k < arity(e.op); ++k) {
        needs_[i] = std::max(needs_[i], needs_[operands[k].index()]);
        if (in_property_only_[operands[k].index()]) in_property_only_[i] = true;
        depth[i] = std::max(depth[i], depth[operands[k].index()] + 1);
        nodes[i] = std::min(nodes[i] + nodes[operands[k].index()], kMaxExprNodes + 1);
      }
      if (depth[i] == kMaxExprDepth + 1) complain("expression {} is nested too deeply", i);
      if (nodes[i] > kMaxExprNodes) complain("expression {} is too large", i);
    }
  }

  void check_leaf(size_t i, const Expr& e) {
    if (e.op == ExprOp::kWrap && !is_width(e.imm)) complain("expression {} wraps to {} bits", i, e.imm);
    if (e.op == ExprOp::kCell && !(e.object.valid() && e.object.index() < program_.objects.size()))
      complain("expression {} reads an object that does not exist", i);
    if (e.op != ExprOp::kThreadReg && e.op != ExprOp::kThreadRegAt && e.op != ExprOp::kAt) return;
    if (!e.thread.valid() || e.thread.index() >= program_.threads.size()) {
      complain("expression {} names a thread that does not exist", i);
      return;
    }
    const Thread& thread = program_.thread(e.thread);
    if (e.op == ExprOp::kAt && !(e.point.valid() && e.point.index() < thread.code.size()))
      complain("expression {} names a point that thread {} does not have", i, thread.name);
    if (e.op != ExprOp::kAt && !run_fits(e.reg, e.op == ExprOp::kThreadRegAt ? e.count : 1, thread))
      complain("expression {} names a register that thread {} does not have", i, thread.name);
  }

  void check_objects() {
    size_t cells = 0;
    for (const Object& object : program_.objects) {
      if (object.init.empty()) complain("object {} has no cells", object.name);
      if (!object.is_array && object.init.size() > 1)
        complain("object {} is no array but has several cells", object.name);
      if (!object.first_cell.valid() || object.first_cell.index() != cells)
        complain("the cells of object {} do not follow those of the object before", object.name);
      if (!object.cell_bytes.empty() && object.cell_bytes.size() != object.init.size())
        complain("object {} does not say of each of its cells how many bytes it has", object.name);
      check_pos(object.name, object.pos);
      for (const Value value : object.init) check_init(object.name, value, object.declared);
      cells += object.init.size();
    }
    if (cells != program_.cell_count)
      complain("the program counts {} cells, its objects have {}", program_.cell_count, cells);
  }

  void check_pos(std::string_view name, SourcePos pos) {
    if (pos.file > program_.included.size()) complain("{}: its file does not exist", name);
  }

  void check_init(std::string_view name, Value value, const std::optional<Range>& declared) {
    if (declared && !declared->contains(value))
      complain("{} starts as {}, outside its range {}..{}", name, value, declared->lo, declared->hi);
  }

  void check_thread(const Thread& thread) {
    const size_t before = problems_.size();
    for (const Register& reg : thread.registers)
      check_init(thread.name + "." + reg.name, reg.init, reg.declared);
    if (!thread.entry.valid() || thread.entry.index() >= thread.code.size())
      complain("thread {} has no entry", thread.name);
    std::set<std::string_view> labels;
    for (size_t i = 0; i < thread.code.size(); ++i) {
      const Instruction& instruction = thread.code[i];
      context_ = fmt::format("thread {}, point {}", thread.name, i);
      check_instruction(thread, instruction);
      if (instruction.kind == InstrKind::kMark && !instruction.label.empty() &&
          !labels.insert(instruction.label).second)
        complain("{}: label {} is defined twice", context_, instruction.label);
    }
    check_pos(thread.name, thread.pos);
    for (const StatementEnd& end : thread.ends)
      if (end.begin.file != 0 || end.end.file != 0)
        complain("thread {}: a statement of another file than the main one", thread.name);
    for (const StatementEnd& end : thread.ends)
      if (!end.point.valid() || end.point.index() >= thread.code.size() ||
          thread.at(end.point).next.size() != 1)
        complain("thread {}: a statement ends at a point from which no one step leads on", thread.name);
    if (problems_.size() == before) check_atomic_sections(thread);
  }

  // What an instruction must have: so many successors (kChoose: at least), a destination, a first operand.
  struct Parts {
    size_t edges = 1;
    bool dest = false, a = false;
  };
  static Parts parts_of(InstrKind kind) {
    using enum InstrKind;
    switch (kind) {
      case kLoad:
      case kHavoc:
        return {1, true, false};
      case kAssign:
        return {1, true, true};
      case kStore:
      case kRmw:
      case kAssume:
      case kAssert:
        return {1, false, true};
      case kBranch:
        return {2, false, true};
      case kHalt:
        return {0, false, false};
      case kFence:
      case kChoose:
      case kAtomicBegin:
      case kAtomicEnd:
      case kMark:
        break;
    }
    return {};
  }

  void check_instruction(const Thread& thread, const Instruction& instruction) {
    using enum InstrKind;
    const InstrKind kind = instruction.kind;
    if (kind > kHalt) {
      complain("{}: unknown kind of instruction", context_);
      return;
    }
    check_pos(context_, instruction.pos);
    const Parts needs = parts_of(kind);
    const size_t edges = instruction.next.size();
    if (kind == kChoose ? edges == 0 : edges != needs.edges) complain("{}: {} successors", context_, edges);
    for (const Point next : instruction.next)
      if (!next.valid() || next.index() >= thread.code.size())
        complain("{}: a successor that does not exist", context_);

    check_dest(thread, instruction.dest, needs.dest, needs.dest || kind == kRmw);
    if (instruction.is_memory_access()) {
      const ObjectId object = instruction.address.object;
      if (!object.valid() || object.index() >= program_.objects.size())
        complain("{}: an object that does not exist", context_);
      check_operand(thread, instruction.address.offset, true, "offset");
    } else if (instruction.address.object.valid() || instruction.address.offset.valid() ||
               instruction.address.bytes != 0) {
      complain("{}: an address without a memory access", context_);
    }
    check_operand(thread, instruction.a, needs.a, "first operand");
    check_operand(thread, instruction.b, kind == kRmw && is_cas(instruction.rmw), "second operand");
    if (kind == kRmw && instruction.rmw > RmwOp::kFetchXor) complain("{}: unknown rmw", context_);
    if (instruction.wrap != 0) check_wrap(instruction);
    if (!instruction.branches && kind != kAssume) complain("{}: a guess that is no assumption", context_);
    if (kind == kHavoc && instruction.havoc_range.is_empty()) complain("{}: an empty range", context_);
    const bool known =
        FenceKinds::full().includes(instruction.fence) || instruction.fence == FenceKinds::sync();
    if (!known || (kind != kFence && !instruction.fence.none())) complain("{}: unknown fence bits", context_);
    if (kind != kMark && kind != kAssert && !instruction.label.empty())
      complain("{}: a label without a mark", context_);
    if (instruction.blocking && kind != kAssume) complain("{}: only an assumption can be blocking", context_);
    if (instruction.one_access && kind != kAtomicBegin) complain("{}: an access without a section", context_);
    if (instruction.ends_program && kind != kHalt)
      complain("{}: it ends the program and not the thread", context_);
    if (instruction.assertion.line != 0 && kind != kAssert && kind != kBranch)
      complain("{}: it decides no assertion", context_);
    if (instruction.history) check_history(instruction);
  }

  void check_wrap(const Instruction& instruction) {
    if (instruction.kind != InstrKind::kRmw || !is_fetch(instruction.rmw))
      complain("{}: wraps what it does not compute", context_);
    else if (!is_width(instruction.wrap))
      complain("{}: wraps to {} bits", context_, instruction.wrap);
    else if (const ObjectId object = instruction.address.object;
             object.valid() && object.index() < program_.objects.size() && program_.object(object).stamp)
      complain("{}: a timestamp that wraps", context_);
  }

  void check_history(const Instruction& instruction) {
    const bool by_itself = instruction.kind == InstrKind::kMark && instruction.label.empty() &&
                           !has_variable(*instruction.history);
    const bool rollback = instruction.kind == InstrKind::kStore &&
                          *instruction.history == HistoryOp::kRollback &&
                          program_.object(instruction.address.object).transactional;
    if (!by_itself && !rollback)
      complain("{}: an operation of a history that the instruction cannot be", context_);
  }

  void check_dest(const Thread& thread, const Dest& dest, bool needed, bool allowed) {
    if (!dest.valid()) {
      if (needed || dest.is_element()) complain("{}: no destination", context_);
      return;
    }
    if (!allowed) complain("{}: a destination that is never written", context_);
    if (!run_fits(dest.reg, dest.count, thread)) complain("{}: a register that does not exist", context_);
    if (dest.is_element())
      check_operand(thread, dest.index, true, "index");
    else if (dest.count != 1)
      complain("{}: an array as destination without an index", context_);
  }

  void check_operand(const Thread& thread, ExprId id, bool wanted, std::string_view what) {
    if (!wanted) {
      if (id.valid()) complain("{}: a {} that is not used", context_, what);
      return;
    }
    if (!id.valid() || id.index() >= program_.exprs.size()) {
      complain("{}: no {}", context_, what);
      return;
    }
    if (in_property_only_[id.index()])
      complain("{}: the {} looks at what only properties may see", context_, what);
    if (needs_[id.index()] > thread.registers.size())
      complain("{}: the {} reads a register that does not exist", context_, what);
  }

  // Sections are closed boxes without loops: the interior of one kAtomicBegin is what can be reached from it
  // before a kAtomicEnd; what leads into an interior must be that begin or part of the same interior.
  // Precondition: points are in range.
  void check_atomic_sections(const Thread& thread) {
    constexpr size_t kOutside = SIZE_MAX;
    std::vector<size_t> section(thread.code.size(), kOutside);  // the begin whose interior this is
    std::vector<bool> open(thread.code.size(), false);
    for (size_t begin = 0; begin < thread.code.size(); ++begin) {
      if (thread.code[begin].kind != InstrKind::kAtomicBegin) continue;
      mark_interior(thread, begin, section, open);
    }
    if (section[thread.entry.index()] != kOutside)
      complain("thread {} starts inside an atomic section", thread.name);
    for (size_t i = 0; i < thread.code.size(); ++i) {
      const Instruction& from = thread.code[i];
      if (from.kind == InstrKind::kAtomicEnd && section[i] == kOutside)
        complain("thread {}, point {}: an atomic section ends that never began", thread.name, i);
      // Where control coming from `i` is allowed to arrive.
      const size_t inside = from.kind == InstrKind::kAtomicBegin ? i
                            : from.kind == InstrKind::kAtomicEnd ? kOutside
                                                                 : section[i];
      for (const Point next : from.next)
        if (section[next.index()] != inside)
          complain("thread {}, point {}: an edge crosses the border of an atomic section", thread.name, i);
    }
  }

  // Depth first without recursion; `open` is all false before and after; meeting a point that is still open
  // is a cycle.
  void mark_interior(const Thread& thread, size_t begin, std::vector<size_t>& section,
                     std::vector<bool>& open) {
    struct Frame {
      size_t point;
      size_t slot;
    };
    std::vector<Frame> stack{{begin, 0}};
    open[begin] = true;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const Instruction& here = thread.code[frame.point];
      if (here.kind == InstrKind::kAtomicEnd || frame.slot == here.next.size()) {
        open[frame.point] = false;
        stack.pop_back();
        continue;
      }
      const size_t next = here.next[frame.slot++].index();
      if (open[next]) {
        complain("thread {}, point {}: a loop inside an atomic section", thread.name, next);
        continue;
      }
      if (section[next] == begin) continue;
      const InstrKind kind = thread.code[next].kind;
      const bool labelled = kind == InstrKind::kMark && !thread.code[next].label.empty();
      if (kind == InstrKind::kAtomicBegin || kind == InstrKind::kFence || kind == InstrKind::kHalt ||
          labelled) {
        complain("thread {}, point {}: {} inside an atomic section", thread.name, next,
                 kind == InstrKind::kAtomicBegin ? "a section"
                 : kind == InstrKind::kFence     ? "a fence"
                 : kind == InstrKind::kHalt      ? "the thread's end"
                                                 : "a label");
        continue;
      }
      if (section[next] != SIZE_MAX) {
        complain("thread {}, point {}: two atomic sections share code", thread.name, next);
        continue;
      }
      section[next] = begin;
      open[next] = true;
      stack.push_back({next, 0});
    }
  }

  void check_properties() {
    for (const Property& property : program_.properties) {
      check_pos(property.name, property.pos);
      if (!has_formula(property.kind)) {
        if (property.formula.valid()) complain("property {} has no use for a formula", property.name);
        continue;
      }
      if (!property.formula.valid() || property.formula.index() >= program_.exprs.size())
        complain("property {} has no formula", property.name);
      else if (needs_[property.formula.index()] > 0)
        complain("property {} reads a register without saying whose", property.name);
    }
  }

  const Program& program_;
  std::vector<std::string> problems_;
  std::string context_;                 // of the instruction being checked
  std::vector<size_t> needs_;           // by ExprId: how many registers the executing thread must have
  std::vector<bool> in_property_only_;  // by ExprId: some leaf of it is for properties only
};

}  // namespace

std::vector<std::string> verify(const Program& program) { return Verifier(program).run(); }

void require_valid(const Program& program) {
  const std::vector<std::string> problems = verify(program);
  if (problems.empty()) return;
  constexpr size_t kShown = 5;
  std::string text = "the program is malformed";
  for (size_t i = 0; i < problems.size() && i < kShown; ++i) text += "; " + problems[i];
  if (problems.size() > kShown) text += fmt::format("; and {} more", problems.size() - kShown);
  throw Bug(text);
}

}  // namespace fenceline
