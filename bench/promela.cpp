// SPDX-License-Identifier: GPL-3.0-or-later
//
// One process per thread, one label per point of its code. What a thread can do at a point is found by
// running its instructions symbolically (terms.h): a *path* collects the conditions under which it is taken,
// the values of registers, the stores and the writes, all in terms of the variables before the step. A path
// becomes one transition of SPIN: a guard, and a d_step of assignments if there is more than one.
//
// Without fusing, a path is one instruction (or one atomic section). With fusing it goes on as long as the
// instructions touch nothing but their own thread, which is tier 1 of our own reduction
// (semantics/wrap/reduction.h); temporaries disappear in this way, and most registers with them.
//
// The property is checked by an assertion inside exactly the steps that can make it false. Where threads
// stand is known to other threads by one bit per label that the property names.
#include "promela.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "buffer_bounds.h"
#include "env/errors.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/ranges.h"
#include "ir/eval.h"
#include "promela_buffer.h"
#include "property/properties.h"
#include "semantics/code.h"
#include "semantics/growth.h"
#include "terms.h"

namespace fenceline {
namespace {

constexpr uint32_t kNoLimit = 64;  // more entries than this in a buffer are not worth a model
constexpr size_t kMaxPaths = 32;   // from one label; beyond, steps are no longer fused
constexpr size_t kMaxHavocValues = 64;
constexpr const char* kLater = "later";  // holds a value during a step

// What all threads share.
struct Context {
  Context(const Problem& asked, const PromelaOptions& chosen)
      : problem(asked),
        program(asked.program),
        options(chosen),
        overlay(asked.program, asked.fences),
        code(overlay, asked.model),
        ranges(analyze_ranges(asked.program)),
        observed(observed_by(asked.program, asked.property)),
        liveness(asked.program, observed.always, observed.at_end),
        growth(find_growth(code).has_value()),
        limited(growth && !chosen.limit_suffices),
        bounds(code, growth ? chosen.buffer_limit : kNoLimit) {
    const Property& property = problem.property;
    visible = visible_to(program, property);
    // The steps that can mend the opposite property are those that can break this one.
    Property opposite = property;
    if (property.kind == PropertyKind::kNever) opposite.kind = PropertyKind::kAlways;
    if (property.kind == PropertyKind::kAlways) opposite.kind = PropertyKind::kNever;
    breaking = visible_to(program, opposite);
    for (const ThreadReg& reg : observed.always) observed_registers.insert({reg.thread, reg.reg});
    for (const ThreadReg& reg : observed.at_end) observed_registers.insert({reg.thread, reg.reg});
    if (property.formula.valid()) collect_labels(property.formula);
  }

  void collect_labels(ExprId id) {
    const Expr& e = program.expr(id);
    if (e.op == ExprOp::kAt) labels.insert({e.thread.index(), e.point.index()});
    const ExprId operands[] = {e.a, e.b, e.c};
    for (unsigned i = 0; i < arity(e.op); ++i) collect_labels(operands[i]);
  }

  bool checks(PropertyKind kind) const { return problem.property.kind == kind; }
  bool checks_states() const { return checks(PropertyKind::kNever) || checks(PropertyKind::kAlways); }

