// SPDX-License-Identifier: GPL-3.0-or-later
//
// Three things are needed of the parts. The steps must omit none (certificate_steps.h, and the algebra of
// buffers), the order must not claim too much (the algebra again), and a state that is not bad must represent
// none that is:
//
//   - never and always look at locations, memory and registers, which a state gives exactly or not at all; in
//     the latter case nothing is proved;
//   - what is final has ended all threads and nothing is pending; a state represents such a one if all its threads
//     have ended and all its buffers may be empty;
//   - a machine with a pending store is not deadlocked, because some pending store can always be flushed; what
//     is left of a state where none is pending has the steps of what it represents;
//   - a step that can fail in an exact state fails in the steps of the state that represents it.
//
// A certificate may come from anywhere. All is checked before it is used, so that nothing in it can lead
// outside a vector or to an exception.
#include "check/statespace/certificate_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "check/statespace/automata_buffer.h"
#include "check/statespace/certificate_index.h"
#include "check/statespace/certificate_steps.h"
#include "check/statespace/coherence_buffer.h"

namespace fenceline::check {
namespace {

template <BufferAlgebra Buffers>
class Checker {
 public:
  using Steps = CertificateSteps<Buffers>;
  using Index = CertificateIndex<Buffers>;
  using State = typename Steps::State;

  Checker(const Task& task, const std::vector<State>& states, Buffers& buffers, Limits& limits)
      : task_(task),
        states_(states),
        limits_(limits),
        overlay_(task.program, task.fences),
        buffers_(buffers),
        steps_(overlay_, buffers_, task.model.buffering, limits) {
    for (size_t t = 0; t < task.program.threads.size(); ++t)
      inside_section_.push_back(inside_sections_of(overlay_, ThreadId(t)));
  }

  CertificateCheck run();

 private:
  void check();
  void need_well_formed(const State& state) const;
  void need_good(const State& state) const;
  void need_closed(const State& state, const Index& index);
  State initial() const;
  bool ended(const State& state) const;
  bool excused(const State& state) const;
  std::optional<State> drained(const State& state) const;
  bool is_deadlock(const State& state);
  bool represents_nothing(const State& state) const;
  void poll(size_t number, uint64_t bytes) const;
  const std::string& name(ThreadId thread) const { return task_.program.thread(thread).name; }

