// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/queue_worker.h"

#include "env/errors.h"

namespace fenceline::machine {

using queue::Choice;
using queue::Entry;
using queue::EntryKind;
using queue::LocalState;
using queue::MemoryEffect;
using queue::ThreadRules;

namespace {

bool reads_memory(const Choice& choice) {
  return choice.kind == Choice::kAccess && !choice.forwarded && choice.access != EntryKind::kStore;
}

}  // namespace

class QueueWorker::Collector final : public queue::LocalSink {
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

QueueWorker::QueueWorker(const QueueSystem& system)
    : system_(system),
      program_(system.overlay_.program()),
      threads_(program_.threads.size()),
      known_(threads_),
      renamed_(threads_),
      histories_(system.symmetry_ == nullptr ? 0 : system.symmetry_->size()),
      locations_(threads_, 0),
      registers_(system.first_register_.back(), 0) {}

std::unique_ptr<QueueWorker::Known> QueueWorker::examine(size_t t, uint32_t number) const {
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
  return known;
}

void QueueWorker::initial(StateSink& sink) {
  path_.clear();
  state_.memory = program_.initial_memory();
  state_.locals.assign(threads_, 0);
  state_.history = system_.language_ == nullptr ? 0 : system_.language_->initial();
  state_.pending = kNoThread;
  std::vector<Outcome> starts(threads_);
  for (size_t t = 0; t < threads_; ++t) start(t, starts[t]);
  if (symmetric()) relate_starts(starts);
  combine_starts(starts, 0, {}, sink);
}

void QueueWorker::successors(PackedState packed, StateSink& sink) {
  path_.clear();
  unpack(packed, state_);
  if (system_.stamps_.any()) collect_stamps(state_, before_);
  sink.expanding(view());
  if (symmetric() && symmetry().counts_states) count_orbit(state_);
  for (size_t t = 0; t < threads_; ++t) {
    const Known& known = at(t, state_.locals[t]);
    for (size_t c = 0; c < known.choices.size(); ++c) choose(t, c, sink);
  }
}

PackedState QueueWorker::representative(PackedState packed) {
  unpack(packed, original_);
  return canonical(original_);
}

// Calls f(value, grows) for each timestamp that the local state holds.
void QueueWorker::for_each_stamp(size_t t, LocalState& state, const StampVisitor& f) const {
  const auto visit = [&](uint32_t reg, queue::Operand& operand) {
    if (!operand.pending && rules(t).is_stamp(reg)) f(operand.value, system_.stamps_.register_grows(t, reg));
  };
  for (uint32_t r = 0; r < state.registers.size(); ++r) visit(r, state.registers[r]);
  for (Entry& entry : state.entries) {
    for (queue::Captured& input : entry.inputs) visit(input.reg, input.operand);
    if (!entry.known || !rules(t).holds_stamp(entry)) continue;
    f(entry.a, system_.stamps_.cell_grows(entry.cell));
    if (rules(t).holds_second_stamp(entry)) f(entry.b, system_.stamps_.cell_grows(entry.cell));
  }
}

// Runs the thread until it first waits.
void QueueWorker::start(size_t t, Outcome& outcome) {
  Collector collector(system_.local_states_[t], outcome, true);
  rules(t).start(collector, true);
  if (outcome.next.empty())
    collector.state(rules(t).initial(), {});  // overflow or error in the first instructions: it stays there
}

void QueueWorker::combine_starts(const std::vector<Outcome>& starts, size_t t,
                                 const std::vector<TraceStep>& so_far, StateSink& sink) {
  if (t == threads_) {
    path_ = so_far;
    return publish(state_, sink);
  }
  report(starts[t], sink);
  for (size_t i = 0; i < starts[t].next.size(); ++i) {
    state_.locals[t] = starts[t].next[i];
    std::vector<TraceStep> path = so_far;
    path.insert(path.end(), starts[t].paths[i].begin(), starts[t].paths[i].end());
    combine_starts(starts, t + 1, path, sink);
  }
}

void QueueWorker::report(const Outcome& outcome, StateSink& sink) {
  if (outcome.overflow) sink.overflow();
  if (outcome.full) sink.buffer_full();
  if (!outcome.error) return;
  path_ = outcome.error_path;
  sink.error();
}

void QueueWorker::choose(size_t t, size_t c, StateSink& sink) {
  const Known& known = at(t, state_.locals[t]);
  const Choice choice = known.choices[c];
  const uint32_t history_before = state_.history, pending_before = state_.pending;
  const bool rejected = !advance_history(t, choice);
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
    if (!rejected) report(outcome, sink);
    for (size_t i = 0; i < outcome.next.size(); ++i) {
      if (recording_) path_ = outcome.paths[i];
      emit(t, choice, outcome, outcome.next[i], sink);
    }
  }
  state_.history = history_before;
  state_.pending = pending_before;
}

TraceStep QueueWorker::first_step(const Outcome& outcome) {
  if (!outcome.paths.empty() && !outcome.paths.front().empty()) return outcome.paths.front().front();
  require(!outcome.error_path.empty(), "a step that is rejected left no trace");
  return outcome.error_path.front();
}

// False if the history leaves the language. An operation of a thread that has guessed counts once the guess
// turns out right; until then nothing else does (`pending`).
bool QueueWorker::advance_history(size_t t, const Choice& choice) {
  if (system_.language_ == nullptr || !choice.history || state_.pending != kNoThread) return true;
  const HistoryStep step{*choice.history, static_cast<uint32_t>(t),
                         has_variable(*choice.history) ? system_.variables_[choice.cell] : 0};
  const uint32_t next = system_.language_->next(state_.history, system_.language_->alphabet().letter(step));
  if (next == HistoryLanguage::kRejected) return false;
  if (symmetric()) relate_histories(step, next);
  state_.history = next;
  return true;
}

const QueueWorker::Outcome& QueueWorker::outcome_of(size_t t, size_t c) {
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

void QueueWorker::work_out(size_t t, const Known& known, const Choice& choice,
                           const std::vector<Value>& memory, Outcome& outcome) {
  MemoryEffect effect;
  if (choice.kind == Choice::kAccess && !choice.forwarded)
    effect = rules(t).effect(known.state, choice, memory[choice.cell]);
  outcome.written = effect.written;
  Collector collector(system_.local_states_[t], outcome, recording_);
  rules(t).take(known.state, choice, effect, collector, recording_);
}

// The successor in which thread `mover` has got to its local state `next`.
void QueueWorker::emit(size_t mover, const Choice& choice, const Outcome& outcome, uint32_t next,
                       StateSink& sink) {
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

void QueueWorker::collect_stamps(const GlobalState& global, std::vector<queue::Stamp>& all) {
  all.clear();
  for (uint32_t cell = 0; cell < global.memory.size(); ++cell)
    if (system_.stamps_.is_stamp(cell))
      all.push_back({global.memory[cell], system_.stamps_.cell_grows(cell)});
  for (size_t t = 0; t < threads_; ++t) {
    const std::vector<queue::Stamp>& own = at(t, global.locals[t]).stamps;
    all.insert(all.end(), own.begin(), own.end());
  }
  system_.stamps_.sort(all);
}

void QueueWorker::emit_renamed(StateSink& sink) {
  collect_stamps(state_, now_);
  if (!system_.stamps_.rename(now_, before_, renaming_)) return sink.overflow();
  if (renaming_.identity) return publish(state_, sink);
  successor_ = state_;
  rename_stamps(successor_);
  publish(successor_, sink);
}

void QueueWorker::rename_stamps(GlobalState& global) {
  for (uint32_t cell = 0; cell < global.memory.size(); ++cell)
    if (system_.stamps_.is_stamp(cell)) global.memory[cell] = renaming_(global.memory[cell]);
  for (size_t t = 0; t < threads_; ++t) global.locals[t] = renamed(t, global.locals[t]);
}

uint32_t QueueWorker::renamed(size_t t, uint32_t number) {
  const Known& known = at(t, number);
  if (known.stamps.empty()) return number;
  std::string key;
  queue::append_number(key, number);
  for (const queue::Stamp& stamp : known.stamps) queue::append_number(key, renaming_(stamp.value));
  const auto [found, fresh] = renamed_[t].emplace(std::move(key), number);
  if (fresh) {
    found->second = with_renamed_stamps(t, known);
    if (symmetric())
      relate(t, found->second, [&](size_t permutation, size_t u) {
        return with_renamed_stamps(u, at(u, counterpart(permutation, t, number)));
      });
  }
  return found->second;
}

uint32_t QueueWorker::with_renamed_stamps(size_t t, const Known& known) {
  LocalState state = known.state;
  for_each_stamp(t, state, [&](Value& stamp, bool) { stamp = renaming_(stamp); });
  return system_.local_states_[t].number_of(packed(state));
}

PackedState QueueWorker::pack(const GlobalState& global) {
  bytes_.clear();
  queue::append_number(bytes_, global.pending == kNoThread ? -1 : static_cast<Value>(global.pending));
  queue::append_number(bytes_, global.history);
  for (const Value value : global.memory) queue::append_number(bytes_, value);
  for (const uint32_t local : global.locals) queue::append_number(bytes_, local);
  const size_t size = bytes_.size();
  bytes_.append(kBitSlack, '\0');
  return {reinterpret_cast<const uint8_t*>(bytes_.data()), size};
}

void QueueWorker::unpack(PackedState packed, GlobalState& global) const {
  const char* at = reinterpret_cast<const char*>(packed.data());
  const Value pending = queue::read_number(at);
  global.pending = pending < 0 ? kNoThread : static_cast<uint32_t>(pending);
  global.history = static_cast<uint32_t>(queue::read_number(at));
  global.memory.resize(program_.cell_count);
  for (Value& value : global.memory) value = queue::read_number(at);
  global.locals.resize(threads_);
  for (uint32_t& local : global.locals) local = static_cast<uint32_t>(queue::read_number(at));
}

// Registers have values at the end only.
StateView QueueWorker::view() {
  bool final_state = true;
  for (size_t t = 0; t < threads_ && final_state; ++t) final_state = at(t, state_.locals[t]).ended;
  if (final_state)
    for (size_t t = 0; t < threads_; ++t) {
      const LocalState& state = at(t, state_.locals[t]).state;
      locations_[t] = state.location;
      for (size_t r = 0; r < state.registers.size(); ++r)
        registers_[system_.first_register_[t] + r] = state.registers[r].value;
    }
  return {locations_.data(), state_.memory.data(), registers_.data(), system_.first_register_.data(),
          final_state};
}

}  // namespace fenceline::machine
