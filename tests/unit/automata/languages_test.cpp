// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each operation against its definition, on random automata and all short words.
#include "automata/languages.h"

#include <gtest/gtest.h>

#include <functional>

#include "env/errors.h"
#include "unit/automata/small_languages.h"

namespace fenceline::automata {
namespace {

const Letter kX0{kX, 0, false};
const Letter kX1{kX, 1, false};
const Letter kY0{kY, 0, false};

Word concatenated(Word a, const Word& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Is the word one of L·(w1|w2|...)*?
bool in_repeated(const Automaton& automaton, const std::vector<Word>& words, const Word& word) {
  if (accepts(automaton, word)) return true;
  return std::ranges::any_of(words, [&](const Word& last) {
    return !last.empty() && word.size() >= last.size() &&
           std::equal(last.begin(), last.end(), word.end() - static_cast<ptrdiff_t>(last.size())) &&
           in_repeated(automaton, words,
                       Word(word.begin(), word.end() - static_cast<ptrdiff_t>(last.size())));
  });
}

// Is the word one of A·B?
bool in_concatenated(const Automaton& a, const Automaton& b, const Word& word) {
  for (auto middle = word.begin();; ++middle) {
    if (accepts(a, Word(word.begin(), middle)) && accepts(b, Word(middle, word.end()))) return true;
    if (middle == word.end()) return false;
  }
}

// Is the word one of A·B*?
bool in_repeated(const Automaton& a, const Automaton& b, const Word& word) {
  if (accepts(a, word)) return true;
  for (size_t begin = 0; begin < word.size(); ++begin) {
    const auto middle = word.begin() + static_cast<ptrdiff_t>(begin);
    if (accepts(b, Word(middle, word.end())) && in_repeated(a, b, Word(word.begin(), middle))) return true;
  }
  return false;
}

// Is the word one of L, up to marks?
bool in_marked(const Automaton& automaton, const std::vector<Letter>& letters, Word word, size_t from = 0) {
  if (from == word.size()) return accepts(automaton, word);
  const Letter wanted = word[from];
  return std::ranges::any_of(letters, [&](Letter letter) {
    word[from] = letter;
    if (letter.variable != Letter::kBarrier) letter.marked = true;
    return letter == wanted && in_marked(automaton, letters, word, from + 1);
  });
}

bool is_newest(const Word& word, const Letter& letter) {
  const auto last = std::find_if(word.rbegin(), word.rend(),
                                 [&](const Letter& other) { return other.variable == letter.variable; });
  return last != word.rend() && *last == letter;
}

bool has_variable(const Word& word, uint32_t variable) {
  return std::ranges::find(word, variable, &Letter::variable) != word.end();
}

bool begins_with(const Word& word, const Letter& letter) { return !word.empty() && word.front() == letter; }
bool ends_with(const Word& word, const Letter& letter) { return !word.empty() && word.back() == letter; }

// Each letter of a state once and sorted, every state within reach and accepting something.
void expect_canonical(const Automaton& automaton) {
  std::vector<bool> reached(automaton.states.size());
  std::vector<bool> useful(automaton.states.size());
  if (!reached.empty()) reached[0] = true;
  for (size_t round = 0; round < automaton.states.size(); ++round) {
    for (size_t i = 0; i < automaton.states.size(); ++i) {
      const Automaton::State& state = automaton.states[i];
      if (state.accepting) useful[i] = true;
      for (const Automaton::Edge& edge : state.edges) {
        if (reached[i]) reached[edge.to] = true;
        if (useful[edge.to]) useful[i] = true;
      }
    }
  }
  EXPECT_EQ(std::ranges::count(reached, false), 0);
  EXPECT_EQ(std::ranges::count(useful, false), 0);
  for (const Automaton::State& state : automaton.states)
    for (size_t i = 1; i < state.edges.size(); ++i)
      EXPECT_LT(state.edges[i - 1].letter, state.edges[i].letter);
}

class Oracle {
 public:
  Oracle(Languages& languages, const std::vector<Word>& words) : languages_(languages), words_(words) {}

  void expect(const char* operation, Language result, const std::function<bool(const Word&)>& belongs) const {
    const Automaton automaton = languages_.automaton(result);
    expect_canonical(automaton);
    EXPECT_EQ(languages_.accepted_by(automaton), result) << operation;
    for (const Word& word : words_)
      ASSERT_EQ(accepts(automaton, word), belongs(word)) << operation << " " << text_of(word);
  }

 private:
  Languages& languages_;
  const std::vector<Word>& words_;
};

TEST(Languages, OperationsMatchTheirDefinitions) {
  Rng rng(1);
  for (int round = 0; round < 150; ++round) {
    Languages languages;
    const std::vector<Letter> letters = some_letters(rng, 3);
    const std::vector<Word> words = all_words(letters, 5);
    const Oracle oracle(languages, words);
    for (int i = 0; i < 12; ++i) {
      const Automaton a = random_automaton(rng, letters, 5);
      const Automaton b = random_automaton(rng, letters, 4);
      const Language language = languages.accepted_by(a);
      const Language other = languages.accepted_by(b);
      const Letter letter = letters[rng.below(letters.size())];
      const uint32_t variable = letter.variable;
      const auto in = [&](const Word& word) { return accepts(a, word); };
      oracle.expect("accepted_by", language, in);
      oracle.expect("append", languages.append(language, letter), [&](const Word& word) {
        return ends_with(word, letter) && in(Word(word.begin(), word.end() - 1));
      });
      oracle.expect("newest", languages.newest(language, letter),
                    [&](const Word& word) { return in(word) && is_newest(word, letter); });
      oracle.expect("without", languages.without(language, variable),
                    [&](const Word& word) { return in(word) && !has_variable(word, variable); });
      oracle.expect("after", languages.after(language, letter),
                    [&](const Word& word) { return in(concatenated({letter}, word)); });
      oracle.expect("without_marks", languages.without_marks(language), [&](const Word& word) {
        return in(word) && std::ranges::none_of(word, &Letter::marked);
      });
      oracle.expect("not_beginning_with", languages.not_beginning_with(language, letter),
                    [&](const Word& word) { return in(word) && !begins_with(word, letter); });
      oracle.expect("ending_with", languages.ending_with(language, letter),
                    [&](const Word& word) { return in(word) && ends_with(word, letter); });
      oracle.expect("not_ending_with", languages.not_ending_with(language, letter),
                    [&](const Word& word) { return in(word) && !ends_with(word, letter); });
      oracle.expect("united", languages.united(language, other),
                    [&](const Word& word) { return in(word) || accepts(b, word); });
      oracle.expect("common", languages.common(language, other),
                    [&](const Word& word) { return in(word) && accepts(b, word); });
      oracle.expect("minus", languages.minus(language, other),
                    [&](const Word& word) { return in(word) && !accepts(b, word); });
      oracle.expect("concatenated", languages.concatenated(language, other),
                    [&](const Word& word) { return in_concatenated(a, b, word); });
      oracle.expect("repeated by a language", languages.repeated(language, other),
                    [&](const Word& word) { return in_repeated(a, b, word); });
      const std::vector<Word> appended = {random_word(rng, letters, 2), random_word(rng, letters, 3)};
      oracle.expect("repeated", languages.repeated(language, appended),
                    [&](const Word& word) { return in_repeated(a, appended, word); });
      const Word end = random_word(rng, letters, 3);
      EXPECT_EQ(languages.append(language, end), [&] {
        Language result = language;
        for (const Letter& one : end) result = languages.append(result, one);
        return result;
      }());
      for (const Word& word : words) ASSERT_EQ(languages.contains(language, word), in(word)) << text_of(word);
    }
  }
}

TEST(Languages, Marked) {
  Rng rng(2);
  const std::vector<Letter> letters = {kX0, {kX, 0, true}, kY0, Letter::barrier()};
  const std::vector<Word> words = all_words({kX0, {kX, 0, true}, {kY, 0, true}, Letter::barrier()}, 4);
  for (int i = 0; i < 150; ++i) {
    Languages languages;
    const Automaton automaton = random_automaton(rng, letters, 5);
    Oracle(languages, words)
        .expect("marked", languages.marked(languages.accepted_by(automaton)),
                [&](const Word& word) { return in_marked(automaton, letters, word); });
  }
}

TEST(Languages, NumbersAreEqualWhereLanguagesAre) {
  // Two automata of at most three states differ on a word of at most four letters, if at all.
  Rng rng(3);
  const std::vector<Letter> letters = {kX0, kX1};
  const std::vector<Word> words = all_words(letters, 5);
  Languages languages;
  int equal = 0;
  for (int i = 0; i < 4000; ++i) {
    const Automaton a = random_automaton(rng, letters, 3);
    const Automaton b = random_automaton(rng, letters, 3);
    bool same = true;
    bool contained = true;
    for (const Word& word : words) {
      const bool in_a = accepts(a, word);
      const bool in_b = accepts(b, word);
      same &= in_a == in_b;
      contained &= !in_a || in_b;
    }
    const Language left = languages.accepted_by(a);
    const Language right = languages.accepted_by(b);
    ASSERT_EQ(left == right, same);
    ASSERT_EQ(languages.included(left, right), contained);
    equal += same ? 1 : 0;
  }
  EXPECT_GT(equal, 100);
}

TEST(Languages, ResultsDoNotDependOnHistory) {
  Rng rng(4);
  for (int round = 0; round < 100; ++round) {
    const Automaton a = random_automaton(rng, kLetters, 5);
    const Automaton b = random_automaton(rng, kLetters, 5);
    Languages one;
    Languages other;
    std::vector<Letter> backwards(kLetters.rbegin(), kLetters.rend());
    for (const Letter& letter : backwards) other.word({letter});
    const auto outcome = [&](Languages& languages) {
      const Language left = languages.accepted_by(a);
      const Language right = languages.accepted_by(b);
      const Language both = languages.append(languages.united(left, right), kX1);
      return languages.automaton(languages.repeated(both, std::vector<Word>{{kX0, kY0}, {kX1}}));
    };
    EXPECT_EQ(outcome(one), outcome(other));
  }
}

TEST(Languages, LawsHold) {
  Rng rng(5);
  Languages languages;
  for (int i = 0; i < 1500; ++i) {
    const std::vector<Letter> letters = some_letters(rng, 4);
    const Language a = languages.accepted_by(random_automaton(rng, letters, 6));
    const Language b = languages.accepted_by(random_automaton(rng, letters, 6));
    const Language c = languages.accepted_by(random_automaton(rng, letters, 6));
    const Letter letter = letters[0];
    EXPECT_EQ(languages.united(a, b), languages.united(b, a));
    EXPECT_EQ(languages.common(a, b), languages.common(b, a));
    EXPECT_EQ(languages.united(languages.united(a, b), c), languages.united(a, languages.united(b, c)));
    EXPECT_EQ(languages.common(languages.united(a, b), c),
              languages.united(languages.common(a, c), languages.common(b, c)));
    EXPECT_EQ(languages.included(a, b), languages.united(a, b) == b);
    EXPECT_EQ(languages.included(a, b), languages.common(a, b) == a);

    // What is appended is the newest and the last, and nothing else is.
    const Language longer = languages.append(a, letter);
    EXPECT_EQ(languages.newest(longer, letter), longer);
    EXPECT_EQ(languages.ending_with(longer, letter), longer);
    EXPECT_EQ(languages.not_ending_with(longer, letter), Languages::nothing());
    EXPECT_EQ(languages.append(languages.united(a, b), letter),
              languages.united(longer, languages.append(b, letter)));
    // After appending to a word that is not empty, the first letter is taken away as before.
    for (const Letter& first : std::vector<Letter>(languages.first(a))) {
      Language rest = languages.append(languages.after(a, first), letter);
      if (languages.has_empty_word(a) && first == letter)
        rest = languages.united(rest, Languages::empty_word());
      EXPECT_EQ(languages.after(longer, first), rest);
    }

    // The newest letters of a variable divide the language.
    for (const uint32_t variable : {kX, kY, Letter::kBarrier}) {
      Language all = languages.without(a, variable);
      for (const Letter& newest : std::vector<Letter>(languages.newest_letters(a, variable))) {
        const Language part = languages.newest(a, newest);
        EXPECT_NE(part, Languages::nothing());
        EXPECT_EQ(languages.common(all, part), Languages::nothing());
        all = languages.united(all, part);
      }
      EXPECT_EQ(all, a);
    }
    // Whether a word begins or ends with a letter divides it, too.
    EXPECT_EQ(languages.after(a, letter) != Languages::nothing(),
              std::ranges::find(languages.first(a), letter) != languages.first(a).end());
    EXPECT_EQ(languages.after(languages.not_beginning_with(a, letter), letter), Languages::nothing());
    EXPECT_EQ(languages.united(languages.ending_with(a, letter), languages.not_ending_with(a, letter)), a);

    const std::vector<Word> words = {{letter, letters[1]}, {letters[2]}};
    const Language repeated = languages.repeated(a, words);
    EXPECT_TRUE(languages.included(a, repeated));
    EXPECT_EQ(languages.repeated(repeated, words), repeated);
    EXPECT_TRUE(languages.included(languages.append(repeated, words[0]), repeated));
    EXPECT_EQ(languages.united(a, languages.united(languages.append(repeated, words[0]),
                                                   languages.append(repeated, words[1]))),
              repeated);
    EXPECT_EQ(languages.marked(languages.marked(a)), languages.marked(a));
  }
}

TEST(Languages, TheTwoThatAreAlwaysThere) {
  Languages languages;
  EXPECT_EQ(languages.size(), 2U);
  EXPECT_EQ(Language(), Languages::empty_word());
  EXPECT_EQ(languages.word({}), Languages::empty_word());
  EXPECT_EQ(languages.accepted_by({}), Languages::nothing());
  EXPECT_TRUE(languages.has_empty_word(Languages::empty_word()));
  EXPECT_FALSE(languages.has_empty_word(Languages::nothing()));
  EXPECT_EQ(languages.states(Languages::empty_word()), 1U);
  EXPECT_EQ(languages.states(Languages::nothing()), 0U);
  EXPECT_TRUE(languages.included(Languages::nothing(), Languages::empty_word()));
  EXPECT_FALSE(languages.included(Languages::empty_word(), Languages::nothing()));

  const Language none = Languages::nothing();
  EXPECT_EQ(languages.append(none, kX1), none);
  EXPECT_EQ(languages.newest(none, kX1), none);
  EXPECT_EQ(languages.without(none, kX), none);
  EXPECT_EQ(languages.after(none, kX1), none);
  EXPECT_EQ(languages.marked(none), none);
  EXPECT_EQ(languages.not_beginning_with(none, kX1), none);
  EXPECT_EQ(languages.repeated(none, std::vector<Word>{{kX1}}), none);
  EXPECT_EQ(languages.widened(none), none);
  EXPECT_TRUE(languages.first(none).empty());
  EXPECT_TRUE(languages.newest_letters(none, kX).empty());
  EXPECT_EQ(languages.append(Languages::empty_word(), kX1), languages.word({kX1}));
  EXPECT_EQ(languages.newest(Languages::empty_word(), kX1), none);
  EXPECT_EQ(languages.without(Languages::empty_word(), kX), Languages::empty_word());
}

TEST(Languages, EveryOperationIsDoneOnce) {
  Languages languages;
  const Language word = languages.word({kX1, kX0, kY0});
  const Language longer = languages.append(word, kX1);
  const Language shorter = languages.after(longer, kX1);
  const size_t size = languages.size();
  const uint64_t bytes = languages.bytes_in_use();
  EXPECT_EQ(languages.append(word, kX1), longer);
  EXPECT_EQ(languages.after(longer, kX1), shorter);
  EXPECT_EQ(shorter, languages.word({kX0, kY0, kX1}));
  EXPECT_EQ(languages.size(), size);
  EXPECT_EQ(languages.bytes_in_use(), bytes);
}

TEST(Languages, ListsOfLettersAndVariables) {
  Languages languages;
  const Language language =
      languages.repeated(languages.word({kY0, kX1}), std::vector<Word>{{kX0}, {Letter::barrier()}});
  EXPECT_EQ(languages.first(language), std::vector<Letter>({kY0}));
  EXPECT_EQ(languages.newest_letters(language, kX), std::vector<Letter>({kX0, kX1}));
  EXPECT_EQ(languages.newest_letters(language, kY), std::vector<Letter>({kY0}));
  EXPECT_EQ(languages.variables(language), std::vector<uint32_t>({kX, kY, Letter::kBarrier}));
  EXPECT_TRUE(languages.variables(Languages::empty_word()).empty());
}

TEST(Languages, AllBarriersAreOneLetter) {
  Languages languages;
  EXPECT_EQ(languages.word({{Letter::kBarrier, 5, true}}), languages.word({Letter::barrier()}));
}

TEST(Languages, RepeatedIgnoresEmptyWords) {
  Languages languages;
  const Language word = languages.word({kX1});
  EXPECT_EQ(languages.repeated(word, std::vector<Word>()), word);
  EXPECT_EQ(languages.repeated(word, std::vector<Word>{{}}), word);
  EXPECT_EQ(languages.repeated(word, std::vector<Word>{{}, {kX0}}),
            languages.repeated(word, std::vector<Word>{{kX0}}));
}

TEST(Languages, RejectWhatIsNotTheirs) {
  Languages languages;
  EXPECT_THROW(languages.append(Language(17), kX1), Bug);
  EXPECT_THROW(languages.first(Language(17)), Bug);
  EXPECT_THROW(languages.accepted_by({{{true, {{kX1, 1}}}}}), Bug);
}

// Long words: more states than a byte or a small table holds.
TEST(Languages, ManyStates) {
  Languages languages;
  Word word;
  for (int i = 0; i < 3000; ++i) word.push_back({static_cast<uint32_t>(i % 5), i % 7, false});
  const Language chain = languages.word(word);
  EXPECT_EQ(languages.states(chain), 3001U);
  EXPECT_EQ(languages.accepted_by(languages.automaton(chain)), chain);
  EXPECT_EQ(languages.after(languages.append(chain, kX1), word.front()),
            languages.append(languages.after(chain, word.front()), kX1));
  EXPECT_EQ(languages.common(languages.united(chain, languages.word({kX1})), chain), chain);
}

}  // namespace
}  // namespace fenceline::automata
