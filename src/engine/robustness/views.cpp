// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/views.h"

#include <algorithm>
#include <array>
#include <bit>

#include "env/errors.h"

namespace fenceline::robustness {
namespace {

// Does bits have one in [low + 1, high]?
bool any_between(uint64_t bits, unsigned low, unsigned high) {
  const uint64_t up_to_high = (uint64_t{2} << high) - 1, up_to_low = (uint64_t{2} << low) - 1;
  return (bits & up_to_high & ~up_to_low) != 0;
}

}  // namespace

Views::Rows Views::add_rows(size_t count, bool wanted) {
  const Rows rows{rows_, wanted ? count : 0};
  rows_ += static_cast<Row>(rows.count);
  return rows;
}

Views::Views(const SharedCells& cells) : cells_(cells) {
  const size_t threads = cells.threads(), columns = cells.columns();
  const bool accesses = columns > 0 && cells.sequential_accesses();
  const bool fences = columns > 0 && cells.sequential_fences();
  known_ = add_rows(threads, true);
  messages_ = add_rows(cells.messages(), true);
  acquired_ = add_rows(threads, cells.acquire_fences());
  released_ = add_rows(threads, cells.release_fences());
  rows_with_clocks_ = rows_;
  sequential_ = add_rows(threads, accesses);
  sequential_written_ = add_rows(columns, accesses);
  sequential_accessed_ = add_rows(columns, accesses);
  fenced_ = add_rows(threads, fences);
  fenced_written_ = add_rows(columns, fences);
  fenced_accessed_ = add_rows(columns, fences);
  pending_ = add_rows(threads, fences);
  rows_of_knowledge_ = rows_;
  passed_ = add_rows(threads, columns > 0);
  written_after_ = add_rows(columns, true);
  accessed_after_ = add_rows(columns, true);
  for (size_t cell = 0; cell < cells.size(); ++cell)
    message_.push_back(cells.message(cell) ? messages_[*cells.message(cell)] : kNoRow);
  columns_.resize(columns);
  clocks_.resize(cells.clocks().size());
  positions_.resize(columns_.size() + clocks_.size() + 1);
  reset();
}

void Views::reset() {
  for (Column& column : columns_) column = {std::vector<Number>(rows_), 0, 0, false};
  for (Clock& clock : clocks_) clock = {false, std::vector<uint64_t>(words_for_bits(rows_with_clocks_))};
  unpacked_columns_ = columns_;
  unpacked_clocks_ = clocks_;
  bytes_ = nullptr;
  dirty_.assign(columns_.size() + clocks_.size(), 0);
}

void Views::restore() {
  for (size_t c = 0; c < columns_.size(); ++c)
    if (dirty_[c] != 0) columns_[c] = unpacked_columns_[c];
  for (size_t c = 0; c < clocks_.size(); ++c)
    if (dirty_[columns_.size() + c] != 0) clocks_[c] = unpacked_clocks_[c];
  std::ranges::fill(dirty_, uint8_t{0});
}

// ---- Views

void Views::set(size_t column, Row view, Number number) {
  columns_[column].numbers[view] = number;
  dirty_[column] = 1;
}

void Views::set_knows(size_t clock, Row view, bool known) {
  uint64_t* knows = clocks_[clock].knows.data();
  if (known)
    add_bit(knows, view);
  else
    remove_bit(knows, view);
  dirty_[columns_.size() + clock] = 1;
}

void Views::join_numbers(Row view, Row other) {
  for (size_t c = 0; c < columns_.size(); ++c)
    if (const Number number = columns_[c].numbers[other]; number > columns_[c].numbers[view])
      set(c, view, number);
}

void Views::join(Row view, Row other) {
  join_numbers(view, other);
  for (size_t c = 0; c < clocks_.size(); ++c)
    if (knows(c, other) && !knows(c, view)) set_knows(c, view, true);
}

void Views::assign_numbers(Row view, Row other) {
  for (size_t c = 0; c < columns_.size(); ++c)
    if (const Number number = columns_[c].numbers[other]; number != columns_[c].numbers[view])
      set(c, view, number);
}

void Views::assign(Row view, Row other) {
  assign_numbers(view, other);
  for (size_t c = 0; c < clocks_.size(); ++c)
    if (knows(c, other) != knows(c, view)) set_knows(c, view, knows(c, other));
}

void Views::clear(Row view) {
  for (size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].numbers[view] != 0) set(c, view, 0);
  for (size_t c = 0; c < clocks_.size() && view < rows_with_clocks_; ++c)
    if (clocks_[c].running && knows(c, view)) set_knows(c, view, false);
}

// ---- What is possible

