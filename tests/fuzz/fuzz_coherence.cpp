// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coherence engine against the explicit one, on random programs with random properties.
//
// For every abstraction (set, fd0..2, pd0..2, and the ones that abstract values too), with and without
// reduction: `verified` must never contradict a violation that the explicit engine finds, and a violation
// must replay (the engine sees to that). Every proof is made to show its certificate, which check/ must
// accept. And the loop over all of them must not contradict it either. Where the program keeps its buffers
// bounded the explicit engine is complete, so that an incorrect `violated` would show too.
//
// Programs of the subsumption_class `loops` fill their buffers without end; the explicit engine then finds violations
// with up to so many pending stores per thread, which is all that is needed here.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "beyond_fl.h"
#include "engine/coherence/options.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "model/memory_model.h"
#include "random_property.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

// Enough for some ten thousand states. Programs that need more have no answer here.
constexpr uint64_t kMemory = uint64_t{2} << 20;

using Values = buffer::Abstraction::Values;

struct Variant {
  const char* abstraction;
  Values values;
  bool reduction;
  Certify certify;
};

constexpr Variant kVariants[] = {
    {"set", Values::kExact, true, Certify::kAlways},  {"fd0", Values::kExact, true, Certify::kAlways},
    {"fd1", Values::kExact, true, Certify::kAlways},  {"fd2", Values::kExact, true, Certify::kAlways},
    {"pd0", Values::kExact, true, Certify::kAlways},  {"pd1", Values::kExact, true, Certify::kAlways},
    {"pd2", Values::kExact, true, Certify::kAlways},  {"fd1", Values::kExact, false, Certify::kNever},
    {"pd1", Values::kExact, false, Certify::kNever},  {"pd1", Values::kIntervals, true, Certify::kAlways},
    {"pd1", Values::kParity, true, Certify::kAlways}, {"auto", Values::kExact, true, Certify::kNever},
};

// Which of kVariants to verify, as bits. fd1 and the loop over all always, of the others a few.
unsigned some_of_them(Rng& rng) {
  unsigned bits = 1U << 2 | 1U << (std::size(kVariants) - 1);
  for (int i = 0; i < 3; ++i) bits |= 1U << rng.below(std::size(kVariants));
  return bits;
}

// Empty if nothing contradicts anything.
std::string disagreement(const std::string& text, const std::vector<std::string>& models, unsigned which,
                         Tally* tally) {
  const Program program = read_program(text);
  if (program.properties.empty()) return "";  // shrinking took it away
  const FenceSet fences;
  for (const std::string& model : models) {
    const Task task{program, fences, memory_model(model), program.properties.front()};
    Options options;
    options.of<engine::StateSpaceOptions>().buffer_limit = 3;
    options.of<coherence::CoherenceOptions>().max_order = 2;
    const std::string exact = verdict_of("explicit", task, options, Limits(0, kMemory));
    if (tally != nullptr) ++(*tally)[model + " explicit " + exact];
    for (size_t i = 0; i < std::size(kVariants); ++i) {
      if ((which >> i & 1U) == 0) continue;
      const Variant& variant = kVariants[i];
      options.of<coherence::CoherenceOptions>().abstraction =
          coherence::parse_chosen_abstraction(variant.abstraction);
      options.of<coherence::CoherenceOptions>().buffer_values = variant.values;
      options.of<engine::StateSpaceOptions>().reduction = variant.reduction;
      options.certify = variant.certify;
      const std::string abstract = verdict_of("coherence", task, options, Limits(0, kMemory));
      constexpr const char* kValues[] = {"exact", "intervals", "parity"};
      const std::string name =
          model + " " + variant.abstraction + " " + kValues[static_cast<size_t>(variant.values)];
      if (tally != nullptr && variant.reduction) ++(*tally)[name + " " + abstract];
      const bool known = abstract == "verified" || abstract == "violated" || abstract == "unknown";
      const bool contradiction =
          (abstract == "verified" && exact == "violated") || (abstract == "violated" && exact == "verified");
      if (!known || contradiction)
        return name + (variant.reduction ? "" : " without reduction") + ": " + abstract + ", explicit " +
               exact;
    }
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(
      runs, [](Rng& rng) { return random_mixed_task(15, rng); },
      [&](Rng& rng) -> EngineComparison {
        const unsigned which = runs.every ? ~0U : some_of_them(rng);
        return [&, which](const std::string& text, Tally* counted) {
          return disagreement(text, runs.models, counted != nullptr ? which : ~0U, counted);
        };
      },
      tally);
  if (!agree) return 1;
  print(tally);
  std::cout << runs.count << " programs: the abstract machines never contradict the exact one\n";
  if (runs.count >= 500 && tally["pso fd1 exact verified"] * 10 < runs.count) {
    std::cout << "but hardly anything was ever verified: this shows nothing\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  return fenceline::fuzz::fuzz_main(argc, argv, {.models = {"tso", "pso"}}, fenceline::fuzz::run);
}
