// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operations on sets of buffer contents that the automata engine does most, each twice: done before, when
// the result is looked up, and done for the first time. The languages are those of random walks of a thread
// that stores to two variables, loads, commits and runs cycles.
#include "automata/languages.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <set>
#include <vector>

#include "base/rng.h"

namespace fenceline::bench {
namespace {

constexpr size_t kLanguages = 2'000;
constexpr size_t kFewestStates = 5;
constexpr size_t kMostStates = 25;

Letter random_letter(Rng& rng) {
  return {static_cast<uint32_t>(rng.below(2)), static_cast<Value>(rng.below(3)), false};
}

// Different languages that a walk meets, as automata: every benchmark reads them into a store of its own.
std::vector<Automaton> sample() {
  Rng rng(1);
  automata::Languages languages;
  std::vector<Automaton> found;
  std::set<automata::Language> seen;
  automata::Language now;
  automata::Language before;
  while (found.size() < kLanguages) {
    const Letter letter = random_letter(rng);
    const uint64_t step = rng.below(100);
    if (step < 45) {
      now = languages.append(now, letter);
    } else if (step < 60) {
      now = languages.newest(now, letter);
    } else if (step < 80) {
      now = languages.after(now, letter);
    } else if (step < 88) {
      now = languages.united(now, before);
    } else if (step < 94) {
      now = languages.repeated(now, std::vector<Word>{{letter, random_letter(rng)}});
    } else {
      before = now;
    }
    if (now == automata::Languages::nothing() || languages.states(now) > kMostStates)
      now = automata::Languages::empty_word();
    if (languages.states(now) >= kFewestStates && seen.insert(now).second)
      found.push_back(languages.automaton(now));
  }
  return found;
}

struct Stored {
  automata::Languages languages;
  std::vector<automata::Language> numbers;
  std::vector<Letter> letters;  // one for each language
  std::vector<automata::Language>
      larger;  // sets that contain the languages: inclusion has to look at every state

  explicit Stored(const std::vector<Automaton>& automata) {
    Rng rng(2);
    for (const Automaton& automaton : automata) {
      numbers.push_back(languages.accepted_by(automaton));
      letters.push_back(random_letter(rng));
    }
    for (size_t i = 0; i < numbers.size(); ++i)
      larger.push_back(languages.repeated(numbers[i], std::vector<Word>{{letters[i]}}));
  }
};

void append(Stored& stored, size_t i) {
  benchmark::DoNotOptimize(stored.languages.append(stored.numbers[i], stored.letters[i]));
}
void newest(Stored& stored, size_t i) {
  benchmark::DoNotOptimize(stored.languages.newest(stored.numbers[i], stored.letters[i]));
}
void after(Stored& stored, size_t i) {
  benchmark::DoNotOptimize(stored.languages.after(stored.numbers[i], stored.letters[i]));
}
void without(Stored& stored, size_t i) {
  benchmark::DoNotOptimize(stored.languages.without(stored.numbers[i], stored.letters[i].variable));
}
void united(Stored& stored, size_t i) {
  benchmark::DoNotOptimize(stored.languages.united(stored.numbers[i], stored.numbers[(i + 1) % kLanguages]));
}
void included(Stored& stored, size_t i) {
  benchmark::DoNotOptimize(stored.languages.included(stored.numbers[i], stored.larger[i]));
}

using Operation = void (*)(Stored&, size_t);

void done_before(benchmark::State& state, Operation operation) {
  Stored stored(sample());
  for (size_t i = 0; i < kLanguages; ++i) operation(stored, i);
  size_t next = 0;
  for (auto _ : state) {
    operation(stored, next);
    if (++next == kLanguages) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

// All languages of the sample in a fresh store; making the store is not timed. Items are operations.
void first_time(benchmark::State& state, Operation operation) {
  const std::vector<Automaton> automata = sample();
  for (auto _ : state) {
    state.PauseTiming();
    auto stored = std::make_unique<Stored>(automata);
    state.ResumeTiming();
    for (size_t i = 0; i < kLanguages; ++i) operation(*stored, i);
    state.PauseTiming();
    stored.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kLanguages));
}

#define FENCELINE_BENCHMARK(operation)                  \
  BENCHMARK_CAPTURE(done_before, operation, operation); \
  BENCHMARK_CAPTURE(first_time, operation, operation)->Unit(benchmark::kMicrosecond)

FENCELINE_BENCHMARK(append);
FENCELINE_BENCHMARK(newest);
FENCELINE_BENCHMARK(after);
FENCELINE_BENCHMARK(without);
FENCELINE_BENCHMARK(united);
FENCELINE_BENCHMARK(included);

}  // namespace
}  // namespace fenceline::bench

BENCHMARK_MAIN();