Views::Number Views::known_at(size_t thread, size_t column, bool sequential) const {
  const std::vector<Number>& numbers = columns_[column].numbers;
  const Number known = numbers[known_[thread]];
  return sequential ? std::max(known, numbers[sequential_[thread]]) : known;
}

bool Views::may_read_older(size_t thread, size_t cell, bool sequential) const {
  const std::optional<size_t> column = cells_.column(cell);
  return column && known_at(thread, *column, sequential) < columns_[*column].numbers[passed_[thread]];
}

bool Views::may_write_earlier(size_t thread, size_t cell, bool sequential) const {
  const std::optional<size_t> column = cells_.column(cell);
  if (!column) return false;
  const Number known = known_at(thread, *column, sequential);
  const Number passed = columns_[*column].numbers[passed_[thread]];
  return known < passed && any_between(columns_[*column].plain_writes, known, passed);
}

bool Views::races(size_t thread, size_t cell, AccessKind kind) const {
  return std::ranges::any_of(cells_.clocks_of(cell), [&](size_t c) {
    const SharedCells::Clock& clock = cells_.clocks()[c];
    return clock.thread != thread && conflict(clock.kind, kind) && !knows(c, known_[thread]);
  });
}

// ---- What happens

void Views::tick(size_t thread, size_t cell, AccessKind kind) {
  for (const size_t c : cells_.clocks_of(cell)) {
    const SharedCells::Clock& clock = cells_.clocks()[c];
    if (clock.kind == kind && clock.thread.value_or(thread) == thread) {
      clocks_[c].running = true;
      std::ranges::fill(clocks_[c].knows, uint64_t{0});
      set_knows(c, known_[thread], true);
    } else if (cells_.only_plain(cell) && is_write(kind)) {
      stop_clock(c);  // who knows this write knows the reads before it
    }
  }
}

void Views::read(size_t thread, size_t cell, bool atomic, const ReadStrength& strength) {
  const std::optional<size_t> column = cells_.column(cell);
  if (column) set(*column, known_[thread], columns_[*column].last);
  if (atomic && message_[cell] != kNoRow) {
    if (strength.acquire)
      join(known_[thread], message_[cell]);
    else if (acquired_.any())
      join(acquired_[thread], message_[cell]);
  }
  if (column) read_column(thread, *column, strength);
}

void Views::read_column(size_t thread, size_t column, const ReadStrength& strength) {
  join_numbers(passed_[thread], written_after_[column]);
  join_numbers(accessed_after_[column], passed_[thread]);
  if (strength.sequential) sequential_read(thread, column);
  if (!fenced_.any()) return;
  join_numbers(pending_[thread], fenced_written_[column]);
  join_numbers(fenced_accessed_[column], fenced_[thread]);
}

// An earlier seq_cst write comes before the read if that returns it, or a later seq_cst write.
void Views::sequential_read(size_t thread, size_t column) {
  if (columns_[column].last_is_sequential) join_numbers(sequential_[thread], sequential_written_[column]);
  join_numbers(sequential_accessed_[column], sequential_[thread]);
}

void Views::write(size_t thread, size_t cell, bool atomic, const WriteStrength& strength, Replaces replaces) {
  if (const std::optional<size_t> column = cells_.column(cell))
    write_column(thread, *column, strength, replaces != Replaces::kAny);
  const Row message = message_[cell];
  if (message == kNoRow) return;
  // A read-modify-write continues the release sequence of what it reads; another write begins a new one.
  if (replaces != Replaces::kInSequence) clear(message);
  if (atomic && strength.release)
    join(message, known_[thread]);
  else if (atomic && released_.any())
    join(message, released_[thread]);
}

void Views::write_column(size_t thread, size_t number_of_column, const WriteStrength& strength,
                         bool atomically) {
  Column& column = columns_[number_of_column];
  if (column.last >= kMost) compress(number_of_column);
  const Number number = ++column.last;
  const uint64_t bit = uint64_t{1} << number;
  column.plain_writes = atomically ? column.plain_writes & ~bit : column.plain_writes | bit;
  column.last_is_sequential = strength.sequential;
  set(number_of_column, known_[thread], number);

  const Row passed = passed_[thread];
  join_numbers(passed, accessed_after_[number_of_column]);
  set(number_of_column, passed, number);
  assign_numbers(written_after_[number_of_column], passed);
  assign_numbers(accessed_after_[number_of_column], passed);
  if (strength.sequential) sequential_write(thread, number_of_column);
  if (!fenced_.any()) return;
  const Row accessed = fenced_accessed_[number_of_column];
  join_numbers(pending_[thread], accessed);
  // What was read before is before this write, and so before everything that follows it in coherence order.
  join_numbers(accessed, fenced_[thread]);
  assign_numbers(fenced_written_[number_of_column], accessed);
}

