// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/views.h"

#include <algorithm>
#include <array>
#include <bit>

#include "env/errors.h"

namespace fenceline::robustness {

Views::Rows Views::add_rows(size_t count, bool wanted) {
  const Rows rows{rows_, wanted ? count : 0};
  rows_ += rows.count;
  return rows;
}

Views::Views(const SharedCells& cells)
    : cells_(cells),
      columns_(cells.columns()),
      width_(columns_ + cells.clocks().size()),
      last_(width_),
      plain_write_(columns_),
      last_is_sequential_(columns_) {
  const size_t threads = cells.threads();
  const bool accesses = columns_ > 0 && cells.sequential_accesses();
  const bool fences = columns_ > 0 && cells.sequential_fences();
  known_ = add_rows(threads, true);
  message_ = add_rows(cells.size(), true);
  acquired_ = add_rows(threads, cells.acquire_fences());
  released_ = add_rows(threads, cells.release_fences());
  rows_with_clocks_ = rows_;
  sequential_ = add_rows(threads, accesses);
  sequential_written_ = add_rows(columns_, accesses);
  sequential_accessed_ = add_rows(columns_, accesses);
  fenced_ = add_rows(threads, fences);
  fenced_written_ = add_rows(columns_, fences);
  fenced_accessed_ = add_rows(columns_, fences);
  pending_ = add_rows(threads, fences);
  rows_of_knowledge_ = rows_;
  passed_ = add_rows(threads, columns_ > 0);
  written_after_ = add_rows(columns_, true);
  accessed_after_ = add_rows(columns_, true);
  numbers_.resize(rows_ * width_);
}

void Views::reset() {
  std::ranges::fill(numbers_, Number{0});
  std::ranges::fill(last_, Number{0});
  std::ranges::fill(plain_write_, uint64_t{0});
  std::ranges::fill(last_is_sequential_, uint8_t{0});
}

void Views::join(Number* view, const Number* other, size_t columns) const {
  for (size_t c = 0; c < columns; ++c) view[c] = std::max(view[c], other[c]);
}

void Views::assign(Number* view, const Number* other, size_t columns) const {
  std::copy_n(other, columns, view);
}

void Views::clear(const Rows& rows, size_t i) {
  if (has(rows)) std::fill_n(row(rows, i), width_, Number{0});
}

// ---- What is possible

Views::Number Views::known_at(size_t thread, size_t column, bool sequential) const {
  const Number known = row(known_, thread)[column];
  return sequential ? std::max(known, row(sequential_, thread)[column]) : known;
}

bool Views::may_read_older(size_t thread, size_t cell, bool sequential) const {
  const std::optional<size_t> column = cells_.column(cell);
  return column && known_at(thread, *column, sequential) < row(passed_, thread)[*column];
}

bool Views::may_write_earlier(size_t thread, size_t cell, bool sequential) const {
  const std::optional<size_t> column = cells_.column(cell);
  if (!column) return false;
  const Number known = known_at(thread, *column, sequential), passed = row(passed_, thread)[*column];
  if (known >= passed) return false;
  const uint64_t up_to_passed = (uint64_t{2} << passed) - 1, up_to_known = (uint64_t{2} << known) - 1;
  return (plain_write_[*column] & up_to_passed & ~up_to_known) != 0;
}

bool Views::races(size_t thread, size_t cell, AccessKind kind) const {
  return std::ranges::any_of(cells_.clocks_of(cell), [&](size_t c) {
    const SharedCells::Clock& clock = cells_.clocks()[c];
    return clock.thread != thread && conflict(clock.kind, kind) &&
           row(known_, thread)[columns_ + c] != last_[columns_ + c];
  });
}

// ---- What happens

void Views::tick(size_t thread, size_t cell, AccessKind kind) {
  for (const size_t c : cells_.clocks_of(cell)) {
    const SharedCells::Clock& clock = cells_.clocks()[c];
    const size_t column = columns_ + c;
    if (clock.kind == kind && clock.thread.value_or(thread) == thread) {
      if (last_[column] == kMost) compress_clock(column);
      row(known_, thread)[column] = ++last_[column];
    } else if (cells_.only_plain(cell) && is_write(kind)) {
      // Who knows this write knows the reads before it.
      forget_clock(column);
    }
  }
}

void Views::read(size_t thread, size_t cell, bool atomic, const ReadStrength& strength) {
  const std::optional<size_t> column = cells_.column(cell);
  if (column) row(known_, thread)[*column] = last_[*column];
  if (atomic && strength.acquire)
    join(row(known_, thread), row(message_, cell), width_);
  else if (atomic && has(acquired_))
    join(row(acquired_, thread), row(message_, cell), width_);
  if (column) read_column(thread, *column, strength);
}

void Views::read_column(size_t thread, size_t column, const ReadStrength& strength) {
  join(row(passed_, thread), row(written_after_, column), columns_);
  join(row(accessed_after_, column), row(passed_, thread), columns_);
  if (strength.sequential) sequential_read(thread, column);
  if (!has(fenced_)) return;
  join(row(pending_, thread), row(fenced_written_, column), columns_);
  join(row(fenced_accessed_, column), row(fenced_, thread), columns_);
}

// An earlier seq_cst write comes before the read if that returns it, or a later seq_cst write.
void Views::sequential_read(size_t thread, size_t column) {
  if (last_is_sequential_[column] != 0)
    join(row(sequential_, thread), row(sequential_written_, column), columns_);
  join(row(sequential_accessed_, column), row(sequential_, thread), columns_);
}

void Views::write(size_t thread, size_t cell, bool atomic, const WriteStrength& strength, bool of_rmw) {
  const std::optional<size_t> column = cells_.column(cell);
  if (column) write_column(thread, *column, strength, of_rmw);
  // A read-modify-write continues the release sequence of what it reads; another write begins a new one.
  if (!of_rmw) clear(message_, cell);
  if (atomic && strength.release)
    join(row(message_, cell), row(known_, thread), width_);
  else if (atomic && has(released_))
    join(row(message_, cell), row(released_, thread), width_);
}

void Views::write_column(size_t thread, size_t column, const WriteStrength& strength, bool of_rmw) {
  if (last_[column] == kMost) compress(column);
  const Number number = ++last_[column];
  const uint64_t bit = uint64_t{1} << number;
  plain_write_[column] = of_rmw ? plain_write_[column] & ~bit : plain_write_[column] | bit;
  last_is_sequential_[column] = strength.sequential;
  row(known_, thread)[column] = number;

  Number* passed = row(passed_, thread);
  join(passed, row(accessed_after_, column), columns_);
  passed[column] = number;
  assign(row(written_after_, column), passed, columns_);
  assign(row(accessed_after_, column), passed, columns_);
  if (strength.sequential) sequential_write(thread, column);
  if (!has(fenced_)) return;
  join(row(pending_, thread), row(fenced_accessed_, column), columns_);
  // What was read before is before this write, and so before everything that follows it in coherence order.
  join(row(fenced_accessed_, column), row(fenced_, thread), columns_);
  assign(row(fenced_written_, column), row(fenced_accessed_, column), columns_);
}

void Views::sequential_write(size_t thread, size_t column) {
  Number* before = row(sequential_, thread);
  join(before, row(sequential_written_, column), columns_);
  join(before, row(sequential_accessed_, column), columns_);
  before[column] = last_[column];
  join(row(sequential_written_, column), before, columns_);
}

void Views::fence(size_t thread, const FenceStrength& strength) {
  Number* known = row(known_, thread);
  if (strength.acquire && has(acquired_)) join(known, row(acquired_, thread), width_);
  if (strength.sequential && has(pending_)) join(known, row(pending_, thread), columns_);
  if (strength.release && has(released_)) assign(row(released_, thread), known, width_);
  if (strength.sequential && has(fenced_)) assign(row(fenced_, thread), known, columns_);
}

// ---- What need not be distinguished

void Views::forget_thread(size_t thread) {
  for (const Rows& rows : {known_, acquired_, released_, passed_, sequential_, fenced_, pending_})
    clear(rows, thread);
}

void Views::forget_clock(size_t column) {
  for (size_t r = 0; r < rows_with_clocks_; ++r) numbers_[r * width_ + column] = 0;
  last_[column] = 0;
}

void Views::forget_cell(size_t cell) {
  clear(message_, cell);
  for (const size_t c : cells_.clocks_of(cell)) forget_clock(columns_ + c);
  const std::optional<size_t> column = cells_.column(cell);
  if (!column) return;
  for (const Rows& rows : {written_after_, accessed_after_, sequential_written_, sequential_accessed_,
                           fenced_written_, fenced_accessed_})
    clear(rows, *column);
  for (size_t r = 0; r < rows_; ++r) numbers_[r * width_ + *column] = 0;
  last_[*column] = 0;
  plain_write_[*column] = 0;
  last_is_sequential_[*column] = 0;
}

void Views::forget_writes(size_t cell, const std::vector<size_t>& threads) {
  const std::optional<size_t> column = cells_.column(cell);
  if (!column) return;
  Number known_to_all = last_[*column];
  for (const size_t t : threads) known_to_all = std::min(known_to_all, row(known_, t)[*column]);
  for (size_t r = 0; r < rows_; ++r) {
    Number& number = numbers_[r * width_ + *column];
    number = std::max(number, known_to_all);
  }
}

// Of a clock only the last number counts.
void Views::compress_clock(size_t column) {
  const Number last = last_[column];
  bool all = true;
  for (size_t r = 0; r < rows_with_clocks_; ++r) all = all && numbers_[r * width_ + column] == last;
  for (size_t r = 0; r < rows_with_clocks_; ++r) {
    Number& number = numbers_[r * width_ + column];
    number = !all && number == last ? 1 : 0;
  }
  last_[column] = all ? 0 : 1;
}

// Replaces numbers by ranks. What is ever compared is a number k of a view of knowledge with a number p of one of what has
// passed: whether k < p, and whether a plain write is numbered from k + 1 to p. All numbers to come are among those that
// are there, or are those of later writes. So an interval of numbers may have one rank if no k in it is less than a p in it,
// and the plain writes in the interval make no difference to what is outside of it.
void Views::compress(size_t column) {
  uint64_t knowledge = 0, passed = uint64_t{1} << last_[column];
  for (size_t r = 0; r < rows_of_knowledge_; ++r) knowledge |= uint64_t{1} << numbers_[r * width_ + column];
  for (size_t r = rows_of_knowledge_; r < rows_; ++r) passed |= uint64_t{1} << numbers_[r * width_ + column];

  std::array<Number, kMost + 1> rank{};
  const uint64_t used = knowledge | passed;
  uint64_t plain = 0;
  Number next_rank = 0;
  int previous = -1;
  bool plain_before_interval = false, k_in_interval = false;
  for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<Number>(std::countr_zero(rest));
    const bool is_k = (knowledge >> number & 1) != 0, is_p = (passed >> number & 1) != 0;
    const bool plain_between =
        previous >= 0 && plain_between_numbers(column, static_cast<Number>(previous), number);
    bool same = previous >= 0;
    if (is_p && k_in_interval) same = false;
    if (plain_between && is_p && !plain_before_interval) same = false;
    if (plain_between && k_in_interval) {
      const uint64_t above = rest & (rest - 1);
      same = same && above != 0 &&
             plain_between_numbers(column, number, static_cast<Number>(std::countr_zero(above)));
    }
    if (!same) {
      if (previous >= 0) ++next_rank;
      plain_before_interval = plain_between;
      k_in_interval = false;
      if (plain_between) plain |= uint64_t{1} << next_rank;
    }
    k_in_interval = k_in_interval || is_k;
    rank[number] = next_rank;
    previous = number;
  }
  for (size_t r = 0; r < rows_; ++r) {
    Number& number = numbers_[r * width_ + column];
    number = rank[number];
  }
  plain_write_[column] = plain;
  last_[column] = rank[last_[column]];
  if (last_[column] == kMost)
    throw Unsupported("the robustness engine cannot distinguish so many writes to one cell");
}

