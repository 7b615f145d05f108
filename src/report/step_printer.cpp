// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/step_printer.h"

#include <fmt/format.h>

#include "check/replay/evaluator.h"

namespace fenceline::report {
namespace {

constexpr int kLeafLevel = 20, kUnaryLevel = 12, kSelectLevel = 0;

// How tightly an operator binds, as in C.
int level(ExprOp op) {
  switch (class_of(op)) {
    case OperatorClass::kSelect:
      return kSelectLevel;
    case OperatorClass::kLazy:
      return op == ExprOp::kOr ? 1 : 2;
    case OperatorClass::kBitwise:
      return op == ExprOp::kBitOr ? 3 : op == ExprOp::kBitXor ? 4 : 5;
    case OperatorClass::kEqual:
      return 6;
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kUnsignedLess:
      return 7;
    case OperatorClass::kShift:
      return 8;
    case OperatorClass::kAdd:
    case OperatorClass::kSub:
      return 9;
    case OperatorClass::kModular:
      return op == ExprOp::kShl64 ? 8 : op == ExprOp::kMul64 ? 10 : 9;
    case OperatorClass::kMul:
    case OperatorClass::kDivide:
      return 10;
    case OperatorClass::kNeg:
    case OperatorClass::kNot:
    case OperatorClass::kBitNot:
      return kUnaryLevel;
    case OperatorClass::kLeaf:
    case OperatorClass::kWrap:
      break;
  }
  return kLeafLevel;
}

std::string render(const Program& program, ExprId id, const LeafText& leaf, int at_least) {
  const Expr& e = program.expr(id);
  if (e.op == ExprOp::kWrap) return render(program, e.a, leaf, at_least);  // C does not write it either
  const int own = level(e.op);
  std::string text;
  if (e.op == ExprOp::kConst)
    text = fmt::format("{}", e.imm);
  else if (own == kLeafLevel)
    text = leaf(e, arity(e.op) == 1 ? render(program, e.a, leaf, 0) : "");
  else if (e.op == ExprOp::kSelect)
    text = fmt::format("{} ? {} : {}", render(program, e.a, leaf, own + 1), render(program, e.b, leaf, own),
                       render(program, e.c, leaf, own));
  else if (own == kUnaryLevel)
    text = fmt::format("{}{}", spelling(e.op), render(program, e.a, leaf, own));
  else
    text = fmt::format("{} {} {}", render(program, e.a, leaf, own), spelling(e.op),
                       render(program, e.b, leaf, own + 1));
  return own < at_least ? "(" + text + ")" : text;
}

const char* name_of(RmwOp op) {
  switch (op) {
    case RmwOp::kCas:
    case RmwOp::kCasValue:
      return "cas";
    case RmwOp::kXchg:
      return "xchg";
    case RmwOp::kFetchAdd:
      return "fetch_add";
    case RmwOp::kFetchAnd:
      return "fetch_and";
    case RmwOp::kFetchOr:
      return "fetch_or";
    case RmwOp::kFetchXor:
      return "fetch_xor";
  }
  return "";
}

// A text that can be an operand.
std::string as_operand(const std::string& text) {
  return text.find(' ') == std::string::npos || text.back() == ')' ? text : "(" + text + ")";
}

}  // namespace

std::string expression_text(const Program& program, ExprId id, const LeafText& leaf) {
  return render(program, id, leaf, 0);
}

std::string formula_text(const Program& program, ExprId id) {
  return expression_text(program, id, [&](const Expr& leaf, const std::string& index) -> std::string {
    switch (leaf_of(leaf.op)) {
      case LeafKind::kCell: {
        const Object& object = program.object(leaf.object);
        return object.is_array ? fmt::format("{}[{}]", object.name, index) : object.name;
      }
      case LeafKind::kRegister: {
        if (!leaf.thread.valid()) break;
        const Thread& thread = program.thread(leaf.thread);
        if (leaf.op == ExprOp::kThreadReg)
          return fmt::format("{}.{}", thread.name, thread.registers[leaf.reg.index()].name);
        return fmt::format("{}.{}[{}]", thread.name, check::local_array_name(program, leaf.thread, leaf.reg),
                           index);
      }
      case LeafKind::kLocation: {
        const Thread& thread = program.thread(leaf.thread);
        return fmt::format("{}@{}", thread.name, thread.at(leaf.point).label);
      }
      case LeafKind::kConst:
      case LeafKind::kNone:
        break;
    }
    return "?";
  });
}

std::string order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::kPlain:
      return "";
    case MemoryOrder::kRelaxed:
      return "relaxed";
    case MemoryOrder::kConsume:
      return "consume";
    case MemoryOrder::kAcquire:
      return "acquire";
    case MemoryOrder::kRelease:
      return "release";
    case MemoryOrder::kAcqRel:
      return "acq_rel";
    case MemoryOrder::kSeqCst:
      return "seq_cst";
  }
  return "";
}

