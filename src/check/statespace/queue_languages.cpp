// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/statespace/queue_languages.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "check/statespace/buffer_algebra.h"

namespace fenceline::check {
namespace {

using State = Automaton::State;
using Edge = Automaton::Edge;
constexpr uint64_t kPollEvery = 1024;

bool is_barrier(const Letter& letter) { return letter.variable == Letter::kBarrier; }

uint64_t with_letter(uint64_t hash, const Letter& letter) {
  hash = hash_combine(hash, letter.variable);
  hash = hash_combine(hash, static_cast<uint64_t>(letter.value));
  return hash_combine(hash, letter.marked ? 1 : 0);
}

uint64_t hash_of(const Automaton& automaton) {
  uint64_t hash = automaton.states.size();
  for (const State& state : automaton.states) {
    hash = hash_combine(hash, state.accepting ? 1 : 2);
    for (const Edge& edge : state.edges) {
      hash = with_letter(hash, edge.letter);
      hash = hash_combine(hash, edge.to);
    }
  }
  return hash;
}

// The states from which a word is accepted.
std::vector<bool> useful_states(const Automaton& automaton) {
  std::vector<std::vector<uint32_t>> before(automaton.states.size());
  std::vector<bool> useful(automaton.states.size(), false);
  std::vector<uint32_t> open;
  const auto reach = [&](uint32_t state) {
    if (!useful[state]) open.push_back(state);
    useful[state] = true;
  };
  for (uint32_t s = 0; s < automaton.states.size(); ++s) {
    for (const Edge& edge : automaton.states[s].edges) before[edge.to].push_back(s);
    if (automaton.states[s].accepting) reach(s);
  }
  while (!open.empty()) {
    const uint32_t state = open.back();
    open.pop_back();
    for (const uint32_t s : before[state]) reach(s);
  }
  return useful;
}

// Keeps the order of what is kept, so that breadth first stays breadth first: a useful state is first met
// from a useful one.
Automaton trimmed(const Automaton& automaton) {
  const std::vector<bool> useful = useful_states(automaton);
  if (useful.empty() || !useful[0]) return {};
  std::vector<uint32_t> name(useful.size(), 0);
  uint32_t next = 0;
  for (size_t s = 0; s < useful.size(); ++s)
    if (useful[s]) name[s] = next++;
  Automaton result;
  for (size_t s = 0; s < useful.size(); ++s) {
    if (!useful[s]) continue;
    State& kept = result.states.emplace_back();
    kept.accepting = automaton.states[s].accepting;
    for (const Edge& edge : automaton.states[s].edges)
      if (useful[edge.to]) kept.edges.push_back({edge.letter, name[edge.to]});
  }
  return result;
}

std::vector<Letter> letters_of(const Automaton& automaton) {
  std::vector<Letter> letters;
  for (const State& state : automaton.states)
    for (const Edge& edge : state.edges) letters.push_back(edge.letter);
  std::sort(letters.begin(), letters.end());
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  return letters;
}

// nullptr: there is no such edge.
const Edge* find_edge(const State& state, const Letter& letter) {
  const auto edge = std::lower_bound(state.edges.begin(), state.edges.end(), letter,
                                     [](const Edge& e, const Letter& wanted) { return e.letter < wanted; });
  return edge != state.edges.end() && edge->letter == letter ? &*edge : nullptr;
}

}  // namespace

QueueLanguages::QueueLanguages(Limits& limits) : limits_(limits) {
  number_of({});
  number_of({{{true, {}}}});
}

// ---- Making languages
// --------------------------------------------------------------------------------------

// The automaton whose states are the keys that `edges` leads to, breadth first. `edges(key, add)` calls
// add(letter, key) for each edge, no letter twice.
template <class Key, class Accepting, class Edges>
QueueLanguages::Number QueueLanguages::explored(const Key& start, Accepting accepting, Edges edges) {
  Automaton automaton;
  std::map<Key, uint32_t> names;
  std::vector<const Key*> keys;
  const auto name_of = [&](const Key& key) {
    const auto [position, is_new] = names.emplace(key, static_cast<uint32_t>(keys.size()));
    if (is_new) keys.push_back(&position->first);
    return position->second;
  };
  name_of(start);
  std::vector<std::pair<Letter, Key>> next;
  for (size_t s = 0; s < keys.size(); ++s) {
    next.clear();
    edges(*keys[s], [&](const Letter& letter, const Key& to) { next.emplace_back(letter, to); });
    std::sort(next.begin(), next.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    State& state = automaton.states.emplace_back();
    state.accepting = accepting(*keys[s]);
    for (const auto& [letter, to] : next) state.edges.push_back({letter, name_of(to)});
    count(0);
  }
  return number_of(trimmed(automaton));
}

QueueLanguages::Number QueueLanguages::number_of(Automaton automaton) {
  const uint64_t hash = hash_of(automaton);
  const auto [first, last] = numbers_.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (languages_[known->second].automaton == automaton) return known->second;
  const auto number = static_cast<Number>(languages_.size());
  numbers_.emplace(hash, number);
  std::vector<Letter> letters = letters_of(automaton);
  uint64_t bytes = 200;
  for (const State& state : automaton.states) bytes += sizeof(State) + state.edges.size() * sizeof(Edge);
  languages_.push_back({std::move(automaton), std::move(letters)});
  count(bytes);
  return number;
}

QueueLanguages::Number QueueLanguages::accepted_by(const Automaton& automaton) {
  if (automaton.states.empty()) return kNothing;
  return explored(
      uint32_t{0}, [&](uint32_t s) { return automaton.states[s].accepting; },
      [&](uint32_t s, auto add) {
        for (const Edge& edge : automaton.states[s].edges) add(edge.letter, edge.to);
      });
}

size_t QueueLanguages::QueryHash::operator()(const Query& query) const {
  uint64_t hash = query.language;
  hash = hash_combine(hash, static_cast<uint64_t>(query.operation));
  return with_letter(hash, query.letter);
}

template <class Compute>
QueueLanguages::Number QueueLanguages::once(Operation operation, Number language, const Letter& letter,
                                            Compute compute) {
  if (language == kNothing) return kNothing;
  const Query query{operation, language, letter};
  if (const auto known = answers_.find(query); known != answers_.end()) return known->second;
  const Number answer = compute(languages_[language].automaton);
  answers_.emplace(query, answer);
  count(sizeof(Query) + 48);
  return answer;
}

void QueueLanguages::count(uint64_t bytes) {
  bytes_ += bytes;
  if (++work_ % kPollEvery == 0 && limits_.poll(bytes_) != LimitReached::kNone) throw OutOfLimits{};
}

// ---- Stores, commits, marks
// --------------------------------------------------------------------------------

// Reading a word of L·a: where L's automaton is (or nowhere any more), and whether the word may end here.
QueueLanguages::Number QueueLanguages::appended(Number language, const Letter& letter) {
  return once(Operation::kAppended, language, letter, [&](const Automaton& automaton) {
    using Key = std::pair<std::optional<uint32_t>, bool>;
    return explored(
        Key{0, false}, [](const Key& key) { return key.second; },
        [&](const Key& key, auto add) {
          if (!key.first) return;
          const State& state = automaton.states[*key.first];
          for (const Edge& edge : state.edges)
            add(edge.letter, Key{edge.to, state.accepting && edge.letter == letter});
          if (state.accepting && !find_edge(state, letter)) add(letter, Key{std::nullopt, true});
        });
  });
}

QueueLanguages::Number QueueLanguages::after(Number language, const Letter& first) {
  return once(Operation::kAfter, language, first, [&](const Automaton& automaton) {
    const Edge* edge = find_edge(automaton.states[0], first);
    if (!edge) return kNothing;
    return explored(
        edge->to, [&](uint32_t s) { return automaton.states[s].accepting; },
        [&](uint32_t s, auto add) {
          for (const Edge& e : automaton.states[s].edges) add(e.letter, e.to);
        });
  });
}

// Letters that differed in their mark are the same afterwards, so a word can lead to several states at once.
QueueLanguages::Number QueueLanguages::marked(Number language) {
  return once(Operation::kMarked, language, {}, [&](const Automaton& automaton) {
    using Key = std::vector<uint32_t>;  // sorted
    return explored(
        Key{0},
        [&](const Key& key) {
          return std::any_of(key.begin(), key.end(),
                             [&](uint32_t s) { return automaton.states[s].accepting; });
        },
        [&](const Key& key, auto add) {
          std::map<Letter, Key> reached;
          for (const uint32_t s : key)
            for (const Edge& edge : automaton.states[s].edges) {
              Letter letter = edge.letter;
              letter.marked = !is_barrier(letter);
              reached[letter].push_back(edge.to);
            }
          for (auto& [letter, states] : reached) {
            std::sort(states.begin(), states.end());
            states.erase(std::unique(states.begin(), states.end()), states.end());
            add(letter, states);
          }
        });
  });
}

// ---- Some of the words
// -------------------------------------------------------------------------------------

// The words that an observer accepts. It starts with `false`; `step(seen, letter)` is what it is after the
// letter, or nothing if it rejects the word. `accepts(seen)`: the word may end.
template <class Step, class Accepts>
QueueLanguages::Number QueueLanguages::observed(Number language, Step step, Accepts accepts) {
  const Automaton& automaton = languages_[language].automaton;
  using Key = std::pair<uint32_t, bool>;
  return explored(
      Key{0, false},
      [&](const Key& key) { return automaton.states[key.first].accepting && accepts(key.second); },
      [&](const Key& key, auto add) {
        for (const Edge& edge : automaton.states[key.first].edges)
          if (const std::optional<bool> seen = step(key.second, edge.letter))
            add(edge.letter, Key{edge.to, *seen});
      });
}

namespace {

using Seen = std::optional<bool>;
bool always(bool) { return true; }
bool if_seen(bool seen) { return seen; }
bool if_not_seen(bool seen) { return !seen; }
Seen unless(bool rejected) { return rejected ? Seen() : Seen(false); }
Seen last_is_store(bool, const Letter& letter) { return !is_barrier(letter); }

}  // namespace

QueueLanguages::Number QueueLanguages::with_newest(Number language, const Letter& letter) {
  return once(Operation::kWithNewest, language, letter, [&](const Automaton&) {
    const auto step = [&](bool seen, const Letter& l) {
      return Seen(l.variable == letter.variable ? l == letter : seen);
    };
    return observed(language, step, if_seen);
  });
}

QueueLanguages::Number QueueLanguages::without_cell(Number language, uint32_t cell) {
  return once(Operation::kWithoutCell, language, {cell, 0, false}, [&](const Automaton&) {
    return observed(
        language, [&](bool, const Letter& l) { return unless(l.variable == cell); }, always);
  });
}

QueueLanguages::Number QueueLanguages::without_marks(Number language) {
  return once(Operation::kWithoutMarks, language, {}, [&](const Automaton&) {
    return observed(
        language, [](bool, const Letter& l) { return unless(l.marked); }, always);
  });
}

QueueLanguages::Number QueueLanguages::without_barriers(Number language) {
  return once(Operation::kWithoutBarriers, language, {}, [&](const Automaton&) {
    return observed(
        language, [](bool, const Letter& l) { return unless(is_barrier(l)); }, always);
  });
}

QueueLanguages::Number QueueLanguages::beginning_with_barrier(Number language) {
  return once(Operation::kBeginningWithBarrier, language, {}, [&](const Automaton&) {
    const auto step = [](bool begun, const Letter& l) {
      return begun || is_barrier(l) ? Seen(true) : Seen();
    };
    return observed(language, step, if_seen);
  });
}

QueueLanguages::Number QueueLanguages::not_beginning_with_barrier(Number language) {
  return once(Operation::kNotBeginningWithBarrier, language, {}, [&](const Automaton&) {
    const auto step = [](bool begun, const Letter& l) {
      return begun || !is_barrier(l) ? Seen(true) : Seen();
    };
    return observed(language, step, always);
  });
}

QueueLanguages::Number QueueLanguages::ending_with_store(Number language) {
  return once(Operation::kEndingWithStore, language, {},
              [&](const Automaton&) { return observed(language, last_is_store, if_seen); });
}

QueueLanguages::Number QueueLanguages::not_ending_with_store(Number language) {
  return once(Operation::kNotEndingWithStore, language, {},
              [&](const Automaton&) { return observed(language, last_is_store, if_not_seen); });
}

// ---- Queries
// ---------------------------------------------------------------------------------------------

bool QueueLanguages::has_empty_word(Number language) const {
  return language != kNothing && languages_[language].automaton.states[0].accepting;
}

std::vector<Letter> QueueLanguages::first_letters(Number language) const {
  std::vector<Letter> letters;
  if (language == kNothing) return letters;
  for (const Edge& edge : languages_[language].automaton.states[0].edges) letters.push_back(edge.letter);
  return letters;
}

const std::vector<Letter>& QueueLanguages::letters(Number language) const {
  return languages_[language].letters;
}

bool QueueLanguages::included(Number part, Number whole) {
  if (part == whole || part == kNothing) return true;
  if (whole == kNothing) return false;
  const uint64_t query = uint64_t{part} << 32 | whole;
  if (const auto known = inclusions_.find(query); known != inclusions_.end()) return known->second;
  const bool answer = find_inclusion(languages_[part].automaton, languages_[whole].automaton);
  inclusions_.emplace(query, answer);
  count(48);
  return answer;
}

// Both read the same words. From every state of `part` some word is accepted, so where `whole` has no edge
// there is a word that it has not. Precondition: neither is the language without words.
bool QueueLanguages::find_inclusion(const Automaton& part, const Automaton& whole) {
  std::unordered_set<uint64_t> seen;
  std::vector<std::pair<uint32_t, uint32_t>> open;
  const auto reach = [&](uint32_t p, uint32_t w) {
    if (seen.insert(uint64_t{p} << 32 | w).second) open.emplace_back(p, w);
  };
  reach(0, 0);
  while (!open.empty()) {
    const auto [p, w] = open.back();
    open.pop_back();
    count(0);
    if (part.states[p].accepting && !whole.states[w].accepting) return false;
    for (const Edge& edge : part.states[p].edges) {
      const Edge* partner = find_edge(whole.states[w], edge.letter);
      if (!partner) return false;
      reach(edge.to, partner->to);
    }
  }
  return true;
}

}  // namespace fenceline::check