  const Problem& problem;
  const Program& program;
  const PromelaOptions& options;
  Overlay overlay;
  Code code;
  Ranges ranges;
  Observed observed;
  Liveness liveness;
  bool growth;   // the code puts no bound on buffers
  bool limited;  // so we do
  BufferBounds bounds;
  Visibility visible;   // what fusing must not step over
  Visibility breaking;  // what may make the property false
  std::set<std::pair<ThreadId, RegId>> observed_registers;
  std::set<std::pair<size_t, size_t>> labels;  // thread and point of every kAt in the property
};

std::string at_flag(size_t thread, size_t point) { return fmt::format("at{}_{}", thread, point); }

std::string register_name(const Context& context, size_t thread, size_t reg) {
  if (context.observed_registers.contains({ThreadId(thread), RegId(reg)}))
    return fmt::format("t{}_r{}", thread, reg);
  return fmt::format("r{}", reg);
}

// A register or cell that has only one value needs no variable.
Term register_term(const Context& context, size_t thread, size_t reg) {
  const Range& range = context.ranges.registers[thread][reg];
  if (range.lo == range.hi) return constant_term(range.lo);
  return variable_term(register_name(context, thread, reg));
}

// Empty if the register needs no variable.
std::string declare_register(const Context& context, size_t thread, size_t reg) {
  const Term own = register_term(context, thread, reg);
  if (own.constant) return "";
  const Thread& ir = context.program.threads[thread];
  const Range range = context.ranges.registers[thread][reg].join(Range::single(0));
  const Value init =
      context.liveness.live(ThreadId(thread), ir.entry, RegId(reg)) ? ir.registers[reg].init : 0;
  return fmt::format("  {}{};\n", declare(own.text, range), init == 0 ? "" : fmt::format(" = {}", init));
}

// The expression as a term; `leaf(expr, index)` supplies everything that is not an operation on numbers.
// Elements of local arrays are chosen by cases.
using Leaf = std::function<Term(const Expr&, uint32_t element)>;

Term to_term(const Context& context, size_t thread, ExprId id, const Leaf& leaf) {
  const Expr& e = context.program.expr(id);
  const Range range = range_of(context.program, context.ranges, ThreadId(thread), id);
  if (!Range{INT32_MIN, INT32_MAX}.contains(range)) throw Unsupported("values of more than 32 bits");
  const auto operand = [&](ExprId which) { return to_term(context, thread, which, leaf); };
  switch (e.op) {
    case ExprOp::kConst:
      return constant_term(e.imm);
    case ExprOp::kReg:
    case ExprOp::kThreadReg:
    case ExprOp::kAt:
      return leaf(e, 0);
    case ExprOp::kRegAt:
    case ExprOp::kThreadRegAt:
    case ExprOp::kCell: {
      const Term index = operand(e.a);
      const uint32_t count = e.op == ExprOp::kCell ? context.program.object(e.object).size() : e.count;
      if (index.constant) return leaf(e, static_cast<uint32_t>(*index.constant));
      Term result = leaf(e, count - 1);
      for (uint32_t i = count - 1; i-- > 0;)
        result = select_term(equal_term(index, constant_term(i)), leaf(e, i), result);
      return result;
    }
    case ExprOp::kSelect:
      return select_term(operand(e.a), operand(e.b), operand(e.c));
    default:
      return arity(e.op) == 1 ? unary_term(e.op, operand(e.a))
                              : binary_term(e.op, operand(e.a), operand(e.b));
  }
}

// The property's formula, as a step of `mover` that ends at `where` leaves it. Other threads are known by
// their flags.
Term formula_after(const Context& context, size_t mover, size_t where) {
  return to_term(context, mover, context.problem.property.formula, [&](const Expr& e, uint32_t element) {
    switch (e.op) {
      case ExprOp::kAt:
        if (e.thread.index() == mover) return constant_term(e.point.index() == where);
        return variable_term(at_flag(e.thread.index(), e.point.index()));
      case ExprOp::kCell: {
        const size_t cell = context.program.object(e.object).first_cell.index() + element;
        return variable_term(fmt::format("{}[{}]", kMemory, cell));
      }
      default:
        return register_term(context, e.thread.index(), e.reg.index() + element);
    }
  });
}

struct Statement {
  std::string target;  // what is assigned to; empty for a block that has to stay together
  std::string key;     // the name under which terms read what it changes
  Term value;
  std::vector<std::string> block;
};

// One way in which a thread can move from a label.
struct Path {
  size_t at = 0;
  std::vector<Term> guards;
  std::map<size_t, Term> registers;  // those that were assigned
  struct Write {
    Term cell;
    Term value;
  };
  std::vector<Write> writes;  // straight to memory
  struct Push {
    size_t point;
    Term offset, value;
  };
  std::vector<Push> pushes;
  std::vector<std::string> flush;
  std::optional<Term> empty_after_flush;
  std::vector<size_t> passed;
  bool changes_visible = false;  // registers or cells that the property sees
  bool fails = false;

  // False if the condition cannot hold.
  bool require_that(const Term& condition) {
    if (condition.constant) return *condition.constant != 0;
    const auto same = [&](const Term& guard) { return guard.text == condition.text; };
    if (std::none_of(guards.begin(), guards.end(), same)) guards.push_back(condition);
    return true;
  }
};

class ThreadModel {
 public:
  ThreadModel(const Context& context, size_t thread)
      : context_(context),
        thread_(thread),
        ir_(context.program.threads[thread]),
        buffer_(context.code, context.ranges, context.bounds, thread, context.limited) {}

  std::string text();

 private:
  using Paths = std::vector<Path>;

