// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two small arguments.
//
// Why the formula has its value: of a conjunction that holds both sides matter, of one that fails the side
// that fails; dually for disjunctions. The values of the remaining atoms are the explanation.
//
// Whether buffers matter: execute the same steps with every store flushed at once. A read that would have
// returned something else is where the trace leaves sequential consistency; the store it would have read was
// either still in its thread's buffer, or had been overwritten by an older store that was flushed later. If
// there is no such read, and what the property sees of memory is the same as well, then the trace needs no
// buffers at all.
#include "report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "check/replay/evaluator.h"
#include "env/errors.h"
#include "ir/edit/overlay.h"
#include "ir/walk.h"
#include "report/display.h"
#include "report/queue_trace_printer.h"
#include "report/step_printer.h"

namespace fenceline::report {
namespace {

std::string line_of(const Program& program, SourcePos pos) {
  if (!pos.known()) return "";
  return fmt::format(" ({}{})", pos.file == 0 ? "line " : "", program.line_name(pos));
}
std::string in_line(const Program& program, SourcePos pos) {
  if (!pos.known()) return "";
  return fmt::format(" {} {}", pos.file == 0 ? "in line" : "at", program.line_name(pos));
}

// Keeps "x = 1" on one line when a paragraph is wrapped.
std::string unbroken(std::string text) {
  for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos;) text.replace(at, 1, kNoBreakSpace);
  return text;
}

// ---- The state
// ---------------------------------------------------------------------------------------------

class StateFacts {
 public:
  // `self`: the thread whose registers kReg means, for the condition of an assertion.
  StateFacts(const Program& program, const Replay& replay, ThreadId self = ThreadId())
      : program_(program), replay_(replay), self_(self) {}

  // The leaves that determine the value of an expression. Parts that were not evaluated may have no value.
  void explain(ExprId id) {
    try {
      because(id);
    } catch (const ProgramError&) {
    } catch (const check::ValueTooLarge&) {
    }
  }
  const std::vector<std::string>& facts() const { return facts_; }

 private:
  Value value(ExprId id) const {
    return check::evaluate_checked(
        program_, id, [this](const Expr& e, size_t index) { return leaf(e, index); }, self_);
  }
  Value leaf(const Expr& e, size_t index) const;
  // Whose register the leaf is.
  ThreadId owner(const Expr& e) const { return e.thread.valid() ? e.thread : self_; }
  void because(ExprId id);
  void values_in(ExprId id);
  void add(std::string fact) {
    fact = unbroken(std::move(fact));
    if (std::find(facts_.begin(), facts_.end(), fact) == facts_.end()) facts_.push_back(std::move(fact));
  }

