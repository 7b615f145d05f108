// SPDX-License-Identifier: GPL-3.0-or-later
//
// thread_traces.h gives what each thread can do by itself, sorted into shapes. For each choice of a shape per
// thread the events, and with them most of what the model looks at, are fixed; what remains is a search over
// rf, read by read, and co, write by write, which is pruned twofold. The model is evaluated on what has
// been chosen so far, which often is a cycle already; and a read that reads a certain write leaves only those
// traces of its thread, and of the writer's, in which both have the same value.
//
// The traces of a thread that are left are the first ones of a list; the others are swapped behind them, so
// to undo is to remember how many there were.
#include "engine/enumeration/enumerate.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/axiomatic/base_relations.h"
#include "check/axiomatic/cat_evaluator.h"
#include "check/axiomatic/thread_traces.h"
#include "check/replay/evaluator.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

struct Exhausted {
  std::string why;
};
struct Enough {};

class Enumerator {
 public:
  Enumerator(const Overlay& overlay, const CatModel& model, std::span<const ExprId> observed,
             const EnumerationOptions& options, const ExecutionVisitor& visit)
      : overlay_(overlay),
        program_(overlay.program()),
        model_(model),
        observed_(observed),
        options_(options),
        limits_(options.limits),
        visit_(visit),
        evaluator_(model),
        initial_(program_.initial_memory()),
        structure_(has_operations(program_)) {}

  Enumeration run();

 private:
  // The traces of a thread in the shape that it has now.
  struct Thread {
    const check::ThreadShape* shape = nullptr;
    std::vector<uint32_t> traces;  // those that are left come first
    size_t left = 0;

    Value value(size_t trace, size_t event) const { return shape->traces[traces[trace]].values[event]; }
  };
  // A read or write: which event of which thread.
  struct LocalEvent {
    size_t thread = 0, event = 0;
  };
  struct Read {
    size_t event = 0;
    LocalEvent local;
    std::vector<size_t> candidates;  // writes
    size_t from = 0;                 // the one that it reads now
  };

  void count_step();
  // The values of an event in the traces that are left, in order: there may be thousands of traces, and all
  // of one thread must not be compared with all of another.
  std::vector<Value> values_of(const Thread& thread, size_t event);
  void choose_shapes(size_t thread);
  bool begin_shapes();
  bool find_candidates(Read& read);
  void choose_read(size_t index);
  bool restrict_values(const Read& read, size_t write);
  void find_values();
  void with_values(size_t thread);
  bool values_agree(size_t thread) const;
  void choose_coherence(size_t cell);
  void put_next(size_t cell, size_t position);
  bool excluded();
  void leaf();
  bool observe(const std::vector<size_t>& chosen);

  bool wants_complete() const { return options_.extent == Extent::kComplete; }
  bool fails() const {
    return std::any_of(threads_.begin(), threads_.end(),
                       [](const Thread& thread) { return thread.shape->end == check::TraceEnd::kFailed; });
  }
  bool is_initial(size_t event) const { return event < program_.cell_count; }
  LocalEvent local_event(size_t event) const {
    const ThreadId thread = structure_.item(event).thread;
    return {thread.index(), event - structure_.first_of(thread)};
  }
  const check::ThreadTrace& chosen_trace(const std::vector<size_t>& chosen, size_t thread) const {
    return threads_[thread].shape->traces[chosen[thread]];
  }
  Value value_of(const std::vector<size_t>& chosen, size_t event) const {
    if (is_initial(event)) return initial_[event];
    const LocalEvent local = local_event(event);
    return chosen_trace(chosen, local.thread).values[local.event];
  }
  Execution execution(const std::vector<size_t>& chosen) const;

  const Overlay& overlay_;
  const Program& program_;
  const CatModel& model_;
  std::span<const ExprId> observed_;
  const EnumerationOptions& options_;
  const EnumerationLimits& limits_;
  const ExecutionVisitor& visit_;
  check::CatEvaluator evaluator_;
  std::vector<Value> initial_;
  std::vector<check::ThreadShapes> shapes_;

  std::vector<Thread> threads_;
  check::EventStructure structure_;
  std::vector<Read> reads_;
  std::vector<std::vector<size_t>> readers_;  // by write: the reads that read it now
  std::vector<std::vector<size_t>> order_;    // by cell: its writes but the initial one, in the order so far
  size_t read_count_ = 0;
  check::Relation rf_, co_, fr_;
  bool evaluated_ = false;                  // the model allows what is chosen now
  std::vector<std::vector<size_t>> found_;  // by solution: the trace of each thread
  std::vector<size_t> chosen_;              // the one that is being put together
  std::vector<size_t> before_;
  std::vector<Value> outcome_;
  Enumeration result_;
};

