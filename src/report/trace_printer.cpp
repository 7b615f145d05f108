// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/trace_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ir/edit/overlay.h"
#include "ir/walk.h"
#include "report/queue_trace_printer.h"
#include "report/step_printer.h"

namespace fenceline::report {
namespace {

// What the property looks at: labels to announce and registers whose assignments are shown.
struct Named {
  std::set<std::pair<ThreadId, Point>> points;
  std::set<std::pair<ThreadId, RegId>> registers;
  std::set<ThreadId> threads;
};

void find_named(const Program& program, ExprId id, Named& named) {
  if (!id.valid()) return;
  for_each_expr(program, id, [&](const Expr& e) {
    if (e.op == ExprOp::kAt) named.points.insert({e.thread, e.point});
    if (e.op == ExprOp::kThreadReg || e.op == ExprOp::kThreadRegAt)
      for (size_t i = 0; i < e.count; ++i) named.registers.insert({e.thread, RegId(e.reg.index() + i)});
    if (e.thread.valid()) named.threads.insert(e.thread);
  });
}

class TracePrinter {
 public:
  TracePrinter(const Answer& answer, bool verbose)
      : program_(*answer.program),
        overlay_(program_, answer.fences != nullptr ? *answer.fences : no_fences_),
        steps_(answer.result.replay()->steps),
        texts_(step_texts(overlay_, *answer.result.replay())),
        verbose_(verbose) {
    find_named(program_, answer.property->formula, named_);
    if (answer.test != nullptr)
      for (const OperationCall& one : answer.test->operations)
        operations_[{one.thread, one.number}] = fmt::format("{} calls {}", one.name, one.call);
    while (alone_ < steps_.size() && !starts_thread(alone_)) ++alone_;
    if (alone_ == steps_.size()) alone_ = 0;
    in_operation_.resize(program_.threads.size());
    buffer_sizes_.resize(program_.threads.size());
  }

  PrintedTrace print();

 private:
  const Instruction* instruction(size_t i) const {  // none for a flush
    const TraceStep& step = steps_[i].step;
    return step.kind == StepKind::kExecute ? &overlay_.at(step.thread, step.point) : nullptr;
  }
  bool visible(size_t i) const;
  // Is it a step that a reader has not written? Of a flush: the store is one, or starts a thread.
  bool internal(size_t i) const {
    if (const Instruction* ins = instruction(i)) return is_internal(*ins);
    const std::optional<size_t> stored = steps_[i].effect.stored_by;
    if (!stored) return false;
    if (i < alone_) return true;
    const Instruction* store = instruction(*stored);
    return store != nullptr && store->role != StepRole::kProgram;
  }
  bool starts_thread(size_t i) const {
    const Instruction* ins = instruction(i);
    return ins != nullptr && ins->role == StepRole::kStart;
  }
  std::vector<BufferedStore> shown_stores(size_t i) const;
  std::string note(size_t i) const;
  void print_step(size_t i);
  void add_line(size_t i, std::string text, Tone tone, SourcePos pos = {});
  std::string line(SourcePos pos) const { return pos.known() ? program_.line_name(pos) : ""; }
  void fold_lines();
  bool repeats(const TraceLine& x, const TraceLine& y) const;
  size_t spin_length(size_t i) const;
  bool same(size_t i, size_t j) const;

