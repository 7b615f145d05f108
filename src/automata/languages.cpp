// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operations, each as a construction of an automaton that the minimiser then makes canonical. Most drafts
// are deterministic from the start, because the condition on a word can be decided while reading it: one bit
// records whether the newest letter of a variable is the wanted one. Only what has to guess where a word ends
// (append, repeated) or merges letters or states (marked, widened) needs the subset construction.
#include "automata/languages.h"

#include <algorithm>

#include "automata/store.h"
#include "automata/widen.h"
#include "base/hash.h"

namespace fenceline::automata {
namespace {

using Edge = FlatAutomaton::Edge;

uint64_t hash_of(const FlatAutomaton& automaton) {
  return hash_combine(hash_array<FlatAutomaton::State>(automaton.states), hash_array<Edge>(automaton.edges));
}

// The words of the automaton after whose reading a bit is as wanted. Reading `setting` sets the bit, reading
// any other letter that `clears` clears it. State 2q+b is state q with bit b.
template <class Clears>
void filter_by_bit(const FlatAutomaton& from, Symbol setting, Clears clears, uint32_t wanted,
                   FlatAutomaton& to) {
  to.clear();
  for (uint32_t state = 0; state < from.size(); ++state) {
    for (uint32_t bit = 0; bit < 2; ++bit) {
      to.add_state(from.accepting(state) && bit == wanted);
      for (const Edge& edge : from.edges_of(state)) {
        const uint32_t next_bit = edge.symbol == setting ? 1 : clears(edge.symbol) ? 0 : bit;
        to.add_edge(edge.symbol, 2 * edge.to + next_bit);
      }
    }
  }
}

// Only the edges whose symbols are kept.
template <class Keep>
void restrict_edges(const FlatAutomaton& from, Keep keep, FlatAutomaton& to) {
  to.clear();
  for (uint32_t state = 0; state < from.size(); ++state) {
    to.add_state(from.accepting(state));
    for (const Edge& edge : from.edges_of(state))
      if (keep(edge.symbol)) to.add_edge(edge.symbol, edge.to);
  }
}

}  // namespace

Languages::Languages() : store_(std::make_unique<Store>()) {
  require(word({}) == empty_word(), "{ε} is the first language");
  require(accepted_by({}) == nothing(), "∅ is the second language");
}

Languages::~Languages() = default;

Language Languages::Store::add(const FlatAutomaton& canonical) {
  const uint64_t hash = hash_of(canonical);
  const auto [begin, end] = by_hash.equal_range(hash);
  for (auto candidate = begin; candidate != end; ++candidate)
    if (automata[candidate->second] == canonical) return Language(candidate->second);
  require(automata.size() < PairTable::kNone, "too many languages");
  const auto number = static_cast<uint32_t>(automata.size());
  automata.push_back(canonical);
  by_hash.emplace(hash, number);
  bytes += canonical.states.size() * sizeof(FlatAutomaton::State) + canonical.edges.size() * sizeof(Edge);
  return Language(number);
}

Language Languages::word(const Word& word) {
  FlatAutomaton& chain = store_->draft;
  chain.clear();
  for (const Letter& letter : word) {
    chain.add_state(false);
    chain.add_edge(store_->alphabet.add(letter), chain.size());
  }
  chain.add_state(true);
  return store_->add(chain);  // a chain is minimal, and numbered in its only order
}

Language Languages::accepted_by(const Automaton& automaton) {
  FlatAutomaton& draft = store_->draft;
  draft.clear();
  for (const Automaton::State& state : automaton.states) {
    draft.add_state(state.accepting);
    for (const Automaton::Edge& edge : state.edges) {
      require(edge.to < automaton.states.size(), "an edge leads to no state");
      draft.add_edge(store_->alphabet.add(edge.letter), edge.to);
    }
  }
  return store_->add_draft();  // its letters may be in any order
}

Language Languages::append(Language language, const Letter& letter) {
  const Symbol symbol = store_->alphabet.add(letter);
  return store_->once(Store::kAppend, language, symbol, [&](const FlatAutomaton& from) {
    FlatAutomaton& to = store_->draft;
    to.clear();
    for (uint32_t state = 0; state < from.size(); ++state) {
      to.add_state(false);
      for (const Edge& edge : from.edges_of(state)) to.add_edge(edge.symbol, edge.to);
      if (from.accepting(state)) to.add_edge(symbol, from.size());
    }
    to.add_state(true);
    return store_->add_draft();
  });
}

Language Languages::append(Language language, const Word& word) {
  for (const Letter& letter : word) language = append(language, letter);
  return language;
}

Language Languages::newest(Language language, const Letter& letter) {
  const Alphabet& alphabet = store_->alphabet;
  const Symbol symbol = store_->alphabet.add(letter);
  return store_->once(Store::kNewest, language, symbol, [&](const FlatAutomaton& from) {
    const auto of_variable = [&](Symbol other) { return alphabet.letter(other).variable == letter.variable; };
    filter_by_bit(from, symbol, of_variable, 1, store_->draft);
    return store_->add_deterministic_draft();
  });
}

Language Languages::without(Language language, uint32_t variable) {
  const Alphabet& alphabet = store_->alphabet;
  return store_->once(Store::kWithout, language, variable, [&](const FlatAutomaton& from) {
    const auto others = [&](Symbol symbol) { return alphabet.letter(symbol).variable != variable; };
    restrict_edges(from, others, store_->draft);
    return store_->add_deterministic_draft();
  });
}

const std::vector<Letter>& Languages::newest_letters(Language language, uint32_t variable) {
  const FlatAutomaton& automaton = store_->automaton(language);
  const uint64_t key = uint64_t{language.number()} << 32 | variable;
  const auto [entry, fresh] = store_->newest_letters.try_emplace(key);
  if (!fresh) return entry->second;
  const Alphabet& alphabet = store_->alphabet;
  // The states from which acceptance is reached without another letter of the variable.
  std::vector<bool> settled(automaton.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t state = automaton.size(); state-- > 0;) {
      if (settled[state]) continue;
      settled[state] =
          automaton.accepting(state) || std::ranges::any_of(automaton.edges_of(state), [&](const Edge& edge) {
            return settled[edge.to] && alphabet.letter(edge.symbol).variable != variable;
          });
      changed |= settled[state];
    }
  }
  std::vector<Letter>& letters = entry->second;
  for (const Edge& edge : automaton.edges) {
    const Letter& letter = alphabet.letter(edge.symbol);
    if (letter.variable == variable && settled[edge.to]) letters.push_back(letter);
  }
  std::ranges::sort(letters);
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  return letters;
}

