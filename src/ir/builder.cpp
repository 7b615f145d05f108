// SPDX-License-Identifier: GPL-3.0-or-later
//
// Building thread graphs. While a thread is built, every edge goes to a label, even the edge of plain
// falling through, which gets a label of its own. Labels that have been bound are resolved by the next event:
// an instruction is emitted, and they denote that instruction; or control jumps, and they are aliases of the
// jump's target. So chains of jumps vanish by following aliases, and code after a jump that no label leads to
// is simply never reached when finish() walks the graph from the entry.
//
// Aliases can form a circle: `while (true) { }` is a label that jumps to itself. Control stays there for
// ever, so the cycle becomes a nameless kMark that is its own successor.
#include "ir/builder.h"

#include <fmt/format.h>

#include <utility>

#include "env/errors.h"
#include "ir/eval.h"
#include "ir/verify/verify.h"

namespace fenceline {

// ---------------------------------------------------------------------------------------- ThreadBuilder

RegId ThreadBuilder::reg(const std::string& name, Value init, std::optional<Range> declared) {
  const RegId id(thread_.registers.size());
  thread_.registers.push_back({name, init, declared, false});
  return id;
}

RegId ThreadBuilder::reg_array(const std::string& name, const std::vector<Value>& init,
                               std::optional<Range> declared) {
  require(!init.empty(), "a local array without elements");
  const RegId first(thread_.registers.size());
  for (size_t i = 0; i < init.size(); ++i) reg(fmt::format("{}[{}]", name, i), init[i], declared);
  return first;
}

RegId ThreadBuilder::temp() {
  const RegId id = reg(fmt::format("%{}", temporaries_++));
  thread_.registers.back().temporary = true;
  return id;
}

ThreadBuilder::Label ThreadBuilder::label() {
  targets_.emplace_back();
  return Label(targets_.size() - 1);
}

void ThreadBuilder::bind(Label label) {
  require(label.index() < targets_.size(), "a label of another thread");
  Target& target = targets_[label.index()];
  require(!target.bound, "a label was bound twice");
  target.bound = true;
  unresolved_.push_back(label);
}

void ThreadBuilder::jump(Label label) {
  require(label.index() < targets_.size(), "a label of another thread");
  for (const Label here : unresolved_) targets_[here.index()].alias = label;
  unresolved_.clear();
}

Instruction& ThreadBuilder::emit(InstrKind kind, SourcePos pos, std::vector<Label> next) {
  const Point here(thread_.code.size());
  for (const Label label : unresolved_) targets_[label.index()].point = here;
  unresolved_.clear();
  for (const Label label : next) require(label.index() < targets_.size(), "a label of another thread");
  edges_.push_back(std::move(next));
  Instruction& instruction = thread_.code.emplace_back();
  instruction.kind = kind;
  instruction.pos = pos;
  instruction.operation = operation_;
  instruction.role = role_;
  return instruction;
}

Instruction& ThreadBuilder::emit(InstrKind kind, SourcePos pos) {
  const Label after = label();
  Instruction& instruction = emit(kind, pos, {after});
  bind(after);
  return instruction;
}

void ThreadBuilder::load(Dest dest, Address address, SourcePos pos, MemoryOrder order) {
  Instruction& instruction = emit(InstrKind::kLoad, pos);
  instruction.dest = dest;
  instruction.address = address;
  instruction.order = order;
}

void ThreadBuilder::store(Address address, ExprId value, SourcePos pos, MemoryOrder order) {
  Instruction& instruction = emit(InstrKind::kStore, pos);
  instruction.address = address;
  instruction.a = value;
  instruction.order = order;
}

void ThreadBuilder::rmw(RmwOp op, Dest dest, Address address, ExprId a, ExprId b, SourcePos pos,
                        MemoryOrder order) {
  Instruction& instruction = emit(InstrKind::kRmw, pos);
  instruction.rmw = op;
  instruction.dest = dest;
  instruction.address = address;
  instruction.a = a;
  instruction.b = b;
  instruction.order = order;
}

void ThreadBuilder::wrap_fetched(int bits) {
  require(!thread_.code.empty() && thread_.code.back().kind == InstrKind::kRmw && is_width(bits),
          "something to wrap");
  thread_.code.back().wrap = static_cast<int8_t>(bits);
}

void ThreadBuilder::fence(FenceKinds kinds, SourcePos pos, const std::string& source_text) {
  Instruction& instruction = emit(InstrKind::kFence, pos);
  instruction.fence = kinds;
  instruction.source_text = source_text;
}

void ThreadBuilder::rollback(Address address, ExprId value, SourcePos pos) {
  store(address, value, pos);
  thread_.code.back().history = HistoryOp::kRollback;
}

void ThreadBuilder::history(HistoryOp op, SourcePos pos) { emit(InstrKind::kMark, pos).history = op; }

void ThreadBuilder::stamps(RegId first, size_t count) {
  for (size_t i = 0; i < count; ++i) thread_.registers[first.index() + i].stamp = true;
}

void ThreadBuilder::assign(Dest dest, ExprId value, SourcePos pos) {
  Instruction& instruction = emit(InstrKind::kAssign, pos);
  instruction.dest = dest;
  instruction.a = value;
}

void ThreadBuilder::branch(ExprId condition, Label if_true, Label if_false, SourcePos pos) {
  emit(InstrKind::kBranch, pos, {if_true, if_false}).a = condition;
}

void ThreadBuilder::choose(const std::vector<Label>& targets, SourcePos pos) {
  require(!targets.empty(), "a choice between nothing");
  emit(InstrKind::kChoose, pos, targets);
}

void ThreadBuilder::assume(ExprId condition, SourcePos pos) { emit(InstrKind::kAssume, pos).a = condition; }

void ThreadBuilder::wait(ExprId condition, SourcePos pos) {
  Instruction& instruction = emit(InstrKind::kAssume, pos);
  instruction.a = condition;
  instruction.blocking = true;
}

void ThreadBuilder::decides(SourcePos assertion) { thread_.code.back().assertion = assertion; }

void ThreadBuilder::guess(ExprId condition, SourcePos pos) {
  assume(condition, pos);
  thread_.code.back().branches = false;
}

void ThreadBuilder::check(ExprId condition, SourcePos pos, const std::string& message) {
  Instruction& instruction = emit(InstrKind::kAssert, pos);
  instruction.a = condition;
  instruction.label = message;
}

void ThreadBuilder::limit(ExprId condition, SourcePos pos, const std::string& message) {
  Instruction& instruction = emit(InstrKind::kAssert, pos);
  instruction.a = condition;
  instruction.label = message;
  instruction.our_limit = true;
}

void ThreadBuilder::havoc(Dest dest, Range range, SourcePos pos) {
  Instruction& instruction = emit(InstrKind::kHavoc, pos);
  instruction.dest = dest;
  instruction.havoc_range = range;
}

void ThreadBuilder::atomic_begin(SourcePos pos) { emit(InstrKind::kAtomicBegin, pos); }

void ThreadBuilder::access_begin(SourcePos pos) { emit(InstrKind::kAtomicBegin, pos).one_access = true; }

void ThreadBuilder::atomic_end(SourcePos pos) { emit(InstrKind::kAtomicEnd, pos); }

ThreadBuilder::Label ThreadBuilder::mark(const std::string& name, SourcePos pos) {
  const Label here = label();
  bind(here);
  emit(InstrKind::kMark, pos).label = name;
  return here;
}

void ThreadBuilder::halt(SourcePos pos, bool ends_program) {
  emit(InstrKind::kHalt, pos, {}).ends_program = ends_program;
}

void ThreadBuilder::tag(std::vector<std::string> tags, std::vector<std::string> write_tags) {
  require(!thread_.code.empty(), "a tag for an instruction that is not there");
  thread_.code.back().tags = std::move(tags);
  thread_.code.back().write_tags = std::move(write_tags);
}

void ThreadBuilder::end_statement(StatementEnd statement) {
  require(!edges_.empty() && edges_.back().size() == 1, "a statement ends without a step");
  statement.point = Point(thread_.code.size() - 1);
  thread_.ends.push_back(statement);
}

Point ThreadBuilder::resolve(Label label) {
  std::vector<Label> path;
  while (targets_[label.index()].alias.valid() && !targets_[label.index()].on_path) {
    targets_[label.index()].on_path = true;
    path.push_back(label);
    label = targets_[label.index()].alias;
  }
  if (targets_[label.index()].on_path) {  // a circle
    targets_[label.index()].point = Point(thread_.code.size());
    targets_[label.index()].alias = Label();
    edges_.push_back({label});
    Instruction& spin = thread_.code.emplace_back();
    spin.kind = InstrKind::kMark;
    spin.pos = thread_.pos;
  }
  const Point point = targets_[label.index()].point;
  require(point.valid(), "a label that is used was never bound");
  for (const Label passed : path) {
    Target& target = targets_[passed.index()];
    target.point = point;
    target.alias = Label();
    target.on_path = false;
  }
  return point;
}

Thread ThreadBuilder::finish(std::vector<Point>& moved) {
  if (!unresolved_.empty()) halt(thread_.pos);

  // resolve() may add instructions, so nothing here holds a reference into the code across it.
  std::vector<bool> reached;
  std::vector<Point> todo;
  const auto reach = [&](Label label) {
    const Point point = resolve(label);
    reached.resize(thread_.code.size(), false);
    if (!reached[point.index()]) {
      reached[point.index()] = true;
      todo.push_back(point);
    }
    return point;
  };
  const Point entry = reach(Label(0));
  while (!todo.empty()) {
    const Point point = todo.back();
    todo.pop_back();
    const std::vector<Label> edges = edges_[point.index()];
    std::vector<Point> next;
    for (const Label label : edges) next.push_back(reach(label));
    thread_.code[point.index()].next = std::move(next);
  }
  reached.resize(thread_.code.size(), false);

  moved.assign(thread_.code.size(), Point());
  Thread result = thread_;
  result.code.clear();
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) continue;
    moved[i] = Point(result.code.size());
    result.code.push_back(thread_.code[i]);
  }
  result.entry = moved[entry.index()];
  result.ends.clear();
  for (StatementEnd statement : thread_.ends) {
    statement.point = moved[statement.point.index()];
    if (statement.point.valid()) result.ends.push_back(statement);
  }
  for (Instruction& instruction : result.code)
    for (Point& next : instruction.next) next = moved[next.index()];
  return result;
}