std::string order_suffix(const Instruction& instruction) {
  const std::string order = order_name(instruction.order);
  const bool shown =
      instruction.is_memory_access() && instruction.role == StepRole::kProgram && !order.empty();
  return shown ? fmt::format(" ({})", order) : "";
}

std::string StepPrinter::thread_step(const Instruction& i, const Effect& effect) const {
  const Program& program = overlay_.program();
  const auto found = program.thread_cells.find(effect.cell);
  const std::string name =
      found == program.thread_cells.end() ? "" : " " + program.thread(found->second).name;
  if (i.role == StepRole::kStart) return "start" + name;
  return effect.value.value_or(1) != 0 ? "join" + name : fmt::format("waits for the end of{}", name);
}

std::string StepPrinter::step(ThreadId thread, Point point, const Effect& effect) {
  const Instruction& i = overlay_.at(thread, point);
  const bool failed = effect.failed();
  if (i.role == StepRole::kStart || i.role == StepRole::kJoin) {
    remember(thread, effect.dest, thread_step(i, effect));
    if (i.is_memory_access()) return thread_step(i, effect);
  }
  const auto shown = [&](Value value) { return overlay_.program().value_text(effect.cell, value); };
  const auto holds = [&](const char* yes, const char* no) { return effect.result != 0 ? yes : no; };
  switch (i.kind) {
    case InstrKind::kLoad: {
      const std::string from = location(thread, i.address, effect.cell);
      const std::string to = target(thread, i.dest, effect.dest);
      remember(thread, effect.dest, from);
      if (!effect.value) return to + from;
      return to.empty() ? fmt::format("{} is {}", from, shown(*effect.value))
                        : fmt::format("{}{} reads {}", to, from, shown(*effect.value));
    }
    case InstrKind::kStore: {
      const std::string to = location(thread, i.address, effect.cell);
      return effect.value ? fmt::format("{} = {}", to, shown(*effect.value))
                          : fmt::format("{} = {}", to, text(thread, i.a));
    }
    case InstrKind::kRmw: {
      const std::string tried = rmw(thread, i, effect);
      if (i.rmw == RmwOp::kCas)
        remember(thread, effect.dest, tried.substr(0, tried.rfind(')') + 1));
      else
        remember(thread, effect.dest, location(thread, i.address, effect.cell));
      return target(thread, i.dest, effect.dest) + tried;
    }
    case InstrKind::kFence:
      if (!i.source_text.empty()) return i.source_text;
      return overlay_.inserted(thread, point) ? to_string(i.fence) + " (added)" : to_string(i.fence);
    case InstrKind::kAssign: {
      const std::string to = target(thread, i.dest, effect.dest);
      const std::string value = text(thread, i.a);
      remember(thread, effect.dest, value);
      if (failed && !effect.dest.valid()) return to + value;
      return to.empty() ? fmt::format("computes {}", shown(effect.result))
                        : fmt::format("{}{}", to, shown(effect.result));
    }
    case InstrKind::kBranch:
      return failed ? text(thread, i.a) : fmt::format("{} {}", text(thread, i.a), holds("holds", "is false"));
    case InstrKind::kChoose:
      return fmt::format("chooses branch {} of {}", *effect.chosen + 1, i.next.size());
    case InstrKind::kHavoc: {
      const std::string to = target(thread, i.dest, effect.dest);
      remember(thread, effect.dest, fmt::format("{}", *effect.chosen));
      return fmt::format("{}{} (any of {}..{})", to.empty() ? "chooses " : to, *effect.chosen,
                         i.havoc_range.lo, i.havoc_range.hi);
    }
    case InstrKind::kAssume:
      return fmt::format("assume({})", text(thread, i.a));
    case InstrKind::kAssert:
      return failed && !i.label.empty() ? i.label : fmt::format("assert({})", text(thread, i.a));
    case InstrKind::kAtomicBegin:
      return i.one_access ? "an access of several cells" : "atomic begins";
    case InstrKind::kAtomicEnd:
      return "atomic ends";
    case InstrKind::kMark:
      return fmt::format("leaves {}", i.label);
    case InstrKind::kHalt:
      return "has ended";
  }
  return "";
}

std::string StepPrinter::flush(const Effect& effect) const {
  return fmt::format("{} = {} reaches memory", overlay_.program().cell_name(effect.cell),
                     overlay_.program().value_text(effect.cell, effect.value.value()));
}

