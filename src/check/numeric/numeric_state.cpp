// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/numeric/numeric_state.h"

#include <algorithm>
#include <limits>

namespace fenceline::check {

bool FormBuffer::marked() const {
  return std::any_of(entries.begin(), entries.end(), [](const FormEntry& e) { return e.marked; });
}

bool FormBuffer::before_barrier() const {
  return std::any_of(entries.begin(), entries.end(), [&](const FormEntry& e) { return e.epoch < epoch; });
}

bool FormBuffer::holds(CellId cell) const { return newest(cell) != nullptr; }

const LinearForm* FormBuffer::newest(CellId cell) const {
  for (const FormTail& item : tail)
    if (item.cell == cell) return &item.newest;
  const LinearForm* found = nullptr;
  for (const FormEntry& entry : entries)
    if (entry.cell == cell) found = &entry.value;
  return found;
}

// Behind the tail, if that is where the newest of its queue are: of the cell, or of all cells.
void FormBuffer::store(CellId cell, const LinearForm& value, bool one_queue) {
  const auto position = std::lower_bound(tail.begin(), tail.end(), cell,
                                         [](const FormTail& item, CellId c) { return item.cell < c; });
  if (position != tail.end() && position->cell == cell) {
    position->newest = value;
    position->bounds.emplace_back(value, value);
  } else if (one_queue && !tail.empty()) {
    tail.insert(position, {cell, value, {{value, value}}});
  } else {
    entries.push_back({cell, value, epoch, false});
  }
}

LinearForm FormState::fresh(const Range& range) {
  LinearForm value = fresh();
  if (range.lo == range.hi) {
    assume_zero(less(value, range.lo));
    return value;
  }
  if (has_low(range)) assume_not_negative(less(value, range.lo));
  if (has_high(range)) assume_not_negative(less_from(range.hi, value));
  return value;
}

LinearForm less(const LinearForm& form, const Integer& value) {
  LinearForm result = form;
  result.constant -= value;
  return result;
}

LinearForm difference_of(const LinearForm& a, const LinearForm& b) { return combined(a, -1, b); }

LinearForm less_from(const Integer& value, const LinearForm& form) {
  return combined(LinearForm::of(value), -1, form);
}

bool has_low(const Range& range) { return range.lo != std::numeric_limits<Value>::min(); }
bool has_high(const Range& range) { return range.hi != std::numeric_limits<Value>::max(); }

}  // namespace fenceline::check