void Views::sequential_write(size_t thread, size_t column) {
  const Row before = sequential_[thread];
  join_numbers(before, sequential_written_[column]);
  join_numbers(before, sequential_accessed_[column]);
  set(column, before, columns_[column].last);
  join_numbers(sequential_written_[column], before);
}

void Views::fence(size_t thread, const FenceStrength& strength) {
  const Row known = known_[thread];
  if (strength.acquire && acquired_.any()) join(known, acquired_[thread]);
  if (strength.sequential && pending_.any()) join_numbers(known, pending_[thread]);
  if (strength.release && released_.any()) assign(released_[thread], known);
  if (strength.sequential && fenced_.any()) assign_numbers(fenced_[thread], known);
}

// ---- What need not be distinguished

void Views::stop_clock(size_t clock) {
  if (!clocks_[clock].running) return;
  clocks_[clock].running = false;
  std::ranges::fill(clocks_[clock].knows, uint64_t{0});
  dirty_[columns_.size() + clock] = 1;
}

Views::Masks::Masks(const Views& views, const Relevance& relevance) {
  const SharedCells& cells = views.cells_;
  std::vector<Relevant> rows(views.rows_);
  const auto add = [&rows](const Rows& of_threads, size_t thread, const Relevant& relevant) {
    if (of_threads.any()) rows[of_threads[thread]].add(relevant);
  };
  for (size_t t = 0; t < cells.threads(); ++t) {
    for (const Rows& of_threads : {views.known_, views.acquired_, views.released_})
      add(of_threads, t, relevance.knowledge(t));
    for (const Rows& of_threads : {views.sequential_, views.fenced_, views.pending_, views.passed_})
      add(of_threads, t, relevance.passed(t));
  }
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    if (const Row message = views.message_[cell]; message != kNoRow)
      for (const size_t t : relevance.readers(cell)) rows[message].add(relevance.knowledge(t));
    const std::optional<size_t> column = cells.column(cell);
    if (!column) continue;
    for (const size_t t : relevance.accessing(cell))
      for (const Rows& written : {views.sequential_written_, views.fenced_written_, views.written_after_})
        add(written, *column, relevance.passed(t));
    for (const size_t t : relevance.writers(cell))
      for (const Rows& accessed : {views.sequential_accessed_, views.fenced_accessed_, views.accessed_after_})
        add(accessed, *column, relevance.passed(t));
  }
  for (size_t c = 0; c < cells.columns(); ++c) {
    const size_t cell = cells.cell_of_column(c);
    OfColumn& mask = columns_.emplace_back();
    for (const Relevant& row : rows) mask.rows.push_back(row.cells.has(cell) ? 255 : 0);
    mask.accessing = relevance.accessing(cell);
  }
  for (size_t c = 0; c < cells.clocks().size(); ++c) {
    std::vector<uint64_t>& mask = clocks_.emplace_back(words_for_bits(views.rows_with_clocks_));
    for (Row row = 0; row < views.rows_with_clocks_; ++row)
      if (rows[row].clocks.has(c)) add_bit(mask.data(), row);
  }
}

void Views::keep_only(const Masks& masks, bool all) {
  for (size_t c = 0; c < columns_.size(); ++c)
    if (all || dirty_[c] != 0) keep_only(masks.columns_[c], c);
  for (size_t c = 0; c < clocks_.size(); ++c) {
    if (!clocks_[c].running || (!all && dirty_[columns_.size() + c] == 0)) continue;
    bool known_to_all = true;
    for (size_t w = 0; w < clocks_[c].knows.size(); ++w) {
      clocks_[c].knows[w] &= masks.clocks_[c][w];
      known_to_all = known_to_all && clocks_[c].knows[w] == masks.clocks_[c][w];
    }
    dirty_[columns_.size() + c] = 1;
    if (known_to_all) stop_clock(c);
  }
}

// A write that all know who will access the cell need not be distinguished from earlier ones.
void Views::keep_only(const Masks::OfColumn& mask, size_t number_of_column) {
  Column& column = columns_[number_of_column];
  dirty_[number_of_column] = 1;
  if (mask.accessing.empty()) {
    column = {std::vector<Number>(rows_), 0, 0, false};
    return;
  }
  for (Row row = 0; row < rows_; ++row) column.numbers[row] &= mask.rows[row];
  Number known_to_all = column.last;
  for (const size_t t : mask.accessing) known_to_all = std::min(known_to_all, column.numbers[known_[t]]);
  for (Number& number : column.numbers) number = std::max(number, known_to_all);
}

