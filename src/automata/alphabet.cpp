// SPDX-License-Identifier: GPL-3.0-or-later
#include "automata/alphabet.h"

#include <algorithm>

namespace fenceline::automata {
namespace {

// The value and the mark of a barrier have no meaning: all barriers are one letter.
Letter without_meaningless_parts(const Letter& letter) {
  return letter.variable == Letter::kBarrier ? Letter::barrier() : letter;
}

}  // namespace

Symbol Alphabet::add(const Letter& letter) {
  const Letter canonical = without_meaningless_parts(letter);
  const auto [entry, fresh] = symbols_.try_emplace(canonical, static_cast<Symbol>(letters_.size()));
  if (!fresh) return entry->second;
  letters_.push_back(canonical);
  const auto before = [this](Symbol a, const Letter& b) { return letters_[a] < b; };
  sorted_.insert(std::lower_bound(sorted_.begin(), sorted_.end(), canonical, before), entry->second);
  ranks_.resize(letters_.size());
  for (uint32_t rank = 0; rank < sorted_.size(); ++rank) ranks_[sorted_[rank]] = rank;
  return entry->second;
}

Symbol Alphabet::find(const Letter& letter) const {
  const auto found = symbols_.find(without_meaningless_parts(letter));
  return found == symbols_.end() ? kUnknown : found->second;
}

}  // namespace fenceline::automata