// --------------------------------------------------------------------------------------- ProgramBuilder

ObjectId ProgramBuilder::object(const std::string& name, std::vector<Value> init,
                                std::optional<Range> declared, SourcePos pos, bool is_array) {
  const ObjectId id(program_.objects.size());
  Object& object = program_.objects.emplace_back();
  object.name = name;
  object.is_array = is_array;
  object.init = std::move(init);
  object.declared = declared;
  object.first_cell = CellId(program_.cell_count);
  object.pos = pos;
  program_.cell_count += object.size();
  return id;
}

void ProgramBuilder::transactional(ObjectId object) { program_.objects[object.index()].transactional = true; }

void ProgramBuilder::stamp(ObjectId object) { program_.objects[object.index()].stamp = true; }

void ProgramBuilder::cell_bytes(ObjectId object, std::vector<uint8_t> bytes) {
  program_.objects[object.index()].cell_bytes = std::move(bytes);
}

uint16_t ProgramBuilder::include(SourceFile file) {
  require(program_.included.size() < UINT16_MAX, "too many files");
  program_.included.push_back(std::move(file));
  return static_cast<uint16_t>(program_.included.size());
}

void ProgramBuilder::set_cells(ObjectId id, std::vector<Value> init, std::vector<uint8_t> bytes,
                               std::map<uint32_t, std::string> names,
                               std::map<uint32_t, CellContent> contents) {
  require(id.index() + 1 == program_.objects.size(), "only the last object can change its size");
  Object& object = program_.objects.back();
  object.init = std::move(init);
  object.cell_bytes = std::move(bytes);
  object.cell_names = std::move(names);
  object.cell_contents = std::move(contents);
  program_.cell_count = static_cast<uint32_t>(object.first_cell.index()) + object.size();
}

