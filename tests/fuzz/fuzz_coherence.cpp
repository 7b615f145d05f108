// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coherence engine against the explicit one, on random programs with random properties.
//
// For every abstraction (set, fd0..2, pd0..2, and the ones that abstract values too), with and without
// reduction: `verified` must never stand against a violation that the explicit engine finds, and a violation
// must replay (the engine sees to that). Every proof is made to show its certificate, which witness/ must
// accept. And the loop over all of them must not contradict it either. Where the program keeps its buffers
// bounded the explicit engine is complete, so that a wrong `violated` would show too.
//
// Programs of the family `loops` fill their buffers without end; the explicit engine then finds what goes
// wrong with up to so many waiting stores per thread, which is all that is needed here.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "engine/coherence/coherence_engine.h"
#include "engine/explicit/explicit_engine.h"
#include "env/env.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "random_property.h"

namespace fenceline::fuzz {
namespace {

// Enough for some ten thousand states. Programs that need more have no answer here.
constexpr uint64_t kMemory = uint64_t{2} << 20;

struct Asked {
  const char* abstraction;
  const char* values;
  bool reduction;
  const char* certify;
};

constexpr Asked kAsked[] = {
    {"set", "exact", true, "always"},     {"fd0", "exact", true, "always"},  {"fd1", "exact", true, "always"},
    {"fd2", "exact", true, "always"},     {"pd0", "exact", true, "always"},  {"pd1", "exact", true, "always"},
    {"pd2", "exact", true, "always"},     {"fd1", "exact", false, "never"},  {"pd1", "exact", false, "never"},
    {"pd1", "intervals", true, "always"}, {"pd1", "parity", true, "always"}, {"auto", "exact", true, "never"},
};

std::string verdict_of(const Engine& engine, const Problem& problem, const Options& options) {
  Limits limits(0, kMemory);
  Progress progress(false);
  Env env{options, limits, progress};
  try {
    return std::string(to_string(engine.run(problem, env).verdict));
  } catch (const Unsupported&) {
    return "unknown";
  } catch (const std::exception& problem_found) {
    return problem_found.what();
  }
}

struct Tally {
  std::map<std::string, uint64_t> count;
};

// Which of kAsked to ask, as bits. fd1 and the loop over all always, of the others a few.
unsigned some_of_them(Rng& rng) {
  unsigned bits = 1U << 2 | 1U << (std::size(kAsked) - 1);
  for (int i = 0; i < 3; ++i) bits |= 1U << rng.below(std::size(kAsked));
  return bits;
}

// Empty if nothing contradicts anything.
std::string disagreement(const std::string& text, unsigned which, Tally* tally) {
  const Program program = parse_fl({"random.fl", text});
  if (program.properties.empty()) return "";  // shrinking took it away
  const auto explicit_engine = make_explicit_engine();
  const auto coherence_engine = make_coherence_engine();
  const FenceSet fences;
  for (const char* model : {"tso", "pso"}) {
    const Problem problem{program, fences, memory_model(model), program.properties.front()};
    Options options;
    options.buffer_limit = 3;
    options.max_order = 2;
    const std::string exact = verdict_of(*explicit_engine, problem, options);
    if (tally != nullptr) ++tally->count[std::string(model) + " explicit " + exact];
    for (size_t i = 0; i < std::size(kAsked); ++i) {
      if ((which >> i & 1U) == 0) continue;
      const Asked& asked = kAsked[i];
      options.abstraction = asked.abstraction;
      options.buffer_values = asked.values;
      options.reduction = asked.reduction;
      options.certify = asked.certify;
      const std::string abstract = verdict_of(*coherence_engine, problem, options);
      const std::string name = std::string(model) + " " + asked.abstraction + " " + asked.values;
      if (tally != nullptr && asked.reduction) ++tally->count[name + " " + abstract];
      const bool known = abstract == "verified" || abstract == "violated" || abstract == "unknown";
      const bool contradiction =
          (abstract == "verified" && exact == "violated") || (abstract == "violated" && exact == "verified");
      if (!known || contradiction)
        return name + (asked.reduction ? "" : " without reduction") + ": " + abstract + ", explicit " + exact;
    }
  }
  return "";
}

bool still_differs(const std::string& text) {
  try {
    return !disagreement(text, ~0U, nullptr).empty();
  } catch (const InputError&) {
    return false;
  }
}

int run(uint64_t count, uint64_t first, uint64_t seed, bool every) {
  Tally tally;
  for (uint64_t i = first; i < first + count; ++i) {
    Rng rng(seed * 1'000'003 + i);
    const bool terminating = rng.chance(15);
    const std::string text = terminating ? random_problem(static_cast<Family>(rng.below(kFamilies)), rng)
                                         : random_looping_problem(rng);
    if (text.empty()) continue;
    const std::string difference = disagreement(text, every ? ~0U : some_of_them(rng), &tally);
    if (difference.empty()) continue;
    std::cout << "program " << i << " of seed " << seed << ": " << difference << "\n\n"
              << shrink_lines(text, still_differs);
    return 1;
  }
  for (const auto& [what, number] : tally.count) std::cout << what << ": " << number << "\n";
  std::cout << count << " programs: the abstract machines never contradict the exact one\n";
  if (count >= 500 && tally.count["pso fd1 exact verified"] * 10 < count) {
    std::cout << "but hardly anything was ever verified: this shows nothing\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  uint64_t count = 1000, first = 0, seed = 1;
  bool every = false;
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--count") == 0 && has_value) {
      count = std::stoull(argv[++i]);
    } else if (std::strcmp(argv[i], "--first") == 0 && has_value) {
      first = std::stoull(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && has_value) {
      seed = std::stoull(argv[++i]);
    } else if (std::strcmp(argv[i], "--every") == 0) {
      every = true;
    } else {
      std::cerr << "usage: fuzz_coherence [--count N] [--first N] [--seed S] [--every]\n"
                   "--every: every abstraction for every program, not some of them\n";
      return 64;
    }
  }
  return fenceline::fuzz::run(count, first, seed, every);
}
