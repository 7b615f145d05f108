// SPDX-License-Identifier: GPL-3.0-or-later
//
// Executes a thread until it blocks: the effect of each instruction on its registers and its queue. Which
// entries of the queue may take effect is in thread_rules.cpp.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "env/errors.h"
#include "machine/deferral_queue/thread_rules.h"

namespace fenceline::machine::queue {

// One turn of a thread: everything it can do by itself, along every path.
class ThreadRules::Execution {
 public:
  Execution(const ThreadRules& rules, LocalSink& sink, bool record)
      : rules_(rules), sink_(sink), record_(record) {}

  void step(const TraceStep& step) {
    if (record_) path_.push_back(step);
  }

  // Reports the end of a path if it is one.
  bool goes_on(LocalState& state, Settled settled) {
    if (settled == Settled::kOverflow) sink_.overflow();
    if (settled != Settled::kFine) return false;
    if (!failed(state)) return true;
    sink_.error(path_);
    wait(state);
    return false;
  }

  void go(LocalState state) {
    for (;;) {
      if (rules_.need_not_go_on(state) || (moved_ && rules_.options_.one_by_one)) return wait(state);
      if (rules_.loop_head_[state.location] && seen(state, kAtLoopHead)) return spin(state);
      if (++steps_ > kMostSteps) return sink_.overflow();
      const Instruction& here = rules_.at(state.location);
      switch (here.kind) {
        case InstrKind::kLoad:
        case InstrKind::kStore:
        case InstrKind::kRmw:
          if (!access(state, here)) return;
          break;
        case InstrKind::kAssign:
          if (!assign(state, here)) return;
          break;
        case InstrKind::kBranch:
          return branch(std::move(state), here);
        case InstrKind::kChoose:
          return choose(std::move(state), here);
        case InstrKind::kHavoc:
          return havoc(std::move(state), here);
        case InstrKind::kAssume:
        case InstrKind::kAssert:
          if (!condition(state, here)) return;
          break;
        case InstrKind::kFence:
          if (!fence(state, here.fence)) return wait(state);
          break;
        case InstrKind::kMark:
          if (here.history) return wait(state);
          pass(state);
          break;
        case InstrKind::kAtomicBegin:  // of a section that is no more than a load
        case InstrKind::kAtomicEnd:
          pass(state);
          break;
        case InstrKind::kHalt:
          return wait(state);
      }
    }
  }

  void overflow() { sink_.overflow(); }

  // With one_by_one, a single instruction is a step.
  void moved() { moved_ = true; }
  bool has_moved() const { return moved_; }

  // A thread that loops by itself does not keep other threads from continuing.
  void finish() {
    if (!waits_ && spinning_) sink_.state(*spinning_, spinning_path_);
  }

  // The thread moves on to `slot`, which is recorded in its path.
  void pass(LocalState& state, size_t slot = 0, std::optional<Value> chosen = {}) {
    TraceStep executed;
    executed.thread = rules_.thread_;
    executed.point = Point(state.location);
    executed.chosen = chosen;
    step(executed);
    moved();
    state.location = rules_.overlay_.next(rules_.thread_, Point(state.location), slot).value();
  }

 private:
  // Removes what makes no difference any more. True if that were accesses: then there is less to wait for.
  bool tidy(LocalState& state) {
    rules_.drop_dead_values(state);
    const size_t before = state.entries.size();
    while (const std::optional<uint32_t> load = rules_.useless_load(state)) {
      step(rules_.performed(state, *load));
      remove(state, *load);
      require(rules_.settle(state) == Settled::kFine,
              "a load whose result is not used has changed something");
    }
    return state.entries.size() < before;
  }

  // Where states are looked at; the same one may come up at several.
  enum Phase : char { kAtLoopHead, kAtChoice, kAfterLoads, kAtEnd };
  bool seen(LocalState& state, Phase phase) {
    tidy(state);
    std::string key = packed(state);
    key.push_back(phase);
    return !seen_.insert(std::move(key)).second;
  }

  void spin(LocalState& state) {
    const bool something = std::any_of(state.entries.begin(), state.entries.end(),
                                       [](const Entry& entry) { return is_access(entry.kind); });
    if (something && !seen(state, kAtEnd)) sink_.state(state, path_);
    waits_ = waits_ || something;
    if (something || spinning_) return;
    spinning_ = state;
    spinning_path_ = path_;
  }

