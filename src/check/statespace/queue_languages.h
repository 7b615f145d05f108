// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checker's own regular languages, for certificates whose buffers are automata. A language is kept as a
// deterministic automaton without useless states, and known by its number. Automata are not made minimal:
// nothing depends on it, and equal languages with different numbers are found by inclusion. What comes out of
// an operation is looked up the next time, and so is every answer to `included`.
//
// Nearly all that steps do to a queue is to keep some of its words: those that a small automaton (an observer)
// accepts. Stores, commits and marks are the rest.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/automaton.h"
#include "env/limits.h"

namespace fenceline::check {

// Everything throws OutOfLimits when a limit is reached.
class QueueLanguages {
 public:
  using Number = uint32_t;
  static constexpr Number kNothing = 0;    // no word at all
  static constexpr Number kEmptyWord = 1;  // {ε}

  explicit QueueLanguages(Limits& limits);  // keeps a reference

  // Precondition: there are states where edges lead to, and the letters of a state are sorted, each once.
  Number accepted_by(const Automaton& automaton);

  Number appended(Number language, const Letter& letter);
  Number after(Number language, const Letter& first);  // what follows this first letter
  Number marked(Number language);                      // all letters but barriers become marked

  Number with_newest(Number language, const Letter& letter);  // words whose last letter of its cell it is
  Number without_cell(Number language, uint32_t cell);
  Number without_marks(Number language);
  Number without_barriers(Number language);
  Number beginning_with_barrier(Number language);
  Number not_beginning_with_barrier(Number language);
  Number ending_with_store(Number language);
  Number not_ending_with_store(Number language);

  bool has_empty_word(Number language) const;
  std::vector<Letter> first_letters(Number language) const;   // of all words, sorted
  const std::vector<Letter>& letters(Number language) const;  // all that occur in words, sorted
  bool included(Number part, Number whole);
  const Automaton& automaton(Number language) const { return languages_[language].automaton; }

  uint64_t bytes() const { return bytes_; }  // about

 private:
  struct Language {
    Automaton automaton;  // numbered in the order in which a breadth-first search meets the states
    std::vector<Letter> letters;
  };
  enum class Operation : uint8_t {
    kAppended,
    kAfter,
    kMarked,
    kWithNewest,
    kWithoutCell,
    kWithoutMarks,
    kWithoutBarriers,
    kBeginningWithBarrier,
    kNotBeginningWithBarrier,
    kEndingWithStore,
    kNotEndingWithStore,
  };
  struct Query {
    Operation operation;
    Number language;
    Letter letter;
    friend bool operator==(const Query&, const Query&) = default;
  };
  struct QueryHash {
    size_t operator()(const Query& query) const;
  };

  template <class Compute>
  Number once(Operation operation, Number language, const Letter& letter, Compute compute);
  template <class Step, class Accepts>
  Number observed(Number language, Step step, Accepts accepts);
  template <class Key, class Accepting, class Edges>
  Number explored(const Key& start, Accepting accepting, Edges edges);
  Number number_of(Automaton automaton);
  bool find_inclusion(const Automaton& part, const Automaton& whole);
  void count(uint64_t bytes);

  Limits& limits_;
  std::deque<Language> languages_;  // by number; a deque, because they are read while others are made
  std::unordered_multimap<uint64_t, Number> numbers_;  // by hash of the automaton
  std::unordered_map<Query, Number, QueryHash> answers_;
  std::unordered_map<uint64_t, bool> inclusions_;
  uint64_t bytes_ = 0;
  uint64_t work_ = 0;
};

}  // namespace fenceline::check
