// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/queue_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "env/errors.h"
#include "ir/analysis/constructs.h"

namespace fenceline {

using queue::Choice;
using queue::Entry;
using queue::EntryKind;
using queue::LocalState;
using queue::MemoryEffect;
using queue::StampRules;
using queue::ThreadRules;
using queue::ThreadSymmetry;

namespace {

constexpr uint32_t kNoVariable = ~uint32_t{0};

// Does an address or an index of a local array depend on what a load brings?
bool has_loaded_address(const Program& program, const Thread& thread) {
  std::vector<bool> loaded(thread.registers.size(), false);
  const auto reads = [&](ExprId root) {
    std::vector<ExprId> open{root};
    while (!open.empty()) {
      const Expr& e = program.expr(open.back());
      open.pop_back();
      if (e.op == ExprOp::kReg && loaded[e.reg.index()]) return true;
      if (e.op == ExprOp::kRegAt)
        for (uint32_t i = 0; i < e.count; ++i)
          if (loaded[e.reg.index() + i]) return true;
      for (const ExprId operand : {e.a, e.b, e.c})
        if (operand.valid()) open.push_back(operand);
    }
    return false;
  };
  for (bool again = true; again;) {
    again = false;
    for (const Instruction& instruction : thread.code) {
      if (!instruction.dest.valid()) continue;
      const bool now =
          instruction.reads_memory() || (instruction.kind == InstrKind::kAssign && reads(instruction.a));
      for (uint32_t i = 0; now && i < instruction.dest.count; ++i)
        if (!loaded[instruction.dest.reg.index() + i]) {
          loaded[instruction.dest.reg.index() + i] = true;
          again = true;
        }
    }
  }
  return std::any_of(thread.code.begin(), thread.code.end(), [&](const Instruction& instruction) {
    return (instruction.is_memory_access() && reads(instruction.address.offset)) ||
           (instruction.dest.valid() && instruction.dest.is_element() && reads(instruction.dest.index));
  });
}

// An atomic section with one load and no other access is that load: nothing in it could come in between.
bool has_one_load(const Thread& thread, Point begin) {
  std::vector<Point> open = thread.at(begin).next;
  std::set<Point> seen(open.begin(), open.end());
  size_t loads = 0;
  while (!open.empty()) {
    const Instruction& instruction = thread.at(open.back());
    open.pop_back();
    if (instruction.kind == InstrKind::kAtomicEnd) continue;
    if (instruction.writes_memory() || instruction.kind == InstrKind::kFence) return false;
    if (instruction.kind == InstrKind::kLoad && ++loads > 1) return false;
    for (const Point next : instruction.next)
      if (seen.insert(next).second) open.push_back(next);
  }
  return true;
}

}  // namespace

std::string queue_cannot_run(const Program& program, const ReorderTable& table) {
  for (const Thread& thread : program.threads) {
    for (size_t point = 0; point < thread.code.size(); ++point) {
      const Instruction& instruction = thread.code[point];
      if (instruction.kind == InstrKind::kAtomicBegin && !has_one_load(thread, Point(point)))
        return fmt::format("does not support atomic sections with accesses besides one load (line {})",
                           instruction.pos.line);
      // An open guess holds stores back, as a branch does.
      if (instruction.kind == InstrKind::kAssume && !instruction.branches)
        return fmt::format("does not support assumptions that are not branches (line {})",
                           instruction.pos.line);
      if (is_sync(instruction)) return fmt::format("does not support `sync` (line {})", instruction.pos.line);
    }
    // Where nothing overtakes a load, or everything waits for branches, waiting for addresses as well is what
    // the model says.
    if (table.guesses_branches && table.overtakes_loads() && has_loaded_address(program, thread))
      return fmt::format("does not support addresses that depend on loads ({} has one)", thread.name);
  }
  if (StampRules(program).too_large())
    return fmt::format("supports timestamps up to {} only", StampRules::kLargest);
  return "";
}

// ------------------------------------------------------------------------------------------ local states

uint32_t LocalStates::number_of(std::string_view packed) {
  const std::lock_guard lock(mutex_);
  if (const auto found = numbers_.find(packed); found != numbers_.end()) return found->second;
  const auto number = static_cast<uint32_t>(states_.size());
  numbers_.emplace(states_.emplace_back(packed), number);
  return number;
}

std::string_view LocalStates::packed(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return states_[number];
}

size_t LocalStates::size() const {
  const std::lock_guard lock(mutex_);
  return states_.size();
}

// ------------------------------------------------------------------------------------------------ worker

class QueueWorker final : public TransitionSystem {
 public:
  explicit QueueWorker(const QueueSystem& system)
      : system_(system),
        program_(system.overlay_.program()),
        threads_(program_.threads.size()),
        known_(threads_),
        renamed_(threads_),
        histories_(system.symmetry_ == nullptr ? 0 : system.symmetry_->size()),
        where_(threads_, 0),
        registers_(system.first_register_.back(), 0) {}