  void wait(LocalState& state) {
    if (tidy(state)) {
      if (seen(state, kAfterLoads)) return spin(state);
      return go(state);
    }
    waits_ = true;
    if (!seen(state, kAtEnd)) sink_.state(state, path_);
  }

  // The step fails, if the thread really gets here. What lies behind it is not looked at.
  bool fail(LocalState& state, std::optional<Value> chosen = {}) {
    Entry entry;
    entry.kind = EntryKind::kAssert;
    entry.point = state.location;
    entry.known = true;
    pass(state, 0, chosen);
    state.entries.push_back(std::move(entry));
    if (goes_on(state, Settled::kFine)) wait(state);
    return false;
  }

  // The register that gets a result. None: it is not known yet, or (with `fails`) there is no such register.
  std::optional<uint32_t> dest(const LocalState& state, const Dest& dest, bool& fails) {
    if (!dest.is_element()) return dest.reg.value();
    const std::optional<Evaluated> index = rules_.value_now(state, dest.index);
    if (!index) return std::nullopt;
    fails = !index->ok() || index->value < 0 || index->value >= static_cast<Value>(dest.count);
    if (fails) return std::nullopt;
    return dest.reg.value() + static_cast<uint32_t>(index->value);
  }

  // False if the path ends here.
  bool access(LocalState& state, const Instruction& here) {
    const std::optional<Evaluated> offset = rules_.value_now(state, here.address.offset);
    bool fails = false;
    std::optional<uint32_t> target;
    if (here.dest.valid()) target = dest(state, here.dest, fails);
    if (!offset || (here.dest.valid() && !target && !fails)) return wait(state), false;
    const Object& object = rules_.overlay_.program().object(here.address.object);
    if (fails || !offset->ok() || !object.admits(offset->value, here.address.bytes)) return fail(state);
    if (full(state)) {
      sink_.queue_full();
      return wait(state), false;
    }
    Entry entry;
    entry.kind = here.kind == InstrKind::kLoad    ? EntryKind::kLoad
                 : here.kind == InstrKind::kStore ? EntryKind::kStore
                                                  : EntryKind::kRmw;
    entry.point = state.location;
    entry.cell = object.first_cell.value() + static_cast<uint32_t>(offset->value);
    if (entry.kind == EntryKind::kLoad) {
      entry.known = true;
    } else {
      entry.inputs = rules_.capture(state, here.a);
      if (here.b.valid()) rules_.capture(state, here.b, entry.inputs);
    }
    pass(state);
    state.entries.push_back(std::move(entry));
    if (target) state.registers[*target] = {true, 0, static_cast<uint32_t>(state.entries.size() - 1)};
    if (!goes_on(state, rules_.settle(state))) return false;
    merge_repeated_stores(state);
    return true;
  }

  bool full(const LocalState& state) const {
    if (!rules_.endless_ || rules_.options_.queue_limit == 0) return false;
    return static_cast<uint64_t>(std::count_if(state.entries.begin(), state.entries.end(),
                                               [](const Entry& entry) { return is_access(entry.kind); })) >=
           rules_.options_.queue_limit;
  }

  // Guesses without end need not come with accesses.
  bool too_far_ahead(const LocalState& state) const {
    return rules_.options_.queue_limit != 0 && state.entries.size() >= 2 * rules_.options_.queue_limit;
  }

  // The third of three stores that are the same in everything makes the second one represent any number.
  static void merge_repeated_stores(LocalState& state) {
    const size_t count = state.entries.size();
    if (count < 3) return;
    Entry second = state.entries[count - 2];
    const Entry& last = state.entries[count - 1];
    second.many = false;
    if (last.kind != EntryKind::kStore || !last.known || second != last || state.entries[count - 3] != last)
      return;
    state.entries.pop_back();
    state.entries.back().many = true;
  }

  bool assign(LocalState& state, const Instruction& here) {
    bool fails = false;
    const std::optional<uint32_t> target = dest(state, here.dest, fails);
    if (fails) return fail(state);
    if (!target) return wait(state), false;
    Entry entry;
    entry.kind = EntryKind::kCompute;
    entry.point = entry.cell = state.location;
    entry.inputs = rules_.capture(state, here.a);
    pass(state);
    state.entries.push_back(std::move(entry));
    state.registers[*target] = {true, 0, static_cast<uint32_t>(state.entries.size() - 1)};
    return goes_on(state, rules_.settle(state));
  }

