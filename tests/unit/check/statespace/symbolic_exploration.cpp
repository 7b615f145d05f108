// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/check/statespace/symbolic_exploration.h"

#include <map>
#include <set>
#include <tuple>

#include "check/statespace/automata_buffer.h"
#include "check/statespace/certificate_steps.h"

namespace fenceline::testing {
namespace {

using Contents = check::AutomataBuffer::Contents;
using State = CertificateState<Contents>;
using Key = std::tuple<std::vector<Point>, std::vector<Value>, std::vector<std::vector<std::optional<Value>>>,
                       std::vector<Contents>>;

uint32_t widened(check::QueueLanguages& languages, uint32_t language) {
  const Automaton& automaton = languages.automaton(language);
  std::set<Letter> last;
  for (const auto& state : automaton.states)
    for (const auto& edge : state.edges)
      if (automaton.states[edge.to].accepting) last.insert(edge.letter);
  Automaton wide;
  for (const bool accepting : {languages.has_empty_word(language), true, false}) {
    auto& state = wide.states.emplace_back();
    state.accepting = accepting;
    for (const Letter& letter : languages.letters(language))
      state.edges.push_back({letter, last.contains(letter) ? 1u : 2u});
  }
  return languages.accepted_by(wide);
}

}  // namespace

std::vector<Word> words_of(const ConcreteBuffer& buffer, Buffering buffering, size_t cell_count) {
  if (buffering == Buffering::kUnbuffered) return {};
  std::vector<Word> words(buffering == Buffering::kPerCell ? cell_count : 1);
  if (buffering == Buffering::kPerThread) {
    for (const ConcreteStore& store : buffer.pending) words[0].push_back({store.cell, store.value, false});
    return words;
  }
  // In program order; a barrier goes into all words when the epoch has changed.
  const auto add_barrier = [&] {
    for (Word& word : words) word.push_back(Letter::barrier());
  };
  for (size_t i = 0; i < buffer.pending.size(); ++i) {
    const ConcreteStore& store = buffer.pending[i];
    if (i > 0 && buffer.pending[i - 1].epoch != store.epoch) add_barrier();
    words[store.cell].push_back({store.cell, store.value, store.marked});
  }
  if (!buffer.pending.empty() && buffer.pending.back().epoch != buffer.epoch) add_barrier();
  return words;
}

bool accepts(const Automaton& automaton, const Word& word) {
  if (automaton.states.empty()) return false;
  uint32_t at = 0;
  for (const Letter& letter : word) {
    const auto& edges = automaton.states[at].edges;
    const auto edge =
        std::find_if(edges.begin(), edges.end(), [&](const auto& e) { return e.letter == letter; });
    if (edge == edges.end()) return false;
    at = edge->to;
  }
  return automaton.states[at].accepting;
}

// A tree: each state is a beginning of some of the words.
Automaton only(const std::vector<Word>& words) {
  std::map<Word, uint32_t> names;
  for (const Word& word : words)
    for (size_t length = 0; length <= word.size(); ++length)
      names[Word(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(length))];
  uint32_t next = 0;
  for (auto& [beginning, name] : names) name = next++;  // the empty word comes first, letters are sorted
  Automaton automaton;
  automaton.states.resize(names.size());
  for (const auto& [beginning, name] : names) {
    automaton.states[name].accepting = std::find(words.begin(), words.end(), beginning) != words.end();
    if (beginning.empty()) continue;
    const Word shorter(beginning.begin(), beginning.end() - 1);
    automaton.states[names.at(shorter)].edges.push_back({beginning.back(), name});
  }
  return automaton;
}

AutomataCertificate symbolically(const Exploration& exploration, const Task& task) {
  AutomataCertificate certificate;
  std::map<Word, uint32_t> numbers;
  for (const ConcreteState& state : exploration.states) {
    SymbolicState& symbolic = certificate.states.emplace_back();
    symbolic.locations = state.locations;
    symbolic.memory = state.memory;
    for (const auto& registers : state.registers)
      symbolic.registers.emplace_back(registers.begin(), registers.end());
    for (const ConcreteBuffer& buffer : state.buffers) {
      auto& queues = symbolic.queues.emplace_back();
      for (const Word& word : words_of(buffer, task.model.buffering, task.program.cell_count)) {
        const auto [number, is_new] =
            numbers.emplace(word, static_cast<uint32_t>(certificate.automata.size()));
        if (is_new) certificate.automata.push_back(only({word}));
        queues.push_back(number->second);
      }
    }
  }
  return certificate;
}

bool means(const AutomataCertificate& certificate, const ConcreteState& state, const Task& task) {
  std::vector<std::vector<Word>> words;
  for (const ConcreteBuffer& buffer : state.buffers)
    words.push_back(words_of(buffer, task.model.buffering, task.program.cell_count));
  return std::any_of(certificate.states.begin(), certificate.states.end(),
                     [&](const SymbolicState& symbolic) {
                       if (symbolic.locations != state.locations || symbolic.memory != state.memory)
                         return false;
                       for (size_t t = 0; t < state.registers.size(); ++t)
                         for (size_t r = 0; r < state.registers[t].size(); ++r)
                           if (symbolic.registers[t][r] && symbolic.registers[t][r] != state.registers[t][r])
                             return false;
                       for (size_t t = 0; t < words.size(); ++t)
                         for (size_t q = 0; q < words[t].size(); ++q)
                           if (!accepts(certificate.automata[symbolic.queues[t][q]], words[t][q]))
                             return false;
                       return true;
                     });
}

AutomataCertificate close_symbolically(const Task& task, size_t exact, size_t max_states, bool& complete) {
  const Overlay overlay(task.program, task.fences);
  Limits limits;
  check::QueueLanguages languages(limits);
  check::AutomataBuffer buffers(languages, task.model.buffering, task.program.cell_count);
  check::CertificateSteps<check::AutomataBuffer> steps(overlay, buffers, task.model.buffering, limits);
  std::vector<State> states;
  std::set<Key> seen;
  complete = true;
  const auto reach = [&](State state) {
    for (Contents& queues : state.buffers)
      for (uint32_t& queue : queues)
        if (languages.automaton(queue).states.size() > exact) queue = widened(languages, queue);
    if (!seen.emplace(state.locations, state.memory, state.registers, state.buffers).second) return;
    if (states.size() == max_states)
      complete = false;
    else
      states.push_back(std::move(state));
  };
  const ConcreteState start = initial(task);
  State first{start.locations, start.memory, {}, {}};
  for (const auto& registers : start.registers) {
    first.registers.emplace_back(registers.begin(), registers.end());
    first.buffers.push_back(buffers.nothing_pending());
  }
  reach(first);
  const check::CertificateSteps<check::AutomataBuffer>::Visitor visitor{
      [&](const State& successor, ThreadId, bool) { reach(successor); }, [](ThreadId, const std::string&) {}};
  for (size_t i = 0; i < states.size(); ++i) {
    const State state = states[i];  // the vector moves
    steps.each(state, visitor);
  }
  AutomataCertificate certificate;
  std::map<uint32_t, uint32_t> numbers;
  for (const State& state : states) {
    certificate.states.push_back({state.locations, state.memory, state.registers, state.buffers});
    for (auto& queues : certificate.states.back().queues)
      for (uint32_t& queue : queues) {
        const auto [number, is_new] =
            numbers.emplace(queue, static_cast<uint32_t>(certificate.automata.size()));
        if (is_new) certificate.automata.push_back(languages.automaton(queue));
        queue = number->second;
      }
  }
  return certificate;
}

}  // namespace fenceline::testing
