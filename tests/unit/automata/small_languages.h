// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random automata over few letters, and all short words. What an operation means is defined in the tests word
// by word; nothing here shares code with what is tested.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/automaton.h"
#include "base/rng.h"

namespace fenceline::automata {

inline constexpr uint32_t kX = 3;
inline constexpr uint32_t kY = 7;
inline const std::vector<Letter> kLetters = {{kY, 0, false}, {kX, 1, false},  {kX, 0, false},   {kX, 1, true},
                                             {kY, 0, true},  {kX, -2, false}, Letter::barrier()};

inline bool accepts(const Automaton& automaton, const Word& word) {
  if (automaton.states.empty()) return false;
  uint32_t state = 0;
  for (const Letter& letter : word) {
    const auto& edges = automaton.states[state].edges;
    const auto edge = std::ranges::find(edges, letter, &Automaton::Edge::letter);
    if (edge == edges.end()) return false;
    state = edge->to;
  }
  return automaton.states[state].accepting;
}

inline std::vector<Letter> some_letters(Rng& rng, size_t count) {
  std::vector<Letter> letters = kLetters;
  for (size_t i = letters.size(); i-- > 1;) std::swap(letters[i], letters[rng.below(i + 1)]);
  letters.resize(count);
  return letters;
}

// Up to `most` states, most edges present; some states accept nothing or are out of reach.
inline Automaton random_automaton(Rng& rng, const std::vector<Letter>& letters, size_t most) {
  Automaton automaton;
  automaton.states.resize(rng.below(most + 1));
  const auto percent = static_cast<unsigned>(rng.between(20, 90));
  for (Automaton::State& state : automaton.states) {
    state.accepting = rng.chance(35);
    for (const Letter& letter : letters)
      if (rng.chance(percent))
        state.edges.push_back({letter, static_cast<uint32_t>(rng.below(automaton.states.size()))});
    std::ranges::sort(state.edges, {}, &Automaton::Edge::letter);
  }
  return automaton;
}

// Shortest first, those of one length in the order of their letters.
inline std::vector<Word> all_words(std::vector<Letter> letters, size_t longest) {
  std::ranges::sort(letters);
  std::vector<Word> words = {{}};
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == longest) break;
    for (const Letter& letter : letters) {
      Word longer = words[i];
      longer.push_back(letter);
      words.push_back(std::move(longer));
    }
  }
  return words;
}

inline Word random_word(Rng& rng, const std::vector<Letter>& letters, size_t longest) {
  Word word(rng.below(longest + 1));
  for (Letter& letter : word) letter = letters[rng.below(letters.size())];
  return word;
}

// "(x,1)", marked "(x,1!)", the barrier "(b)".
inline std::string name_of(const Letter& letter) {
  if (letter.variable == Letter::kBarrier) return "(b)";
  return std::string("(") + (letter.variable == kX ? "x," : "y,") + std::to_string(letter.value) +
         (letter.marked ? "!)" : ")");
}

inline std::string text_of(const Word& word) {
  std::string text = word.empty() ? "ε" : "";
  for (const Letter& letter : word) text += name_of(letter);
  return text;
}

}  // namespace fenceline::automata