const std::vector<Letter>& Languages::first(Language language) {
  const FlatAutomaton& automaton = store_->automaton(language);
  const auto [entry, fresh] = store_->first_letters.try_emplace(language.number());
  if (fresh && automaton.size() != 0)
    for (const Edge& edge : automaton.edges_of(0))
      entry->second.push_back(store_->alphabet.letter(edge.symbol));
  return entry->second;
}

Language Languages::after(Language language, const Letter& letter) {
  const Symbol symbol = store_->alphabet.add(letter);
  return store_->once(Store::kAfter, language, symbol, [&](const FlatAutomaton& from) {
    const uint32_t next = from.next(0, symbol);
    if (next == FlatAutomaton::kNowhere) return nothing();
    return store_->add(store_->minimiser.from_state(from, next));
  });
}

Language Languages::marked(Language language) {
  return store_->once(Store::kMarked, language, 0, [&](const FlatAutomaton& from) {
    FlatAutomaton& to = store_->draft;
    to.clear();
    for (uint32_t state = 0; state < from.size(); ++state) {
      to.add_state(from.accepting(state));
      for (const Edge& edge : from.edges_of(state)) {
        Letter letter = store_->alphabet.letter(edge.symbol);
        letter.marked = true;
        to.add_edge(store_->alphabet.add(letter), edge.to);  // barriers have no marks
      }
    }
    return store_->add_draft();
  });
}