Enumeration Enumerator::run() {
  try {
    const check::TraceOptions traces{
        .longest = limits_.longest, .unfinished = !wants_complete(), .values = options_.values};
    shapes_ = check::thread_shapes(overlay_, traces, [this] { count_step(); });
    for (const check::ThreadShapes& shapes : shapes_) {
      result_.stopped |= shapes.stopped;
      result_.failed |= shapes.failed;
      result_.too_long |= shapes.too_long;
      result_.too_large |= shapes.too_large;
    }
    if (limits_.whole && (result_.too_long || result_.too_large))
      throw Exhausted{"a thread may take too many steps, or compute a value that is too large"};
    threads_.resize(shapes_.size());
    choose_shapes(0);
    result_.complete = true;
  } catch (const Exhausted& exhausted) {
    result_.why_not = exhausted.why;
  } catch (const Enough&) {
  }
  return std::move(result_);
}

void Enumerator::count_step() {
  if (++result_.steps > limits_.budget) throw Exhausted{"there are too many executions"};
  if (limits_.limits == nullptr || result_.steps % 128 != 0) return;
  const LimitReached reached = limits_.limits->poll();
  if (reached != LimitReached::kNone) throw Exhausted{limits_.limits->describe(reached)};
}

std::vector<Value> Enumerator::values_of(const Thread& thread, size_t event) {
  constexpr size_t kAtOnce = 64;
  for (size_t i = kAtOnce; i < thread.left; i += kAtOnce) count_step();
  std::vector<Value> values;
  values.reserve(thread.left);
  for (size_t i = 0; i < thread.left; ++i) values.push_back(thread.value(i, event));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// ---- Shapes

void Enumerator::choose_shapes(size_t thread) {
  if (thread == threads_.size()) {
    if (options_.extent == Extent::kFailing && !fails()) return;
    count_step();
    if (begin_shapes()) choose_read(0);
    return;
  }
  for (const check::ThreadShape& shape : shapes_[thread].shapes) {
    Thread& of = threads_[thread];
    of.shape = &shape;
    of.left = shape.traces.size();
    of.traces.resize(of.left);
    for (size_t i = 0; i < of.left; ++i) of.traces[i] = static_cast<uint32_t>(i);
    choose_shapes(thread + 1);
  }
}

// Everything that does not depend on rf and co. False: some read has nothing to read.
bool Enumerator::begin_shapes() {
  structure_.begin(program_.cell_count);
  for (const Thread& thread : threads_) structure_.add_thread(thread.shape->events());
  const size_t events = structure_.size();
  order_.resize(program_.cell_count);
  for (std::vector<size_t>& order : order_) order.clear();
  read_count_ = 0;
  for (size_t e = 0; e < events; ++e) {
    const check::EventStructure::Item& item = structure_.item(e);
    if (item.kind == EventKind::kWrite && !item.initial()) order_[item.cell.index()].push_back(e);
    if (item.kind != EventKind::kRead) continue;
    if (reads_.size() == read_count_) reads_.emplace_back();
    reads_[read_count_].event = e;
    reads_[read_count_].local = local_event(e);
    ++read_count_;
  }
  for (size_t i = 0; i < read_count_; ++i)
    if (!find_candidates(reads_[i])) return false;

  structure_.fill_static(evaluator_);
  if (readers_.size() < events) readers_.resize(events);
  for (std::vector<size_t>& readers : readers_) readers.clear();
  rf_.resize(events);
  co_.resize(events);
  fr_.resize(events);
  for (size_t cell = 0; cell < order_.size(); ++cell)
    for (const size_t write : order_[cell]) co_.add(cell, write);
  evaluated_ = false;
  return true;
}

// The writes of the same cell that can have the same value.
bool Enumerator::find_candidates(Read& read) {
  read.candidates.clear();
  const Thread& reader = threads_[read.local.thread];
  const size_t cell = structure_.item(read.event).cell.index();
  const std::vector<Value> readable = values_of(reader, read.local.event);
  const auto may_read = [&](Value value) {
    return std::binary_search(readable.begin(), readable.end(), value);
  };
  if (may_read(initial_[cell])) read.candidates.push_back(cell);
  for (const size_t write : order_[cell]) {
    const LocalEvent local = local_event(write);
    // A read-modify-write does not read what it writes itself, whatever the model says.
    if (local.thread == read.local.thread &&
        structure_.item(write).event->position == structure_.item(read.event).event->position)
      continue;
    const Thread& writer = threads_[local.thread];
    bool possible = false;
    for (size_t i = 0; i < writer.left && !possible; ++i) possible = may_read(writer.value(i, local.event));
    if (possible) read.candidates.push_back(write);
  }
  return !read.candidates.empty();
}

// ---- rf

void Enumerator::choose_read(size_t index) {
  if (index == read_count_) {
    find_values();
    if (!found_.empty()) choose_coherence(0);
    return;
  }
  Read& read = reads_[index];
  if (read.candidates.size() > 1 && excluded()) return;
  for (const size_t write : read.candidates) {
    const size_t writer = is_initial(write) ? read.local.thread : local_event(write).thread;
    const size_t left = threads_[read.local.thread].left, writer_left = threads_[writer].left;
    if (restrict_values(read, write)) {
      read.from = write;
      rf_.add(write, read.event);
      std::copy(co_.row(write), co_.row(write) + co_.words(), fr_.row(read.event));
      readers_[write].push_back(read.event);
      evaluated_ = false;
      choose_read(index + 1);
      readers_[write].pop_back();
      std::fill(fr_.row(read.event), fr_.row(read.event) + fr_.words(), 0);
      rf_.remove(write, read.event);
    }
    threads_[writer].left = writer_left;
    threads_[read.local.thread].left = left;
  }
}

// Leaves the traces in which the read has the value of the write. False: there are none.
bool Enumerator::restrict_values(const Read& read, size_t write) {
  Thread& reader = threads_[read.local.thread];
  const auto keep_if = [](Thread& thread, const auto& wanted) {
    for (size_t i = 0; i < thread.left;) {
      if (wanted(i))
        ++i;
      else
        std::swap(thread.traces[i], thread.traces[--thread.left]);
    }
    return thread.left > 0;
  };
  if (is_initial(write))
    return keep_if(reader, [&](size_t i) { return reader.value(i, read.local.event) == initial_[write]; });
  const LocalEvent from = local_event(write);
  if (from.thread == read.local.thread)
    return keep_if(
        reader, [&](size_t i) { return reader.value(i, read.local.event) == reader.value(i, from.event); });
  Thread& writer = threads_[from.thread];
  const auto keep_those_with = [&](Thread& thread, size_t event, const std::vector<Value>& values) {
    return keep_if(thread, [&](size_t i) {
      return std::binary_search(values.begin(), values.end(), thread.value(i, event));
    });
  };
  return keep_those_with(reader, read.local.event, values_of(writer, from.event)) &&
         keep_those_with(writer, from.event, values_of(reader, read.local.event));
}

// The traces of all threads in which every read has the value of its write: first what follows step by step
// from the writes whose value is known, which mostly leaves one trace per thread; then all combinations.
void Enumerator::find_values() {
  found_.clear();
  chosen_.assign(threads_.size(), 0);
  const auto left = [&] {
    size_t sum = 0;
    for (const Thread& thread : threads_) sum += thread.left;
    return sum;
  };
  before_.clear();
  for (const Thread& thread : threads_) before_.push_back(thread.left);
  bool possible = true;
  for (size_t sum = 0; possible && left() != threads_.size() && left() != sum;) {
    sum = left();
    for (size_t i = 0; i < read_count_ && possible; ++i)
      possible = restrict_values(reads_[i], reads_[i].from);
  }
  if (possible) with_values(0);
  for (size_t t = 0; t < threads_.size(); ++t) threads_[t].left = before_[t];
}

void Enumerator::with_values(size_t thread) {
  if (thread == threads_.size()) {
    found_.push_back(chosen_);
    return;
  }
  for (size_t i = 0; i < threads_[thread].left; ++i) {
    count_step();
    chosen_[thread] = threads_[thread].traces[i];
    if (values_agree(thread)) with_values(thread + 1);
  }
}

// Between the threads up to this one, of which it is the newest.
bool Enumerator::values_agree(size_t thread) const {
  for (size_t i = 0; i < read_count_; ++i) {
    const Read& read = reads_[i];
    const size_t writer = is_initial(read.from) ? read.local.thread : local_event(read.from).thread;
    if (std::max(writer, read.local.thread) != thread) continue;
    if (value_of(chosen_, read.event) != value_of(chosen_, read.from)) return false;
  }
  return true;
}

// ---- co

void Enumerator::choose_coherence(size_t cell) {
  while (cell < order_.size() && order_[cell].size() < 2) ++cell;
  if (cell == order_.size()) return leaf();
  put_next(cell, 0);
}

// The writes before `position` are ordered; all others come after them.
void Enumerator::put_next(size_t cell, size_t position) {
  std::vector<size_t>& order = order_[cell];
  if (position + 1 == order.size()) return choose_coherence(cell + 1);
  if (excluded()) return;
  for (size_t next = position; next < order.size(); ++next) {
    std::swap(order[position], order[next]);
    const size_t write = order[position];
    for (size_t later = position + 1; later < order.size(); ++later) co_.add(write, order[later]);
    const auto update_readers = [&] {
      for (const size_t reader : readers_[write])
        std::copy(co_.row(write), co_.row(write) + co_.words(), fr_.row(reader));
    };
    update_readers();
    evaluated_ = false;
    put_next(cell, position + 1);
    std::fill(co_.row(write), co_.row(write) + co_.words(), 0);
    update_readers();
    std::swap(order[position], order[next]);
  }
}

// ---- The model

// Does the model exclude what has been chosen so far?
bool Enumerator::excluded() {
  if (evaluated_) return false;
  count_step();
  for (const check::CatEvaluator::BaseTerm& base : evaluator_.dynamic_bases())
    if (!base.is_set)
      evaluator_.relation(base.term) = base.name == "rf" ? rf_ : base.name == "co" ? co_ : fr_;
  evaluated_ = !evaluator_.excluded();
  return !evaluated_;
}

void Enumerator::leaf() {
  count_step();
  for (const check::CatEvaluator::BaseTerm& base : evaluator_.dynamic_bases()) {
    if (!base.is_set) {
      evaluator_.relation(base.term) = base.name == "rf" ? rf_ : base.name == "co" ? co_ : fr_;
      continue;
    }
    check::EventSet& last = evaluator_.set(base.term);
    last.clear();
    for (size_t cell = 0; cell < order_.size(); ++cell)
      last.add(order_[cell].empty() ? cell : order_[cell].back());
  }
  if (!evaluator_.consistent()) return;
  for (const std::vector<size_t>& chosen : found_) {
    count_step();
    ++result_.executions;
    for (const size_t flag : evaluator_.flags()) ++result_.flags[model_.constraints[flag].name];
    const bool defined = wants_complete() && observe(chosen);
    if (defined) ++result_.states[outcome_];
    if (!visit_) continue;
    EnumeratedExecution found{fails(), evaluator_.flags(), std::nullopt, [&] { return execution(chosen); }};
    if (defined) found.observed = outcome_;
    if (!visit_(found)) throw Enough{};
  }
}

// The values of the observed expressions. False: one of them has none.
bool Enumerator::observe(const std::vector<size_t>& chosen) {
  const check::FormulaState state{
      [&](CellId cell) {
        const std::vector<size_t>& order = order_[cell.index()];
        return value_of(chosen, order.empty() ? cell.index() : order.back());
      },
      [&](ThreadId thread, RegId reg) { return chosen_trace(chosen, thread.index()).registers[reg.index()]; },
      [&](ThreadId thread) { return chosen_trace(chosen, thread.index()).location; }};
  outcome_.clear();
  try {
    for (const ExprId expr : observed_) outcome_.push_back(check::evaluate_formula(program_, expr, state));
  } catch (const ProgramError&) {
    return false;
  } catch (const check::ValueTooLarge&) {
    result_.too_large = true;
    return false;
  }
  return true;
}

Execution Enumerator::execution(const std::vector<size_t>& chosen) const {
  Execution made;
  made.reads_from.resize(structure_.size());
  for (size_t e = 0; e < structure_.size(); ++e) {
    const check::EventStructure::Item& item = structure_.item(e);
    if (item.initial()) {
      made.events.push_back({EventKind::kWrite, ThreadId(), Point(), 0, item.cell, initial_[e]});
      continue;
    }
    const LocalEvent local = local_event(e);
    const check::ThreadEvent& event = chosen_trace(chosen, local.thread).events[local.event];
    made.events.push_back({event.kind, item.thread, event.point, event.position, event.cell, event.value});
  }
  for (size_t i = 0; i < read_count_; ++i) made.reads_from[reads_[i].event] = EventId(reads_[i].from);
  for (size_t cell = 0; cell < order_.size(); ++cell) {
    made.coherence.push_back({EventId(cell)});
    for (const size_t write : order_[cell]) made.coherence.back().emplace_back(write);
  }
  for (size_t t = 0; t < threads_.size(); ++t) {
    made.choices.push_back(chosen_trace(chosen, t).choices);
    made.locations.push_back(chosen_trace(chosen, t).location);
  }
  return made;
}

}  // namespace

Enumeration enumerate_executions(const Overlay& overlay, const CatModel& model,
                                 std::span<const ExprId> observed, const EnumerationOptions& options,
                                 const ExecutionVisitor& visit) {
  return Enumerator(overlay, model, observed, options, visit).run();
}

Enumeration enumerate_executions(const Program& program, const CatModel& model,
                                 std::span<const ExprId> observed, const EnumerationLimits& limits,
                                 const std::function<void(const Execution&)>& visit) {
  const FenceSet no_fences;
  ExecutionVisitor visit_all;
  if (visit)
    visit_all = [&](const EnumeratedExecution& found) {
      visit(found.execution());
      return true;
    };
  return enumerate_executions(Overlay(program, no_fences), model, observed, {.limits = limits}, visit_all);
}

}  // namespace fenceline::engine
