// SPDX-License-Identifier: GPL-3.0-or-later
#include "automata/tables.h"

#include <algorithm>

namespace fenceline {

uint32_t SequenceSet::add(std::span<const uint32_t> sequence) {
  const uint64_t hash = hash_array(sequence);
  size_t place = hash & (slots_.size() - 1);
  for (; slots_[place] != kNone; place = (place + 1) & (slots_.size() - 1)) {
    const uint32_t number = slots_[place];
    if (hashes_[number] == hash && std::ranges::equal((*this)[number], sequence)) return number;
  }
  const uint32_t number = size();
  slots_[place] = number;
  elements_.insert(elements_.end(), sequence.begin(), sequence.end());
  begins_.push_back(elements_.size());
  hashes_.push_back(hash);
  if (size_t{size()} * 2 > slots_.size()) grow();
  return number;
}

void SequenceSet::clear() {
  elements_.clear();
  begins_.resize(1);
  hashes_.clear();
  slots_.assign(kSmallest, kNone);
}

void SequenceSet::grow() {
  slots_.assign(slots_.size() * 2, kNone);
  for (uint32_t number = 0; number < size(); ++number) {
    size_t place = hashes_[number] & (slots_.size() - 1);
    while (slots_[place] != kNone) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = number;
  }
}

}  // namespace fenceline