Language Languages::without_marks(Language language) {
  return store_->once(Store::kWithoutMarks, language, 0, [&](const FlatAutomaton& from) {
    restrict_edges(
        from, [&](Symbol symbol) { return !store_->alphabet.letter(symbol).marked; }, store_->draft);
    return store_->add_deterministic_draft();
  });
}

Language Languages::not_beginning_with(Language language, const Letter& letter) {
  const Symbol symbol = store_->alphabet.add(letter);
  return store_->once(Store::kNotBeginningWith, language, symbol, [&](const FlatAutomaton& from) {
    // A new initial state, since edges may lead back to the old one. State q becomes q+1.
    FlatAutomaton& to = store_->draft;
    to.clear();
    to.add_state(from.accepting(0));
    for (const Edge& edge : from.edges_of(0))
      if (edge.symbol != symbol) to.add_edge(edge.symbol, edge.to + 1);
    for (uint32_t state = 0; state < from.size(); ++state) {
      to.add_state(from.accepting(state));
      for (const Edge& edge : from.edges_of(state)) to.add_edge(edge.symbol, edge.to + 1);
    }
    return store_->add_deterministic_draft();
  });
}

Language Languages::ending_with(Language language, const Letter& letter) {
  const Symbol symbol = store_->alphabet.add(letter);
  return store_->once(Store::kEndingWith, language, symbol, [&](const FlatAutomaton& from) {
    filter_by_bit(
        from, symbol, [](Symbol) { return true; }, 1, store_->draft);
    return store_->add_deterministic_draft();
  });
}

Language Languages::not_ending_with(Language language, const Letter& letter) {
  const Symbol symbol = store_->alphabet.add(letter);
  return store_->once(Store::kNotEndingWith, language, symbol, [&](const FlatAutomaton& from) {
    filter_by_bit(
        from, symbol, [](Symbol) { return true; }, 0, store_->draft);
    return store_->add_deterministic_draft();
  });
}

namespace {

// The pairs of states that are reached together. One of the two may have got stuck: kNowhere.
class Product {
 public:
  enum class Keep : uint8_t { kEither, kBoth, kOnlyFirst };  // the words of a, of b

  Product(const FlatAutomaton& a, const FlatAutomaton& b, const Alphabet& alphabet, PairTable& numbers,
          std::vector<uint64_t>& queue)
      : a_(a), b_(b), alphabet_(alphabet), numbers_(numbers), queue_(queue) {}

  void build(Keep keep, FlatAutomaton& to) {
    to.clear();
    numbers_.clear();
    queue_.clear();
    number_of(0, 0);
    for (size_t done = 0; done < queue_.size();) {
      const uint64_t pair = queue_[done++];
      const auto in_a = static_cast<uint32_t>(pair >> 32);
      const auto in_b = static_cast<uint32_t>(pair);
      const bool a_accepts = in_a != kNowhere && a_.accepting(in_a);
      const bool b_accepts = in_b != kNowhere && b_.accepting(in_b);
      to.add_state(keep == Keep::kEither ? a_accepts || b_accepts
                   : keep == Keep::kBoth ? a_accepts && b_accepts
                                         : a_accepts && !b_accepts);
      add_edges(edges_of(a_, in_a), edges_of(b_, in_b), keep, to);
    }
  }

 private:
  static constexpr uint32_t kNowhere = FlatAutomaton::kNowhere;

  static std::span<const Edge> edges_of(const FlatAutomaton& automaton, uint32_t state) {
    return state == kNowhere ? std::span<const Edge>() : automaton.edges_of(state);
  }

  uint32_t number_of(uint32_t in_a, uint32_t in_b) {
    const auto next = static_cast<uint32_t>(queue_.size());
    const uint32_t number = numbers_.insert(in_a, in_b, next);
    if (number == next) queue_.push_back(uint64_t{in_a} << 32 | in_b);
    return number;
  }

