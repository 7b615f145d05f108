// SPDX-License-Identifier: GPL-3.0-or-later
//
// A regular expression by elimination of states: the paths through an eliminated state become an edge that is
// labelled with all that can be read along them. The order decides how long the result is. The
// state whose elimination adds least comes next (Delgado and Morais, "Approximation to the Smallest Regular
// Expression for a Given Regular Language", 2004); for small automata every state is tried as the first.
#include "automata/text.h"

#include <vector>

#include "automata/expressions.h"
#include "automata/languages.h"
#include "automata/store.h"

namespace fenceline::automata {
namespace {

using Id = RegularExpressions::Id;

constexpr uint32_t kSmall = 12;

class Elimination {
 public:
  Elimination(const FlatAutomaton& automaton, RegularExpressions& expressions)
      : expressions_(expressions),
        size_(automaton.size() + 2),
        start_(automaton.size()),
        end_(automaton.size() + 1),
        labels_(size_t{size_} * size_, expressions.nothing()),
        eliminated_(size_) {
    label(start_, 0) = expressions.empty_word();
    for (uint32_t state = 0; state < automaton.size(); ++state) {
      for (const FlatAutomaton::Edge& edge : automaton.edges_of(state))
        label(state, edge.to) = expressions.choice({label(state, edge.to), expressions.letter(edge.symbol)});
      if (automaton.accepting(state)) label(state, end_) = expressions.empty_word();
    }
  }

  void eliminate(uint32_t state) {
    const Id loop = expressions_.star(label(state, state));
    for (uint32_t from = 0; from < size_; ++from) {
      if (from == state || !edge(from, state)) continue;
      for (uint32_t to = 0; to < size_; ++to) {
        if (to == state || !edge(state, to)) continue;
        const Id path = expressions_.sequence({label(from, state), loop, label(state, to)});
        label(from, to) = expressions_.choice({label(from, to), path});
      }
    }
    eliminated_[state] = true;
  }

  Id eliminate_all() {
    for (;;) {
      uint32_t cheapest = start_;
      for (uint32_t state = 0; state < start_; ++state)
        if (!eliminated_[state] && (cheapest == start_ || cost(state) < cost(cheapest))) cheapest = state;
      if (cheapest == start_) return label(start_, end_);
      eliminate(cheapest);
    }
  }

 private:
  Id& label(uint32_t from, uint32_t to) { return labels_[size_t{from} * size_ + to]; }
  bool edge(uint32_t from, uint32_t to) {
    return !eliminated_[from] && !eliminated_[to] && label(from, to) != expressions_.nothing();
  }

  // How many symbols the elimination writes.
  double cost(uint32_t state) {
    double edges_in = 0;
    double edges_out = 0;
    double size_in = 0;
    double size_out = 0;
    for (uint32_t other = 0; other < size_; ++other) {
      if (other == state) continue;
      if (edge(other, state)) ++edges_in, size_in += static_cast<double>(size_of(label(other, state)));
      if (edge(state, other)) ++edges_out, size_out += static_cast<double>(size_of(label(state, other)));
    }
    return size_in * edges_out + size_out * edges_in +
           static_cast<double>(size_of(label(state, state))) * edges_in * edges_out;
  }
  // ε and ∅ are not printed as parts of something.
  uint64_t size_of(Id id) const {
    return id == expressions_.nothing() || id == expressions_.empty_word() ? 0 : expressions_.size(id);
  }

  RegularExpressions& expressions_;
  const uint32_t size_;
  const uint32_t start_;  // two states more than the automaton has
  const uint32_t end_;
  std::vector<Id> labels_;  // from × to
  std::vector<bool> eliminated_;
};

}  // namespace

std::string regular_expression(const FlatAutomaton& automaton, const Alphabet& alphabet,
                               const std::function<std::string(const Letter&)>& name) {
  RegularExpressions expressions(alphabet);
  if (automaton.size() == 0) return expressions.text(expressions.nothing(), name);
  const Elimination untouched(automaton, expressions);
  Id shortest = Elimination(untouched).eliminate_all();
  for (uint32_t first = 0; first < automaton.size() && automaton.size() <= kSmall; ++first) {
    Elimination elimination(untouched);
    elimination.eliminate(first);
    const Id other = elimination.eliminate_all();
    if (expressions.size(other) < expressions.size(shortest)) shortest = other;
  }
  return expressions.text(shortest, name);
}

std::string Languages::text(Language language, const std::function<std::string(const Letter&)>& name) const {
  return regular_expression(store_->automaton(language), store_->alphabet, name);
}

}  // namespace fenceline::automata