  void initial(StateSink& sink) override {
    path_.clear();
    state_.memory = program_.initial_memory();
    state_.locals.assign(threads_, 0);
    state_.history = system_.language_ == nullptr ? 0 : system_.language_->initial();
    state_.pending = kNobody;
    std::vector<Outcome> starts(threads_);
    for (size_t t = 0; t < threads_; ++t) start(t, starts[t]);
    if (symmetric()) relate_starts(starts);
    combine_starts(starts, 0, {}, sink);
  }

  void successors(PackedState packed, StateSink& sink) override {
    path_.clear();
    unpack(packed, state_);
    if (system_.stamps_.any()) collect_stamps(state_, before_);
    sink.expanding(view());
    if (symmetric() && symmetry().counts_states) count_called(state_);
    for (size_t t = 0; t < threads_; ++t) {
      const Known& known = at(t, state_.locals[t]);
      for (size_t c = 0; c < known.choices.size(); ++c) choose(t, c, sink);
    }
  }

  // Deadlocks are not looked for on this machine.
  bool excused(PackedState) override { return true; }

  void record_paths(bool on) override { recording_ = on; }
  const std::vector<TraceStep>& path() const override { return path_; }
  const std::vector<Crossing>& crossed() const override { return crossed_; }
  PackedState representative(PackedState packed) override {
    unpack(packed, called_for_);
    return least_called(called_for_);
  }

 private:
  // All of the machine at one moment.
  struct Moment {
    uint32_t history = 0;
    uint32_t pending = 0;  // who has guessed and left the language, if the guess is right
    std::vector<Value> memory;
    std::vector<uint32_t> locals;
  };
  // What becomes of a thread that takes a choice.
  struct Outcome {
    std::optional<Value> written;
    std::vector<uint32_t> next;
    std::vector<std::vector<TraceStep>> paths;  // of each, if recorded
    std::vector<TraceStep> error_path;
    bool error = false, overflow = false, full = false;
  };
  // A local state with what was worked out about it.
  struct Known {
    LocalState state;
    bool ended = false;
    bool guesses = false;
    std::vector<queue::Stamp> stamps;
    std::vector<Choice> choices;
    std::vector<std::vector<std::pair<Value, Outcome>>> outcomes;  // by choice: by the value in memory
    std::vector<uint32_t> counterparts;                            // by names
  };

  class Collector final : public queue::LocalSink {
   public:
    Collector(LocalStates& states, Outcome& outcome, bool record)
        : states_(states), outcome_(outcome), record_(record) {}
    void state(const LocalState& state, const std::vector<TraceStep>& path) override {
      outcome_.next.push_back(states_.number_of(packed(state)));
      if (record_) outcome_.paths.push_back(path);
    }
    void error(const std::vector<TraceStep>& path) override {
      if (!outcome_.error) outcome_.error_path = path;
      outcome_.error = true;
    }
    void overflow() override { outcome_.overflow = true; }
    void queue_full() override { outcome_.full = true; }

   private:
    LocalStates& states_;
    Outcome& outcome_;
    bool record_;
  };

  static constexpr uint32_t kNobody = ~uint32_t{0};

  const ThreadRules& rules(size_t t) const { return system_.rules_[t]; }
  bool symmetric() const { return system_.symmetry_ != nullptr; }
  ThreadSymmetry& symmetry() const { return *system_.symmetry_; }