  void branch(LocalState state, const Instruction& here) {
    if (seen(state, kAtChoice)) return;
    const std::optional<Evaluated> known = rules_.value_now(state, here.a);
    if (known) {
      if (known->status == EvalStatus::kOverflow) return sink_.overflow();
      if (!known->ok()) return void(fail(state));
      pass(state, known->value != 0 ? 0 : 1);
      return go(std::move(state));
    }
    if (!rules_.table_.guesses_branches) return wait(state);
    if (too_far_ahead(state)) {
      sink_.queue_full();
      return wait(state);
    }
    for (const bool taken : {true, false}) {
      LocalState next = state;
      const size_t before = path_.size();
      if (guess(next, here, taken, taken ? 0 : 1)) go(std::move(next));
      path_.resize(before);
    }
  }

  // False if the path ends here.
  bool guess(LocalState& state, const Instruction& here, bool expected, size_t slot) {
    Entry entry;
    entry.kind = EntryKind::kGuess;
    entry.point = state.location;
    entry.expected = expected;
    entry.inputs = rules_.capture(state, here.a);
    pass(state, slot, expected ? 1 : 0);
    state.entries.push_back(std::move(entry));
    return goes_on(state, rules_.settle(state));
  }

  void choose(LocalState state, const Instruction& here) {
    if (seen(state, kAtChoice)) return;
    for (size_t slot = 0; slot < here.next.size(); ++slot) {
      LocalState next = state;
      const size_t before = path_.size();
      pass(next, slot, static_cast<Value>(slot));
      go(std::move(next));
      path_.resize(before);
    }
  }

  void havoc(LocalState state, const Instruction& here) {
    if (seen(state, kAtChoice)) return;
    bool fails = false;
    const std::optional<uint32_t> target = dest(state, here.dest, fails);
    if (fails) return void(fail(state));
    if (!target) return wait(state);
    for (Value value = here.havoc_range.lo; value <= here.havoc_range.hi; ++value) {
      LocalState next = state;
      const size_t before = path_.size();
      const bool fits = rules_.in_range_of_dest(next.location, value);
      if (fits) {
        pass(next, 0, value);
        next.registers[*target] = {false, value, 0};
        go(std::move(next));
      } else {
        fail(next, value);
      }
      path_.resize(before);
    }
  }

  // An assumption or assertion. False if the path ends here.
  bool condition(LocalState& state, const Instruction& here) {
    const bool assertion = here.kind == InstrKind::kAssert;
    const std::optional<Evaluated> known = rules_.value_now(state, here.a);
    if (known) {
      if (known->status == EvalStatus::kOverflow) return sink_.overflow(), false;
      if (!known->ok() || (assertion && known->value == 0)) return fail(state);
      if (known->value == 0) return wait(state), false;
      pass(state);
      return true;
    }
    if (!assertion && !rules_.table_.guesses_branches) return wait(state), false;
    if (!assertion) return guess(state, here, true, 0);
    Entry entry;
    entry.kind = EntryKind::kAssert;
    entry.point = state.location;
    entry.inputs = rules_.capture(state, here.a);
    pass(state);
    state.entries.push_back(std::move(entry));
    return goes_on(state, rules_.settle(state));
  }

  // False if the thread has to wait.
  bool fence(LocalState& state, FenceKinds kinds) {
    const bool all = kinds.includes(FenceKinds::full());
    if (all && (rules_.has_access(state, AccessKind::kLoad) || rules_.has_access(state, AccessKind::kStore)))
      return false;
    pass(state);
    if (all) return true;
    const auto part = [&](bool present, AccessKind earlier, AccessKind later) {
      if (!present || !rules_.has_access(state, earlier)) return;
      Entry entry;
      entry.kind = EntryKind::kFence;
      entry.earlier = earlier;
      entry.later = later;
      entry.known = true;
      state.entries.push_back(std::move(entry));
    };
    part(kinds.has_store_load(), AccessKind::kStore, AccessKind::kLoad);
    part(kinds.has_store_store(), AccessKind::kStore, AccessKind::kStore);
    part(kinds.has_load_load(), AccessKind::kLoad, AccessKind::kLoad);
    part(kinds.has_load_store(), AccessKind::kLoad, AccessKind::kStore);
    return true;
  }

