// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sets of store buffers: every queue of the thread (one per thread, or one per cell) holds a language, and
// this represents all buffers that have a word of each language in the queue. It is exact: a step that only
// some of the contents can take keeps just those (keep_...(), read()).
//
// Barriers, where every cell has a queue, are letters. A store-store fence appends one to every queue, and
// when all queues begin with one, all of these vanish; so the stores between two barriers are an epoch, and
// only those of the oldest epoch can be flushed. Two rules keep the form canonical: no barrier is appended
// behind an epoch without stores, and never do all queues begin with a barrier. Both depend on the words, so
// that a set must sometimes be split before the step; barrier_alternatives() and the `element` of a flush
// number the parts, each of which is a product of languages again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "automata/languages.h"
#include "domain/buffer/store_buffer.h"

namespace fenceline::buffer {

class AutomatonBuffer {
 public:
  // By number of the cell in BufferLayout::cells, or just one. None at all: they are all empty.
  using Queues = std::vector<automata::Language>;

  static constexpr bool kOneReading = false;
  static constexpr bool kNarrows = true;

  const Queues& queues() const { return queues_; }
  void set_queues(Queues queues, const BufferLayout& layout) {
    queues_ = std::move(queues);
    languages_ = layout.languages;
  }

  bool empty() const {
    return all([](automata::Language queue) { return queue == automata::Languages::empty_word(); });
  }
  bool may_be_empty() const {
    return all([this](automata::Language queue) { return languages_->has_empty_word(queue); });
  }
  size_t size() const { return 0; }  // there is no bound to compare it with

  // These three speak for all contents only where order_is_exact().
  bool holds(uint32_t cell) const {
    bool found = false;
    for_each_cell([&](uint32_t other) { found = found || other == cell; });
    return found;
  }
  bool loads_blocked() const { return false; }
  bool stores_blocked() const { return false; }
  bool order_is_exact(const BufferLayout& layout) const {
    if (layout.barriers || layout.marks) return empty();
    return all([this](automata::Language queue) {
      return queue == automata::Languages::empty_word() || !languages_->has_empty_word(queue);
    });
  }

  bool keep_drained() {
    if (!may_be_empty()) return false;
    queues_.clear();
    return true;
  }
  bool keep_loadable() {
    return keep([this](automata::Language queue) { return languages_->without_marks(queue); });
  }
  bool keep_unbarred() {
    return keep([this](automata::Language queue) { return languages_->without(queue, Letter::kBarrier); });
  }
  bool keep_without(uint32_t cell, const BufferLayout& layout) {
    if (queues_.empty() || !stored(cell, layout)) return true;
    automata::Language& queue = queues_[number(cell, layout)];
    const automata::Language kept = languages_->without(queue, cell);
    if (kept == automata::Languages::nothing()) return false;
    queue = kept;
    return true;
  }

  // One reading per value, ascending; the contents that have it in the buffer and those that read it from
  // memory stay together.
  uint64_t readings(uint32_t cell, Value memory, const BufferLayout& layout) const {
    if (queues_.empty() || !stored(cell, layout)) return 1;
    return values_seen(loadable(queues_[number(cell, layout)]), cell, memory).size();
  }
  Value read(uint32_t cell, uint64_t reading, Value memory, const BufferLayout& layout) {
    if (queues_.empty() || !stored(cell, layout)) return memory;
    automata::Language& queue = queues_[number(cell, layout)];
    const Value value = values_seen(queue, cell, memory)[reading];
    const automata::Language buffered = languages_->newest(queue, {cell, value, false});
    queue = value != memory ? buffered : languages_->united(buffered, languages_->without(queue, cell));
    return value;
  }

  void append(uint32_t cell, Value value, uint32_t /*origin*/, const BufferLayout& layout) {
    if (queues_.empty()) {
      queues_.assign(layout.per_cell ? layout.cells.size() : 1, automata::Languages::empty_word());
      languages_ = layout.languages;
    }
    automata::Language& queue = queues_[number(cell, layout)];
    queue = languages_->append(queue, {cell, value, false});
  }

  // Alternative i, for i below the number of queues: the first queue with a store behind its last barrier is
  // the i-th; a barrier is appended. The last alternative: there is no such queue; nothing is appended.
  // Alternatives that keep no contents do not count.
  uint64_t barrier_alternatives() const {
    uint64_t count = 0;
    for (size_t alternative = 0; alternative <= queues_.size(); ++alternative)
      count += parted_before_barrier(alternative).has_value();
    return count;
  }
  void barrier(uint64_t number) {
    for (size_t alternative = 0; alternative <= queues_.size(); ++alternative) {
      std::optional<Queues> part = parted_before_barrier(alternative);
      if (!part || number-- != 0) continue;
      if (alternative < queues_.size())
        for (automata::Language& queue : *part) queue = languages_->append(queue, Letter::barrier());
      queues_ = std::move(*part);
      return;
    }
  }

  void mark() {
    for (automata::Language& queue : queues_) queue = languages_->marked(queue);
  }

  template <class F>
  void for_each_cell(const F& f) const {
    for (const automata::Language queue : queues_) {
      if (queue == automata::Languages::empty_word()) continue;
      for (const uint32_t variable : languages_->variables(queue))
        if (variable != Letter::kBarrier) f(variable);
    }
  }

