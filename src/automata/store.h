// SPDX-License-Identifier: GPL-3.0-or-later
//
// The implementation of Languages: each language once, and the results of all operations so far.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "automata/alphabet.h"
#include "automata/flat_automaton.h"
#include "automata/languages.h"
#include "automata/minimal.h"
#include "automata/tables.h"
#include "env/errors.h"

namespace fenceline::automata {

struct Languages::Store {
  enum Operation {
    kAppend,
    kNewest,
    kWithout,
    kAfter,
    kMarked,
    kWithoutMarks,
    kNotBeginningWith,
    kEndingWith,
    kNotEndingWith,
    kUnited,
    kCommon,
    kMinus,
    kIncluded,
    kConcatenated,
    kRepeated,
    kWidened,
    kOperations
  };

  const FlatAutomaton& automaton(Language language) const {
    require(language.number() < automata.size(), "a language of another store");
    return automata[language.number()];
  }

  // The number of the language of a canonical automaton.
  Language add(const FlatAutomaton& canonical);
  // The same of the draft, if it is deterministic with sorted letters; of any draft.
  Language add_deterministic_draft() { return add(minimiser.of_deterministic(draft)); }
  Language add_draft() { return add(minimiser.of_nondeterministic(draft)); }

  // The cached result for these arguments, or else that of `make`. The empty set is always returned as it is,
  // so the constructions need not handle automata without states.
  template <class Make>
  Language once(Operation operation, Language language, uint32_t argument, Make make) {
    if (language == nothing()) return language;
    const uint32_t known = results[operation].find(language.number(), argument);
    if (known != PairTable::kNone) return Language(known);
    const Language made = make(automaton(language));
    results[operation].insert(language.number(), argument, made.number());
    return made;
  }

  Alphabet alphabet;
  std::vector<FlatAutomaton> automata;  // by the numbers of their languages
  std::unordered_multimap<uint64_t, uint32_t> by_hash;
  std::array<PairTable, kOperations> results;
  std::unordered_map<uint32_t, std::vector<Letter>> first_letters;
  std::unordered_map<uint64_t, std::vector<Letter>> newest_letters;  // language << 32 | variable
  std::unordered_map<uint32_t, std::vector<uint32_t>> variables;
  uint64_t bytes = 0;  // of the automata

  // Memory that is used again and again.
  FlatAutomaton draft;
  Minimiser minimiser{alphabet};
  PairTable pairs;  // of states of two automata
  std::vector<uint64_t> queue;
};

}  // namespace fenceline::automata
