// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histories against the definition of opacity and strict serializability: all of them up to a length, or
// random ones. The monitor, the corrected specification of the paper (two threads, opacity) and the checker
// of check/ must all say what the definition says.
//
// Extensions of histories that are not correct are left out, and so are histories that differ from another
// one only in the names of threads and variables. Exit status 1 at the first difference, with the history.
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "base/rng.h"
#include "check/replay/history_checker.h"
#include "command_line.h"
#include "property/opacity/conflict_monitor.h"
#include "property/opacity/deterministic_spec.h"
#include "unit/property/history_oracle.h"

namespace fenceline::fuzz {
namespace {

struct Asked {
  PropertyKind property = PropertyKind::kOpacity;
  HistoryAlphabet alphabet{2, 2};
  size_t length = 6;
  uint64_t random = 0;  // so many random histories instead of all
  uint64_t seed = 1;
};

class Comparison {
 public:
  explicit Comparison(const Asked& asked)
      : asked_(asked),
        oracle_(asked.property, asked.alphabet.threads),
        monitor_(asked.property, asked.alphabet) {
    if (asked.property == PropertyKind::kOpacity && asked.alphabet.threads == 2)
      spec_.emplace(asked.alphabet);
  }

  // What the definition says; nothing if one of the automata disagrees.
  std::optional<bool> correct(const History& history) const {
    const bool expected = oracle_.correct(history);
    std::string wrong;
    if (monitor_accepts(history) != expected) wrong = "the monitor";
    if (spec_ && spec_accepts(history) != expected) wrong = "the specification";
    if (check_history(history, asked_.property).bad == expected) wrong = "the checker";
    if (wrong.empty()) return expected;
    for (const HistoryStep& step : history) std::cout << to_string(step) << "\n";
    std::cout << "is " << (expected ? "correct" : "not correct") << "; " << wrong << " says otherwise\n";
    return std::nullopt;
  }

 private:
  bool monitor_accepts(const History& history) const {
    uint32_t state = monitor_.initial();
    for (const HistoryStep& step : history)
      if (state != HistoryLanguage::kRejected) state = monitor_.next(state, asked_.alphabet.letter(step));
    return state != HistoryLanguage::kRejected;
  }
  bool spec_accepts(const History& history) const {
    std::optional<DeterministicSpec::State> state = DeterministicSpec::initial();
    for (const HistoryStep& step : history)
      if (state) state = spec_->step(*state, asked_.alphabet.letter(step));
    return state.has_value();
  }

  const Asked& asked_;
  HistoryOracle oracle_;
  ConflictMonitor monitor_;
  std::optional<DeterministicSpec> spec_;
};

struct Count {
  uint64_t compared = 0, correct = 0;

  void add(bool is_correct, uint64_t times = 1) {
    compared += times;
    if (is_correct) correct += times;
  }
  void print(const std::string& what) const {
    std::cout << what << ": " << compared << " compared, " << correct << " correct\n";
  }
};

int compare_all(const Asked& asked, const Comparison& comparison) {
  std::map<size_t, Count> by_length;
  Count shown, all;
  bool agree = true;
  for_each_history(asked.alphabet, asked.length, [&](const History& history, uint64_t like_it) {
    if (!agree) return false;
    const std::optional<bool> correct = comparison.correct(history);
    agree = correct.has_value();
    if (!agree) return false;
    by_length[history.size()].add(*correct, like_it);
    all.add(*correct, like_it);
    shown.add(*correct);
    return *correct;
  });
  if (!agree) return 1;
  for (const auto& [length, count] : by_length) count.print("length " + std::to_string(length));
  all.print("all up to that length");
  shown.print("of these up to renaming");
  return 0;
}

// Every letter is tried after every prefix of a random history.
int compare_random(const Asked& asked, const Comparison& comparison) {
  Rng rng(asked.seed);
  Count all;
  for (uint64_t run = 0; run < asked.random; ++run) {
    History history;
    while (history.size() < asked.length) {
      std::vector<HistoryStep> possible;
      for (uint32_t letter = 0; letter < asked.alphabet.letters(); ++letter) {
        const HistoryStep step = asked.alphabet.step(letter);
        history.push_back(step);
        const std::optional<bool> correct = comparison.correct(history);
        if (!correct) return 1;
        all.add(*correct);
        // Transactions that end too early have no conflicts.
        if (*correct && (has_variable(step.op) || rng.below(3) == 0)) possible.push_back(step);
        history.pop_back();
      }
      if (!possible.empty()) history.push_back(possible[rng.below(possible.size())]);
    }
  }
  all.print(std::to_string(asked.random) + " random histories of length " + std::to_string(asked.length));
  return 0;
}

bool read(int argc, char** argv, Asked& asked) {
  CommandLine line;
  line.option("--property", "opacity|strict", [&](const std::string& value) {
    asked.property = value == "strict" ? PropertyKind::kStrictSerializability : PropertyKind::kOpacity;
    return value == "strict" || value == "opacity";
  });
  line.number("--threads", asked.alphabet.threads, 1);
  line.number("--variables", asked.alphabet.variables, 1);
  line.number("--length", asked.length, 1);
  line.number("--random", asked.random, 1);
  line.number("--seed", asked.seed);
  return line.read(argc, argv);
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  Asked asked;
  if (!read(argc, argv, asked)) return kWrongUsage;
  const Comparison comparison(asked);
  return asked.random > 0 ? compare_random(asked, comparison) : compare_all(asked, comparison);
}
