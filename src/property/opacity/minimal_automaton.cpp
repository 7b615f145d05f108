// SPDX-License-Identifier: GPL-3.0-or-later
//
// Refinement of a partition as Moore did it ("Gedanken-experiments on sequential machines", 1956), but only
// where something has changed: when a class is split, only the predecessors of the parts that got new numbers
// are looked at again, and the largest part keeps the old number. That is the idea of Hopcroft's algorithm
// with signatures of states instead of single letters.
#include <algorithm>
#include <numeric>

#include "automata/tables.h"
#include "property/opacity/automaton.h"

namespace fenceline::property {
namespace {

constexpr uint32_t kRejected = TableAutomaton::kRejected;

// For each state the states with a step to it, in one array.
struct Predecessors {
  std::vector<uint32_t> begins, states;

  explicit Predecessors(const TableAutomaton& automaton) : begins(automaton.size() + 1) {
    for (const uint32_t to : automaton.next)
      if (to != kRejected) ++begins[to + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    states.resize(begins.back());
    std::vector<uint32_t> position = begins;
    for (size_t i = 0; i < automaton.next.size(); ++i)
      if (const uint32_t to = automaton.next[i]; to != kRejected)
        states[position[to]++] = static_cast<uint32_t>(i / automaton.letters);
  }
};

// States with their classes; those of a class lie side by side.
class Partition {
 public:
  explicit Partition(const TableAutomaton& automaton)
      : automaton_(automaton),
        predecessors_(automaton),
        class_of_(automaton.size()),
        dirty_(automaton.size()) {
    for (uint32_t state = 0; state < automaton.size(); ++state) look_again_.push_back(state);
    members_.emplace_back(look_again_);
    std::fill(dirty_.begin(), dirty_.end(), 1);
  }

  const std::vector<uint32_t>& refined() {
    while (!look_again_.empty()) {
      // Each class that has a state to look at is split by what its states do.
      std::vector<uint32_t> classes;
      for (const uint32_t state : look_again_) classes.push_back(class_of_[state]);
      std::ranges::sort(classes);
      classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
      for (const uint32_t state : look_again_) dirty_[state] = 0;
      look_again_.clear();
      for (const uint32_t one : classes) split(one);
      for (const uint32_t state : moved_) note_predecessors(state);
      moved_.clear();
    }
    return class_of_;
  }

 private:
  void split(uint32_t old) {
    if (members_[old].size() == 1) return;
    signatures_.clear();
    parts_.clear();
    for (const uint32_t state : members_[old]) {
      signature_.clear();
      for (uint32_t letter = 0; letter < automaton_.letters; ++letter) {
        const uint32_t to = automaton_.after(state, letter);
        signature_.push_back(to == kRejected ? kRejected : class_of_[to]);
      }
      const uint32_t part = signatures_.add(signature_);
      if (part == parts_.size()) parts_.emplace_back();
      parts_[part].push_back(state);
    }
    if (parts_.size() == 1) return;
    std::swap(parts_[0], *std::max_element(parts_.begin(), parts_.end(),
                                           [](const auto& a, const auto& b) { return a.size() < b.size(); }));
    members_[old] = std::move(parts_[0]);
    for (size_t part = 1; part < parts_.size(); ++part) {
      const auto fresh = static_cast<uint32_t>(members_.size());
      for (const uint32_t state : parts_[part]) {
        class_of_[state] = fresh;
        moved_.push_back(state);
      }
      members_.push_back(std::move(parts_[part]));
    }
  }

  void note_predecessors(uint32_t state) {
    for (uint32_t i = predecessors_.begins[state]; i < predecessors_.begins[state + 1]; ++i) {
      const uint32_t before = predecessors_.states[i];
      if (dirty_[before] || members_[class_of_[before]].size() == 1) continue;
      dirty_[before] = 1;
      look_again_.push_back(before);
    }
  }

  const TableAutomaton& automaton_;
  const Predecessors predecessors_;
  std::vector<uint32_t> class_of_;
  std::vector<std::vector<uint32_t>> members_;  // of each class
  std::vector<uint32_t> look_again_;
  std::vector<uint8_t> dirty_;  // in look_again_
  std::vector<uint32_t> moved_;

  // Memory that is used again and again.
  automata::SequenceSet signatures_;
  std::vector<uint32_t> signature_;
  std::vector<std::vector<uint32_t>> parts_;
};

}  // namespace

TableAutomaton table_of(const machine::HistoryLanguage& language) {
  TableAutomaton table{language.alphabet().letters(), {}};
  std::vector<uint32_t> found = {language.initial()};
  std::unordered_map<uint32_t, uint32_t> numbers = {{language.initial(), 0}};
  for (size_t i = 0; i < found.size(); ++i) {
    for (uint32_t letter = 0; letter < table.letters; ++letter) {
      const uint32_t to = language.next(found[i], letter);
      if (to == machine::HistoryLanguage::kRejected) {
        table.next.push_back(kRejected);
        continue;
      }
      const auto [entry, fresh] = numbers.try_emplace(to, static_cast<uint32_t>(found.size()));
      if (fresh) found.push_back(to);
      table.next.push_back(entry->second);
    }
  }
  return table;
}

TableAutomaton minimal(const TableAutomaton& automaton) {
  Partition partition(automaton);
  const std::vector<uint32_t>& class_of = partition.refined();
  TableAutomaton result{automaton.letters, {}};
  std::vector<uint32_t> number(automaton.size(), kRejected);  // of each class
  std::vector<uint32_t> queue = {0};                          // a state of each class
  number[class_of[0]] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (uint32_t letter = 0; letter < automaton.letters; ++letter) {
      const uint32_t to = automaton.after(queue[i], letter);
      if (to != kRejected && number[class_of[to]] == kRejected) {
        number[class_of[to]] = static_cast<uint32_t>(queue.size());
        queue.push_back(to);
      }
      result.next.push_back(to == kRejected ? kRejected : number[class_of[to]]);
    }
  }
  return result;
}

}  // namespace fenceline::property