  const Operation& operation(size_t point) const {
    return context_.code.at(thread_, static_cast<uint32_t>(point));
  }
  bool live(size_t point, size_t reg) const {
    return context_.liveness.live(ThreadId(thread_), Point(point), RegId(reg));
  }
  bool visible_register(size_t reg) const {
    return context_.observed_registers.contains({ThreadId(thread_), RegId(reg)});
  }

  Term value(const Path& path, ExprId id) const;
  Term offset(const Path& path, const Instruction& instruction) const;
  void assign(Path& path, const Instruction& instruction, const Term& value) const;
  void write(Path& path, const Operation& op, const Term& offset, const Term& value) const;
  Term read_memory(const Path& path, size_t point, const Operation& op, const Term& offset) const;
  Term buffers_empty(const Path& path) const;
  std::optional<Term> failure_condition(const Path& path, const Instruction& instruction) const;

  Paths step(const Path& from) const;
  void run(Path path, const Instruction& instruction, Paths& out) const;
  void run_rmw(Path path, const Instruction& instruction, Paths& out) const;
  Paths whole_step(const Path& from) const;
  bool fusible(const Path& path) const;
  void extend(const Path& path, Paths& out) const;
  Paths moves(size_t label) const;

  std::string transition(size_t label, const Path& path);
  std::optional<uint32_t> known_entries(size_t label, const Path& path, size_t index) const;
  std::vector<Statement> assignments(size_t label, const Path& path) const;
  std::vector<std::string> in_order(std::vector<Statement> statements);
  std::string check_after(size_t label, const Path& path) const;
  std::string label_name(size_t point);