  Known& at(size_t t, uint32_t number) {
    std::vector<std::unique_ptr<Known>>& all = known_[t];
    if (number >= all.size()) all.resize(std::max<size_t>(number + 1, 2 * all.size()));
    if (all[number] == nullptr) {
      auto known = std::make_unique<Known>();
      known->state = queue::unpacked(system_.local_states_[t].packed(number));
      known->ended = rules(t).ended(known->state);
      known->guesses = ThreadRules::has_guess(known->state);
      known->choices = rules(t).choices(known->state);
      known->outcomes.resize(known->choices.size());
      if (system_.stamps_.any())
        for_each_stamp(t, known->state, [&](Value& value, bool grows) {
          known->stamps.push_back({value, grows});
        });
      all[number] = std::move(known);
    }
    return *all[number];
  }

  // Calls f(value, grows) for each timestamp that the local state holds.
  template <class F>
  void for_each_stamp(size_t t, LocalState& state, const F& f) const {
    const auto visit = [&](uint32_t reg, queue::Operand& operand) {
      if (!operand.waits && rules(t).is_stamp(reg)) f(operand.value, system_.stamps_.register_grows(t, reg));
    };
    for (uint32_t r = 0; r < state.registers.size(); ++r) visit(r, state.registers[r]);
    for (Entry& entry : state.entries) {
      for (queue::Captured& input : entry.inputs) visit(input.reg, input.operand);
      if (!entry.known || !rules(t).holds_stamp(entry)) continue;
      f(entry.a, system_.stamps_.cell_grows(entry.cell));
      if (rules(t).holds_second_stamp(entry)) f(entry.b, system_.stamps_.cell_grows(entry.cell));
    }
  }

  // A thread runs until it first waits.
  void start(size_t t, Outcome& outcome) {
    Collector collector(system_.local_states_[t], outcome, true);
    rules(t).start(collector, true);
    if (outcome.next.empty())
      collector.state(rules(t).initial(), {});  // beyond us from the start: it stays there
  }

  void combine_starts(const std::vector<Outcome>& starts, size_t t, const std::vector<TraceStep>& so_far,
                      StateSink& sink) {
    if (t == threads_) {
      path_ = so_far;
      return publish(state_, sink);
    }
    tell(starts[t], sink);
    for (size_t i = 0; i < starts[t].next.size(); ++i) {
      state_.locals[t] = starts[t].next[i];
      std::vector<TraceStep> path = so_far;
      path.insert(path.end(), starts[t].paths[i].begin(), starts[t].paths[i].end());
      combine_starts(starts, t + 1, path, sink);
    }
  }

  void tell(const Outcome& outcome, StateSink& sink) {
    if (outcome.overflow) sink.overflow();
    if (outcome.full) sink.buffer_full();
    if (!outcome.error) return;
    path_ = outcome.error_path;
    sink.error();
  }

  void choose(size_t t, size_t c, StateSink& sink) {
    const Known& known = at(t, state_.locals[t]);
    const Choice choice = known.choices[c];
    const uint32_t history_before = state_.history, pending_before = state_.pending;
    const bool rejected = !follow_history(t, choice);
    if (choice.kind == Choice::kHistory && *choice.history != HistoryOp::kAbort) system_.finished_ = true;
    Outcome recorded;
    const Outcome& outcome = recording_ ? recorded : outcome_of(t, c);
    if (recording_) {
      work_out(t, known, choice, state_.memory, recorded);
      if (symmetric()) work_out_counterparts(t, c, recorded);
    }
    if (rejected && !known.guesses) {
      if (recording_) path_.assign(1, first_step(recorded));
      sink.rejected();
    } else {
      if (rejected) state_.pending = static_cast<uint32_t>(t);
      if (!rejected) tell(outcome, sink);
      for (size_t i = 0; i < outcome.next.size(); ++i) {
        if (recording_) path_ = outcome.paths[i];
        emit(t, choice, outcome, outcome.next[i], sink);
      }
    }
    state_.history = history_before;
    state_.pending = pending_before;
  }

  static TraceStep first_step(const Outcome& outcome) {
    if (!outcome.paths.empty() && !outcome.paths.front().empty()) return outcome.paths.front().front();
    require(!outcome.error_path.empty(), "a step that is rejected left no trace");
    return outcome.error_path.front();
  }