// Replaces numbers by ranks. What is ever compared is a number k of a view of knowledge with a number p of one of what has
// passed: whether k < p, and whether a plain write is numbered from k + 1 to p. All numbers to come are among those that
// are there, or are those of later writes. So an interval of numbers may have one rank if no k in it is less than a p in it,
// and the plain writes in the interval make no difference to what is outside of it.
void Views::compress(size_t number_of_column) {
  Column& column = columns_[number_of_column];
  uint64_t knowledge = 0, passed = uint64_t{1} << column.last;
  for (Row row = 0; row < rows_of_knowledge_; ++row) knowledge |= uint64_t{1} << column.numbers[row];
  for (Row row = rows_of_knowledge_; row < rows_; ++row) passed |= uint64_t{1} << column.numbers[row];

  std::array<Number, kMost + 1> rank{};
  uint64_t plain_writes = 0;
  Number next_rank = 0;
  bool plain_before_interval = false, k_in_interval = false;
  uint64_t rest = knowledge | passed;
  auto previous = static_cast<Number>(std::countr_zero(rest));
  for (bool first = true; rest != 0; first = false) {
    const auto number = static_cast<Number>(std::countr_zero(rest));
    rest &= rest - 1;
    const bool is_k = (knowledge >> number & 1) != 0, is_p = (passed >> number & 1) != 0;
    const bool plain_between = any_between(column.plain_writes, previous, number);
    const bool plain_behind =
        rest != 0 && any_between(column.plain_writes, number, static_cast<unsigned>(std::countr_zero(rest)));
    const bool same =
        !(is_p && k_in_interval) &&
        !(plain_between && (is_p || !plain_behind) && !plain_before_interval) &&  // for those k before it
        !(plain_between && k_in_interval && !plain_behind);                       // for those in it
    if (!same && !first) {
      ++next_rank;
      plain_before_interval = plain_between;
      k_in_interval = false;
      if (plain_between) plain_writes |= uint64_t{1} << next_rank;
    }
    k_in_interval = k_in_interval || is_k;
    rank[number] = next_rank;
    previous = number;
  }
  for (Number& number : column.numbers) number = rank[number];
  column.plain_writes = plain_writes;
  column.last = rank[column.last];
  dirty_[number_of_column] = 1;
  if (column.last >= kMost)
    throw Unsupported("the robustness engine cannot distinguish so many writes to one cell");
}

// ---- Packed

void Views::pack_column(size_t number_of_column, BitWriter& writer) const {
  const Column& column = columns_[number_of_column];
  writer.put(column.last, 6);
  writer.put(column.plain_writes >> 1, column.last);
  if (sequential_.any()) writer.put(column.last_is_sequential ? 1 : 0, 1);
  const unsigned bits = std::bit_width(static_cast<unsigned>(column.last));
  if (bits == 0) return;
  for (const Number number : column.numbers) writer.put(number, bits);
}

void Views::unpack_column(size_t number_of_column, BitReader& reader) {
  Column& column = columns_[number_of_column];
  column.last = static_cast<Number>(reader.get(6));
  column.plain_writes = reader.get(column.last) << 1;
  if (sequential_.any()) column.last_is_sequential = reader.get(1) != 0;
  const unsigned bits = std::bit_width(static_cast<unsigned>(column.last));
  for (Number& number : column.numbers)
    number = bits == 0 ? Number{0} : static_cast<Number>(reader.get(bits));
}

void Views::pack(BitWriter& writer) {
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (bytes_ != nullptr && dirty_[c] == 0) {
      writer.copy(bytes_, positions_[c], positions_[c + 1]);
      continue;
    }
    compress(c);
    pack_column(c, writer);
  }
  for (const Clock& clock : clocks_) {
    writer.put(clock.running ? 1 : 0, 1);
    for (size_t w = 0; clock.running && w < clock.knows.size(); ++w)
      writer.put(clock.knows[w], bits_in_word(w));
  }
}

unsigned Views::bits_in_word(size_t word) const {
  return static_cast<unsigned>(std::min<size_t>(64, rows_with_clocks_ - word * 64));
}

void Views::unpack(const uint8_t* bytes) {
  bytes_ = bytes;
  BitReader reader(bytes);
  for (size_t c = 0; c < columns_.size(); ++c) {
    positions_[c] = reader.position();
    unpack_column(c, reader);
  }
  positions_[columns_.size()] = reader.position();
  for (Clock& clock : clocks_) {
    clock.running = reader.get(1) != 0;
    for (size_t w = 0; w < clock.knows.size(); ++w)
      clock.knows[w] = clock.running ? reader.get(bits_in_word(w)) : 0;
  }
  unpacked_columns_ = columns_;
  unpacked_clocks_ = clocks_;
  std::ranges::fill(dirty_, uint8_t{0});
}

}  // namespace fenceline::robustness
