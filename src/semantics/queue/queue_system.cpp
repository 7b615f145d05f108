// SPDX-License-Identifier: GPL-3.0-or-later
#include "semantics/queue/queue_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"

namespace fenceline {

using queue::Choice;
using queue::Entry;
using queue::EntryKind;
using queue::LocalState;
using queue::MemoryEffect;
using queue::StampRules;
using queue::ThreadRules;

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

}  // namespace

std::string queue_cannot_run(const Program& program, const ReorderTable& table) {
  for (const Thread& thread : program.threads) {
    for (const Instruction& instruction : thread.code) {
      if (instruction.kind == InstrKind::kAtomicBegin)
        return fmt::format("has queues here, and no atomic sections in them (line {})", instruction.pos.line);
      if (instruction.kind == InstrKind::kFence && instruction.fence.has_everybody())
        return fmt::format("has queues here, and no `sync` for them (line {})", instruction.pos.line);
    }
    // Where nothing overtakes a load, or everything waits for branches, waiting for addresses as well is what
    // the model says.
    if (table.guesses_branches && table.overtakes_loads() && has_loaded_address(program, thread))
      return fmt::format("has queues here, and no addresses in them that depend on loads ({} has one)",
                         thread.name);
  }
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
        where_(threads_, 0),
        registers_(system.first_register_.back(), 0) {}

  void initial(StateSink& sink) override {
    path_.clear();
    memory_ = program_.initial_memory();
    locals_.assign(threads_, 0);
    history_ = system_.language_ == nullptr ? 0 : system_.language_->initial();
    pending_ = kNobody;
    start(0, {}, sink);
  }

  void successors(PackedState packed, StateSink& sink) override {
    path_.clear();
    unpack(packed);
    if (system_.stamps_.any()) collect_stamps(before_);
    sink.expanding(view());
    for (size_t t = 0; t < threads_; ++t) {
      const Known& known = at(t, locals_[t]);
      for (size_t c = 0; c < known.choices.size(); ++c) choose(t, c, sink);
    }
  }

  // Deadlocks are not looked for on this machine.
  bool stopped_by_assumption(PackedState) override { return true; }

  void record_paths(bool on) override { recording_ = on; }
  const std::vector<TraceStep>& path() const override { return path_; }
  const std::vector<Crossing>& crossed() const override { return crossed_; }

 private:
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

  // The threads run one after the other until they first wait.
  void start(size_t t, const std::vector<TraceStep>& so_far, StateSink& sink) {
    if (t == threads_) {
      path_ = so_far;
      return sink.state(pack());
    }
    Outcome outcome;
    Collector collector(system_.local_states_[t], outcome, true);
    rules(t).start(collector, true);
    tell(outcome, sink);
    if (outcome.next.empty())
      collector.state(rules(t).initial(), {});  // beyond us from the start: it stays there
    for (size_t i = 0; i < outcome.next.size(); ++i) {
      locals_[t] = outcome.next[i];
      std::vector<TraceStep> path = so_far;
      path.insert(path.end(), outcome.paths[i].begin(), outcome.paths[i].end());
      start(t + 1, path, sink);
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
    const Choice choice = at(t, locals_[t]).choices[c];
    const uint32_t history_before = history_, pending_before = pending_;
    const bool rejected = !follow_history(t, choice);
    if (choice.kind == Choice::kHistory && *choice.history != HistoryOp::kAbort) system_.finished_ = true;
    Outcome recorded;
    const Outcome& outcome = recording_ ? recorded : outcome_of(t, c);
    if (recording_) work_out(t, c, recorded);
    if (rejected && !at(t, locals_[t]).guesses) {
      if (recording_) path_.assign(1, first_step(recorded));
      sink.rejected();
    } else {
      if (rejected) pending_ = static_cast<uint32_t>(t);
      if (!rejected) tell(outcome, sink);
      for (size_t i = 0; i < outcome.next.size(); ++i) {
        if (recording_) path_ = outcome.paths[i];
        emit(t, choice, outcome, outcome.next[i], sink);
      }
    }
    history_ = history_before;
    pending_ = pending_before;
  }

  static TraceStep first_step(const Outcome& outcome) {
    if (!outcome.paths.empty() && !outcome.paths.front().empty()) return outcome.paths.front().front();
    require(!outcome.error_path.empty(), "a step that is rejected left no trace");
    return outcome.error_path.front();
  }

  // False if the history leaves the language. An operation of a thread that has guessed counts once the guess
  // turns out right; until then nothing else does (`pending_`).
  bool follow_history(size_t t, const Choice& choice) {
    if (system_.language_ == nullptr || !choice.history || pending_ != kNobody) return true;
    const HistoryStep step{*choice.history, static_cast<uint32_t>(t),
                           has_variable(*choice.history) ? system_.variables_[choice.cell] : 0};
    const uint32_t next = system_.language_->next(history_, system_.language_->alphabet().letter(step));
    if (next == HistoryLanguage::kRejected) return false;
    history_ = next;
    return true;
  }

  static bool reads_memory(const Choice& choice) {
    return choice.kind == Choice::kAccess && !choice.forwarded && choice.access != EntryKind::kStore;
  }

  const Outcome& outcome_of(size_t t, size_t c) {
    Known& known = at(t, locals_[t]);
    const Value read = reads_memory(known.choices[c]) ? memory_[known.choices[c].cell] : 0;
    for (const auto& [value, outcome] : known.outcomes[c])
      if (value == read) return outcome;
    Outcome& outcome = known.outcomes[c].emplace_back(read, Outcome()).second;
    work_out(t, c, outcome);
    return outcome;
  }

  void work_out(size_t t, size_t c, Outcome& outcome) {
    const Known& known = at(t, locals_[t]);
    const Choice& choice = known.choices[c];
    MemoryEffect effect;
    if (choice.kind == Choice::kAccess && !choice.forwarded)
      effect = rules(t).effect(known.state, choice, memory_[choice.cell]);
    outcome.written = effect.written;
    Collector collector(system_.local_states_[t], outcome, recording_);
    rules(t).take(known.state, choice, effect, collector, recording_);
  }

  // The successor in which thread `mover` has got to its local state `next`.
  void emit(size_t mover, const Choice& choice, const Outcome& outcome, uint32_t next, StateSink& sink) {
    if (pending_ == mover && !at(mover, next).guesses) return sink.rejected();
    const uint32_t local_before = locals_[mover];
    const Value cell_before = outcome.written ? memory_[choice.cell] : 0;
    locals_[mover] = next;
    if (outcome.written) memory_[choice.cell] = *outcome.written;
    const bool moved = outcome.written && system_.stamps_.any() && system_.stamps_.is_stamp(choice.cell) &&
                       *outcome.written != cell_before;
    if (moved || at(mover, next).stamps != at(mover, local_before).stamps)
      emit_renamed(sink);
    else
      sink.state(pack());
    locals_[mover] = local_before;
    if (outcome.written) memory_[choice.cell] = cell_before;
  }

  void collect_stamps(std::vector<queue::Stamp>& all) {
    all.clear();
    for (uint32_t cell = 0; cell < memory_.size(); ++cell)
      if (system_.stamps_.is_stamp(cell)) all.push_back({memory_[cell], system_.stamps_.cell_grows(cell)});
    for (size_t t = 0; t < threads_; ++t) {
      const std::vector<queue::Stamp>& own = at(t, locals_[t]).stamps;
      all.insert(all.end(), own.begin(), own.end());
    }
    system_.stamps_.sort(all);
  }

  void emit_renamed(StateSink& sink) {
    collect_stamps(now_);
    if (!system_.stamps_.rename(now_, before_, renaming_)) return sink.overflow();
    if (renaming_.identity) return sink.state(pack());
    const std::vector<Value> memory = memory_;
    const std::vector<uint32_t> locals = locals_;
    for (uint32_t cell = 0; cell < memory_.size(); ++cell)
      if (system_.stamps_.is_stamp(cell)) memory_[cell] = renaming_(memory_[cell]);
    for (size_t t = 0; t < threads_; ++t) locals_[t] = renamed(t, locals_[t], renaming_);
    sink.state(pack());
    memory_ = memory;
    locals_ = locals;
  }

  uint32_t renamed(size_t t, uint32_t number, const StampRules::Renaming& renaming) {
    const Known& known = at(t, number);
    if (known.stamps.empty()) return number;
    std::string key;
    queue::append_number(key, number);
    for (const queue::Stamp& stamp : known.stamps) queue::append_number(key, renaming(stamp.value));
    const auto [found, fresh] = renamed_[t].emplace(std::move(key), number);
    if (fresh) {
      LocalState state = known.state;
      for_each_stamp(t, state, [&](Value& stamp, bool) { stamp = renaming(stamp); });
      found->second = system_.local_states_[t].number_of(packed(state));
    }
    return found->second;
  }

  // ------------------------------------------------------------------------------------------- packing

  PackedState pack() {
    bytes_.clear();
    queue::append_number(bytes_, pending_ == kNobody ? -1 : static_cast<Value>(pending_));
    queue::append_number(bytes_, history_);
    for (const Value value : memory_) queue::append_number(bytes_, value);
    for (const uint32_t local : locals_) queue::append_number(bytes_, local);
    const size_t size = bytes_.size();
    bytes_.append(kBitSlack, '\0');
    return {reinterpret_cast<const uint8_t*>(bytes_.data()), size};
  }

  void unpack(PackedState packed) {
    const char* at = reinterpret_cast<const char*>(packed.data());
    const Value pending = queue::read_number(at);
    pending_ = pending < 0 ? kNobody : static_cast<uint32_t>(pending);
    history_ = static_cast<uint32_t>(queue::read_number(at));
    memory_.resize(program_.cell_count);
    for (Value& value : memory_) value = queue::read_number(at);
    locals_.resize(threads_);
    for (uint32_t& local : locals_) local = static_cast<uint32_t>(queue::read_number(at));
  }

  // Registers have values at the end only.
  StateView view() {
    bool final_state = true;
    for (size_t t = 0; t < threads_ && final_state; ++t) final_state = at(t, locals_[t]).ended;
    if (final_state)
      for (size_t t = 0; t < threads_; ++t) {
        const LocalState& state = at(t, locals_[t]).state;
        where_[t] = state.where;
        for (size_t r = 0; r < state.registers.size(); ++r)
          registers_[system_.first_register_[t] + r] = state.registers[r].value;
      }
    return {where_.data(), memory_.data(), registers_.data(), system_.first_register_.data(), final_state};
  }

  const QueueSystem& system_;
  const Program& program_;
  size_t threads_;
  std::vector<std::vector<std::unique_ptr<Known>>> known_;          // by thread, by local state
  std::vector<std::unordered_map<std::string, uint32_t>> renamed_;  // by thread

  // The state being expanded, and its successors in turn.
  uint32_t history_ = 0;
  uint32_t pending_ = kNobody;  // who has guessed and left the language, if the guess is right
  std::vector<Value> memory_;
  std::vector<uint32_t> locals_;

  std::vector<queue::Stamp> before_, now_;  // the timestamps of the state being expanded and of a successor
  StampRules::Renaming renaming_;
  std::vector<uint32_t> where_;
  std::vector<Value> registers_;
  std::string bytes_;
  bool recording_ = false;
  std::vector<TraceStep> path_;
  std::vector<Crossing> crossed_;
};

QueueSystem::QueueSystem(const Program& program, const FenceSet& fences, const ReorderTable& table,
                         const HistoryLanguage* language, const Observed& observed,
                         const queue::RuleOptions& options)
    : overlay_(program, fences),
      table_(table),
      language_(language),
      liveness_(program, observed.always, observed.at_end),
      stamps_(program),
      variables_(program.cell_count, kNoVariable),
      first_register_(1, 0) {
  for (size_t t = 0; t < program.threads.size(); ++t) {
    rules_.emplace_back(overlay_, ThreadId(t), table_, liveness_, options);
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