std::string StepPrinter::rmw(ThreadId thread, const Instruction& i, const Effect& effect) const {
  const std::string cell = location(thread, i.address, effect.cell);
  const auto shown = [&](Value value) { return overlay_.program().value_text(effect.cell, value); };
  if (!effect.a)  // it failed before its operands were known
    return is_cas(i.rmw)
               ? fmt::format("{}({}, {}, {})", name_of(i.rmw), cell, text(thread, i.a), text(thread, i.b))
               : fmt::format("{}({}, {})", name_of(i.rmw), cell, text(thread, i.a));
  if (!is_cas(i.rmw))
    return fmt::format("{}({}, {}) reads {}", name_of(i.rmw), cell,
                       is_fetch(i.rmw) ? fmt::format("{}", *effect.a) : shown(*effect.a),
                       shown(*effect.value));
  const std::string tried =
      fmt::format("{}({}, {}, {})", name_of(i.rmw), cell, shown(*effect.a), shown(*effect.b));
  return effect.written ? tried + " succeeds"
                        : fmt::format("{} fails: it is {}", tried, shown(*effect.value));
}

std::string StepPrinter::text(ThreadId thread, ExprId expr) const {
  const Program& program = overlay_.program();
  return expression_text(program, expr, [&](const Expr& leaf, const std::string& index) -> std::string {
    const Register& reg = program.thread(thread).registers[leaf.reg.index()];
    if (leaf.op == ExprOp::kRegAt)
      return fmt::format("{}[{}]", check::local_array_name(program, thread, leaf.reg), index);
    if (!reg.temporary) return reg.name;
    const auto known = origins_.find({thread, leaf.reg});
    return known == origins_.end() ? "?" : as_operand(known->second);
  });
}

std::string StepPrinter::location(ThreadId thread, const Address& address, CellId cell) const {
  const Program& program = overlay_.program();
  if (cell.valid()) return program.cell_name(cell);
  // A memory of bytes: offsets are addresses.
  if (!program.object(address.object).cell_bytes.empty())
    return fmt::format("*({})", text(thread, address.offset));
  return fmt::format("{}[{}]", program.object(address.object).name, text(thread, address.offset));
}

std::string StepPrinter::target(ThreadId thread, const Dest& dest, RegId reg) const {
  if (!dest.valid()) return "";
  const std::vector<Register>& registers = overlay_.program().thread(thread).registers;
  const Register& first = registers[dest.reg.index()];
  if (first.temporary) return "";
  if (reg.valid()) return registers[reg.index()].name + " = ";
  if (dest.is_element())
    return fmt::format("{}[{}] = ", check::local_array_name(overlay_.program(), thread, dest.reg),
                       text(thread, dest.index));
  return first.name + " = ";
}

// A long expression is less readable than its value, which is shown where it matters.
void StepPrinter::remember(ThreadId thread, RegId reg, std::string origin) {
  constexpr size_t kLongest = 60;
  if (!reg.valid() || !overlay_.program().thread(thread).registers[reg.index()].temporary) return;
  if (origin.size() > kLongest) origin = "(...)";
  origins_[{thread, reg}] = std::move(origin);
}

std::vector<std::string> step_texts(const Overlay& overlay, const Replay& replay) {
  StepPrinter printer(overlay);
  std::vector<std::string> texts;
  for (const ReplayedStep& replayed : replay.steps) {
    const TraceStep& step = replayed.step;
    if (step.kind == StepKind::kFlush)
      texts.push_back(printer.flush(replayed.effect));
    else if (replay.queues && step.kind == StepKind::kExecute)
      texts.emplace_back();
    else
      texts.push_back(printer.step(step.thread, step.point, replayed.effect));
  }
  return texts;
}

ExecutionTexts execution_texts(const Overlay& overlay, const Execution& execution,
                               const ExecutionCheck& check) {
  const Program& program = overlay.program();
  ExecutionTexts texts;
  for (const Event& event : execution.events) {
    std::string& text = texts.events.emplace_back();  // of a step's first event: replaced below
    if (!event.thread.valid())
      text = fmt::format("{} = {} initially", program.cell_name(event.cell),
                         program.value_text(event.cell, event.value));
    else if (event.kind == EventKind::kWrite)
      text =
          fmt::format("{} = {}", program.cell_name(event.cell), program.value_text(event.cell, event.value));
  }
  StepPrinter printer(overlay);
  for (size_t thread = 0; thread < check.steps.size(); ++thread)
    for (const ExecutedStep& step : check.steps[thread]) {
      const std::string text = printer.step(ThreadId(thread), step.point, step.effect);
      if (step.first_event.valid()) texts.events[step.first_event.index()] = text;
      if (step.effect.failed()) texts.failing_step = text;
    }
  return texts;
}

}  // namespace fenceline::report
