// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checker's languages against their definitions: random automata, and all short words.
#include "check/statespace/queue_languages.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "check/statespace/buffer_algebra.h"
#include "unit/check/statespace/symbolic_exploration.h"

namespace fenceline::testing {
namespace {

const std::vector<Letter> kLetters{
    {0, 0, false}, {0, 1, false}, {0, 1, true}, {1, 0, false}, Letter::barrier()};

std::vector<Word> words_up_to(size_t length, const std::vector<Letter>& letters) {
  std::vector<Word> words{{}};
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == length) break;
    for (const Letter& letter : letters) {
      Word longer = words[i];
      longer.push_back(letter);
      words.push_back(std::move(longer));
    }
  }
  return words;
}

Automaton random_automaton(Rng& rng, size_t states, const std::vector<Letter>& letters) {
  Automaton automaton;
  automaton.states.resize(states);
  for (auto& state : automaton.states) {
    state.accepting = rng.chance(40);
    for (const Letter& letter : letters)
      if (rng.chance(50)) state.edges.push_back({letter, static_cast<uint32_t>(rng.below(states))});
  }
  return automaton;
}

bool is_barrier(const Letter& letter) { return letter == Letter::barrier(); }

template <class Predicate>
bool none(const Word& word, Predicate predicate) {
  return std::none_of(word.begin(), word.end(), predicate);
}

// Is there a word of the automaton that looks like this one when all stores are marked?
bool accepts_marked(const Automaton& automaton, Word word, size_t from = 0) {
  for (size_t i = from; i < word.size(); ++i) {
    if (is_barrier(word[i])) continue;
    if (!word[i].marked) return false;
    for (const bool before : {false, true}) {
      Word other = word;
      other[i].marked = before;
      // What is left of i is decided; the rest must still be found.
      if (i + 1 == word.size() ? accepts(automaton, other) : accepts_marked(automaton, other, i + 1))
        return true;
    }
    return false;
  }
  return accepts(automaton, word);
}

TEST(QueueLanguages, OperationsMatchTheirDefinitions) {
  Rng rng(11);
  const std::vector<Word> words = words_up_to(4, kLetters);
  for (int round = 0; round < 60; ++round) {
    Limits limits;
    check::QueueLanguages languages(limits);
    const Automaton automaton = random_automaton(rng, 1 + rng.below(4), kLetters);
    const uint32_t language = languages.accepted_by(automaton);
    for (const Word& word : words) {
      const auto has = [&](uint32_t number) { return accepts(languages.automaton(number), word); };
      const bool in = accepts(automaton, word);
      ASSERT_EQ(has(language), in);
      ASSERT_TRUE(!word.empty() || languages.has_empty_word(language) == in);
      for (const Letter& letter : kLetters) {
        Word shorter = word, longer{letter};
        if (!word.empty()) shorter.pop_back();
        longer.insert(longer.end(), word.begin(), word.end());
        ASSERT_EQ(has(languages.appended(language, letter)),
                  !word.empty() && word.back() == letter && accepts(automaton, shorter));
        ASSERT_EQ(has(languages.after(language, letter)), accepts(automaton, longer));
        if (is_barrier(letter)) continue;
        const auto newest = std::find_if(word.rbegin(), word.rend(),
                                         [&](const Letter& l) { return l.variable == letter.variable; });
        ASSERT_EQ(has(languages.with_newest(language, letter)),
                  in && newest != word.rend() && *newest == letter);
        ASSERT_EQ(has(languages.without_cell(language, letter.variable)), in && newest == word.rend());
      }
      ASSERT_EQ(has(languages.marked(language)), accepts_marked(automaton, word));
      ASSERT_EQ(has(languages.without_marks(language)),
                in && none(word, [](const Letter& l) { return l.marked; }));
      ASSERT_EQ(has(languages.without_barriers(language)), in && none(word, is_barrier));
      const bool begins = !word.empty() && is_barrier(word.front());
      ASSERT_EQ(has(languages.beginning_with_barrier(language)), in && begins);
      ASSERT_EQ(has(languages.not_beginning_with_barrier(language)), in && !begins);
      const bool ends = !word.empty() && !is_barrier(word.back());
      ASSERT_EQ(has(languages.ending_with_store(language)), in && ends);
      ASSERT_EQ(has(languages.not_ending_with_store(language)), in && !ends);
    }
    const auto starts = [&](const Letter& letter) {
      return languages.after(language, letter) != check::QueueLanguages::kNothing;
    };
    std::vector<Letter> first;
    std::copy_if(kLetters.begin(), kLetters.end(), std::back_inserter(first), starts);
    ASSERT_EQ(languages.first_letters(language), first);
  }
}

// The shortest word that only one of two automata accepts is shorter than the pairs of their states.
TEST(QueueLanguages, Inclusion) {
  Rng rng(12);
  const std::vector<Letter> letters{{0, 0, false}, Letter::barrier()};
  const std::vector<Word> words = words_up_to(11, letters);
  Limits limits;
  check::QueueLanguages languages(limits);
  size_t yes = 0;
  for (int round = 0; round < 3000; ++round) {
    const Automaton part = random_automaton(rng, 1 + rng.below(3), letters);
    const Automaton whole = random_automaton(rng, 1 + rng.below(3), letters);
    const bool included = std::all_of(words.begin(), words.end(), [&](const Word& word) {
      return !accepts(part, word) || accepts(whole, word);
    });
    const uint32_t a = languages.accepted_by(part), b = languages.accepted_by(whole);
    ASSERT_EQ(languages.included(a, b), included);
    ASSERT_EQ(languages.included(a, b), included);  // as remembered
    ASSERT_TRUE(languages.included(b, b));
    yes += included && a != check::QueueLanguages::kNothing ? 1 : 0;
  }
  EXPECT_GT(yes, 100u);
}

TEST(QueueLanguages, UselessStatesDoNotCount) {
  Limits limits;
  check::QueueLanguages languages(limits);
  const Letter a{0, 0, false}, b{0, 1, false};
  EXPECT_EQ(languages.accepted_by({}), check::QueueLanguages::kNothing);
  EXPECT_EQ(languages.accepted_by({{{false, {{a, 0}}}}}), check::QueueLanguages::kNothing);
  EXPECT_EQ(languages.accepted_by({{{true, {{a, 1}}}, {false, {{b, 1}}}}}),
            check::QueueLanguages::kEmptyWord);
  EXPECT_EQ(languages.accepted_by({{{true, {}}, {true, {{a, 0}}}}}), check::QueueLanguages::kEmptyWord);
  EXPECT_EQ(languages.marked(check::QueueLanguages::kNothing), check::QueueLanguages::kNothing);
  EXPECT_EQ(languages.appended(check::QueueLanguages::kNothing, a), check::QueueLanguages::kNothing);
}

// With all letters marked, the words whose 24th letter from the end is a store to cell 0. A deterministic
// automaton has to remember which of the last 24 were.
TEST(QueueLanguages, LimitsAreKept) {
  const Letter x{0, 0, false}, marked_x{0, 0, true}, y{1, 0, false};
  Automaton automaton;
  automaton.states.push_back({false, {{x, 0}, {marked_x, 1}, {y, 0}}});
  for (uint32_t s = 1; s < 24; ++s) automaton.states.push_back({false, {{x, s + 1}, {y, s + 1}}});
  automaton.states.push_back({true, {}});
  Limits limits(0.05);
  check::QueueLanguages languages(limits);
  const uint32_t language = languages.accepted_by(automaton);
  EXPECT_THROW(languages.marked(language), check::OutOfLimits);
}

}  // namespace
}  // namespace fenceline::testing