  // False if the history leaves the language. An operation of a thread that has guessed counts once the guess
  // turns out right; until then nothing else does (`pending`).
  bool follow_history(size_t t, const Choice& choice) {
    if (system_.language_ == nullptr || !choice.history || state_.pending != kNobody) return true;
    const HistoryStep step{*choice.history, static_cast<uint32_t>(t),
                           has_variable(*choice.history) ? system_.variables_[choice.cell] : 0};
    const uint32_t next = system_.language_->next(state_.history, system_.language_->alphabet().letter(step));
    if (next == HistoryLanguage::kRejected) return false;
    if (symmetric()) relate_histories(step, next);
    state_.history = next;
    return true;
  }

  static bool reads_memory(const Choice& choice) {
    return choice.kind == Choice::kAccess && !choice.forwarded && choice.access != EntryKind::kStore;
  }

  const Outcome& outcome_of(size_t t, size_t c) {
    Known& known = at(t, state_.locals[t]);
    const Choice& choice = known.choices[c];
    const Value read = reads_memory(choice) ? state_.memory[choice.cell] : 0;
    for (const auto& [value, outcome] : known.outcomes[c])
      if (value == read) return outcome;
    Outcome& outcome = known.outcomes[c].emplace_back(read, Outcome()).second;
    work_out(t, known, choice, state_.memory, outcome);
    if (symmetric()) work_out_counterparts(t, c, outcome);
    return outcome;
  }

  void work_out(size_t t, const Known& known, const Choice& choice, const std::vector<Value>& memory,
                Outcome& outcome) {
    MemoryEffect effect;
    if (choice.kind == Choice::kAccess && !choice.forwarded)
      effect = rules(t).effect(known.state, choice, memory[choice.cell]);
    outcome.written = effect.written;
    Collector collector(system_.local_states_[t], outcome, recording_);
    rules(t).take(known.state, choice, effect, collector, recording_);
  }

  // The successor in which thread `mover` has got to its local state `next`.
  void emit(size_t mover, const Choice& choice, const Outcome& outcome, uint32_t next, StateSink& sink) {
    if (state_.pending == mover && !at(mover, next).guesses) return sink.rejected();
    const uint32_t local_before = state_.locals[mover];
    const Value cell_before = outcome.written ? state_.memory[choice.cell] : 0;
    state_.locals[mover] = next;
    if (outcome.written) state_.memory[choice.cell] = *outcome.written;
    const bool moved = outcome.written && system_.stamps_.any() && system_.stamps_.is_stamp(choice.cell) &&
                       *outcome.written != cell_before;
    if (moved || at(mover, next).stamps != at(mover, local_before).stamps)
      emit_renamed(sink);
    else
      publish(state_, sink);
    state_.locals[mover] = local_before;
    if (outcome.written) state_.memory[choice.cell] = cell_before;
  }

  // ------------------------------------------------------------------------------------------ timestamps

  void collect_stamps(const Moment& moment, std::vector<queue::Stamp>& all) {
    all.clear();
    for (uint32_t cell = 0; cell < moment.memory.size(); ++cell)
      if (system_.stamps_.is_stamp(cell))
        all.push_back({moment.memory[cell], system_.stamps_.cell_grows(cell)});
    for (size_t t = 0; t < threads_; ++t) {
      const std::vector<queue::Stamp>& own = at(t, moment.locals[t]).stamps;
      all.insert(all.end(), own.begin(), own.end());
    }
    system_.stamps_.sort(all);
  }

  void emit_renamed(StateSink& sink) {
    collect_stamps(state_, now_);
    if (!system_.stamps_.rename(now_, before_, renaming_)) return sink.overflow();
    if (renaming_.identity) return publish(state_, sink);
    successor_ = state_;
    rename_stamps(successor_);
    publish(successor_, sink);
  }

  void rename_stamps(Moment& moment) {
    for (uint32_t cell = 0; cell < moment.memory.size(); ++cell)
      if (system_.stamps_.is_stamp(cell)) moment.memory[cell] = renaming_(moment.memory[cell]);
    for (size_t t = 0; t < threads_; ++t) moment.locals[t] = renamed(t, moment.locals[t]);
  }

  uint32_t renamed(size_t t, uint32_t number) {
    const Known& known = at(t, number);
    if (known.stamps.empty()) return number;
    std::string key;
    queue::append_number(key, number);
    for (const queue::Stamp& stamp : known.stamps) queue::append_number(key, renaming_(stamp.value));
    const auto [found, fresh] = renamed_[t].emplace(std::move(key), number);
    if (fresh) {
      found->second = with_renamed_stamps(t, known);
      if (symmetric())
        relate(t, found->second, [&](size_t names, size_t u) {
          return with_renamed_stamps(u, at(u, counterpart(names, t, number)));
        });
    }
    return found->second;
  }