ThreadBuilder& ProgramBuilder::thread(const std::string& name, SourcePos pos) {
  Thread thread;
  thread.name = name;
  thread.pos = pos;
  threads_.push_back(ThreadBuilder(ThreadId(threads_.size()), std::move(thread)));
  return threads_.back();
}

ExprId ProgramBuilder::add(Expr expr) {
  for (const ExprId operand : {expr.a, expr.b, expr.c})
    require(!operand.valid() || operand.index() < program_.exprs.size(), "an operand that does not exist");
  program_.exprs.push_back(expr);
  return ExprId(program_.exprs.size() - 1);
}

ExprId ProgramBuilder::constant(Value value) { return add({.imm = value}); }

ExprId ProgramBuilder::reg(RegId reg) { return add({.op = ExprOp::kReg, .reg = reg}); }

ExprId ProgramBuilder::reg_at(RegId first, uint32_t count, ExprId index) {
  return add({.op = ExprOp::kRegAt, .a = index, .reg = first, .count = count});
}

ExprId ProgramBuilder::unary(ExprOp op, ExprId a) {
  require(op == ExprOp::kNeg || op == ExprOp::kNot || op == ExprOp::kBitNot, "not a unary operator");
  if (const auto value = constant_value(a))
    if (const Evaluated folded = apply(op, *value, 0); folded.ok()) return constant(folded.value);
  return add({.op = op, .a = a});
}