  const Program& program_;
  const Replay& replay_;
  ThreadId self_;
  std::vector<std::string> facts_;
};

Value StateFacts::leaf(const Expr& e, size_t index) const {
  switch (leaf_of(e.op)) {
    case LeafKind::kCell:
      return replay_.memory[program_.object(e.object).first_cell.index() + index];
    case LeafKind::kLocation:
      return replay_.locations[e.thread.index()] == e.point;
    case LeafKind::kRegister:
      return replay_.registers[owner(e).index()][e.reg.index() + index];
    case LeafKind::kConst:
    case LeafKind::kNone:
      break;
  }
  throw Bug("a leaf that is none");
}

void StateFacts::because(ExprId id) {
  const Expr& e = program_.expr(id);
  if (e.op == ExprOp::kNot) return because(e.a);
  if (shape_of(e.op) == ExprShape::kLazy) {
    const bool first = value(e.a) != 0;
    const bool decided_by_first = first == (e.op == ExprOp::kOr);
    if (decided_by_first) return because(e.a);
    const bool second = value(e.b) != 0;
    if (second == first) because(e.a);  // both sides were needed
    return because(e.b);
  }
  if (e.op == ExprOp::kSelect) {
    because(e.a);
    return because(value(e.a) != 0 ? e.b : e.c);
  }
  return values_in(id);
}

void StateFacts::values_in(ExprId id) {
  const Expr& e = program_.expr(id);
  switch (leaf_of(e.op)) {
    case LeafKind::kConst:
      return;
    case LeafKind::kLocation: {
      const Thread& thread = program_.thread(e.thread);
      const Instruction& mark = thread.at(e.point);
      return add(value(id) != 0
                     ? fmt::format("{} at {}{}", thread.name, mark.label, line_of(program_, mark.pos))
                     : fmt::format("{} not at {}", thread.name, mark.label));
    }
    case LeafKind::kCell: {
      const CellId cell(program_.object(e.object).first_cell.index() + static_cast<size_t>(value(e.a)));
      return add(fmt::format("{} = {}", program_.cell_name(cell), value(id)));
    }
    case LeafKind::kRegister: {
      const bool own = !e.thread.valid();
      const Thread& thread = program_.thread(owner(e));
      const size_t index = arity(e.op) == 1 ? static_cast<size_t>(value(e.a)) : 0;
      const Register& reg = thread.registers[e.reg.index() + index];
      if (reg.temporary) return;
      return add(own ? fmt::format("{} = {}", reg.name, value(id))
                     : fmt::format("{}.{} = {}", thread.name, reg.name, value(id)));
    }
    case LeafKind::kNone:
      for (const ExprId operand : Operands(e)) values_in(operand);
  }
}

std::string facts_or_formula(const Answer& answer) {
  StateFacts facts(*answer.program, *answer.result.replay());
  facts.explain(answer.property->formula);
  if (!facts.facts().empty()) return joined_with_and(facts.facts());
  return formula_text(*answer.program, answer.property->formula) +
         (answer.property->kind == PropertyKind::kNever ? " holds" : " does not hold");
}

// An error is not about what is in memory, and a formula is looked at only where there was none.
bool ends_in_error(const Answer& answer) {
  const std::vector<ReplayedStep>& steps = answer.result.replay()->steps;
  return !steps.empty() && steps.back().effect.failed();
}

std::string failed_step(const Answer& answer) {
  const Program& program = *answer.program;
  const ReplayedStep& last = answer.result.replay()->steps.back();
  const Thread& thread = program.thread(last.step.thread);
  const std::string text = fmt::format("{} fails{}: ", thread.name, in_line(program, last.pos));
  const std::string error = to_string(last.effect.error);
  if (answer.result.replay()->queues) return text + error;
  const FenceSet none;
  const Overlay overlay(program, answer.fences != nullptr ? *answer.fences : none);
  const std::string step = step_texts(overlay, *answer.result.replay()).back();
  if (last.effect.error.kind != ProgramError::Kind::kAssertion)
    return text + (error.starts_with(step) ? "" : step + ": ") + error;
  StateFacts facts(program, *answer.result.replay(), last.step.thread);
  facts.explain(thread.at(last.step.point).a);
  return text + step + (facts.facts().empty() ? "" : " with " + joined_with_and(facts.facts()));
}

// " `while (x == 0) ;`", or nothing.
std::string quoted_line(const Program& program, SourcePos pos) {
  if (!pos.known()) return "";
  const std::string quote = printable(program.file_of(pos).line(pos.line));
  const size_t begin = quote.find_first_not_of(' ');
  return begin == std::string::npos ? "" : fmt::format(" `{}`", quote.substr(begin));
}

std::string waiting_threads(const Answer& answer) {
  const FenceSet none;
  const Overlay overlay(*answer.program, answer.fences != nullptr ? *answer.fences : none);
  std::vector<std::string> parts;
  for (size_t t = 0; t < answer.program->threads.size(); ++t) {
    const Instruction& i = overlay.at(ThreadId(t), answer.result.replay()->locations[t]);
    if (i.kind == InstrKind::kHalt) continue;
    parts.push_back(fmt::format("{} waits{}{}", answer.program->threads[t].name,
                                in_line(*answer.program, i.pos), quoted_line(*answer.program, i.pos)));
  }
  return "no step is possible, but " + joined_with_and(parts);
}

// ---- The stores
// --------------------------------------------------------------------------------------------

class LateStores {
 public:
  explicit LateStores(const Answer& answer)
      : answer_(answer),
        program_(*answer.program),
        steps_(answer.result.replay()->steps),
        overlay_(program_, answer.fences != nullptr ? *answer.fences : none_),
        at_once_(program_.initial_memory()),
        last_store_(program_.cell_count),
        buffers_(program_.threads.size()) {}

