// SPDX-License-Identifier: GPL-3.0-or-later
//
// Regular expressions that are simplified while they are built. Each is kept once, so that equal ones have
// equal numbers, which makes the laws below cheap to apply. They are the laws of regular expressions that
// come up when an automaton becomes an expression, not all there are: two expressions of the same language
// may well differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "automata/alphabet.h"
#include "automata/tables.h"

namespace fenceline::automata {

class RegularExpressions {
 public:
  using Id = uint32_t;

  explicit RegularExpressions(const Alphabet& alphabet);

  Id nothing() const { return nothing_; }
  Id empty_word() const { return empty_word_; }
  Id letter(Symbol symbol) { return add(kLetter, {symbol}); }
  Id sequence(const std::vector<Id>& factors);
  Id choice(const std::vector<Id>& alternatives);
  Id star(Id body);

  uint64_t size(Id id) const { return facts_[id].size; }  // in letters and operators
  std::string text(Id id, const std::function<std::string(const Letter&)>& name) const;

 private:
  enum Kind : uint32_t { kNothing, kEmptyWord, kLetter, kSequence, kChoice, kOption, kStar };
  struct Facts {
    uint64_t size;
    uint32_t first_rank;  // of the letter that is printed first
    bool nullable;        // has the empty word
  };

  Id add(Kind kind, const std::vector<Id>& children);
  Facts facts_of(Kind kind, const std::vector<Id>& children) const;
  Kind kind(Id id) const { return static_cast<Kind>(nodes_[id][0]); }
  std::vector<Id> children(Id id) const;
  Id child(Id id) const { return nodes_[id][1]; }
  std::vector<Id> factors(Id id) const;       // of a sequence; of ε none; otherwise itself
  std::vector<Id> alternatives(Id id) const;  // of a choice; otherwise itself
  bool is_once_or_more(Id id) const;          // xx*
  Id without_repetition(Id id) const;         // x of x*, x?, xx*; otherwise itself

  void push_factor(std::vector<Id>& factors, Id factor);
  void absorb(std::vector<Id>& alternatives, bool& or_empty);
  bool factor_out(std::vector<Id>& alternatives, bool in_front);

  const Alphabet& alphabet_;
  SequenceSet nodes_;  // kind, children
  std::vector<Facts> facts_;
  Id nothing_;
  Id empty_word_;
};

}  // namespace fenceline::automata