  // Merges two sorted lists.
  void add_edges(std::span<const Edge> a, std::span<const Edge> b, Keep keep, FlatAutomaton& to) {
    while (!a.empty() || !b.empty()) {
      const bool take_a =
          b.empty() || (!a.empty() && alphabet_.rank(a[0].symbol) <= alphabet_.rank(b[0].symbol));
      const bool take_b =
          a.empty() || (!b.empty() && alphabet_.rank(b[0].symbol) <= alphabet_.rank(a[0].symbol));
      const Symbol symbol = take_a ? a[0].symbol : b[0].symbol;
      if (keep == Keep::kEither || (take_a && (take_b || keep == Keep::kOnlyFirst)))
        to.add_edge(symbol, number_of(take_a ? a[0].to : kNowhere, take_b ? b[0].to : kNowhere));
      if (take_a) a = a.subspan(1);
      if (take_b) b = b.subspan(1);
    }
  }

  const FlatAutomaton& a_;
  const FlatAutomaton& b_;
  const Alphabet& alphabet_;
  PairTable& numbers_;
  std::vector<uint64_t>& queue_;
};

// The words of a, of b or of both, as `keep` says. Precondition: b has some.
template <class Store>
Language product(Store& store, typename Store::Operation operation, Product::Keep keep, Language a,
                 Language b) {
  return store.once(operation, a, b.number(), [&](const FlatAutomaton& from) {
    Product(from, store.automaton(b), store.alphabet, store.pairs, store.queue).build(keep, store.draft);
    return store.add_deterministic_draft();
  });
}

}  // namespace

Language Languages::united(Language a, Language b) {
  if (a == b || b == nothing()) return a;
  if (a == nothing()) return b;
  if (b < a) std::swap(a, b);
  return product(*store_, Store::kUnited, Product::Keep::kEither, a, b);
}

Language Languages::common(Language a, Language b) {
  if (a == b || a == nothing()) return a;
  if (b == nothing()) return b;
  if (b < a) std::swap(a, b);
  return product(*store_, Store::kCommon, Product::Keep::kBoth, a, b);
}

Language Languages::minus(Language a, Language b) {
  if (a == b) return nothing();
  if (b == nothing()) return a;
  return product(*store_, Store::kMinus, Product::Keep::kOnlyFirst, a, b);
}

bool Languages::included(Language part, Language whole) {
  if (part == whole || part == nothing()) return true;
  if (whole == nothing()) return false;
  PairTable& known = store_->results[Store::kIncluded];
  if (const uint32_t answer = known.find(part.number(), whole.number()); answer != PairTable::kNone)
    return answer != 0;

  // Every state of a canonical automaton accepts something: where the whole gets stuck first, it lacks a
  // word.
  const FlatAutomaton& a = store_->automaton(part);
  const FlatAutomaton& b = store_->automaton(whole);
  PairTable& seen = store_->pairs;
  std::vector<uint64_t>& queue = store_->queue;
  seen.clear();
  queue.assign(1, 0);
  seen.insert(0, 0, 0);
  const bool answer = [&] {
    for (size_t i = 0; i < queue.size(); ++i) {
      const auto in_a = static_cast<uint32_t>(queue[i] >> 32);
      const auto in_b = static_cast<uint32_t>(queue[i]);
      if (a.accepting(in_a) && !b.accepting(in_b)) return false;
      for (const Edge& edge : a.edges_of(in_a)) {
        const uint32_t to = b.next(in_b, edge.symbol);
        if (to == FlatAutomaton::kNowhere) return false;
        const auto next = static_cast<uint32_t>(queue.size());
        if (seen.insert(edge.to, to, next) == next) queue.push_back(uint64_t{edge.to} << 32 | to);
      }
    }
    return true;
  }();
  known.insert(part.number(), whole.number(), answer ? 1 : 0);
  return answer;
}