  std::string sentence();

 private:
  // The last read of some instruction that did not return the newest store. If the same instruction read the
  // newest value later on, as in a spin loop, it was most likely not the cause.
  struct Read {
    size_t step = 0;
    std::string text;  // empty: all reads returned the newest store
    bool settled = true;
  };

  void advance(size_t i);
  void look_at(CellId cell);
  void look_at_memory(ExprId formula);
  std::string store(size_t step) const;
  std::string lateness(CellId cell, std::optional<size_t> seen, const char* was) const;

  const FenceSet none_;
  const Answer& answer_;
  const Program& program_;
  const std::vector<ReplayedStep>& steps_;
  const Overlay overlay_;
  std::vector<Value> at_once_;                         // memory, if every store reached it at once
  std::vector<std::optional<size_t>> last_store_;      // by cell: the step whose store that is
  std::vector<std::vector<BufferedStore>> buffers_;    // by thread, now
  std::map<CellId, std::optional<size_t>> in_memory_;  // the step whose store memory really holds
  std::map<std::pair<ThreadId, Point>, Read> reads_;   // by instruction
  std::set<std::string> at_the_end_;
};

std::string LateStores::store(size_t step) const {
  const ReplayedStep& s = steps_[step];
  const Value value = s.step.written ? *s.step.written : *s.step.value;
  return unbroken(fmt::format("{} = {} (step {})", program_.cell_name(s.step.cell),
                              program_.value_text(s.step.cell, value), step + 1));
}

// Why the newest store to the cell is not the one that was read, which is `seen`.
std::string LateStores::lateness(CellId cell, std::optional<size_t> seen, const char* was) const {
  const size_t newest = *last_store_[cell.index()];
  const ThreadId owner = steps_[newest].step.thread;
  const std::string& name = program_.thread(owner).name;
  const auto pending = [&](size_t step) {
    const std::vector<BufferedStore>& buffer = buffers_[steps_[step].step.thread.index()];
    return std::any_of(buffer.begin(), buffer.end(), [&](const BufferedStore& s) { return s.step == step; });
  };
  if (pending(newest)) return fmt::format("while {}'s {} {} still in its buffer", name, store(newest), was);
  if (seen && pending(*seen))
    return fmt::format("from its own buffer although {}'s {} {} in memory", name, store(newest), was);
  require(seen.has_value(), "a store that left its buffer never reached memory");
  return fmt::format("since {}'s {} reached memory after {}'s later {}",
                     program_.thread(steps_[*seen].step.thread).name, store(*seen), name, store(newest));
}

void LateStores::advance(size_t i) {
  const ReplayedStep& step = steps_[i];
  const CellId cell = step.step.cell;
  const ThreadId thread = step.step.thread;
  if (step.step.kind == StepKind::kExecute && cell.valid() && step.step.value) {
    const Instruction& instruction = overlay_.at(thread, step.step.point);
    if (instruction.reads_memory() && instruction.role == StepRole::kProgram) {
      Read& read = reads_[{thread, step.step.point}];
      read.settled = *step.step.value == at_once_[cell.index()];
      if (!read.settled) {
        read.step = i;
        read.text = fmt::format("{} read {} as {} (step {}) {}", program_.thread(thread).name,
                                program_.cell_name(cell), program_.value_text(cell, *step.step.value), i + 1,
                                lateness(cell, step.effect.reads_from, "was"));
      }
    }
    const std::optional<Value> written =
        instruction.kind == InstrKind::kStore ? step.step.value : step.step.written;
    if (written && !step.effect.failed()) {
      at_once_[cell.index()] = *written;
      last_store_[cell.index()] = i;
      const bool pending = !step.buffer.empty() && step.buffer.back().step == i;
      if (!pending) in_memory_[cell] = i;
    }
  } else if (step.step.kind == StepKind::kFlush) {
    in_memory_[cell] = step.effect.stored_by;
  }
  buffers_[thread.index()] = step.buffer;
}

// Cells that the property sees and that hold something else than they would without buffers.
void LateStores::look_at(CellId cell) {
  const Value held = answer_.result.replay()->memory[cell.index()];
  if (held != at_once_[cell.index()])
    at_the_end_.insert(fmt::format("{} is {} in memory {}", program_.cell_name(cell),
                                   program_.value_text(cell, held), lateness(cell, in_memory_[cell], "is")));
}

void LateStores::look_at_memory(ExprId id) {
  if (!id.valid()) return;
  const Expr& e = program_.expr(id);
  if (e.op == ExprOp::kCell) {
    const Object& object = program_.object(e.object);
    const Expr& offset = program_.expr(e.a);
    for (size_t k = 0; k < object.size(); ++k)
      if (offset.op != ExprOp::kConst || offset.imm == static_cast<Value>(k))
        look_at(CellId(object.first_cell.index() + k));
  }
  for (const ExprId operand : Operands(e)) look_at_memory(operand);
}

std::string LateStores::sentence() {
  for (size_t i = 0; i < steps_.size(); ++i) advance(i);
  if (!ends_in_error(answer_)) look_at_memory(answer_.property->formula);
  if (answer_.property->kind == PropertyKind::kNoDeadlock ||
      answer_.property->kind == PropertyKind::kLiveness)  // a blocked thread may wait for any of them
    for (size_t c = 0; c < program_.cell_count; ++c) look_at(CellId(c));
  std::vector<Read> reads;
  for (const auto& [instruction, read] : reads_)
    if (!read.settled) reads.push_back(read);
  if (reads.empty() && at_the_end_.empty())
    for (const auto& [instruction, read] : reads_)
      if (!read.text.empty()) reads.push_back(read);
  std::sort(reads.begin(), reads.end(), [](const Read& x, const Read& y) { return x.step < y.step; });
  constexpr size_t kEnough = 3;  // the last ones matter most
  if (reads.size() > kEnough) reads.erase(reads.begin(), reads.end() - kEnough);
  std::string text;
  for (const Read& read : reads) text += (text.empty() ? "" : "; ") + read.text;
  for (const std::string& late : at_the_end_) text += (text.empty() ? "" : "; ") + late;
  return text.empty() ? "this does not depend on store buffers: the same execution is possible under sc."
                      : text + ".";
}

}  // namespace

