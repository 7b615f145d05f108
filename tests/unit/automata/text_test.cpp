// SPDX-License-Identifier: GPL-3.0-or-later
//
// Regular expressions: as expected in simple cases, and always of the same language.
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "automata/languages.h"
#include "unit/automata/small_languages.h"

namespace fenceline::automata {
namespace {

const Letter kX0{kX, 0, false};
const Letter kX1{kX, 1, false};
const Letter kY0{kY, 0, false};

// Reads an expression along a word: from the positions where it may begin to the positions where it may end.
class Matcher {
 public:
  Matcher(std::string_view expression, const Word& word) : rest_(expression) {
    for (const Letter& letter : word) letters_.push_back(name_of(letter));
  }

  bool matches() {
    const bool found = choice({0}).contains(letters_.size());
    EXPECT_TRUE(rest_.empty()) << "not read: " << rest_;
    return found;
  }

 private:
  using Positions = std::set<size_t>;

  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  Positions choice(const Positions& begin) {
    Positions end = sequence(begin);
    while (take("|")) end.merge(sequence(begin));
    return end;
  }

  Positions sequence(Positions positions) {
    while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') positions = repetition(positions);
    return positions;
  }

  Positions repetition(const Positions& begin) {
    const std::string_view here = rest_;
    Positions end = atom(begin);
    if (take("?")) {
      end.insert(begin.begin(), begin.end());
    } else if (take("*")) {
      const std::string_view behind = rest_;
      Positions all = begin;
      for (size_t before = 0; before != all.size();) {
        before = all.size();
        rest_ = here;
        all.merge(atom(all));
      }
      rest_ = behind;
      end = all;
    }
    return end;
  }

  Positions atom(const Positions& begin) {
    if (take("ε")) return begin;
    if (take("∅")) return {};
    if (rest_.size() > 1 && rest_[0] == '(' && std::islower(static_cast<unsigned char>(rest_[1])) != 0) {
      const std::string_view name = rest_.substr(0, rest_.find(')') + 1);
      rest_.remove_prefix(name.size());
      Positions end;
      for (const size_t position : begin)
        if (position < letters_.size() && letters_[position] == name) end.insert(position + 1);
      return end;
    }
    EXPECT_TRUE(take("(")) << rest_;
    Positions end = choice(begin);
    EXPECT_TRUE(take(")")) << rest_;
    return end;
  }

  std::string_view rest_;
  std::vector<std::string> letters_;
};

TEST(Text, SameLanguage) {
  Rng rng(31);
  Languages languages;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Letter> letters = some_letters(rng, 3);
    const Automaton automaton = random_automaton(rng, letters, 5);
    const std::string text = languages.text(languages.accepted_by(automaton), name_of);
    for (const Word& word : all_words(letters, 4))
      ASSERT_EQ(Matcher(text, word).matches(), accepts(automaton, word)) << text << " and " << text_of(word);
  }
}

TEST(Text, SimpleCases) {
  Languages languages;
  const auto text = [&](Language language) { return languages.text(language, name_of); };
  const auto closure = [&](Language language, const std::vector<Word>& words) {
    return text(languages.repeated(language, words));
  };
  EXPECT_EQ(text(Languages::nothing()), "∅");
  EXPECT_EQ(text(Languages::empty_word()), "ε");
  EXPECT_EQ(text(languages.word({kX1, kY0})), "(x,1)(y,0)");
  EXPECT_EQ(text(languages.united(Language(), languages.word({kX1}))), "(x,1)?");
  EXPECT_EQ(text(languages.united(Language(), languages.word({kX1, kX0}))), "((x,1)(x,0))?");
  EXPECT_EQ(text(languages.united(languages.word({kX1}), languages.word({kX0}))), "(x,0)|(x,1)");
  EXPECT_EQ(text(languages.united(languages.word({kX1, kY0}), languages.word({kX0, kY0}))),
            "((x,0)|(x,1))(y,0)");
  EXPECT_EQ(closure(languages.word({kX1}), {{kX0, kX1}}), "(x,1)((x,0)(x,1))*");
  EXPECT_EQ(closure(Language(), {{kX1, kX0}}), "((x,1)(x,0))*");
  EXPECT_EQ(closure(Language(), {{kX0}}), "(x,0)*");
  EXPECT_EQ(closure(languages.word({kX0}), {{kX0}}), "(x,0)(x,0)*");
  EXPECT_EQ(closure(Language(), {{kX0}, {kX1}}), "((x,0)|(x,1))*");
  EXPECT_EQ(closure(languages.word({kY0, kX1}), {{kX0, kX1}, {kY0}}), "(y,0)(x,1)((x,0)(x,1)|(y,0))*");
  const Language zeros = languages.repeated(Language(), std::vector<Word>{{kX0}});
  EXPECT_EQ(text(languages.repeated(zeros, std::vector<Word>{{kX1}})), "(x,0)*(x,1)*");
}

// A buffer as it comes up: something before the loop, two loops one after the other, the loop half unrolled.
TEST(Text, StaysShort) {
  Languages languages;
  Language language = languages.repeated(languages.word({kY0}), std::vector<Word>{{kX0, kX1}});
  language = languages.united(language, languages.after(language, kY0));
  language = languages.append(language, kY0);
  EXPECT_EQ(languages.text(language, name_of), "(y,0)?((x,0)(x,1))*(y,0)");
  language = languages.united(languages.after(language, kY0), languages.append(language, kX1));
  EXPECT_LT(languages.text(language, name_of).size(), 80U) << languages.text(language, name_of);
}

}  // namespace
}  // namespace fenceline::automata