  // `index` of a choice: the letter among the first ones of its queue; `element`: the part.
  template <class F>
  void for_each_flush(const BufferLayout& layout, const F& f) const {
    for (size_t q = 0; q < queues_.size(); ++q) {
      if (queues_[q] == automata::Languages::empty_word()) continue;
      const std::vector<Letter> letters = languages_->first(queues_[q]);
      for (uint32_t i = 0; i < letters.size(); ++i) {
        if (letters[i].variable == Letter::kBarrier) continue;
        const size_t parts = layout.barriers ? parts_after(q, letters[i]).size() : 1;
        for (uint32_t part = 0; part < parts; ++part)
          f(FlushChoice{letters[i].variable, letters[i].value, i, FlushChoice::Kind::kEntry, part});
      }
    }
  }

  void flush(const FlushChoice& choice, const BufferLayout& layout) {
    const size_t q = number(choice.cell, layout);
    const Letter letter = languages_->first(queues_[q])[choice.index];
    if (layout.barriers)
      queues_ = std::move(parts_after(q, letter)[choice.element]);
    else
      queues_[q] = languages_->after(queues_[q], letter);
  }

  // A 0 for an empty buffer; else a 1, and the number of each language.
  void pack(BitWriter& writer, const BufferLayout& /*layout*/) const {
    if (empty()) return writer.put(0, 1);
    writer.put(1, 1);
    for (const automata::Language queue : queues_) writer.put(queue.number(), kNumberBits);
  }
  void unpack(BitReader& reader, const BufferLayout& layout) {
    languages_ = layout.languages;
    queues_.clear();
    if (!reader.get(1)) return;
    queues_.resize(layout.per_cell ? layout.cells.size() : 1);
    for (automata::Language& queue : queues_)
      queue = automata::Language(static_cast<uint32_t>(reader.get(kNumberBits)));
  }

  // Buffers of states that agree in all else may always subsume each other.
  void pack_subsumption_class(BitWriter& /*writer*/, const BufferLayout& /*layout*/) const {}

  // Does this represent everything that `narrow` represents?
  bool subsumes(const AutomatonBuffer& narrow, const BufferLayout& /*layout*/) const {
    if (queues_.empty()) return narrow.empty();
    for (size_t q = 0; q < queues_.size(); ++q) {
      const automata::Language part =
          narrow.queues_.empty() ? automata::Languages::empty_word() : narrow.queues_[q];
      if (part != queues_[q] && !languages_->included(part, queues_[q])) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned kNumberBits = 32;

  template <class F>
  bool all(const F& f) const {
    return std::all_of(queues_.begin(), queues_.end(), f);
  }

  // Replaces every queue by what `narrowed` keeps of it, unless nothing is left of one.
  template <class F>
  bool keep(const F& narrowed) {
    Queues kept;
    for (const automata::Language queue : queues_) {
      kept.push_back(narrowed(queue));
      if (kept.back() == automata::Languages::nothing()) return false;
    }
    queues_ = std::move(kept);
    return true;
  }

  static size_t number(uint32_t cell, const BufferLayout& layout) {
    return layout.per_cell ? layout.cell_index[cell] : 0;
  }
  static bool stored(uint32_t cell, const BufferLayout& layout) {
    const uint32_t index = layout.cell_index[cell];
    return index < layout.cells.size() && layout.cells[index] == cell;
  }

  automata::Language loadable(automata::Language queue) const { return languages_->without_marks(queue); }
  std::vector<Value> values_seen(automata::Language queue, uint32_t cell, Value memory) const {
    std::vector<Value> values;
    for (const Letter& letter : languages_->newest_letters(queue, cell)) values.push_back(letter.value);
    if (languages_->without(queue, cell) != automata::Languages::nothing()) values.push_back(memory);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  std::optional<Queues> parted_before_barrier(size_t alternative) const {
    Queues part = queues_;
    for (size_t q = 0; q < part.size() && q <= alternative; ++q) {
      const automata::Language closed = nothing_behind_barrier(part[q]);
      part[q] = q < alternative ? closed : languages_->minus(part[q], closed);
      if (part[q] == automata::Languages::nothing()) return std::nullopt;
    }
    return part;
  }
  // The words that are empty or end with a barrier.
  automata::Language nothing_behind_barrier(automata::Language queue) const {
    const automata::Language ending = languages_->ending_with(queue, Letter::barrier());
    return languages_->has_empty_word(queue) ? languages_->united(ending, automata::Languages::empty_word())
                                             : ending;
  }

  // What the buffer can be when the letter has been flushed from queue q, in parts: those in which the first
  // queue that does not begin with a barrier is the i-th; and, where all begin with one, the same again
  // without it.
  std::vector<Queues> parts_after(size_t q, const Letter& letter) const {
    std::vector<Queues> parts;
    Queues remaining = queues_;
    remaining[q] = languages_->after(remaining[q], letter);
    std::vector<Queues> seen;
    while (std::find(seen.begin(), seen.end(), remaining) == seen.end()) {
      seen.push_back(remaining);
      for (size_t i = 0; i < remaining.size(); ++i) {
        Queues part = remaining;
        part[i] = languages_->not_beginning_with(remaining[i], Letter::barrier());
        const automata::Language barred = languages_->minus(remaining[i], part[i]);
        if (part[i] != automata::Languages::nothing()) parts.push_back(std::move(part));
        if (barred == automata::Languages::nothing()) return parts;
        remaining[i] = barred;
      }
      for (automata::Language& queue : remaining) queue = languages_->after(queue, Letter::barrier());
    }
    return parts;
  }

  Queues queues_;
  automata::Languages* languages_ = nullptr;
};

static_assert(StoreBuffer<AutomatonBuffer>);

}  // namespace fenceline::buffer