  uint32_t with_renamed_stamps(size_t t, const Known& known) {
    LocalState state = known.state;
    for_each_stamp(t, state, [&](Value& stamp, bool) { stamp = renaming_(stamp); });
    return system_.local_states_[t].number_of(packed(state));
  }

  // -------------------------------------------------------------------------------------------- symmetry

  void publish(const Moment& moment, StateSink& sink) {
    sink.state(recording_ ? pack(moment) : least_called(moment));
  }

  // A state stands for all that differ from it in what the threads are called. Of them the one is kept whose
  // threads are in order of where they stand, and if there are several, the smallest when packed.
  PackedState least_called(const Moment& moment) {
    if (!symmetric()) return pack(moment);
    size_t first = 0;
    for (size_t names = 1; names < symmetry().size(); ++names)
      if (compare_places(moment, names, first) < 0) first = names;
    PackedState least;
    for (size_t names = first; names < symmetry().size(); ++names) {
      if (compare_places(moment, names, first) != 0) continue;
      const PackedState packed = names == 0 ? pack(moment) : pack_called(moment, names);
      if (!least.empty() && !std::ranges::lexicographical_compare(packed, least)) continue;
      least_.assign(packed.begin(), packed.end());
      least_.resize(packed.size() + kBitSlack);
      least = PackedState(least_.data(), packed.size());
    }
    return least;
  }

  // How many states differ from this one in nothing but what their threads are called, and itself.
  void count_called(const Moment& moment) {
    std::set<std::vector<uint8_t>> all;
    for (size_t names = 0; names < symmetry().size(); ++names) {
      const PackedState packed = names == 0 ? pack(moment) : pack_called(moment, names);
      all.emplace(packed.begin(), packed.end());
    }
    symmetry().states += all.size();
  }

  // Compares where the threads stand, under two ways to call them.
  int compare_places(const Moment& moment, size_t names, size_t others) {
    if (names == others) return 0;
    for (size_t t = 0; t < threads_; ++t) {
      const size_t x = symmetry()[names].original[t], y = symmetry()[others].original[t];
      const uint32_t at_x = at(x, moment.locals[x]).state.where, at_y = at(y, moment.locals[y]).state.where;
      if (at_x != at_y) return at_x < at_y ? -1 : 1;
    }
    return 0;
  }

  PackedState pack_called(const Moment& moment, size_t names) {
    const queue::ThreadNames& called = symmetry()[names];
    called_.history = history_counterpart(names, moment.history);
    called_.pending = moment.pending == kNobody ? kNobody : called.thread[moment.pending];
    called_.memory = called_memory(moment, names);
    called_.locals.resize(threads_);
    for (size_t t = 0; t < threads_; ++t)
      called_.locals[called.thread[t]] = counterpart(names, t, moment.locals[t]);
    if (system_.stamps_.any()) {  // they are named in the order of the threads
      collect_stamps(called_, now_);
      require(system_.stamps_.rename(now_, now_, renaming_), "other names of threads make new timestamps");
      if (!renaming_.identity) rename_stamps(called_);
    }
    return pack(called_);
  }

  const std::vector<Value>& called_memory(const Moment& moment, size_t names) {
    called_memory_.resize(moment.memory.size());
    for (uint32_t cell = 0; cell < moment.memory.size(); ++cell)
      called_memory_[symmetry()[names].cell[cell]] = symmetry().value(names, cell, moment.memory[cell]);
    return called_memory_;
  }

  uint32_t counterpart(size_t names, size_t t, uint32_t local) {
    std::vector<uint32_t>& counterparts = at(t, local).counterparts;
    if (counterparts.empty()) counterparts.resize(symmetry().size(), ThreadSymmetry::kNone);
    if (counterparts[names] == ThreadSymmetry::kNone)
      counterparts[names] = symmetry().counterpart(names, t, local);
    require(counterparts[names] != ThreadSymmetry::kNone, "a local state has no counterpart");
    return counterparts[names];
  }