Language Languages::concatenated(Language a, Language b) {
  if (a == empty_word() || b == nothing()) return b;
  if (b == empty_word()) return a;
  return store_->once(Store::kConcatenated, a, b.number(), [&](const FlatAutomaton& from) {
    // Where a word of a ends, one of b begins.
    const FlatAutomaton& appended = store_->automaton(b);
    FlatAutomaton& to = store_->draft;
    to.clear();
    for (uint32_t state = 0; state < from.size(); ++state) {
      to.add_state(from.accepting(state) && appended.accepting(0));
      for (const Edge& edge : from.edges_of(state)) to.add_edge(edge.symbol, edge.to);
      if (!from.accepting(state)) continue;
      for (const Edge& edge : appended.edges_of(0)) to.add_edge(edge.symbol, edge.to + from.size());
    }
    for (uint32_t state = 0; state < appended.size(); ++state) {
      to.add_state(appended.accepting(state));
      for (const Edge& edge : appended.edges_of(state)) to.add_edge(edge.symbol, edge.to + from.size());
    }
    return store_->add_draft();
  });
}

Language Languages::repeated(Language language, std::span<const Word> words) {
  Language choice = nothing();
  for (const Word& one : words)
    if (!one.empty()) choice = united(choice, word(one));
  return repeated(language, choice);
}

Language Languages::repeated(Language language, Language iteration) {
  if (iteration == nothing() || iteration == empty_word()) return language;
  return store_->once(Store::kRepeated, language, iteration.number(), [&](const FlatAutomaton& from) {
    // Where a word of the language or one of the appended words ends, another of them may begin.
    const FlatAutomaton& appended = store_->automaton(iteration);
    FlatAutomaton& to = store_->draft;
    to.clear();
    const auto add_states = [&](const FlatAutomaton& automaton, uint32_t offset) {
      for (uint32_t state = 0; state < automaton.size(); ++state) {
        to.add_state(automaton.accepting(state));
        for (const Edge& edge : automaton.edges_of(state)) to.add_edge(edge.symbol, edge.to + offset);
        if (!automaton.accepting(state)) continue;
        for (const Edge& edge : appended.edges_of(0)) to.add_edge(edge.symbol, edge.to + from.size());
      }
    };
    add_states(from, 0);
    add_states(appended, from.size());
    return store_->add_draft();
  });
}

Language Languages::widened(Language language) {
  return store_->once(Store::kWidened, language, 0, [&](const FlatAutomaton& from) {
    merge_states(from, store_->alphabet, store_->draft);
    return store_->add_draft();
  });
}

const std::vector<uint32_t>& Languages::variables(Language language) {
  const FlatAutomaton& automaton = store_->automaton(language);
  const auto [entry, fresh] = store_->variables.try_emplace(language.number());
  std::vector<uint32_t>& variables = entry->second;
  if (!fresh) return variables;
  for (const Edge& edge : automaton.edges) variables.push_back(store_->alphabet.letter(edge.symbol).variable);
  std::ranges::sort(variables);
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

Automaton Languages::automaton(Language language) const {
  const FlatAutomaton& from = store_->automaton(language);
  Automaton to;
  to.states.resize(from.size());
  for (uint32_t state = 0; state < from.size(); ++state) {
    to.states[state].accepting = from.accepting(state);
    for (const Edge& edge : from.edges_of(state))
      to.states[state].edges.push_back({store_->alphabet.letter(edge.symbol), edge.to});
  }
  return to;
}

size_t Languages::states(Language language) const { return store_->automaton(language).size(); }

size_t Languages::size() const { return store_->automata.size(); }

uint64_t Languages::bytes_in_use() const {
  // The nodes of the standard maps: an entry, a link, a hash, and a bucket.
  constexpr uint64_t kNode = 4 * sizeof(void*);
  constexpr uint64_t kListNode = kNode + sizeof(std::vector<Letter>) + 2 * sizeof(Letter);
  uint64_t bytes =
      store_->bytes + store_->automata.capacity() * sizeof(FlatAutomaton) + store_->by_hash.size() * kNode;
  for (const PairTable& table : store_->results) bytes += table.bytes();
  const size_t lists =
      store_->first_letters.size() + store_->newest_letters.size() + store_->variables.size();
  return bytes + lists * kListNode;
}

}  // namespace fenceline::automata