bool Views::plain_between_numbers(size_t column, Number low, Number high) const {
  const uint64_t up_to_high = (uint64_t{2} << high) - 1, up_to_low = (uint64_t{2} << low) - 1;
  return (plain_write_[column] & up_to_high & ~up_to_low) != 0;
}

void Views::pack(BitWriter& writer) {
  for (size_t column = 0; column < columns_; ++column) {
    compress(column);
    const Number last = last_[column];
    writer.put(last, 6);
    writer.put(plain_write_[column] >> 1, last);
    if (has(sequential_)) writer.put(last_is_sequential_[column], 1);
    const unsigned bits = std::bit_width(static_cast<unsigned>(last));
    for (size_t r = 0; bits != 0 && r < rows_; ++r) writer.put(numbers_[r * width_ + column], bits);
  }
  for (size_t column = columns_; column < width_; ++column) {
    compress_clock(column);
    writer.put(last_[column], 1);
    for (size_t r = 0; last_[column] != 0 && r < rows_with_clocks_; ++r)
      writer.put(numbers_[r * width_ + column], 1);
  }
}

void Views::unpack(BitReader& reader) {
  for (size_t column = 0; column < columns_; ++column) {
    last_[column] = static_cast<Number>(reader.get(6));
    plain_write_[column] = reader.get(last_[column]) << 1;
    if (has(sequential_)) last_is_sequential_[column] = static_cast<uint8_t>(reader.get(1));
    const unsigned bits = std::bit_width(static_cast<unsigned>(last_[column]));
    for (size_t r = 0; r < rows_; ++r)
      numbers_[r * width_ + column] = bits == 0 ? Number{0} : static_cast<Number>(reader.get(bits));
  }
  for (size_t column = columns_; column < width_; ++column) {
    last_[column] = static_cast<Number>(reader.get(1));
    for (size_t r = 0; r < rows_with_clocks_; ++r)
      numbers_[r * width_ + column] = last_[column] == 0 ? Number{0} : static_cast<Number>(reader.get(1));
  }
}

}  // namespace fenceline::robustness
