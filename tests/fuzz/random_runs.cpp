// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_runs.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <sstream>

#include "env/errors.h"
#include "random_property.h"

namespace fenceline::fuzz {
namespace {

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

std::optional<RandomRuns> random_runs(int argc, char** argv, RandomRuns runs) {
  const std::vector<std::string> known = runs.models;
  bool fine = true;
  for (int i = 1; i < argc && fine; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--every")) {
      runs.every = true;
    } else if (i + 1 == argc) {
      fine = false;
    } else if (is("--count")) {
      runs.count = std::stoull(argv[++i]);
    } else if (is("--first")) {
      runs.first = std::stoull(argv[++i]);
    } else if (is("--seed")) {
      runs.seed = std::stoull(argv[++i]);
    } else if (is("--model")) {
      runs.models = parts_of(argv[++i]);
    } else {
      fine = false;
    }
  }
  for (const std::string& model : runs.models)
    fine = fine && std::find(known.begin(), known.end(), model) != known.end();
  if (fine) return runs;
  std::cerr << "usage: " << argv[0] << " [--count N] [--first N] [--seed S] [--model M,...] [--every]\n"
            << "--every: ask everything about every program, not some of it\n";
  return std::nullopt;
}

bool all_agree(const RandomRuns& runs, const std::function<std::string(Rng&)>& program,
               const std::function<std::optional<Disagreement>(const std::string&, Rng&)>& ask) {
  for (uint64_t i = runs.first; i < runs.first + runs.count; ++i) {
    Rng rng(runs.seed * 1'000'003 + i);
    const std::string text = program(rng);
    if (text.empty()) continue;
    const std::optional<Disagreement> found = ask(text, rng);
    if (!found) continue;
    std::cout << "program " << i << " of seed " << runs.seed << ": " << found->what << "\n\n"
              << text << "\nin short:\n\n"
              << std::flush << shrink_lines(text, [&](const std::string& less) {
                   try {
                     return found->still(less);
                   } catch (const InputError&) {
                     return false;
                   }
                 });
    return false;
  }
  return true;
}

}  // namespace fenceline::fuzz
