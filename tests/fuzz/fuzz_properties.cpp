// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random properties of random programs. fuzz_machines compares final states; partial-order reduction must
// also keep what a property sees on the way: labels, registers, memory. So: take a random program, put labels
// on some of its statements, make a random formula over labels, registers and cells, and ask the engine with
// and without reduction, with one worker and with two. The verdicts must be equal, those of `observations`
// also to those of its two parts, and every violation must replay. (That the unreduced machine is right is
// what fuzz_machines shows.)
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <set>
#include <string>

#include "beyond_fl.h"
#include "engine/explicit/explicit_engine.h"
#include "env/env.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "property/properties.h"
#include "random_property.h"

namespace fenceline::fuzz {
namespace {

// What the table of states takes at the start when workers share it.
constexpr uint64_t kSharedTable = uint64_t{8} << 20;
// Enough for some ten thousand states. Programs that need more have no answer here and are passed over.
constexpr uint64_t kMemory = uint64_t{1} << 20;

struct Ask {
  bool reduction;
  uint64_t jobs;
};

std::string verdict_of(const Program& program, const Property& property, const std::string& model,
                       const Ask& ask) {
  Options options;
  options.reduction = ask.reduction;
  options.jobs = ask.jobs;
  options.buffer_limit = 3;
  Limits limits(0, kMemory + (ask.jobs > 1 ? kSharedTable : 0));
  Progress progress(false);
  Env env{options, limits, progress};
  const FenceSet fences;
  try {
    const Result result = make_explicit_engine()->run({program, fences, memory_model(model), property}, env);
    return std::string(to_string(result.verdict()));
  } catch (const std::exception& task) {
    return task.what();
  }
}

// kObservations against the two that it is made of.
std::string expected_of_both(const Program& program, const Property& property, const std::string& model) {
  const Property end{property.name, PropertyKind::kFinally, property.formula, property.pos};
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const std::string first = verdict_of(program, end, model, {false, 1});
  const std::string second = verdict_of(program, errors, model, {false, 1});
  if (first == "violated" || second == "violated") return "violated";
  return first == "verified" ? second : first;
}

// Empty if all ways of asking agree on all models.
std::string disagreement(const std::string& text, bool two_workers, std::set<std::string>& verdicts) {
  const Program program = read_program(text);
  if (program.properties.empty()) return "";  // shrinking took it away
  const Property& property = program.properties.front();
  for (const char* model : kModelNames) {
    const std::string full = verdict_of(program, property, model, {false, 1});
    const std::string reduced = verdict_of(program, property, model, {true, two_workers ? 2U : 1U});
    verdicts.insert(std::string(model) + " " + full);
    if (property.kind == PropertyKind::kObservations && full != "unknown")
      if (const std::string expected = expected_of_both(program, property, model);
          expected != "unknown" && expected != full)
        return std::string(model) + ": observations " + full + ", its parts " + expected;
    if (full == "unknown" || reduced == "unknown") continue;
    if (full != reduced) return std::string(model) + ": unreduced " + full + ", reduced " + reduced;
    if (full != "verified" && full != "violated" && full != "unknown")
      return std::string(model) + ": " + full;
  }
  return "";
}

bool still_differs(const std::string& text) {
  try {
    std::set<std::string> ignored;
    return !disagreement(text, false, ignored).empty();
  } catch (const InputError&) {
    return false;
  }
}

int run(uint64_t count, uint64_t seed, bool two_workers) {
  std::set<std::string> verdicts;
  uint64_t violated_kinds = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Rng rng(seed * 1'000'003 + i);
    const Family family = static_cast<Family>(rng.below(kFamilies));
    const std::string text = random_task(family, rng);
    if (text.empty()) continue;
    const std::string difference = disagreement(text, two_workers, verdicts);
    if (difference.empty()) continue;
    std::cout << "program " << i << " of seed " << seed << ": " << difference << "\n\n"
              << shrink_lines(text, still_differs);
    return 1;
  }
  for (const std::string& verdict : verdicts) violated_kinds += verdict.ends_with("violated");
  std::cout << count << " programs with a random property agree on " << kModels << " models\n";
  if (count >= 500 && violated_kinds < kModels) {
    std::cout << "but no property was ever violated on some model: the generator is too tame\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  uint64_t count = 1000, seed = 1;
  bool two_workers = false;
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--count") == 0 && has_value) {
      count = std::stoull(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && has_value) {
      seed = std::stoull(argv[++i]);
    } else if (std::strcmp(argv[i], "--two-workers") == 0) {
      two_workers = true;
    } else {
      std::cerr << "usage: fuzz_properties [--count N] [--seed S] [--two-workers]\n";
      return 64;
    }
  }
  return fenceline::fuzz::run(count, seed, two_workers);
}