  const Task& task_;
  const std::vector<State>& states_;
  Limits& limits_;
  Overlay overlay_;
  Buffers& buffers_;
  Steps steps_;
  std::vector<std::vector<bool>> inside_section_;  // by thread and point
  std::string context_;                            // the state being checked, for messages
  CertificateCheck result_;
};

template <BufferAlgebra Buffers>
CertificateCheck Checker<Buffers>::run() {
  run_check([this] { check(); }, context_, limits_, result_);
  return result_;
}

template <BufferAlgebra Buffers>
void Checker<Buffers>::check() {
  if (task_.model.buffering == Buffering::kNoMachine)
    throw NotProved{"the model is not one of store buffers"};
  const auto look_at = [&](size_t number) { context_ = fmt::format("state {}: ", number); };
  for (size_t i = 0; i < states_.size(); ++i) {
    look_at(i);
    poll(i, 0);
    need_well_formed(states_[i]);
  }
  context_ = "the initial state: ";
  const Index index(buffers_, states_);
  if (!index.subsumed(initial())) throw NotProved{"it is not subsumed"};
  for (size_t i = 0; i < states_.size(); ++i) {
    look_at(i);
    poll(i, index.bytes());
    if (represents_nothing(states_[i])) continue;
    need_good(states_[i]);
    need_closed(states_[i], index);
  }
}

template <BufferAlgebra Buffers>
void Checker<Buffers>::need_well_formed(const State& state) const {
  const Program& program = task_.program;
  const size_t threads = program.threads.size();
  if (state.locations.size() != threads || state.registers.size() != threads ||
      state.buffers.size() != threads)
    throw NotProved{"it has not as many threads as the program"};
  if (state.memory.size() != program.cell_count) throw NotProved{"it has not as many cells as the program"};
  for (size_t t = 0; t < threads; ++t) {
    const ThreadId thread(t);
    if (state.locations[t].index() >= overlay_.points(thread))
      throw NotProved{fmt::format("{} is at no point of its code", name(thread))};
    if (inside_section_[t][state.locations[t].index()])
      throw NotProved{fmt::format("{} is inside an atomic section", name(thread))};
    if (state.registers[t].size() != program.threads[t].registers.size())
      throw NotProved{fmt::format("{} has another number of registers", name(thread))};
    if (const auto problem = buffers_.malformed(state.buffers[t], program.cell_count))
      throw NotProved{fmt::format("the buffer of {}: {}", name(thread), *problem)};
  }
}

template <BufferAlgebra Buffers>
void Checker<Buffers>::need_good(const State& state) const {
  const Property& property = task_.property;
  switch (property.kind) {
    case PropertyKind::kNever:
      if (steps_.formula(state, property.formula) != 0)
        throw NotProved{"the formula that must never hold does hold"};
      return;
    case PropertyKind::kAlways:
      if (steps_.formula(state, property.formula) == 0)
        throw NotProved{"the formula that must always hold does not hold"};
      return;
    case PropertyKind::kFinally:
    case PropertyKind::kObservations:
      if (ended(state) && drained(state) && steps_.formula(state, property.formula) == 0)
        throw NotProved{"it is final, and the formula that must finally hold does not hold"};
      return;
    case PropertyKind::kNoDeadlock:  // these two, as errors in general, are about steps, see need_closed
    case PropertyKind::kNoErrors:
      return;
    case PropertyKind::kOpacity:  // no engine that makes certificates takes these
    case PropertyKind::kStrictSerializability:
    case PropertyKind::kLiveness:
      break;
  }
  throw NotProved{"a property without a meaning"};
}

template <BufferAlgebra Buffers>
void Checker<Buffers>::need_closed(const State& state, const Index& index) {
  typename Steps::Visitor visitor;
  visitor.reached = [&](const State& successor, ThreadId thread, bool flush) {
    ++result_.successors;
    if (!index.subsumed(successor))
      throw NotProved{fmt::format("after {} {} the state is not subsumed", name(thread),
                                  flush ? "has flushed a store" : "has executed its instruction")};
  };
  visitor.failed = [&](ThreadId thread, const std::string& error) {
    if (looks_at_errors(task_.property.kind))
      throw NotProved{fmt::format("the step of {} can fail: {}", name(thread), error)};
  };
  steps_.each(state, visitor);
  if (task_.property.kind == PropertyKind::kNoDeadlock && is_deadlock(state))
    throw NotProved{"it is a deadlock"};
}

template <BufferAlgebra Buffers>
bool Checker<Buffers>::is_deadlock(const State& state) {
  if (ended(state)) return false;
  const std::optional<State> quiet = drained(state);
  if (!quiet) return false;
  const typename Steps::Visitor visitor{[](const State&, ThreadId, bool) {},
                                        [](ThreadId, const std::string&) {}};
  return !steps_.each(*quiet, visitor) && !excused(*quiet);
}

template <BufferAlgebra Buffers>
auto Checker<Buffers>::initial() const -> State {
  State state;
  state.memory = task_.program.initial_memory();
  for (const Thread& thread : task_.program.threads) {
    state.locations.push_back(thread.entry);
    state.registers.emplace_back();
    for (const Register& reg : thread.registers) state.registers.back().emplace_back(reg.init);
    state.buffers.push_back(buffers_.nothing_pending());
  }
  return state;
}

template <BufferAlgebra Buffers>
bool Checker<Buffers>::ended(const State& state) const {
  for (size_t t = 0; t < state.locations.size(); ++t)
    if (steps_.instruction(state, ThreadId(t)).kind != InstrKind::kHalt) return false;
  return true;
}

// What the state represents with all buffers empty.
template <BufferAlgebra Buffers>
auto Checker<Buffers>::drained(const State& state) const -> std::optional<State> {
  State quiet = state;
  for (auto& buffer : quiet.buffers)
    if (!buffers_.keep_empty(buffer)) return std::nullopt;
  return quiet;
}

template <BufferAlgebra Buffers>
bool Checker<Buffers>::represents_nothing(const State& state) const {
  return std::any_of(state.buffers.begin(), state.buffers.end(),
                     [&](const auto& buffer) { return buffers_.represents_nothing(buffer); });
}

// Does the state not count, since a thread is at an assumption that does not hold, or has ended the
// program? Called only where there is no step; a condition that fails would be one.
template <BufferAlgebra Buffers>
bool Checker<Buffers>::excused(const State& state) const {
  for (size_t t = 0; t < state.locations.size(); ++t) {
    const Instruction& i = steps_.instruction(state, ThreadId(t));
    if (i.kind == InstrKind::kAssume && steps_.value_of(state, ThreadId(t), i.a) == 0) return true;
    if (i.kind == InstrKind::kHalt && i.ends_program) return true;
  }
  return false;
}

template <BufferAlgebra Buffers>
void Checker<Buffers>::poll(size_t number, uint64_t bytes) const {
  if (number % 256 == 0 && limits_.poll(bytes + buffers_.bytes()) != LimitReached::kNone) throw OutOfLimits{};
}

}  // namespace

template <BufferAlgebra Buffers>
CertificateCheck check_states(const Task& task,
                              const std::vector<CertificateState<typename Buffers::Contents>>& states,
                              Buffers& buffers, Limits& limits) {
  return Checker<Buffers>(task, states, buffers, limits).run();
}

template CertificateCheck check_states(const Task&,
                                       const std::vector<CertificateState<AutomataBuffer::Contents>>&,
                                       AutomataBuffer&, Limits&);
template CertificateCheck check_states(const Task&, const std::vector<CertificateState<BufferContents>>&,
                                       CoherenceBuffer&, Limits&);

}  // namespace fenceline::check
