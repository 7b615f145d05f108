// SPDX-License-Identifier: GPL-3.0-or-later
//
// Words of languages: the shortest ones, and the decomposition of a word of a closure.
#include <gtest/gtest.h>

#include <limits>

#include "automata/languages.h"
#include "unit/automata/small_languages.h"

namespace fenceline::automata {
namespace {

const Letter kX0{kX, 0, false};
const Letter kX1{kX, 1, false};

TEST(Words, ShortestFirstThenInOrder) {
  Rng rng(11);
  Languages languages;
  for (int i = 0; i < 800; ++i) {
    const std::vector<Letter> letters = some_letters(rng, 3);
    const Automaton automaton = random_automaton(rng, letters, 5);
    const Language language = languages.accepted_by(automaton);
    std::vector<Word> expected;
    for (const Word& word : all_words(letters, 5))
      if (accepts(automaton, word)) expected.push_back(word);
    // Longer words are not among the expected ones; request no more than there are.
    EXPECT_EQ(languages.shortest_words(language, expected.size()), expected);
    if (expected.size() > 3) expected.resize(3);
    EXPECT_EQ(languages.shortest_words(language, expected.size()), expected);
    // At most five states: the shortest word has at most four letters.
    const std::optional<Word> shortest = languages.shortest_word(language);
    EXPECT_EQ(shortest.has_value(), !expected.empty());
    if (!expected.empty()) {
      EXPECT_EQ(shortest, expected.front());
    }
  }
}

TEST(Words, OfFiniteLanguagesThereAreNoMore) {
  Languages languages;
  const Language two = languages.united(languages.word({kX1}), languages.word({kX0, kX0, kX0, kX1}));
  EXPECT_EQ(languages.shortest_words(two, 10), std::vector<Word>({{kX1}, {kX0, kX0, kX0, kX1}}));
  EXPECT_EQ(languages.shortest_words(two, std::numeric_limits<size_t>::max()).size(), 2U);
  EXPECT_EQ(languages.shortest_words(Languages::empty_word(), 5), std::vector<Word>({{}}));
  EXPECT_TRUE(languages.shortest_words(Languages::nothing(), 5).empty());
  EXPECT_TRUE(languages.shortest_words(two, 0).empty());
  EXPECT_FALSE(languages.shortest_word(Languages::nothing()));
}

TEST(Words, LengthsMayHaveGaps) {
  Languages languages;
  const Language fives = languages.repeated(Language(), std::vector<Word>{{kX0, kX0, kX0, kX0, kX0}});
  const std::vector<Word> words = languages.shortest_words(fives, 4);
  ASSERT_EQ(words.size(), 4U);
  EXPECT_EQ(words[3].size(), 15U);
}

// The fewest of the words that lead from a word of the language to the whole.
std::optional<size_t> fewest(const Automaton& automaton, const std::vector<Word>& words, const Word& word) {
  if (accepts(automaton, word)) return 0;
  std::optional<size_t> best;
  for (const Word& last : words) {
    if (last.empty() || last.size() > word.size()) continue;
    const auto rest_end = word.end() - static_cast<ptrdiff_t>(last.size());
    if (!std::equal(last.begin(), last.end(), rest_end)) continue;
    const std::optional<size_t> rest = fewest(automaton, words, Word(word.begin(), rest_end));
    if (rest && (!best || *rest + 1 < *best)) best = *rest + 1;
  }
  return best;
}

TEST(Words, DecomposedWithFewestIterations) {
  Rng rng(12);
  Languages languages;
  int taken = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Letter> letters = some_letters(rng, 3);
    const Automaton automaton = random_automaton(rng, letters, 4);
    const Language language = languages.accepted_by(automaton);
    const std::vector<Word> words = {random_word(rng, letters, 3), random_word(rng, letters, 2),
                                     random_word(rng, letters, 1)};
    const Language repeated = languages.repeated(language, words);
    std::vector<Language> iterations;
    for (const Word& iteration : words) iterations.push_back(languages.word(iteration));
    for (const Word& word : all_words(letters, 4)) {
      const auto parts = languages.decompose(word, language, iterations);
      ASSERT_EQ(parts.has_value(), languages.contains(repeated, word));
      if (!parts) continue;
      ++taken;
      Word together = parts->prefix;
      for (const Languages::Iteration& iteration : parts->iterations) {
        EXPECT_EQ(iteration.word, words.at(iteration.of));
        together.insert(together.end(), iteration.word.begin(), iteration.word.end());
      }
      EXPECT_EQ(together, word);
      EXPECT_TRUE(languages.contains(language, parts->prefix));
      EXPECT_EQ(parts->iterations.size(), fewest(automaton, words, word));
    }
  }
  EXPECT_GT(taken, 1000);
}

TEST(Words, UnknownLettersAreNotContained) {
  Languages languages;
  const Language all = languages.repeated(Language(), std::vector<Word>{{kX0}});
  EXPECT_TRUE(languages.contains(all, {kX0, kX0}));
  EXPECT_FALSE(languages.contains(all, {{99, 5, false}}));
  EXPECT_FALSE(languages.contains(Languages::nothing(), {}));
}

}  // namespace
}  // namespace fenceline::automata