std::string waiting_text(const Program& program, const std::vector<WaitingThread>& waiting) {
  std::vector<std::string> parts;
  for (const WaitingThread& one : waiting) {
    std::vector<std::string> reads;
    for (const WaitingThread::Read& read : one.reads)
      reads.push_back(unbroken(
          fmt::format("{} = {}", program.cell_name(read.cell), program.value_text(read.cell, read.value))));
    parts.push_back(fmt::format("{} waits for ever{}{}{}{}", program.thread(one.thread).name,
                                one.loop ? " in the loop" : "", in_line(program, one.pos),
                                quoted_line(program, one.pos),
                                reads.empty() ? "" : " with " + joined_with_and(reads)));
  }
  return "all stores have reached memory, but " + joined_with_and(parts);
}

std::string violated_state(const Answer& answer) {
  switch (answer.property->kind) {
    case PropertyKind::kLiveness:
      return waiting_text(*answer.program, answer.result.replay()->waiting);
    case PropertyKind::kNoErrors:
      return failed_step(answer);
    case PropertyKind::kNoDeadlock:
      return waiting_threads(answer);
    case PropertyKind::kOpacity:
    case PropertyKind::kStrictSerializability:
      if (ends_in_error(answer)) return failed_step(answer);
      return fmt::format("the history is {}: {}", history_text(*answer.result.replay()),
                         answer.result.replay()->history_error);
    case PropertyKind::kObservations:
      if (ends_in_error(answer)) return failed_step(answer);
      if (answer.test != nullptr) return observed_text(*answer.test, answer.result.replay()->registers);
      [[fallthrough]];
    case PropertyKind::kFinally:
      return "all threads have ended with " + facts_or_formula(answer);
    default:
      return facts_or_formula(answer);
  }
}

std::string late_stores(const Answer& answer) {
  if (answer.result.replay()->queues) {
    const std::string moved = reorderings(answer);
    return moved.empty() ? "nothing was reordered: the same execution is possible under sc." : moved + ".";
  }
  return answer.model == "sc" ? "" : LateStores(answer).sentence();
}

}  // namespace fenceline::report
