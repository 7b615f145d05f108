// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/cycles.h"

#include <algorithm>
#include <numeric>

#include "machine/path.h"

namespace fenceline::automata {

bool Cycle::several_queues() const {
  return std::count(appended.begin(), appended.end(), Languages::empty_word()) + 1 <
         static_cast<std::ptrdiff_t>(appended.size());
}

std::optional<Cycle> Cycles::along(std::vector<Cycle::Stretch> stretches, ThreadId thread) {
  if (code_.buffering() == Buffering::kUnbuffered) return std::nullopt;
  Languages& languages = system_.languages();
  Cycle cycle{thread, {}, std::move(stretches)};
  cycle.appended.resize(std::max<size_t>(1, system_.cells_of_queues(thread).size()));
  std::vector<bool> flushed(cycle.appended.size());
  bool store_in_epoch = false;
  for (const Cycle::Stretch& stretch : cycle.stretches) {
    const std::vector<bool> in_atomic =
        machine::inside_sections(code_, stretch.steps);  // stores go to memory
    for (size_t i = 0; i < stretch.steps.size(); ++i) {
      const TraceStep& step = stretch.steps[i];
      if (step.thread != thread) continue;
      if (step.kind == StepKind::kFlush) {
        flushed[system_.queue_of(thread, step.cell)] = true;
        continue;
      }
      const machine::Operation& op = code_.at(thread.index(), step.point.value());
      if (op.fence == machine::FenceEffect::kBarrier && store_in_epoch) {
        for (Language& queue : cycle.appended) queue = languages.append(queue, Letter::barrier());
        store_in_epoch = false;
      }
      if (op.kind != InstrKind::kStore || in_atomic[i]) continue;
      store_in_epoch = true;
      Language& queue = cycle.appended[system_.queue_of(thread, step.cell)];
      queue = languages.append(queue, {step.cell.value(), step.value.value_or(0), false});
    }
    if (!stretch.inner.empty()) cycle.appended = repeated(cycle.appended, stretch.inner, std::nullopt);
  }
  for (size_t q = 0; q < flushed.size(); ++q)
    if (flushed[q]) cycle.appended[q] = Languages::empty_word();
  const bool grows = std::any_of(cycle.appended.begin(), cycle.appended.end(),
                                 [](Language queue) { return queue != Languages::empty_word(); });
  return grows ? std::optional(std::move(cycle)) : std::nullopt;
}

machine::Queues Cycles::repeated(const machine::Queues& queues, std::span<const Cycle* const> cycles,
                                 std::optional<size_t> last) {
  Languages& languages = system_.languages();
  machine::Queues result(cycles.front()->appended.size());
  for (size_t q = 0; q < result.size(); ++q) {
    Language iteration = Languages::nothing();
    for (const Cycle* cycle : cycles)
      if (cycle->grows(q)) iteration = languages.united(iteration, cycle->appended[q]);
    result[q] = languages.repeated(queues.empty() ? Languages::empty_word() : queues[q], iteration);
    if (last) result[q] = languages.concatenated(result[q], cycles[*last]->appended[q]);
  }
  return result;
}

bool Cycles::includes(const machine::Queues& whole, const machine::Queues& part) {
  for (size_t q = 0; q < std::max(whole.size(), part.size()); ++q) {
    const Language large = whole.empty() ? Languages::empty_word() : whole[q];
    const Language small = part.empty() ? Languages::empty_word() : part[q];
    if (!system_.languages().included(small, large)) return false;
  }
  return true;
}

// The part of the state that can take the cycle, after one iteration.
std::optional<machine::KeptState> Cycles::iterated_once(machine::PackedState state, const Cycle& cycle) {
  machine::KeptState now(state);
  for (const Cycle::Stretch& stretch : cycle.stretches) {
    const std::optional<machine::PackedState> end = system_.after_steps(now.packed(), stretch.steps);
    if (!end) return std::nullopt;
    now = machine::KeptState(*end);
    if (stretch.inner.empty()) continue;
    const machine::Queues grown =
        repeated(system_.queues(now.packed(), cycle.thread), stretch.inner, std::nullopt);
    now = machine::KeptState(system_.with_queues(now.packed(), cycle.thread, grown));
    for (const Cycle* inner : stretch.inner)
      if (!is_repeatable(now.packed(), *inner)) return std::nullopt;
  }
  return now;
}

bool Cycles::is_repeatable(machine::PackedState state, const Cycle& cycle) {
  ++replayed_;
  const std::optional<machine::KeptState> end = iterated_once(state, cycle);
  bool fine = end && system_.same_class(state, end->packed());
  for (size_t t = 0; fine && t < code_.threads(); ++t) {
    const ThreadId thread(t);
    machine::Queues before = system_.queues(state, thread);
    const machine::Queues after = system_.queues(end->packed(), thread);
    // No content was dropped if the result is the content before, with the words appended.
    for (size_t q = 0; fine && thread == cycle.thread && q < before.size(); ++q) {
      if (!cycle.grows(q)) continue;
      before[q] = system_.languages().concatenated(before[q], cycle.appended[q]);
      fine = !after.empty() && after[q] == before[q];
    }
    fine = fine && includes(after, before);
  }
  rejected_ += fine ? 0 : 1;
  return fine;
}

std::vector<Cycles::Accelerated> Cycles::accelerate(machine::PackedState state,
                                                    std::span<const Cycle* const> cycles) {
  if (cycles.empty()) return {};
  const bool whole_iterations =
      std::any_of(cycles.begin(), cycles.end(), [](const Cycle* cycle) { return cycle->several_queues(); });
  std::vector<size_t> repeatable(cycles.size());
  std::iota(repeatable.begin(), repeatable.end(), size_t{0});
  while (!repeatable.empty()) {
    std::vector<Accelerated> results = iterations_of(state, cycles, repeatable, whole_iterations);
    const size_t tried = repeatable.size();
    std::erase_if(repeatable, [&](size_t i) {
      if (results.empty()) return true;  // nothing new
      // The last iteration was kept whole, so the state before the first iteration is not among the results.
      if (whole_iterations && !is_repeatable(state, *cycles[i])) return true;
      return std::any_of(results.begin(), results.end(), [&](const Accelerated& result) {
        return !is_repeatable(result.state.packed(), *cycles[i]);
      });
    });
    if (repeatable.size() == tried) return results;
  }
  return {};
}

// The states reached by iterations of these cycles that are new.
std::vector<Cycles::Accelerated> Cycles::iterations_of(machine::PackedState state,
                                                       std::span<const Cycle* const> cycles,
                                                       const std::vector<size_t>& repeatable,
                                                       bool whole_iterations) {
  const ThreadId thread = cycles.front()->thread;
  const machine::Queues before = system_.queues(state, thread);
  std::vector<const Cycle*> iterated;
  for (const size_t i : repeatable) iterated.push_back(cycles[i]);
  std::vector<Accelerated> results;
  for (size_t last = 0; last < (whole_iterations ? repeatable.size() : 1); ++last) {
    const machine::Queues after =
        repeated(before, iterated, whole_iterations ? std::optional(last) : std::nullopt);
    if (includes(before, after)) continue;
    results.push_back({machine::KeptState(system_.with_queues(state, thread, after)), repeatable,
                       whole_iterations ? std::optional(repeatable[last]) : std::nullopt});
  }
  return results;
}

}  // namespace fenceline::automata