ExprId ProgramBuilder::wrap(ExprId a, int bits) {
  require(is_width(bits), "a type of so many bits");
  if (const auto value = constant_value(a)) return constant(apply(ExprOp::kWrap, *value, bits).value);
  const Expr& operand = program_.expr(a);
  if (bits == 64 || (operand.op == ExprOp::kWrap && operand.imm == bits)) return a;
  return add({.op = ExprOp::kWrap, .a = a, .imm = bits});
}

ExprId ProgramBuilder::binary(ExprOp op, ExprId a, ExprId b) {
  require(arity(op) == 2, "not a binary operator");
  const auto left = constant_value(a), right = constant_value(b);
  if (left && op == ExprOp::kAnd && *left == 0) return constant(0);  // lazy: `b` is never looked at
  if (left && op == ExprOp::kOr && *left != 0) return constant(1);
  if (left && right)
    if (const Evaluated folded = apply(op, *left, *right); folded.ok()) return constant(folded.value);
  return add({.op = op, .a = a, .b = b});
}

ExprId ProgramBuilder::select(ExprId a, ExprId b, ExprId c) {
  if (const auto condition = constant_value(a)) return *condition != 0 ? b : c;
  return add({.op = ExprOp::kSelect, .a = a, .b = b, .c = c});
}

ExprId ProgramBuilder::cell(ObjectId object, ExprId offset) {
  return add({.op = ExprOp::kCell, .a = offset, .object = object});
}

ExprId ProgramBuilder::thread_reg(ThreadId thread, RegId reg) {
  return add({.op = ExprOp::kThreadReg, .reg = reg, .thread = thread});
}

ExprId ProgramBuilder::thread_reg_at(ThreadId thread, RegId first, uint32_t count, ExprId index) {
  return add({.op = ExprOp::kThreadRegAt, .a = index, .reg = first, .count = count, .thread = thread});
}

ExprId ProgramBuilder::at(ThreadId thread, ThreadBuilder::Label label) {
  const ExprId id = add({.op = ExprOp::kAt, .thread = thread});
  pending_at_.push_back({id, thread, label});
  return id;
}

std::optional<Value> ProgramBuilder::constant_value(ExprId id) const {
  require(id.valid() && id.index() < program_.exprs.size(), "an expression that does not exist");
  const Expr& expr = program_.expr(id);
  return expr.op == ExprOp::kConst ? std::optional(expr.imm) : std::nullopt;
}

Program ProgramBuilder::finish() {
  std::vector<std::vector<Point>> moved(threads_.size());
  for (size_t t = 0; t < threads_.size(); ++t) program_.threads.push_back(threads_[t].finish(moved[t]));
  for (const PendingAt& pending : pending_at_) {
    const size_t t = pending.thread.index();
    require(t < threads_.size(), "a point of a thread that does not exist");
    const Point old = threads_[t].resolve(pending.label);
    const Point point = old.index() < moved[t].size() ? moved[t][old.index()] : Point();
    Expr& expr = program_.exprs[pending.expr.index()];
    if (point.valid())
      expr.point = point;
    else
      expr = Expr();  // no thread is ever there: constant 0
  }
  require_valid(program_);
  return std::move(program_);
}

}  // namespace fenceline