  const Context& context_;
  size_t thread_;
  const Thread& ir_;
  PromelaBuffer buffer_;
  std::deque<size_t> todo_;
  std::set<size_t> labels_;
};

Term ThreadModel::value(const Path& path, ExprId id) const {
  return to_term(context_, thread_, id, [&](const Expr& e, uint32_t element) {
    const size_t reg = e.reg.index() + element;
    const auto assigned = path.registers.find(reg);
    return assigned != path.registers.end() ? assigned->second : register_term(context_, thread_, reg);
  });
}

Term ThreadModel::offset(const Path& path, const Instruction& instruction) const {
  return value(path, instruction.address.offset);
}

void ThreadModel::assign(Path& path, const Instruction& instruction, const Term& term) const {
  const Dest& dest = instruction.dest;
  if (!dest.valid()) return;
  const Term index = dest.is_element() ? value(path, dest.index) : constant_term(0);
  std::map<size_t, Term> assigned;
  for (uint32_t i = 0; i < dest.count; ++i) {
    if (index.constant && !index.is(i)) continue;
    const size_t reg = dest.reg.index() + i;
    const auto before = path.registers.find(reg);
    const Term old = before != path.registers.end() ? before->second : register_term(context_, thread_, reg);
    assigned[reg] = select_term(equal_term(index, constant_term(i)), term, old);
    path.changes_visible = path.changes_visible || visible_register(reg);
  }
  for (auto& [reg, value] : assigned) path.registers[reg] = std::move(value);
}

void ThreadModel::write(Path& path, const Operation& op, const Term& at, const Term& term) const {
  const Term cell = binary_term(ExprOp::kAdd, constant_term(op.first_cell), at);
  for (uint32_t i = 0; i < op.cells; ++i)
    if ((!at.constant || at.is(i)) && op.first_cell + i < context_.visible.cells.size() &&
        context_.visible.cells[op.first_cell + i])
      path.changes_visible = true;
  for (Path::Write& earlier : path.writes) {
    if (!earlier.cell.constant || !cell.constant)
      throw Unsupported("an atomic section that writes twice with an index that is no constant");
    if (earlier.cell.is(*cell.constant)) {
      earlier.value = term;
      return;
    }
  }
  path.writes.push_back({cell, term});
}

Term ThreadModel::read_memory(const Path& path, size_t point, const Operation& op, const Term& at) const {
  for (const Path::Write& earlier : path.writes) {
    if (!earlier.cell.constant || !at.constant)
      throw Unsupported("an atomic section that reads after a write with an index that is no constant");
    if (earlier.cell.is(*at.constant + static_cast<Value>(op.first_cell))) return earlier.value;
  }
  return buffer_.load(point, op, at);
}

Term ThreadModel::buffers_empty(const Path& path) const {
  if (!path.pushes.empty()) return constant_term(0);
  if (path.empty_after_flush) return *path.empty_after_flush;
  return buffer_.empty(path.at);
}

// When is this step an error of the program? Nothing: never.
std::optional<Term> ThreadModel::failure_condition(const Path& path, const Instruction& instruction) const {
  const ThreadId thread(thread_);
  const Program& program = context_.program;
  if (!may_fail(program, context_.ranges, thread, instruction)) return std::nullopt;
  for (const ExprId id : {instruction.a, instruction.b, instruction.address.offset, instruction.dest.index})
    if (id.valid() && may_fail(program, context_.ranges, thread, id))
      throw Unsupported("an expression that may divide by zero, leave its array or shift too far");
  if (instruction.kind == InstrKind::kAssert) return not_term(value(path, instruction.a));
  Term fails = constant_term(0);
  // Adds: `id` is outside `allowed`.
  const auto outside = [&](ExprId id, const Range& allowed) {
    if (allowed.contains(range_of(program, context_.ranges, thread, id))) return;
    const Term term = value(path, id);
    const Term wrong = or_term(binary_term(ExprOp::kLt, term, constant_term(allowed.lo)),
                               binary_term(ExprOp::kGt, term, constant_term(allowed.hi)));
    fails = fails.is(0) ? wrong : or_term(fails, wrong);
  };
  const auto indices = [](uint32_t count) { return Range{0, static_cast<Value>(count) - 1}; };
  Range loaded = Range::empty();
  if (instruction.is_memory_access()) {
    const Object& object = program.object(instruction.address.object);
    outside(instruction.address.offset, indices(object.size()));
    if (object.declared && instruction.kind == InstrKind::kStore) outside(instruction.a, *object.declared);
    if (object.declared && instruction.kind == InstrKind::kRmw)
      throw Unsupported("an rmw that may leave the declared range of its cell");
    for (uint32_t i = 0; i < object.size(); ++i)
      loaded = loaded.join(context_.ranges.cells[object.first_cell.index() + i]);
  }
  if (instruction.dest.is_element()) outside(instruction.dest.index, indices(instruction.dest.count));
  const std::optional<Range> declared =
      instruction.dest.valid() ? ir_.registers[instruction.dest.reg.index()].declared : std::nullopt;
  if (declared && instruction.kind == InstrKind::kAssign) outside(instruction.a, *declared);
  if (declared && instruction.kind != InstrKind::kAssign && !declared->contains(loaded))
    throw Unsupported("a load that may leave the declared range of its register");
  if (declared && instruction.kind == InstrKind::kHavoc && !declared->contains(instruction.havoc_range))
    throw Unsupported("a havoc that may leave the declared range of its register");
  return fails;
}

// All ways to run the instruction where the path stands. Where it is not possible there is none.
ThreadModel::Paths ThreadModel::step(const Path& from) const {
  Paths out;
  Path path = from;
  const Instruction& instruction = ir_.code[from.at];
  path.passed.push_back(from.at);
  if (const std::optional<Term> failure = failure_condition(path, instruction)) {
    Path failing = path;
    failing.fails = true;
    if (failing.require_that(*failure) && context_.checks(PropertyKind::kNoErrors)) out.push_back(failing);
    if (!path.require_that(not_term(*failure))) return out;
  }
  run(std::move(path), instruction, out);
  return out;
}

void ThreadModel::run(Path path, const Instruction& instruction, Paths& out) const {
  const size_t point = path.at;
  const Operation& op = operation(point);
  const auto go = [&](Path taken, size_t slot = 0) {
    taken.at = instruction.next[slot].index();
    out.push_back(std::move(taken));
  };
  switch (instruction.kind) {
    case InstrKind::kLoad:
      assign(path, instruction, read_memory(path, point, op, offset(path, instruction)));
      return go(path);
    case InstrKind::kStore: {
      const Term at = offset(path, instruction);
      const Term stored = value(path, instruction.a);
      if (context_.code.buffering() == Buffering::kNone || context_.bounds.in_atomic(thread_, point)) {
        if (!path.require_that(buffer_.ready_to_write(point, op, at))) return;
        write(path, op, at, stored);
      } else {
        if (!path.require_that(buffer_.room(point))) return;
        path.pushes.push_back({point, at, stored});
      }
      return go(path);
    }
    case InstrKind::kRmw:
      return run_rmw(std::move(path), instruction, out);
    case InstrKind::kFence:
      if (op.fence == FenceEffect::kBarrier || op.fence == FenceEffect::kMark)
        throw Unsupported("a partial fence that does not drain");
      if (op.fence == FenceEffect::kDrain && !path.require_that(buffers_empty(path))) return;
      return go(path);
    case InstrKind::kAssign:
      assign(path, instruction, value(path, instruction.a));
      return go(path);
    case InstrKind::kBranch: {
      const Term condition = value(path, instruction.a);
      Path otherwise = path;
      if (path.require_that(condition)) go(std::move(path), 0);
      if (otherwise.require_that(not_term(condition))) go(std::move(otherwise), 1);
      return;
    }
    case InstrKind::kChoose:
      for (size_t slot = 0; slot < instruction.next.size(); ++slot) go(path, slot);
      return;
    case InstrKind::kAssume:
      if (path.require_that(value(path, instruction.a))) go(path);
      return;
    case InstrKind::kHavoc: {
      const Range& range = instruction.havoc_range;
      if (range.hi - range.lo >= static_cast<Value>(kMaxHavocValues))
        throw Unsupported("a havoc of many values");
      for (Value chosen = range.lo; chosen <= range.hi; ++chosen) {
        Path taken = path;
        assign(taken, instruction, constant_term(chosen));
        go(std::move(taken));
      }
      return;
    }
    case InstrKind::kAssert:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      return go(path);
    case InstrKind::kHalt:
      return;
  }
}

void ThreadModel::run_rmw(Path path, const Instruction& instruction, Paths& out) const {
  const size_t point = path.at;
  const Operation& op = operation(point);
  const Term at = offset(path, instruction);
  if (!path.require_that(buffer_.ready_to_write(point, op, at))) return;
  // With no entry of its cell in the buffer, a load reads memory.
  const Term old = read_memory(path, point, op, at);
  const Term a = value(path, instruction.a);
  path.at = instruction.next[0].index();
  if (instruction.rmw == RmwOp::kCas) {
    const Term b = value(path, instruction.b);
    Path fails = path;
    if (path.require_that(equal_term(old, a))) {
      write(path, op, at, b);
      assign(path, instruction, constant_term(1));
      out.push_back(std::move(path));
    }
    if (fails.require_that(binary_term(ExprOp::kNe, old, a))) {
      assign(fails, instruction, constant_term(0));
      out.push_back(std::move(fails));
    }
    return;
  }
  write(path, op, at, instruction.rmw == RmwOp::kXchg ? a : binary_term(ExprOp::kAdd, old, a));
  assign(path, instruction, old);
  out.push_back(std::move(path));
}

// One step of the machine: an instruction, or everything from kAtomicBegin to kAtomicEnd.
ThreadModel::Paths ThreadModel::whole_step(const Path& from) const {
  Paths done;
  Paths open = step(from);
  while (!open.empty()) {
    Path path = std::move(open.back());
    open.pop_back();
    if (path.fails || !context_.bounds.in_atomic(thread_, path.at)) {
      done.push_back(std::move(path));
      continue;
    }
    for (Path& next : step(path)) open.push_back(std::move(next));
  }
  return done;
}

bool ThreadModel::fusible(const Path& path) const {
  if (!context_.options.fuse || path.fails) return false;
  if (std::find(path.passed.begin(), path.passed.end(), path.at) != path.passed.end()) return false;
  if (context_.labels.contains({thread_, path.at})) return false;
  const Instruction& instruction = ir_.code[path.at];
  for (const Point next : instruction.next)
    if (thread_ < context_.visible.arriving.size() && context_.visible.arriving[thread_][next.index()])
      return false;
  if (instruction.dest.valid())
    for (uint32_t i = 0; i < instruction.dest.count; ++i)
      if (context_.checks_states() && visible_register(instruction.dest.reg.index() + i)) return false;
  switch (instruction.kind) {
    case InstrKind::kFence:
    case InstrKind::kAssign:
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kMark:
      return true;
    case InstrKind::kStore:
      return context_.code.buffering() != Buffering::kNone && !context_.limited;
    default:
      return false;
  }
}

// Goes on with what touches the thread alone, as far as it is possible; where it is not, the path ends.
void ThreadModel::extend(const Path& path, Paths& out) const {
  if (!fusible(path) || out.size() >= kMaxPaths) {
    out.push_back(path);
    return;
  }
  const Instruction& instruction = ir_.code[path.at];
  std::optional<Term> possible;
  if (instruction.kind == InstrKind::kAssume) possible = value(path, instruction.a);
  if (instruction.kind == InstrKind::kFence && operation(path.at).fence == FenceEffect::kDrain)
    possible = buffers_empty(path);
  if (possible) {
    Path stays = path;
    if (stays.require_that(not_term(*possible))) out.push_back(std::move(stays));
  }
  for (const Path& next : step(path)) extend(next, out);
}

ThreadModel::Paths ThreadModel::moves(size_t label) const {
  Paths all;
  Path start;
  start.at = label;
  for (const Path& path : whole_step(start)) extend(path, all);
  for (const PromelaBuffer::Flush& flush : buffer_.flushes(label)) {
    Path path = start;
    path.guards.push_back(flush.possible);
    path.flush = flush.statements;
    path.empty_after_flush = flush.empty_after;
    for (const uint32_t cell : flush.cells)
      if (cell < context_.visible.cells.size() && context_.visible.cells[cell]) path.changes_visible = true;
    // A fence that waited for this flush goes on at once.
    if (ir_.code[label].kind == InstrKind::kFence)
      extend(path, all);
    else
      all.push_back(std::move(path));
  }
  return all;
}

std::string ThreadModel::label_name(size_t point) {
  if (labels_.insert(point).second) todo_.push_back(point);
  const bool end = ir_.code[point].kind == InstrKind::kHalt;
  return fmt::format("{}{}", end ? "end_" : "L", point);
}

// How many entries lie in the buffer that the path's push number `index` appends to, if that is certain.
std::optional<uint32_t> ThreadModel::known_entries(size_t label, const Path& path, size_t index) const {
  if (context_.code.buffering() == Buffering::kPerThread) {
    if (context_.bounds.total(thread_, label) > 0) return std::nullopt;
    return static_cast<uint32_t>(index);
  }
  const auto cell = [&](const Path::Push& push) {
    return operation(push.point).first_cell + static_cast<uint32_t>(*push.offset.constant);
  };
  uint32_t same_cell = 0;
  for (size_t i = 0; i <= index; ++i) {
    if (!path.pushes[i].offset.constant) return std::nullopt;
    if (i < index && cell(path.pushes[i]) == cell(path.pushes[index])) ++same_cell;
  }
  if (context_.bounds.of_cell(thread_, label, cell(path.pushes[index])) > 0) return std::nullopt;
  return same_cell;
}

std::vector<Statement> ThreadModel::assignments(size_t label, const Path& path) const {
  std::vector<Statement> statements;
  for (size_t reg = 0; reg < ir_.registers.size(); ++reg) {
    const Term own = register_term(context_, thread_, reg);
    if (own.constant) continue;
    const auto assigned = path.registers.find(reg);
    if (!live(path.at, reg)) {
      if (live(label, reg)) statements.push_back({own.text, own.text, constant_term(0), {}});
    } else if (assigned != path.registers.end() && assigned->second.text != own.text) {
      statements.push_back({own.text, own.text, assigned->second, {}});
    }
  }
  for (const Path::Write& write : path.writes) {
    Statement statement{fmt::format("{}[{}]", kMemory, write.cell.text), kMemory, write.value, {}};
    statement.value.reads.insert(write.cell.reads.begin(), write.cell.reads.end());
    statements.push_back(std::move(statement));
  }
  if (!path.pushes.empty()) {
    Statement block{"", kBuffer, constant_term(0), {}};
    for (size_t i = 0; i < path.pushes.size(); ++i) {
      const Path::Push& push = path.pushes[i];
      const std::optional<uint32_t> known = known_entries(label, path, i);
      for (std::string& text :
           buffer_.push(push.point, operation(push.point), push.offset, push.value, known))
        block.block.push_back(std::move(text));
      block.value.reads.insert(push.offset.reads.begin(), push.offset.reads.end());
      block.value.reads.insert(push.value.reads.begin(), push.value.reads.end());
    }
    statements.push_back(std::move(block));
  }
  return statements;
}

// All values are in terms of the variables before the step, so nothing may be changed before it was read for
// the last time. Where that goes in a circle, a value waits in a variable that is not part of the state.
std::vector<std::string> ThreadModel::in_order(std::vector<Statement> statements) {
  std::vector<std::string> lines;
  std::vector<std::string> late;
  const auto emit = [&lines](const Statement& statement) {
    if (statement.target.empty())
      lines.insert(lines.end(), statement.block.begin(), statement.block.end());
    else
      lines.push_back(fmt::format("{} = {}", statement.target, statement.value.text));
  };
  while (!statements.empty()) {
    const auto can_go = [&](const Statement& candidate) {
      return std::none_of(statements.begin(), statements.end(), [&](const Statement& other) {
        return &other != &candidate && other.value.reads.contains(candidate.key);
      });
    };
    auto chosen = std::find_if(statements.begin(), statements.end(), can_go);
    if (chosen != statements.end()) {
      emit(*chosen);
    } else {
      chosen = std::find_if(statements.begin(), statements.end(),
                            [](const Statement& statement) { return !statement.target.empty(); });
      if (chosen == statements.end() || !late.empty())
        throw Unsupported("a step whose assignments read each other in several circles");
      lines.push_back(fmt::format("{} = {}", kLater, chosen->value.text));
      late.push_back(fmt::format("{} = {}", chosen->target, kLater));
    }
    statements.erase(chosen);
  }
  lines.insert(lines.end(), late.begin(), late.end());
  return lines;
}

// The assertion that this step needs, if any. Assignments of the step have happened.
std::string ThreadModel::check_after(size_t label, const Path& path) const {
  const auto marked = [&](const std::vector<std::vector<bool>>& table, size_t point) {
    return thread_ < table.size() && table[thread_][point];
  };
  if (context_.checks_states()) {
    const bool moved = path.at != label;
    const bool may_break = path.changes_visible || (moved && marked(context_.breaking.arriving, path.at)) ||
                           (moved && marked(context_.breaking.leaving, label));
    if (!may_break) return "";
    const Term formula = formula_after(context_, thread_, path.at);
    const Term good = context_.checks(PropertyKind::kNever) ? not_term(formula) : formula;
    return good.constant && *good.constant != 0 ? "" : fmt::format("assert({})", good.text);
  }
  if (context_.checks(PropertyKind::kFinally) && ir_.code[path.at].kind == InstrKind::kHalt) {
    const std::string ended = buffer_.empty(path.at).text;
    const Term good = formula_after(context_, thread_, path.at);
    return fmt::format("ended = ended + {}; assert(ended < {} || {})", ended, context_.program.threads.size(),
                       good.text);
  }
  return "";
}

std::string ThreadModel::transition(size_t label, const Path& path) {
  std::string guard;
  for (const Term& condition : path.guards)
    guard += fmt::format("{}{}", guard.empty() ? "" : " && ", condition.text);
  if (path.fails) return fmt::format("  :: ({}) -> assert(false); goto {}\n", guard, label_name(label));

  std::vector<std::string> lines = path.flush;
  for (std::string& line : in_order(assignments(label, path))) lines.push_back(std::move(line));
  if (path.at != label && context_.checks_states()) {
    if (context_.labels.contains({thread_, label})) lines.push_back(at_flag(thread_, label) + " = 0");
    if (context_.labels.contains({thread_, path.at})) lines.push_back(at_flag(thread_, path.at) + " = 1");
  }
  if (std::string check = check_after(label, path); !check.empty()) lines.push_back(std::move(check));

  const bool idle = lines.empty() && path.at == label;
  if (idle && context_.options.fuse && !context_.checks(PropertyKind::kNoDeadlock)) return "";
  const std::string target = label_name(path.at);
  if (lines.empty()) return fmt::format("  :: {} -> goto {}\n", guard.empty() ? "true" : guard, target);
  std::string body = guard.empty() ? "" : fmt::format("({}) -> ", guard);
  for (size_t i = 0; i < lines.size(); ++i) body += fmt::format("{}{}", i == 0 ? "" : "; ", lines[i]);
  if (guard.empty() && lines.size() == 1 && lines[0].find(';') == std::string::npos)
    return fmt::format("  :: {}; goto {}\n", body, target);
  return fmt::format("  :: d_step {{ {} }}; goto {}\n", body, target);
}

std::string ThreadModel::text() {
  std::string body;
  label_name(ir_.entry.index());
  std::vector<bool> live_somewhere(ir_.registers.size(), false);
  while (!todo_.empty()) {
    const size_t label = todo_.front();
    todo_.pop_front();
    for (size_t reg = 0; reg < ir_.registers.size(); ++reg)
      if (live(label, reg)) live_somewhere[reg] = true;
    std::string options;
    for (const Path& path : moves(label)) options += transition(label, path);
    const std::string name = label_name(label);
    body += options.empty() ? fmt::format("{}: (false);\n", name)
                            : fmt::format("{}: if\n{}  fi;\n", name, options);
  }
  std::string locals;
  for (size_t reg = 0; reg < ir_.registers.size(); ++reg)
    if (live_somewhere[reg] && !visible_register(reg)) locals += declare_register(context_, thread_, reg);
  return fmt::format("\nactive proctype thread{}() {{\n{}{}{}}}\n", thread_, locals, buffer_.declarations(),
                     body);
}

std::string memory_text(const Context& context) {
  Range all = Range::single(0);
  for (const Range& range : context.ranges.cells) all = all.join(range);
  const char* type = Range{0, 255}.contains(all)                 ? "byte"
                     : Range{INT16_MIN, INT16_MAX}.contains(all) ? "short"
                                                                 : "int";
  if (!Range{INT32_MIN, INT32_MAX}.contains(all)) throw Unsupported("values of more than 32 bits");
  std::string values;
  for (const Value init : context.program.initial_memory())
    values += fmt::format("{}{}", values.empty() ? "" : ", ", init);
  return fmt::format("{} {}[{}] = {{ {} }};\n", type, kMemory, context.program.cell_count, values);
}

// The assertions are in steps; a property that is false before the first step would go unseen.
void refuse_initial_violation(const Context& context) {
  if (!context.checks_states()) return;
  const std::vector<Value> memory = context.program.initial_memory();
  const Evaluated formula =
      evaluate(context.program, context.problem.property.formula, [&](const Expr& e, Value index) -> Value {
        const auto element = static_cast<size_t>(index);
        if (e.op == ExprOp::kCell)
          return memory[context.program.object(e.object).first_cell.index() + element];
        const Thread& thread = context.program.thread(e.thread);
        if (e.op == ExprOp::kAt) return thread.entry == e.point;
        return thread.registers[e.reg.index() + element].init;
      });
  if (!formula.ok() || (formula.value != 0) == context.checks(PropertyKind::kNever))
    throw Unsupported("a property that the initial state violates");
}

// A thread that stands at an assumption that does not hold makes a stuck state no deadlock; SPIN cannot know.
void refuse_assumptions(const Context& context) {
  for (size_t t = 0; t < context.program.threads.size(); ++t)
    for (size_t p = 0; p < context.program.threads[t].code.size(); ++p)
      if (context.program.threads[t].code[p].kind == InstrKind::kAssume && !context.bounds.in_atomic(t, p))
        throw Unsupported("deadlocks next to assumptions");
}

}  // namespace

bool needs_buffer_limit(const Problem& problem) {
  const Overlay overlay(problem.program, problem.fences);
  return find_growth(Code(overlay, problem.model)).has_value();
}

std::string to_promela(const Problem& problem, const PromelaOptions& options) {
  if (!problem.fences.empty()) throw Unsupported("fences that are not part of the program");
  const Context context(problem, options);
  refuse_initial_violation(context);
  if (problem.property.formula.valid() &&
      may_fail(problem.program, context.ranges, ThreadId(0), problem.property.formula))
    throw Unsupported("a formula that may have no value");
  for (const Thread& thread : problem.program.threads) {
    if (thread.at(thread.entry).kind == InstrKind::kHalt) throw Unsupported("a thread without steps");
  }
  if (context.checks(PropertyKind::kNoDeadlock)) refuse_assumptions(context);
  if (context.checks(PropertyKind::kFinally) && !context.labels.empty())
    throw Unsupported("labels in a property of final states");
  std::string text;
  if (problem.program.cell_count > 0) text += memory_text(context);
  if (context.checks(PropertyKind::kFinally)) text += "byte ended;\n";
  if (context.checks_states())
    for (const auto& [thread, point] : context.labels) {
      const bool initially = problem.program.threads[thread].entry.index() == point;
      text += fmt::format("bit {} = {};\n", at_flag(thread, point), initially ? 1 : 0);
    }
  for (const auto& [thread, reg] : context.observed_registers)
    text += declare_register(context, thread.index(), reg.index());
  std::string threads;
  for (size_t t = 0; t < problem.program.threads.size(); ++t) threads += ThreadModel(context, t).text();
  // SPIN's breadth-first search does not want to see hidden variables.
  if (threads.find(kLater) != std::string::npos) text += fmt::format("hidden int {};\n", kLater);
  text += threads;
  return text;
}

}  // namespace fenceline
