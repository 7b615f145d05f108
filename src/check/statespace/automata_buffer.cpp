// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/statespace/automata_buffer.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/statespace/certificate_steps.h"

namespace fenceline::check {
namespace {

constexpr QueueLanguages::Number kNothing = QueueLanguages::kNothing;

bool is_barrier(const Letter& letter) { return letter.variable == Letter::kBarrier; }

}  // namespace

AutomataBuffer::AutomataBuffer(QueueLanguages& languages, Buffering buffering, size_t cell_count)
    : languages_(languages), buffering_(buffering) {
  if (buffering == Buffering::kPerThread) nothing_pending_.assign(1, QueueLanguages::kEmptyWord);
  if (buffering == Buffering::kPerCell) nothing_pending_.assign(cell_count, QueueLanguages::kEmptyWord);
}

std::optional<std::string> AutomataBuffer::malformed(const Contents& queues, size_t) const {
  if (queues.size() != nothing_pending_.size())
    return fmt::format("{} queues, and not {}", queues.size(), nothing_pending_.size());
  for (size_t q = 0; q < queues.size(); ++q) {
    if (queues[q] == kAbsent) {
      if (!per_cell()) return "the only queue is missing";
      continue;
    }
    for (const Letter& letter : languages_.letters(queues[q]))
      if (per_cell() && !is_barrier(letter) && letter.variable != q)
        return fmt::format("a store to cell {} is pending in the queue of cell {}", letter.variable, q);
  }
  return std::nullopt;
}

bool AutomataBuffer::represents_nothing(const Contents& queues) {
  return std::find(queues.begin(), queues.end(), kNothing) != queues.end();
}

// ---- Conditions
// --------------------------------------------------------------------------------------------

bool AutomataBuffer::keep_empty(Contents& queues) const {
  change(queues, [this](Language queue) {
    return languages_.has_empty_word(queue) ? QueueLanguages::kEmptyWord : kNothing;
  });
  return !represents_nothing(queues);
}

bool AutomataBuffer::keep_readable(Contents& queues) {
  change(queues, [this](Language queue) { return languages_.without_marks(queue); });
  return !represents_nothing(queues);
}

std::vector<Reading<AutomataBuffer::Contents>> AutomataBuffer::readings(const Contents& queues,
                                                                        uint32_t cell) {
  const size_t at = queue_of(cell);
  if (queues.empty() || queues[at] == kAbsent) return {{std::nullopt, queues}};
  std::vector<Reading<Contents>> alternatives;
  const auto add = [&](std::optional<Value> own, Language when) {
    if (when == kNothing) return;
    alternatives.push_back({own, queues});
    alternatives.back().when[at] = when;
  };
  for (const Letter& letter : languages_.letters(queues[at]))
    if (letter.variable == cell) add(letter.value, languages_.with_newest(queues[at], letter));
  add(std::nullopt, languages_.without_cell(queues[at], cell));
  return alternatives;
}

// A barrier in a queue means that a store before it is pending, or it would not be there.
bool AutomataBuffer::keep_drained_for_write(Contents& queues) {
  if (!per_cell()) return keep_empty(queues);
  change(queues, [this](Language queue) { return languages_.without_barriers(queue); });
  return !represents_nothing(queues);
}

bool AutomataBuffer::keep_drained_for_write(Contents& queues, uint32_t cell) {
  if (!keep_drained_for_write(queues)) return false;
  if (queues.empty()) return true;
  Language& own = queues[queue_of(cell)];
  if (own == kAbsent) return true;
  if (!languages_.has_empty_word(own)) return false;
  own = QueueLanguages::kEmptyWord;
  return true;
}

// ---- Changes
// -----------------------------------------------------------------------------------------------

void AutomataBuffer::store(Contents& queues, uint32_t cell, Value value) {
  Language& queue = queues[queue_of(cell)];
  if (queue == kAbsent) throw NotProved{fmt::format("a store to cell {}, which has no queue", cell)};
  queue = languages_.appended(queue, {cell, value, false});
}

std::vector<AutomataBuffer::Contents> AutomataBuffer::after_fence(const Contents& queues, FenceKinds kinds) {
  Contents after = queues;
  if (kinds.has_store_load() && (!per_cell() || kinds.has_store_store()))
    return keep_empty(after) ? std::vector<Contents>{after} : std::vector<Contents>{};
  if (per_cell() && kinds.has_store_store()) return after_barrier(queues);
  if (per_cell() && kinds.has_store_load())
    change(after, [this](Language queue) { return languages_.marked(queue); });
  return {after};
}

// Where no queue ends with a store a barrier would be redundant.
std::vector<AutomataBuffer::Contents> AutomataBuffer::after_barrier(const Contents& queues) {
  std::vector<Contents> results;
  Contents rest = queues;  // those in which no queue up to here ends with a store
  for (size_t q = 0; q < queues.size() && !represents_nothing(rest); ++q) {
    if (queues[q] == kAbsent) continue;
    Contents after = rest;
    after[q] = languages_.ending_with_store(rest[q]);
    rest[q] = languages_.not_ending_with_store(rest[q]);
    if (after[q] == kNothing) continue;
    change(after, [this](Language queue) { return languages_.appended(queue, Letter::barrier()); });
    results.push_back(std::move(after));  // normal, if it was before
  }
  if (!represents_nothing(rest)) results.push_back(std::move(rest));
  return results;
}

std::vector<Flush<AutomataBuffer::Contents>> AutomataBuffer::flushes(const Contents& queues) {
  std::vector<Flush<Contents>> alternatives;
  for (size_t q = 0; q < queues.size(); ++q) {
    if (queues[q] == kAbsent) continue;
    for (const Letter& letter : languages_.first_letters(queues[q])) {
      if (is_barrier(letter)) continue;
      Contents after = queues;
      after[q] = languages_.after(queues[q], letter);
      for (Contents& part : normal(after))
        alternatives.push_back({letter.variable, letter.value, std::move(part)});
    }
  }
  return alternatives;
}

// If all queues begin with a barrier, no store is left that the barriers could hold anything back for. After
// that some queue begins with a store or all are empty, if what was there before was normal.
std::vector<AutomataBuffer::Contents> AutomataBuffer::normal(const Contents& queues) {
  if (!per_cell()) return {queues};
  std::vector<Contents> results;
  add_without_common_barrier(queues, results);
  Contents passed = queues;
  change(passed, [this](Language queue) { return languages_.after(queue, Letter::barrier()); });
  if (!represents_nothing(passed)) add_without_common_barrier(std::move(passed), results);
  return results;
}

// The combinations in which some queue does not begin with a barrier.
void AutomataBuffer::add_without_common_barrier(Contents queues, std::vector<Contents>& results) {
  for (Language& queue : queues) {
    if (queue == kAbsent) continue;
    const Language begins = languages_.beginning_with_barrier(queue);
    queue = languages_.not_beginning_with_barrier(queue);
    if (queue != kNothing) results.push_back(queues);
    if (begins == kNothing) return;
    queue = begins;
  }
}

// ---- Order
// -------------------------------------------------------------------------------------------------

bool AutomataBuffer::subsumes(const Contents& general, const Contents& special) {
  for (size_t q = 0; q < general.size(); ++q) {
    if (general[q] == special[q]) continue;
    // Where there is no queue there are no stores: that represents an empty one.
    if (general[q] == kAbsent ? special[q] != QueueLanguages::kEmptyWord
                              : special[q] == kAbsent || !languages_.included(special[q], general[q]))
      return false;
  }
  return true;
}

}  // namespace fenceline::check
