// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histories against the definition of opacity and strict serializability: all of them up to a length, or
// random ones. The monitor, the corrected specification of the paper (two threads, opacity) and the checker
// of check/ must all agree with the definition.
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

struct Settings {
  PropertyKind property = PropertyKind::kOpacity;
  HistoryAlphabet alphabet{2, 2};
  size_t length = 6;
  uint64_t random = 0;  // so many random histories instead of all
  uint64_t seed = 1;
};

class Comparison {
 public:
  explicit Comparison(const Settings& settings)
      : settings_(settings),
        oracle_(settings.property, settings.alphabet.threads),
        monitor_(settings.property, settings.alphabet) {
    if (settings.property == PropertyKind::kOpacity && settings.alphabet.threads == 2)
      spec_.emplace(settings.alphabet);
  }

  // The verdict by the definition; none if one of the automata disagrees.
  std::optional<bool> correct(const property::History& history) const {
    const bool expected = oracle_.correct(history);
    std::string culprit;
    if (monitor_accepts(history) != expected) culprit = "the monitor";
    if (spec_ && spec_accepts(history) != expected) culprit = "the specification";
    if (check::check_history(history, settings_.property).bad == expected) culprit = "the checker";
    if (culprit.empty()) return expected;
    for (const HistoryStep& step : history) std::cout << to_string(step) << "\n";
    std::cout << "is " << (expected ? "correct" : "not correct") << "; " << culprit << " disagrees\n";
    return std::nullopt;
  }

 private:
  bool monitor_accepts(const property::History& history) const {
    uint32_t state = monitor_.initial();
    for (const HistoryStep& step : history)
      if (state != machine::HistoryLanguage::kRejected)
        state = monitor_.next(state, settings_.alphabet.letter(step));
    return state != machine::HistoryLanguage::kRejected;
  }
  bool spec_accepts(const property::History& history) const {
    std::optional<property::DeterministicSpec::State> state = property::DeterministicSpec::initial();
    for (const HistoryStep& step : history)
      if (state) state = spec_->step(*state, settings_.alphabet.letter(step));
    return state.has_value();
  }

  const Settings& settings_;
  property::HistoryOracle oracle_;
  property::ConflictMonitor monitor_;
  std::optional<property::DeterministicSpec> spec_;
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

int compare_all(const Settings& settings, const Comparison& comparison) {
  std::map<size_t, Count> by_length;
  Count shown, all;
  bool agree = true;
  property::for_each_history(settings.alphabet, settings.length,
                             [&](const property::History& history, uint64_t like_it) {
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
int compare_random(const Settings& settings, const Comparison& comparison) {
  Rng rng(settings.seed);
  Count all;
  for (uint64_t run = 0; run < settings.random; ++run) {
    property::History history;
    while (history.size() < settings.length) {
      std::vector<HistoryStep> possible;
      for (uint32_t letter = 0; letter < settings.alphabet.letters(); ++letter) {
        const HistoryStep step = settings.alphabet.step(letter);
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
  all.print(std::to_string(settings.random) + " random histories of length " +
            std::to_string(settings.length));
  return 0;
}

bool read(int argc, char** argv, Settings& settings) {
  CommandLine line;
  line.option("--property", "opacity|strict", [&](const std::string& value) {
    settings.property = value == "strict" ? PropertyKind::kStrictSerializability : PropertyKind::kOpacity;
    return value == "strict" || value == "opacity";
  });
  line.number("--threads", settings.alphabet.threads, 1);
  line.number("--variables", settings.alphabet.variables, 1);
  line.number("--length", settings.length, 1);
  line.number("--random", settings.random, 1);
  line.number("--seed", settings.seed);
  return line.read(argc, argv);
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  Settings settings;
  if (!read(argc, argv, settings)) return kWrongUsage;
  const Comparison comparison(settings);
  return settings.random > 0 ? compare_random(settings, comparison) : compare_all(settings, comparison);
}
