// SPDX-License-Identifier: GPL-3.0-or-later
//
// Single words of languages.
#include <algorithm>

#include "automata/languages.h"
#include "automata/store.h"
#include "base/graph.h"

namespace fenceline::automata {
namespace {

using Edge = FlatAutomaton::Edge;

// The words of an automaton, length by length. A word of length n is searched depth first along the states
// from which the word can still be completed, so there is no backtracking.
class WordsInOrder {
 public:
  WordsInOrder(const FlatAutomaton& automaton, const Alphabet& alphabet, size_t count)
      : automaton_(automaton), alphabet_(alphabet), count_(count) {}

  std::vector<Word> run() {
    if (automaton_.size() == 0) return {};
    std::vector<bool> ends(automaton_.size());
    for (uint32_t state = 0; state < automaton_.size(); ++state) ends[state] = automaton_.accepting(state);
    completes_in_.push_back(std::move(ends));
    // A word that is not shorter than the number of states passes through a cycle; without it, it is shorter
    // by at most that number. So after as many lengths without a word there are no more.
    for (size_t in_vain = 0; found_.size() < count_ && in_vain <= automaton_.size();) {
      const size_t before = found_.size();
      if (completes_in_.back()[0]) extend(0, completes_in_.size() - 1);
      in_vain = found_.size() == before ? in_vain + 1 : 0;
      add_length();
    }
    return std::move(found_);
  }

 private:
  void add_length() {
    std::vector<bool> longer(automaton_.size());
    for (uint32_t state = 0; state < automaton_.size(); ++state)
      for (const Edge& edge : automaton_.edges_of(state))
        if (completes_in_.back()[edge.to]) longer[state] = true;
    completes_in_.push_back(std::move(longer));
  }

  void extend(uint32_t state, size_t letters_left) {
    if (letters_left == 0) {
      found_.push_back(word_);
      return;
    }
    for (const Edge& edge : automaton_.edges_of(state)) {
      if (!completes_in_[letters_left - 1][edge.to]) continue;
      word_.push_back(alphabet_.letter(edge.symbol));
      extend(edge.to, letters_left - 1);
      word_.pop_back();
      if (found_.size() == count_) return;
    }
  }

  const FlatAutomaton& automaton_;
  const Alphabet& alphabet_;
  const size_t count_;
  std::vector<std::vector<bool>> completes_in_;  // [n][q]: state q accepts a word of length n
  Word word_;
  std::vector<Word> found_;
};

constexpr size_t kNever = ~size_t{0};

Word part(const Word& word, size_t begin, size_t end) {
  return {word.begin() + static_cast<ptrdiff_t>(begin), word.begin() + static_cast<ptrdiff_t>(end)};
}

}  // namespace

bool Languages::is_endless(Language language) const {
  const FlatAutomaton& automaton = store_->automaton(language);
  std::vector<std::vector<uint32_t>> graph(automaton.size());
  for (uint32_t state = 0; state < automaton.size(); ++state)
    for (const FlatAutomaton::Edge& edge : automaton.edges_of(state)) graph[state].push_back(edge.to);
  return !cyclic_components(graph).empty();  // every state lies on a path to acceptance
}

bool Languages::has_empty_word(Language language) const {
  const FlatAutomaton& automaton = store_->automaton(language);
  return automaton.size() != 0 && automaton.accepting(0);
}

bool Languages::contains(Language language, const Word& word) const {
  const FlatAutomaton& automaton = store_->automaton(language);
  uint32_t state = automaton.size() == 0 ? FlatAutomaton::kNowhere : 0;
  for (const Letter& letter : word) {
    if (state == FlatAutomaton::kNowhere) return false;
    state = automaton.next(state, store_->alphabet.find(letter));
  }
  return state != FlatAutomaton::kNowhere && automaton.accepting(state);
}

std::vector<Word> Languages::shortest_words(Language language, size_t count) const {
  return WordsInOrder(store_->automaton(language), store_->alphabet, count).run();
}

std::optional<Word> Languages::shortest_word(Language language) const {
  std::vector<Word> words = shortest_words(language, 1);
  if (words.empty()) return std::nullopt;
  return std::move(words.front());
}

std::optional<Languages::Parts> Languages::decompose(const Word& word, Language language,
                                                     std::span<const Language> iterations) const {
  // From back to front: the fewest iterations that make up the suffix from here, and the first of them.
  struct Split {
    size_t count = kNever;
    size_t of = 0;
    size_t end = 0;
  };
  std::vector<Split> splits(word.size() + 1);
  splits[word.size()].count = 0;
  for (size_t position = word.size(); position-- > 0;) {
    for (size_t i = 0; i < iterations.size(); ++i) {
      const FlatAutomaton& automaton = store_->automaton(iterations[i]);
      uint32_t state = automaton.size() == 0 ? FlatAutomaton::kNowhere : 0;
      for (size_t end = position; end < word.size() && state != FlatAutomaton::kNowhere;) {
        state = automaton.next(state, store_->alphabet.find(word[end++]));
        if (state == FlatAutomaton::kNowhere || !automaton.accepting(state)) continue;
        if (splits[end].count == kNever || splits[end].count + 1 >= splits[position].count) continue;
        splits[position] = {splits[end].count + 1, i, end};
      }
    }
  }

  std::optional<size_t> best;  // where the iterations begin
  for (size_t position = 0; position <= word.size(); ++position) {
    if (splits[position].count == kNever || (best && splits[*best].count <= splits[position].count)) continue;
    if (contains(language, part(word, 0, position))) best = position;
  }
  if (!best) return std::nullopt;
  Parts parts{part(word, 0, *best), {}};
  for (size_t position = *best; position < word.size(); position = splits[position].end)
    parts.iterations.push_back({splits[position].of, part(word, position, splits[position].end)});
  return parts;
}

}  // namespace fenceline::automata