  const FenceSet no_fences_;
  const Program& program_;
  const Overlay overlay_;
  const std::vector<ReplayedStep>& steps_;
  const std::vector<std::string> texts_;  // by step
  const bool verbose_;
  Named named_;
  // Before the first thread is started, no other one can see what is pending; and starting it flushes all stores.
  size_t alone_ = 0;
  std::vector<size_t> buffer_sizes_;                                 // by thread, before the step
  std::map<std::pair<ThreadId, uint32_t>, std::string> operations_;  // of a test: the text of their beginning
  std::vector<uint32_t> in_operation_;                               // by thread
  bool in_atomic_ = false;
  bool first_in_atomic_ = false;
  bool shown_ = false;  // does the current step have a line already?
  PrintedTrace printed_;
};

bool TracePrinter::visible(size_t i) const {
  const Instruction* ins = instruction(i);
  const Effect& effect = steps_[i].effect;
  if (effect.failed())
    return texts_[i] != to_string(effect.error);  // else the error is printed, and that is enough
  if (verbose_) return true;
  if (internal(i)) return false;
  if (ins == nullptr) return true;
  const ThreadId thread = steps_[i].step.thread;
  switch (ins->kind) {
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kRmw:
    case InstrKind::kFence:
    case InstrKind::kHavoc:
    case InstrKind::kChoose:
      return true;
    case InstrKind::kMark:
      return named_.points.contains({thread, steps_[i].step.point});
    case InstrKind::kAssign:
      for (size_t r = 0; r < ins->dest.count; ++r)
        if (named_.registers.contains({thread, RegId(ins->dest.reg.index() + r)})) return true;
      return false;
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kHalt:
      break;
  }
  return false;
}

// Which store was read.
std::string TracePrinter::note(size_t i) const {
  const Instruction* ins = instruction(i);
  const ReplayedStep& step = steps_[i];
  if (ins == nullptr || !ins->reads_memory() || !step.step.value) return "";
  if (ins->role == StepRole::kJoin) return "";
  if (ins->kind == InstrKind::kRmw && is_cas(ins->rmw) && step.step.written) return "";
  if (step.effect.from_own_buffer) return "(own buffer)";
  return step.effect.reads_from ? fmt::format("(step {})", *step.effect.reads_from + 1) : "(initial)";
}

// A second line of the same step, or its first if the step itself is not shown.
void TracePrinter::add_line(size_t i, std::string text, Tone tone, SourcePos pos) {
  TraceLine more;
  if (!shown_) more.step = i + 1;
  more.line = line(pos);
  more.thread = steps_[i].step.thread;
  more.text = std::move(text);
  more.tone = tone;
  printed_.lines.push_back(std::move(more));
  shown_ = true;
}

void TracePrinter::print_step(size_t i) {
  const ReplayedStep& step = steps_[i];
  const Instruction* ins = instruction(i);
  shown_ = false;
  if (ins != nullptr && ins->operation != in_operation_[step.step.thread.index()]) {
    in_operation_[step.step.thread.index()] = ins->operation;
    if (const auto begins = operations_.find({step.step.thread, ins->operation}); begins != operations_.end())
      add_line(i, begins->second, Tone::kBold);
    shown_ = false;
  }
  if (ins != nullptr && ins->kind == InstrKind::kAtomicBegin) in_atomic_ = first_in_atomic_ = true;
  if (ins != nullptr && ins->kind == InstrKind::kAtomicEnd) in_atomic_ = false;

  if (visible(i)) {
    TraceLine shown;
    shown.step = i + 1;
    shown.line = line(step.pos);
    shown.thread = step.step.thread;
    shown.text = texts_[i] + (ins == nullptr ? "" : order_suffix(*ins));
    const bool in_section = in_atomic_ && ins != nullptr && ins->role == StepRole::kProgram;
    if (in_section && !verbose_) shown.text = (first_in_atomic_ ? "atomic: " : "  then: ") + shown.text;
    shown.note = note(i);
    shown.tone = ins == nullptr ? Tone::kMemory : Tone::kPlain;
    printed_.lines.push_back(std::move(shown));
    shown_ = true;
    if (in_atomic_ && !(verbose_ && ins->kind == InstrKind::kAtomicBegin)) first_in_atomic_ = false;
  }
  if (step.effect.failed())
    add_line(i, "error: " + to_string(step.effect.error), Tone::kBad, shown_ ? SourcePos() : step.pos);

  size_t& size = buffer_sizes_[step.step.thread.index()];
  const std::vector<BufferedStore> stores = shown_stores(i);
  if (stores.size() != size && !stores.empty()) {
    std::string pending;
    for (const BufferedStore& store : stores)
      pending += fmt::format("{}{}={}", pending.empty() ? "" : ", ", program_.cell_name(store.cell),
                             program_.value_text(store.cell, store.value));
    add_line(i, "  buffer: " + pending, Tone::kDim);
  }
  size = stores.size();

  const bool arrives = ins != nullptr && !step.effect.failed() &&
                       named_.points.contains({step.step.thread, step.after}) &&
                       step.after != step.step.point;
  if (arrives) {
    const Instruction& mark = overlay_.at(step.step.thread, step.after);
    add_line(i, "reaches " + mark.label, Tone::kBold, shown_ ? SourcePos() : mark.pos);
  }
  if (!shown_) {
    ++printed_.hidden;
    if (internal(i)) ++printed_.internal;
  }
}

// What is pending, without what a reader has not written.
std::vector<BufferedStore> TracePrinter::shown_stores(size_t i) const {
  std::vector<BufferedStore> stores;
  if (i < alone_ && !verbose_) return stores;
  for (const BufferedStore& store : steps_[i].buffer) {
    const Instruction* by = instruction(store.step);
    if (verbose_ || by == nullptr || by->role == StepRole::kProgram) stores.push_back(store);
  }
  return stores;
}

// Does step j repeat step i and leave everything as it was?
bool TracePrinter::same(size_t i, size_t j) const {
  const ReplayedStep &x = steps_[i], &y = steps_[j];
  const Instruction* ins = instruction(j);
  return ins != nullptr && !ins->writes_memory() && x.step.kind == y.step.kind &&
         x.step.thread == y.step.thread && x.step.point == y.step.point && texts_[i] == texts_[j] &&
         x.after == y.after && !y.effect.failed() && x.effect.reads_from == y.effect.reads_from &&
         x.buffer.size() == y.buffer.size();
}

// The length of the shortest run of steps from i that is repeated right behind itself; 0: none is.
size_t TracePrinter::spin_length(size_t i) const {
  size_t block = 1;
  while (i + block < steps_.size() && steps_[i + block].step.thread == steps_[i].step.thread) ++block;
  constexpr size_t kLongest = 64;
  for (size_t length = 1; length <= std::min(kLongest, block / 2); ++length) {
    size_t matched = 0;
    while (matched < length && same(i + matched, i + length + matched)) ++matched;
    if (matched == length) return length;
  }
  return 0;
}

// Does the second line say what the first one says, of another step that only reads?
bool TracePrinter::repeats(const TraceLine& x, const TraceLine& y) const {
  if (!x.step || !y.step || x.thread != y.thread || x.line != y.line || x.text != y.text || x.note != y.note)
    return false;
  const Instruction* ins = instruction(*y.step - 1);
  return ins != nullptr && ins->reads_memory() && !ins->writes_memory();
}

// A loop that was unrolled has a copy of its steps for each iteration; those that read the same are one line.
void TracePrinter::fold_lines() {
  std::vector<TraceLine> folded;
  for (size_t i = 0; i < printed_.lines.size();) {
    size_t end = i + 1;
    while (end < printed_.lines.size() && repeats(printed_.lines[i], printed_.lines[end])) ++end;
    folded.push_back(printed_.lines[i]);
    if (end > i + 1) {
      TraceLine more;
      more.thread = printed_.lines[i].thread;
      const size_t times = end - i - 1;
      more.text = fmt::format("  the same {} (up to step {})",
                              times == 1 ? "once more" : fmt::format("{} more times", times),
                              *printed_.lines[end - 1].step);
      more.tone = Tone::kDim;
      folded.push_back(std::move(more));
    }
    i = end;
  }
  printed_.lines = std::move(folded);
}

PrintedTrace TracePrinter::print() {
  std::set<ThreadId> threads = named_.threads;
  for (size_t i = 0; i < steps_.size();) {
    threads.insert(steps_[i].step.thread);
    const size_t length = verbose_ ? 0 : spin_length(i);
    if (length == 0) {
      print_step(i++);
      continue;
    }
    for (size_t k = 0; k < length; ++k) print_step(i + k);
    size_t end = i + length;
    while (end < steps_.size() && same(end - length, end)) ++end;
    const size_t times = (end - i) / length - 1;
    end = i + (times + 1) * length;
    shown_ = false;
    add_line(i + length,
             fmt::format("  spins {} (steps {}-{})",
                         times == 1 ? "once more" : fmt::format("{} more times", times), i + length + 1, end),
             Tone::kDim);
    printed_.lines.back().step.reset();
    i = end;
  }
  if (!verbose_) fold_lines();
  printed_.threads.assign(threads.begin(), threads.end());
  return std::move(printed_);
}

}  // namespace

PrintedTrace print_trace(const Answer& answer, bool verbose) {
  return answer.result.replay()->queues ? print_queue_trace(answer) : TracePrinter(answer, verbose).print();
}

}  // namespace fenceline::report
