// SPDX-License-Identifier: GPL-3.0-or-later
//
// The letters that occur in a store of languages, numbered in the order in which they were added. Their order
// is that of the letters themselves: canonical forms must not depend on the order in which letters were added.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "automata/flat_automaton.h"
#include "base/automaton.h"
#include "base/hash.h"

namespace fenceline::automata {

class Alphabet {
 public:
  static constexpr Symbol kUnknown = ~Symbol{0};

  Symbol add(const Letter& letter);
  Symbol find(const Letter& letter) const;  // or kUnknown

  const Letter& letter(Symbol symbol) const { return letters_[symbol]; }
  // The rank of the letter among all letters, and back. It changes with every new letter; the order of two
  // letters does not.
  uint32_t rank(Symbol symbol) const { return ranks_[symbol]; }
  Symbol at_rank(uint32_t rank) const { return sorted_[rank]; }

 private:
  struct Hash {
    size_t operator()(const Letter& letter) const {
      return hash_combine(hash_combine(letter.variable, static_cast<uint64_t>(letter.value)),
                          letter.marked ? 1 : 0);
    }
  };

  std::unordered_map<Letter, Symbol, Hash> symbols_;
  std::vector<Letter> letters_;
  std::vector<Symbol> sorted_;
  std::vector<uint32_t> ranks_;
};

}  // namespace fenceline::automata