  uint32_t history_counterpart(size_t names, uint32_t history) {
    std::vector<uint32_t>& known = histories_[names];
    if (history >= known.size())
      known.resize(std::max<size_t>(history + 1, 2 * known.size()), ThreadSymmetry::kNone);
    if (known[history] == ThreadSymmetry::kNone) known[history] = symmetry().history(names, history);
    return known[history];
  }

  void relate_starts(const std::vector<Outcome>& starts) {
    for (size_t t = 0; t < threads_; ++t)
      for (size_t i = 0; i < starts[t].next.size(); ++i)
        relate(t, starts[t].next[i], [&](size_t, size_t u) {
          if (starts[u].next.size() != starts[t].next.size())
            throw queue::NotSymmetric("threads begin differently");
          return starts[u].next[i];
        });
    symmetry().set_histories(std::vector<uint32_t>(symmetry().size(), state_.history));
  }

  // The history goes on from that of the state at hand to `next`.
  void relate_histories(const HistoryStep& step, uint32_t next) {
    if (history_counterpart(symmetry().size() - 1, next) != ThreadSymmetry::kNone) return;
    std::vector<uint32_t> all;
    for (size_t names = 0; names < symmetry().size(); ++names) {
      HistoryStep called = step;
      called.thread = symmetry()[names].thread[step.thread];
      const uint32_t before = history_counterpart(names, state_.history);
      all.push_back(system_.language_->next(before, system_.language_->alphabet().letter(called)));
      require(all.back() != HistoryLanguage::kRejected,
              "whether a history is right depends on the names of threads");
    }
    symmetry().set_histories(all);
  }

  // Takes the choice also where the threads are called differently, and sees that it is the same.
  void work_out_counterparts(size_t t, size_t c, const Outcome& outcome) {
    const uint32_t cell = at(t, state_.locals[t]).choices[c].cell;
    std::vector<Outcome> all(symmetry().size());
    for (size_t names = 1; names < symmetry().size(); ++names) {
      const size_t u = symmetry()[names].thread[t];
      const Known& other = at(u, counterpart(names, t, state_.locals[t]));
      Outcome& called = all[names];
      work_out(u, other, other.choices[c], called_memory(state_, names), called);
      std::optional<Value> written = outcome.written;
      if (written) written = symmetry().value(names, cell, *written);
      if (called.written != written || called.error != outcome.error || called.overflow != outcome.overflow ||
          called.full != outcome.full || called.next.size() != outcome.next.size())
        throw queue::NotSymmetric("the same step of two threads does different things");
    }
    for (size_t i = 0; i < outcome.next.size(); ++i)
      relate(t, outcome.next[i], [&](size_t names, size_t) { return all[names].next[i]; });
  }

  // counterpart_of(names, u) is the local state of thread u that does the same under these names. They must
  // look alike; that they go on alike is seen when they do.
  template <class F>
  void relate(size_t t, uint32_t local, const F& counterpart_of) {
    std::vector<uint32_t> all{local};
    for (size_t names = 1; names < symmetry().size(); ++names) {
      const size_t u = symmetry()[names].thread[t];
      all.push_back(counterpart_of(names, u));
      if (!look_alike(names, at(t, local), at(u, all.back())))
        throw queue::NotSymmetric("two threads can do different things at the same place");
    }
    symmetry().set_counterparts(t, all);
  }

  bool look_alike(size_t names, const Known& x, const Known& y) const {
    const auto same = [&](const Choice& own, const Choice& other) {
      return own.kind == other.kind && own.entry == other.entry && own.access == other.access &&
             own.forwarded == other.forwarded && own.from == other.from && own.history == other.history &&
             (own.kind != Choice::kAccess || symmetry()[names].cell[own.cell] == other.cell) &&
             (!own.history || !has_variable(*own.history) ||
              system_.variables_[own.cell] == system_.variables_[other.cell]);
    };
    return x.state.where == y.state.where && x.ended == y.ended && x.guesses == y.guesses &&
           x.stamps == y.stamps &&
           std::equal(x.choices.begin(), x.choices.end(), y.choices.begin(), y.choices.end(), same);
  }

  // ------------------------------------------------------------------------------------------- packing

