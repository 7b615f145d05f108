// SPDX-License-Identifier: GPL-3.0-or-later
#include "automata/tables.h"

#include <algorithm>

namespace fenceline::automata {

uint32_t SequenceSet::add(std::span<const uint32_t> sequence) {
  const uint64_t hash = hash_array(sequence);
  NumberSlot& slot = slots_.find(hash, [&](const NumberSlot& known) {
    return known.may_match(hash) && std::ranges::equal((*this)[known.number], sequence);
  });
  if (!slot.free()) return slot.number;
  const uint32_t number = size();
  elements_.insert(elements_.end(), sequence.begin(), sequence.end());
  begins_.push_back(elements_.size());
  slots_.fill(slot, {hash, number});
  return number;
}

void SequenceSet::clear() {
  elements_.clear();
  begins_.resize(1);
  slots_.clear();
}

}  // namespace fenceline::automata
