// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values a cell can hold are found by iteration: execute all threads with what is known, add what they
// store, repeat. A value can depend on at most as many stores as there are in one execution, so that many
// iterations are enough even where fetch_add would go on for ever.
#include "trace.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fenceline::fuzz {
namespace {

constexpr size_t kMaxTraces = 1500;  // per thread
constexpr size_t kMaxPairs = 64;     // (cell, value) pairs, one bit each
constexpr int kFuel = 80;            // steps of one thread

struct FenceAt {
  size_t before_event = 0;
  unsigned kinds = 0;
};

bool preserved_by_model(Model model, const Event& first, const Event& second) {
  const bool first_is_plain_store = !first.ordered && first.writes;
  const bool second_is_plain_load = !second.ordered && second.reads;
  if (model == Model::kSc || !first_is_plain_store) return true;
  if (second_is_plain_load) return false;
  return model == Model::kTso || first.cell == second.cell;
}

bool preserved_by_fence(unsigned kinds, const Event& first, const Event& second) {
  const auto load = [](const Event& e) { return e.ordered || e.reads; };
  const auto store = [](const Event& e) { return e.ordered || e.writes; };
  return ((kinds & kStoreLoad) && store(first) && load(second)) ||
         ((kinds & kStoreStore) && store(first) && store(second)) ||
         ((kinds & kLoadLoad) && load(first) && load(second)) ||
         ((kinds & kLoadStore) && load(first) && store(second));
}

class Enumerator {
 public:
  explicit Enumerator(const FlatProgram& program) : program_(program) {
    domain_.resize(program.initial_memory.size());
    for (size_t cell = 0; cell < domain_.size(); ++cell)
      know(static_cast<int>(cell), program.initial_memory[cell]);
    out_.initial = (uint64_t{1} << domain_.size()) - 1;
  }

  Traces run() {
    for (size_t round = 0;; ++round) {
      out_.of_thread.assign(program_.threads.size(), {});
      changed_ = false;
      size_t most_writes = 0;
      for (thread_ = 0; thread_ < program_.threads.size(); ++thread_) {
        Run start;
        start.pc = program_.threads[thread_].entry;
        start.regs = program_.threads[thread_].initial_regs;
        follow(std::move(start));
        if (!out_.too_large.empty()) return std::move(out_);
        most_writes += most_writes_of(out_.of_thread[thread_]);
      }
      learn();
      if (!out_.too_large.empty()) return std::move(out_);
      if (!changed_ || round > most_writes) break;
    }
    for (std::vector<Trace>& traces : out_.of_thread)
      for (Trace& trace : traces) set_bits(trace);
    return std::move(out_);
  }

 private:
  struct Run {
    int pc = 0;
    int steps = 0;
    std::vector<Value> regs;
    std::vector<Event> events;
    std::vector<FenceAt> fences;
  };

  static size_t most_writes_of(const std::vector<Trace>& traces) {
    size_t most = 0;
    for (const Trace& trace : traces)
      most = std::max(most, static_cast<size_t>(std::count_if(trace.events.begin(), trace.events.end(),
                                                              [](const Event& e) { return e.writes; })));
    return most;
  }

  void know(int cell, Value value) {
    std::vector<Value>& values = domain_[static_cast<size_t>(cell)];
    if (std::find(values.begin(), values.end(), value) != values.end()) return;
    values.push_back(value);
    const size_t bit = bits_.size();
    bits_[{cell, value}] = static_cast<unsigned>(bit);
    changed_ = true;
    if (bits_.size() > kMaxPairs) out_.too_large = "oracle: too many values";
  }

  void learn() {
    for (const std::vector<Trace>& traces : out_.of_thread)
      for (const Trace& trace : traces)
        for (const Event& event : trace.events)
          if (event.writes) know(event.cell, event.written);
  }

  void set_bits(Trace& trace) {
    for (const Event& event : trace.events) {
      if (event.reads) trace.reads |= uint64_t{1} << bits_.at({event.cell, event.read});
      if (!event.writes) continue;
      const auto known = bits_.find({event.cell, event.written});
      // Written only on answers that no execution can give (the iterations were enough): no thread reads it.
      if (known != bits_.end()) trace.writes |= uint64_t{1} << known->second;
    }
  }

  void finish(Run run, TraceEnd end) {
    if (run.events.size() > kMaxEvents / 2) out_.too_large = "oracle: too many events";
    std::vector<Trace>& traces = out_.of_thread[thread_];
    if (traces.size() >= kMaxTraces) out_.too_large = "oracle: too many traces";
    if (!out_.too_large.empty()) return;
    Trace trace;
    trace.end = end;
    trace.events = std::move(run.events);
    trace.regs.assign(run.regs.begin(), run.regs.begin() + program_.threads[thread_].visible_regs);
    const size_t n = trace.events.size();
    for (size_t model = 0; model < kModels; ++model) {
      std::vector<uint32_t>& after = trace.preserved[model];
      after.assign(n, 0);
      for (size_t i = n; i-- > 0;)
        for (size_t j = i + 1; j < n; ++j) {
          bool kept = preserved_by_model(static_cast<Model>(model), trace.events[i], trace.events[j]);
          for (const FenceAt& fence : run.fences)
            if (fence.before_event > i && fence.before_event <= j)
              kept |= preserved_by_fence(fence.kinds, trace.events[i], trace.events[j]);
          if (kept) after[i] |= after[j] | uint32_t{1} << j;
        }
    }
    traces.push_back(std::move(trace));
  }

