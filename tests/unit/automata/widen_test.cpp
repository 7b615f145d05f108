// SPDX-License-Identifier: GPL-3.0-or-later
//
// Widened languages are larger, and there are finitely many.
#include <gtest/gtest.h>

#include <set>

#include "automata/languages.h"
#include "unit/automata/small_languages.h"

namespace fenceline::automata {
namespace {

const Letter kX0{kX, 0, false};
const Letter kX1{kX, 1, false};
const Letter kY0{kY, 0, false};

TEST(Widened, LosesNoWord) {
  Rng rng(21);
  Languages languages;
  for (int i = 0; i < 1500; ++i) {
    const Language language = languages.accepted_by(random_automaton(rng, some_letters(rng, 3), 12));
    EXPECT_TRUE(languages.included(language, languages.widened(language)));
  }
}

TEST(Widened, AChainBecomesALoop) {
  Languages languages;
  const Language four = languages.word({kX1, kX1, kX1, kX1});
  // The state before anything is known of x stays separate, and so does the end.
  EXPECT_EQ(languages.widened(four),
            languages.repeated(languages.word({kX1, kX1}), std::vector<Word>{{kX1}}));
}

TEST(Widened, DistinguishesWhatLoadsReturn) {
  Languages languages;
  const Language language = languages.word({kX1, kY0, kX0, kY0});
  EXPECT_EQ(languages.widened(language), language);
}

TEST(Widened, FinitelyManyResults) {
  Rng rng(22);
  Languages languages;
  // Every word over two letters has its own automaton; the widened ones are the same few again and again.
  std::set<Language> results;
  for (const Word& word : all_words({kX0, kX1}, 13)) results.insert(languages.widened(languages.word(word)));
  EXPECT_LT(results.size(), 512U);
  size_t most = 0;
  for (int i = 0; i < 300; ++i) {
    Word word(60);
    for (Letter& letter : word) letter = rng.chance(50) ? kX0 : kX1;
    most = std::max(most, languages.states(languages.widened(languages.word(word))));
  }
  EXPECT_LT(most, 30U);
}

// Six variables with six values each have 7^6 profiles: too many, so they are ignored.
TEST(Widened, ManyProfiles) {
  Languages languages;
  std::vector<Word> words;
  for (uint32_t variable = 0; variable < 6; ++variable)
    for (Value value = 0; value < 6; ++value) words.push_back({{variable, value, false}});
  const Language language = languages.append(languages.repeated(Language(), words), Word{kX1, kX1, kX1});
  EXPECT_TRUE(languages.included(language, languages.widened(language)));
}

}  // namespace
}  // namespace fenceline::automata
