// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sets of buffer contents: regular languages over letters (automaton.h), each kept once, as its minimal
// deterministic automaton with its states in a canonical order. A Language is the number of one of them, so
// that equal sets have equal numbers and comparison takes constant time. Every operation is done once for the
// same arguments; the second time its result is looked up.
//
// Linden and Wolper, "An Automata-Based Symbolic Approach for Verifying Programs on Relaxed Memory Models",
// section 3, has the operations of the machine: store (append), load (newest, without), commit (first,
// after). docs/engine-automata.md explains them with an example.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/automaton.h"

namespace fenceline::automata {

class Language {
 public:
  constexpr Language() = default;  // {ε}: the empty buffer
  constexpr explicit Language(uint32_t number) : number_(number) {}
  constexpr uint32_t number() const { return number_; }
  friend constexpr auto operator<=>(Language, Language) = default;

 private:
  uint32_t number_ = 0;
};

// Not shared between threads of execution. Languages mean something only to the store that gave them.
class Languages {
 public:
  Languages();
  ~Languages();
  Languages(const Languages&) = delete;
  Languages& operator=(const Languages&) = delete;

  static constexpr Language empty_word() { return Language(0); }  // {ε}
  static constexpr Language nothing() { return Language(1); }     // no word at all
  Language word(const Word& word);
  // Precondition: the automaton is well-formed (edges lead to states, letters of a state differ). It need not
  // be minimal.
  Language accepted_by(const Automaton& automaton);

  // A store: L·a, and several at once.
  Language append(Language language, const Letter& letter);
  Language append(Language language, const Word& word);

  // A load. The words whose last letter of a.variable is `a`; those without a letter of the variable.
  Language newest(Language language, const Letter& letter);
  Language without(Language language, uint32_t variable);
  // The letters a of the variable for which newest(language, a) is not empty, sorted. Valid until the next
  // call of anything that makes languages.
  const std::vector<Letter>& newest_letters(Language language, uint32_t variable);

  // A commit. The first letters of all words, sorted (valid as above); what follows this first letter.
  const std::vector<Letter>& first(Language language);
  Language after(Language language, const Letter& letter);

  // Partial fences. Every letter but the barrier becomes marked; the words without marked letters; the words
  // that do not begin, do, and do not end with the letter.
  Language marked(Language language);
  Language without_marks(Language language);
  Language not_beginning_with(Language language, const Letter& letter);
  Language ending_with(Language language, const Letter& letter);
  Language not_ending_with(Language language, const Letter& letter);

  Language united(Language a, Language b);
  Language common(Language a, Language b);
  Language minus(Language a, Language b);  // the words of a that are not in b
  bool included(Language part, Language whole);
  Language concatenated(Language a, Language b);  // a·b
  // L·R*, and L·(w1|w2|...)*. A cycle that appends a word of R in each iteration, taken any number of times.
  Language repeated(Language language, Language iteration);
  Language repeated(Language language, std::span<const Word> words);

  // A larger language of an automaton with fewer states: states are merged that agree in what own loads
  // return after the words that lead there (the newest letter of each variable), in acceptance, and in the
  // letters that may come next. Over finitely many letters there are finitely many results.
  Language widened(Language language);

  bool has_empty_word(Language language) const;
  bool is_endless(Language language) const;  // are there infinitely many words?
  bool contains(Language language, const Word& word) const;
  // The variables of all letters, sorted, each once (Letter::kBarrier included). Valid as above.
  const std::vector<uint32_t>& variables(Language language);
  // Shortest words first; those of one length in the order of their letters. At most `count`.
  std::vector<Word> shortest_words(Language language, size_t count) const;
  std::optional<Word> shortest_word(Language language) const;

  // A word of L·(R1|R2|...)*, decomposed: a word of L, and then words of the Ri, as few as possible and none of
  // them empty. None if the word is not of that form.
  struct Iteration {
    size_t of;  // which Ri
    Word word;
    friend bool operator==(const Iteration&, const Iteration&) = default;
  };
  struct Parts {
    Word prefix;
    std::vector<Iteration> iterations;
  };
  std::optional<Parts> decompose(const Word& word, Language language,
                                 std::span<const Language> iterations) const;

  // As a regular expression of few symbols: "(x,1)((x,0)(x,1))*". ε is the empty word, ∅ is nothing, | a
  // choice, ? an option. `name` prints a letter.
  std::string text(Language language, const std::function<std::string(const Letter&)>& name) const;

  Automaton automaton(Language language) const;
  size_t states(Language language) const;  // of its automaton

  size_t size() const;  // how many languages there are
  uint64_t bytes_in_use() const;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

}  // namespace fenceline::automata