  // Runs on until the thread stops; wherever there is a choice, by recursion.
  void follow(Run run) {
    const FlatThread& thread = program_.threads[thread_];
    while (out_.too_large.empty()) {
      const FlatInstr& instr = thread.code[static_cast<size_t>(run.pc)];
      if (++run.steps > kFuel) {
        out_.too_large = "oracle: loop without bound";
        return;
      }
      switch (instr.kind) {
        case FlatKind::kHalt:
          return finish(std::move(run), TraceEnd::kEnded);
        case FlatKind::kJump:
        case FlatKind::kAtomicBegin:
        case FlatKind::kAtomicEnd:
        case FlatKind::kMark:
          break;
        case FlatKind::kFence:
          run.fences.push_back({.before_event = run.events.size(), .kinds = instr.kinds});
          break;
        case FlatKind::kChoose:
          for (const int next : instr.next) {
            Run copy = run;
            copy.pc = next;
            follow(std::move(copy));
          }
          return;
        case FlatKind::kHavoc:
          for (Value v = instr.lo; v <= instr.hi; ++v) continue_with(run, instr, v);
          return;
        case FlatKind::kLoad:
        case FlatKind::kRmw:
          return access(run, instr);
        case FlatKind::kStore: {
          const std::optional<int> cell = cell_of(program_, instr, run.regs);
          const std::optional<Value> value = evaluate(instr.a, run.regs);
          if (!cell || !value || !fits(instr, *value)) return finish(std::move(run), TraceEnd::kError);
          run.events.push_back({.cell = *cell,
                                .reads = false,
                                .writes = true,
                                .ordered = false,
                                .read = 0,
                                .written = *value});
          break;
        }
        case FlatKind::kAssign:
        case FlatKind::kBranch:
        case FlatKind::kAssume:
        case FlatKind::kAssert: {
          const std::optional<Value> value = evaluate(instr.a, run.regs);
          if (!value) return finish(std::move(run), TraceEnd::kError);
          if (instr.kind == FlatKind::kAssign) return continue_with(run, instr, *value);
          if (instr.kind == FlatKind::kBranch) {
            run.pc = instr.next[*value != 0 ? 0 : 1];
            continue;
          }
          if (*value == 0)
            return finish(std::move(run),
                          instr.kind == FlatKind::kAssert ? TraceEnd::kError : TraceEnd::kAssume);
          break;
        }
      }
      run.pc = instr.next[0];
    }
  }

  bool fits(const FlatInstr& instr, Value value) const {
    return allowed(program_.vars[static_cast<size_t>(instr.var)].declared, value);
  }

  // The instruction has the result `value`: put it where it belongs and run on.
  void continue_with(const Run& run, const FlatInstr& instr, Value value) {
    Run copy = run;
    if (instr.dest >= 0) {
      const size_t dest = static_cast<size_t>(instr.dest);
      if (!allowed(program_.threads[thread_].declared[dest], value))
        return finish(std::move(copy), TraceEnd::kError);
      copy.regs[dest] = value;
    }
    copy.pc = instr.next[0];
    follow(std::move(copy));
  }

  // A load or an rmw, for each value it may find. An rmw that fails because of a range has still read what
  // made it fail, at its position in the order.
  void access(const Run& run, const FlatInstr& instr) {
    const std::optional<int> cell = cell_of(program_, instr, run.regs);
    if (!cell) return finish(run, TraceEnd::kError);
    for (const Value found : domain_[static_cast<size_t>(*cell)]) {
      Run next = run;
      Event event{.cell = *cell,
                  .reads = true,
                  .writes = false,
                  .ordered = instr.kind == FlatKind::kRmw,
                  .read = found,
                  .written = 0};
      Value result = found;
      bool failed = false;
      if (instr.kind == FlatKind::kRmw) {
        const std::optional<RmwEffect> effect = rmw_effect(instr, found, run.regs);
        failed = !effect || (effect->written && !fits(instr, *effect->written));
        if (!failed) {
          result = effect->result;
          event.writes = effect->written.has_value();
          event.written = effect->written.value_or(0);
        }
      }
      if (!failed && instr.dest >= 0 &&
          !allowed(program_.threads[thread_].declared[static_cast<size_t>(instr.dest)], result)) {
        failed = true;
        event.writes = false;
      }
      next.events.push_back(event);
      if (failed)
        finish(std::move(next), TraceEnd::kError);
      else
        continue_with(next, instr, result);
    }
  }

  const FlatProgram& program_;
  Traces out_;
  size_t thread_ = 0;
  bool changed_ = false;
  std::vector<std::vector<Value>> domain_;          // per cell
  std::map<std::pair<int, Value>, unsigned> bits_;  // (cell, value) -> bit
};

}  // namespace

Traces enumerate_traces(const FlatProgram& program) { return Enumerator(program).run(); }

}  // namespace fenceline::fuzz
