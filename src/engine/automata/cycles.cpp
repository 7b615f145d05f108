// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/cycles.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline {

bool Cycle::several_queues() const {
  return std::count_if(words.begin(), words.end(), [](const Word& word) { return !word.empty(); }) > 1;
}

size_t Cycles::queue_of(ThreadId thread, CellId cell) const {
  const std::vector<uint32_t>& cells = system_.cells_of_queues(thread);
  if (cells.empty()) return 0;
  return static_cast<size_t>(std::find(cells.begin(), cells.end(), cell.value()) - cells.begin());
}

std::optional<Cycle> Cycles::along(std::span<const TraceStep> steps, ThreadId thread) const {
  if (code_.buffering() == Buffering::kNone) return std::nullopt;
  Cycle cycle{thread, {}, {steps.begin(), steps.end()}};
  cycle.words.resize(std::max<size_t>(1, system_.cells_of_queues(thread).size()));
  std::vector<bool> flushed(cycle.words.size());
  bool store_in_epoch = false;
  bool in_atomic = false;  // stores go to memory
  for (const TraceStep& step : steps) {
    if (step.thread != thread) continue;
    if (step.kind == StepKind::kFlush) {
      flushed[queue_of(thread, step.cell)] = true;
      continue;
    }
    const Operation& op = code_.at(thread.index(), step.point.value());
    if (op.kind == InstrKind::kAtomicBegin) in_atomic = true;
    if (op.kind == InstrKind::kAtomicEnd) in_atomic = false;
    if (op.fence == FenceEffect::kBarrier && store_in_epoch) {
      for (Word& word : cycle.words) word.push_back(Letter::barrier());
      store_in_epoch = false;
    }
    if (op.kind != InstrKind::kStore || in_atomic) continue;
    store_in_epoch = true;
    cycle.words[queue_of(thread, step.cell)].push_back({step.cell.value(), step.value.value_or(0), false});
  }
  for (size_t q = 0; q < flushed.size(); ++q)
    if (flushed[q]) cycle.words[q].clear();
  const bool grows =
      std::any_of(cycle.words.begin(), cycle.words.end(), [](const Word& word) { return !word.empty(); });
  return grows ? std::optional(std::move(cycle)) : std::nullopt;
}

Queues Cycles::repeated(const Queues& queues, std::span<const Cycle* const> cycles,
                        std::optional<size_t> last) {
  Queues result(cycles.front()->words.size());
  for (size_t q = 0; q < result.size(); ++q) {
    std::vector<Word> words;
    for (const Cycle* cycle : cycles)
      if (!cycle->words[q].empty()) words.push_back(cycle->words[q]);
    const Language start = queues.empty() ? Languages::empty_word() : queues[q];
    result[q] = system_.languages().repeated(start, words);
    if (last) result[q] = system_.languages().append(result[q], cycles[*last]->words[q]);
  }
  return result;
}

bool Cycles::includes(const Queues& whole, const Queues& part) {
  for (size_t q = 0; q < std::max(whole.size(), part.size()); ++q) {
    const Language large = whole.empty() ? Languages::empty_word() : whole[q];
    const Language small = part.empty() ? Languages::empty_word() : part[q];
    if (!system_.languages().included(small, large)) return false;
  }
  return true;
}

bool Cycles::runs_again(PackedState state, const Cycle& cycle) {
  ++replayed_;
  const std::optional<PackedState> followed = system_.follow(state, cycle.steps);
  bool fine = false;
  if (followed) {
    const KeptState kept(*followed);
    const PackedState end = kept.packed();
    fine = system_.same_family(state, end);
    for (size_t t = 0; fine && t < code_.threads(); ++t) {
      const ThreadId thread(t);
      Queues before = system_.queues(state, thread);
      const Queues after = system_.queues(end, thread);
      // No content was dropped on the way if what comes out is what went in, with the words appended.
      for (size_t q = 0; fine && thread == cycle.thread && q < before.size(); ++q) {
        if (cycle.words[q].empty()) continue;
        before[q] = system_.languages().append(before[q], cycle.words[q]);
        fine = !after.empty() && after[q] == before[q];
      }
      fine = fine && includes(after, before);
    }
  }
  refused_ += fine ? 0 : 1;
  return fine;
}

std::vector<Cycles::Accelerated> Cycles::accelerate(PackedState state, std::span<const Cycle* const> cycles) {
  std::vector<Accelerated> result;
  if (cycles.empty()) return result;
  const ThreadId thread = cycles.front()->thread;
  const Queues before = system_.queues(state, thread);
  const bool whole_rounds =
      std::any_of(cycles.begin(), cycles.end(), [](const Cycle* cycle) { return cycle->several_queues(); });
  std::vector<size_t> chosen(cycles.size());
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  for (size_t last = 0; last < (whole_rounds ? cycles.size() : 1); ++last) {
    std::vector<size_t> going = chosen;
    for (bool stable = false; !stable && !going.empty();) {
      const auto where_last = std::find(going.begin(), going.end(), last);
      if (whole_rounds && where_last == going.end()) break;
      std::vector<const Cycle*> rounds;
      for (const size_t i : going) rounds.push_back(cycles[i]);
      const Queues after = repeated(
          before, rounds, whole_rounds ? std::optional<size_t>(where_last - going.begin()) : std::nullopt);
      if (includes(before, after)) break;  // nothing new
      const KeptState accelerated(system_.with_queues(state, thread, after));
      const size_t tried = going.size();
      std::erase_if(going, [&](size_t i) { return !runs_again(accelerated.packed(), *cycles[i]); });
      stable = going.size() == tried;
      if (stable)
        result.push_back({accelerated, going, whole_rounds ? std::optional<size_t>(last) : std::nullopt});
    }
  }
  return result;
}

}  // namespace fenceline