  // A thread that counts up by itself never comes to an end.
  static constexpr uint64_t kMostSteps = 5'000;

  const ThreadRules& rules_;
  LocalSink& sink_;
  bool record_;
  uint64_t steps_ = 0;
  bool moved_ = false;
  std::vector<TraceStep> path_;
  std::unordered_set<std::string> seen_;
  bool waits_ = false;                  // somewhere
  std::optional<LocalState> spinning_;  // a state that came up twice
  std::vector<TraceStep> spinning_path_;
};

LocalState ThreadRules::initial() const {
  LocalState state;
  const Thread& thread = overlay_.program().thread(thread_);
  state.location = thread.entry.value();
  for (const Register& reg : thread.registers) state.registers.push_back({false, reg.init, 0});
  return state;
}

void ThreadRules::start(LocalSink& sink, bool record) const {
  Execution execution(*this, sink, record);
  execution.go(initial());
  execution.finish();
}

// Is there an instruction that the thread can execute at once?
bool ThreadRules::can_move(const LocalState& state) const {
  class Ignored final : public LocalSink {
    void state(const LocalState&, const std::vector<TraceStep>&) override {}
    void error(const std::vector<TraceStep>&) override {}
    void overflow() override {}
    void queue_full() override {}
  } ignored;
  Execution execution(*this, ignored, false);
  execution.go(state);
  return execution.has_moved();
}

TraceStep ThreadRules::performed(const LocalState& state, uint32_t index) const {
  const Entry& entry = state.entries[index];
  TraceStep step;
  step.thread = thread_;
  step.kind = StepKind::kPerform;
  step.point = Point(entry.point);
  step.chosen = std::count_if(state.entries.begin(), state.entries.begin() + index, [&](const Entry& before) {
    return is_access(before.kind) && before.point == entry.point;
  });
  step.cell = CellId(entry.cell);
  return step;
}

void ThreadRules::take(const LocalState& from, const Choice& choice, const MemoryEffect& effect,
                       LocalSink& sink, bool record) const {
  Execution execution(*this, sink, record);
  take(from, choice, effect, execution);
  execution.finish();
  if (choice.kind != Choice::kAccess || !from.entries[choice.entry].many) return;
  Execution again(*this, sink, record);  // one of the stores is done; there may be more
  again.step(performed(from, choice.entry));
  again.moved();
  again.go(from);
  again.finish();
}

void ThreadRules::take(const LocalState& from, const Choice& choice, const MemoryEffect& effect,
                       Execution& execution) const {
  LocalState state = from;
  if (choice.kind == Choice::kHistory) {
    execution.pass(state);
    return execution.go(std::move(state));
  }
  if (choice.kind == Choice::kInstruction) return execution.go(std::move(state));
  const Entry entry = state.entries[choice.entry];
  const TraceStep performed = this->performed(state, choice.entry);
  execution.step(performed);
  execution.moved();
  // The result cannot be kept. That is an error, if the thread really gets here.
  const auto fails = [&] {
    state.entries[choice.entry] = Entry();
    state.entries[choice.entry].kind = EntryKind::kAssert;
    state.entries[choice.entry].known = true;
    if (execution.goes_on(state, Settled::kFine)) execution.go(std::move(state));
  };
  if (choice.forwarded) {
    const Entry& store = state.entries[choice.from];
    if (store.known) {
      if (!in_range_of_dest(entry.point, store.a)) return fails();
      if (!execution.goes_on(state, resolve(state, choice.entry, store.a))) return;
    } else {  // then the load is pending as the store is
      Entry& load = state.entries[choice.entry];
      load.kind = EntryKind::kCompute;
      load.cell = entry.point;
      load.point = store.point;
      load.known = false;
      load.inputs = store.inputs;
      if (!execution.goes_on(state, settle(state))) return;
    }
    return execution.go(std::move(state));
  }
  if (effect.status == EvalStatus::kOverflow) return execution.overflow();
  if (effect.status != EvalStatus::kOk) return fails();
  if (!execution.goes_on(state, resolve(state, choice.entry, effect.result))) return;
  execution.go(std::move(state));
}

}  // namespace fenceline::machine::queue