  PackedState pack(const Moment& moment) {
    bytes_.clear();
    queue::append_number(bytes_, moment.pending == kNobody ? -1 : static_cast<Value>(moment.pending));
    queue::append_number(bytes_, moment.history);
    for (const Value value : moment.memory) queue::append_number(bytes_, value);
    for (const uint32_t local : moment.locals) queue::append_number(bytes_, local);
    const size_t size = bytes_.size();
    bytes_.append(kBitSlack, '\0');
    return {reinterpret_cast<const uint8_t*>(bytes_.data()), size};
  }

  void unpack(PackedState packed, Moment& moment) const {
    const char* at = reinterpret_cast<const char*>(packed.data());
    const Value pending = queue::read_number(at);
    moment.pending = pending < 0 ? kNobody : static_cast<uint32_t>(pending);
    moment.history = static_cast<uint32_t>(queue::read_number(at));
    moment.memory.resize(program_.cell_count);
    for (Value& value : moment.memory) value = queue::read_number(at);
    moment.locals.resize(threads_);
    for (uint32_t& local : moment.locals) local = static_cast<uint32_t>(queue::read_number(at));
  }

  // Registers have values at the end only.
  StateView view() {
    bool final_state = true;
    for (size_t t = 0; t < threads_ && final_state; ++t) final_state = at(t, state_.locals[t]).ended;
    if (final_state)
      for (size_t t = 0; t < threads_; ++t) {
        const LocalState& state = at(t, state_.locals[t]).state;
        where_[t] = state.where;
        for (size_t r = 0; r < state.registers.size(); ++r)
          registers_[system_.first_register_[t] + r] = state.registers[r].value;
      }
    return {where_.data(), state_.memory.data(), registers_.data(), system_.first_register_.data(),
            final_state};
  }

  const QueueSystem& system_;
  const Program& program_;
  size_t threads_;
  std::vector<std::vector<std::unique_ptr<Known>>> known_;          // by thread, by local state
  std::vector<std::unordered_map<std::string, uint32_t>> renamed_;  // by thread
  std::vector<std::vector<uint32_t>> histories_;                    // by names: counterparts that are known

  Moment state_;                // being expanded, and its successors in turn
  Moment successor_;            // with other timestamps
  Moment called_, called_for_;  // with other names of threads, and what is to be called differently

  std::vector<queue::Stamp> before_, now_;  // the timestamps of the state being expanded and of a successor
  StampRules::Renaming renaming_;
  std::vector<Value> called_memory_;
  std::vector<uint8_t> least_;  // a packed state
  std::vector<uint32_t> where_;
  std::vector<Value> registers_;
  std::string bytes_;
  bool recording_ = false;
  std::vector<TraceStep> path_;
  std::vector<Crossing> crossed_;
};

QueueSystem::QueueSystem(const Program& program, const FenceSet& fences, ReorderTable table,
                         const HistoryLanguage* language, const Observed& observed,
                         const queue::RuleOptions& options, queue::ThreadSymmetry* symmetry)
    : overlay_(program, fences),
      table_(std::move(table)),
      language_(language),
      symmetry_(symmetry != nullptr && symmetry->any() ? symmetry : nullptr),
      liveness_(program, observed.always, observed.at_end),
      stamps_(program),
      variables_(program.cell_count, kNoVariable),
      first_register_(1, 0) {
  for (size_t t = 0; t < program.threads.size(); ++t) {
    rules_.emplace_back(overlay_, ThreadId(t), table_, liveness_, stamps_.far(), options);
    local_states_.emplace_back();
    first_register_.push_back(first_register_.back() +
                              static_cast<uint32_t>(program.threads[t].registers.size()));
  }
  for (uint32_t cell = 0; cell < program.cell_count; ++cell)
    variables_[cell] = transactional_variable(program, CellId(cell)).value_or(kNoVariable);
}

bool QueueSystem::merges_stores() const {
  for (const LocalStates& states : local_states_)
    for (uint32_t number = 0; number < states.size(); ++number)
      for (const Entry& entry : queue::unpacked(states.packed(number)).entries)
        if (entry.many) return true;
  return false;
}

size_t QueueSystem::local_states() const {
  size_t all = 0;
  for (const LocalStates& states : local_states_) all += states.size();
  return all;
}

std::unique_ptr<TransitionSystem> QueueSystem::worker() const { return std::make_unique<QueueWorker>(*this); }

}  // namespace fenceline
